"""Workloads: jobs with their tasks, played in virtual time against the ResourceManager's own core.

jobs      a job and its tasks as values
swim      traces of the Statistical Workload Injector for MapReduce
files     the configuration: a directory, or queues with equal shares
master    the AM of one job: asks for maps, then for reduces
player    nodes and AMs that heartbeat until all jobs have ended
command   `yarnbox sim run`
"""
