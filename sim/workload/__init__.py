"""Workloads: jobs with their tasks, played in virtual time against the ResourceManager's own core.

files     the configuration: a directory, or queues with equal shares
site      the cluster, and what is assumed of its nodes and of tasks
requests  what one AM asks for: batches of equal tasks, counts at hosts, racks and `*`
master    the AM of one job, and the models by which it asks: mapreduce, dag, stream, service
watching  who listens to a play
player    nodes and AMs that heartbeat until all jobs have ended
arguments the options that say what the cluster is
command   `yarnbox sim run`
"""
