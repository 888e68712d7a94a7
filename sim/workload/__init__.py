"""Workloads: jobs with their tasks, played in virtual time against the ResourceManager's own core.

files     the configuration: a directory, or queues with equal shares
site      the cluster, and what is assumed of its nodes and of tasks
slots     map and reduce slots as resource types, for work that predates YARN
arrivals  when jobs are submitted: at the times of the load, or when earlier ones have ended
requests  what one AM asks for: batches of equal tasks, counts at hosts, racks and `*`
master    the AM of one job, and the models by which it asks: mapreduce, dag, stream, service
speculation  which running attempt gets a second one
reserving jobs with a deadline reserve in their plan queue
watching  who listens to a play
player    when jobs come, until all of them have ended
running   the AMs of jobs that were submitted, and their tasks
fleet     the NodeManagers: which containers end when, who heartbeats
arguments the options that say what the cluster is
command   `yarnbox sim run`
"""
