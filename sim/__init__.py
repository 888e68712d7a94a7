"""Virtual time: the ResourceManager's own core, driven by a file or a workload instead of by processes.

capture/     a living cluster as a directory that can be played
load/        jobs in every format: read, checked, converted
recording/   what a run looked like, moment by moment, for `yarnbox view`
scenario/    scenario files: read, checked, played, and what they expect compared with what came about
walk/        random walks over the verbs of scenarios
workload/    traces of jobs, played until all have ended
reports/     what a play came to: figures, tables, files
federation/  sub-clusters that share a load, by several policies
paper/       the published algorithms, measured
whatif/      a load under a configuration and under changes of it, compared
kernel       the clock that stands still between events, and the heap of what happens next
nodes        honest NodeManagers: they report what was started on them and what ended
masters      honest ApplicationMasters without processes
resourcemanager  the RM process's own core in virtual time
"""

from yarnbox.sim.load.formats import Load, LoadOptions, read_load
from yarnbox.sim.load.jobs import InvalidTraceError, Job, Nodes, NodeSpec, Task
from yarnbox.sim.load.yarnbox_format import write_load
from yarnbox.sim.reports.play import play
from yarnbox.sim.reports.result import JobResult, Result, Summary
from yarnbox.sim.whatif.compare import compare
from yarnbox.sim.whatif.comparison import Comparison, Row
from yarnbox.sim.whatif.variants import Change, InvalidChangeError
from yarnbox.sim.workload.site import NodeLoss, Site

__all__ = [
    "Change",
    "Comparison",
    "InvalidChangeError",
    "Row",
    "compare",
    "InvalidTraceError",
    "Job",
    "JobResult",
    "Load",
    "LoadOptions",
    "NodeLoss",
    "NodeSpec",
    "Nodes",
    "Result",
    "Site",
    "Summary",
    "Task",
    "play",
    "read_load",
    "write_load",
]
