"""Virtual time: the ResourceManager's own core, driven by a file or a workload instead of by processes.

recording/   what a run looked like, moment by moment, for `yarnbox view`
scenario/    scenario files: read, checked, played, and what they expect compared with what came about
workload/    traces of jobs, played until all have ended
kernel       the clock that stands still between events, and the heap of what happens next
nodes        honest NodeManagers: they report what was started on them and what ended
"""
