"""Containers as processes of the operating system.

layout    where everything of a container lies, below the local and the log directories
script    launch_container.sh: environment, links, command, what <ADD_OPENS> stands for
group     a container's processes as a whole: signals, who is left
process   ProcessExecutor: launches, ends, reacquires
reaper    what kills the containers of an NM that died
leftovers containers of an earlier NM that nobody knows any more
tails     the ends of error files, for diagnostics
simulated SimulatedExecutor: containers that only take time
"""
