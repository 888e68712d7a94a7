"""A YARN cluster on this machine: the `yarnbox` command.

main        the command: each subcommand from arguments to exit status
arguments   its words and options
cluster     Cluster: up, down, nodes added, killed, started again
directory   the run directory and the record in it
site        the generated configuration
hadoop_site what the configuration says more for Hadoop's own clients
ports       free ports for daemons
processes   starting, knowing again, ending processes
daemons/    the daemons of a cluster: how each is started, several ResourceManagers, what they say of nodes
hosts/      where NodeManagers run: this machine, or the workers of an engine
forkserver  what becomes the daemons of a new cluster, its modules imported once
view        what the cluster looks like
suggestions what `yarnbox up` suggests to do next
checking/   `yarnbox check-conf`
commands/   further sub-commands, a module each
conversion/ fair-scheduler.xml to capacity-scheduler.xml
restarting  an RM whose state store failed is started again
viewer/     `yarnbox view`: pages over recordings, and simulations from the page
watch       the foreground: showing it until somebody ends it
"""
