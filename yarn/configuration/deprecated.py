"""Property names of older Hadoop versions that people still write, and what they are called today.

A deprecated name in a resource sets its successors; asking for one asks for its first successor. Taken from
Hadoop's DeprecatedProperties page as far as YARN, its MapReduce and the file system's address go; names that
no program here or in a user's job could mean any more (JobTracker's and TaskTracker's own) are left out.
"""

from __future__ import annotations

from collections.abc import Mapping

DEPRECATED: Mapping[str, tuple[str, ...]] = {
    # core-site.xml
    "fs.default.name": ("fs.defaultFS",),
    "hadoop.configured.node.mapping": ("net.topology.configured.node.mapping",),
    "topology.node.switch.mapping.impl": ("net.topology.node.switch.mapping.impl",),
    "topology.script.file.name": ("net.topology.script.file.name",),
    "topology.script.number.args": ("net.topology.script.number.args",),
    # yarn-site.xml
    "hadoop.http.rmwebapp.scheduler.page.class": ("yarn.http.rmwebapp.scheduler.page.class",),
    "yarn.client.max-nodemanagers-proxies": ("yarn.client.max-cached-nodemanagers-proxies",),
    "yarn.resourcemanager.display.per-user-apps": ("yarn.webapp.filter-entity-list-by-user",),
    "yarn.resourcemanager.system-metrics-publisher.enabled": ("yarn.system-metrics-publisher.enabled",),
    # mapred-site.xml
    "io.sort.factor": ("mapreduce.task.io.sort.factor",),
    "io.sort.mb": ("mapreduce.task.io.sort.mb",),
    "io.sort.spill.percent": ("mapreduce.map.sort.spill.percent",),
    "mapred.acls.enabled": ("mapreduce.cluster.acls.enabled",),
    "mapred.compress.map.output": ("mapreduce.map.output.compress",),
    "mapred.input.dir": ("mapreduce.input.fileinputformat.inputdir",),
    "mapred.jar": ("mapreduce.job.jar",),
    "mapred.job.map.memory.mb": ("mapreduce.map.memory.mb",),
    "mapred.job.name": ("mapreduce.job.name",),
    "mapred.job.priority": ("mapreduce.job.priority",),
    "mapred.job.queue.name": ("mapreduce.job.queuename",),
    "mapred.job.reduce.memory.mb": ("mapreduce.reduce.memory.mb",),
    "mapred.job.tracker": ("mapreduce.jobtracker.address",),
    "mapred.local.dir": ("mapreduce.cluster.local.dir",),
    "mapred.map.child.env": ("mapreduce.map.env",),
    "mapred.map.child.java.opts": ("mapreduce.map.java.opts",),
    "mapred.map.child.log.level": ("mapreduce.map.log.level",),
    "mapred.map.max.attempts": ("mapreduce.map.maxattempts",),
    "mapred.map.output.compression.codec": ("mapreduce.map.output.compress.codec",),
    "mapred.map.tasks": ("mapreduce.job.maps",),
    "mapred.map.tasks.speculative.execution": ("mapreduce.map.speculative",),
    "mapred.max.map.failures.percent": ("mapreduce.map.failures.maxpercent",),
    "mapred.max.reduce.failures.percent": ("mapreduce.reduce.failures.maxpercent",),
    "mapred.max.split.size": ("mapreduce.input.fileinputformat.split.maxsize",),
    "mapred.min.split.size": ("mapreduce.input.fileinputformat.split.minsize",),
    "mapred.output.compress": ("mapreduce.output.fileoutputformat.compress",),
    "mapred.output.compression.codec": ("mapreduce.output.fileoutputformat.compress.codec",),
    "mapred.output.compression.type": ("mapreduce.output.fileoutputformat.compress.type",),
    "mapred.output.dir": ("mapreduce.output.fileoutputformat.outputdir",),
    "mapred.reduce.child.env": ("mapreduce.reduce.env",),
    "mapred.reduce.child.java.opts": ("mapreduce.reduce.java.opts",),
    "mapred.reduce.child.log.level": ("mapreduce.reduce.log.level",),
    "mapred.reduce.max.attempts": ("mapreduce.reduce.maxattempts",),
    "mapred.reduce.parallel.copies": ("mapreduce.reduce.shuffle.parallelcopies",),
    "mapred.reduce.slowstart.completed.maps": ("mapreduce.job.reduce.slowstart.completedmaps",),
    "mapred.reduce.tasks": ("mapreduce.job.reduces",),
    "mapred.reduce.tasks.speculative.execution": ("mapreduce.reduce.speculative",),
    "mapred.system.dir": ("mapreduce.jobtracker.system.dir",),
    "mapred.task.timeout": ("mapreduce.task.timeout",),
}


def current_names(name: str) -> tuple[str, ...]:
    """The names under which Hadoop knows `name` today: its successors, or itself."""
    return DEPRECATED.get(name, (name,))
