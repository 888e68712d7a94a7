"""Sub-clusters of a federation in virtual time: a ResourceManager each, a process each, joined at intervals.

load        jobs of queues that are not equally busy
policies    which sub-clusters a job's tasks go to: Hadoop's router and AMRMProxy policies
subcluster  one sub-cluster, played from join to join
workers     sub-clusters in processes
play        the whole: routing at every join, and what became of the jobs
report      tables, JSON, a plot
command     `yarnbox sim federation`
"""
