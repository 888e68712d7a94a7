"""A living cluster, or what was saved of one, as a directory that `yarnbox sim run DIR` plays.

source         where answers come from: REST of the servers, or files
applications   applications as jobs; tasks that are not known are modelled
traced         what history servers know of tasks
mapreduce      tasks as the JobHistoryServer knows them
moments        moments in ms since 1970
spark          executors as Spark's history server knows them
nodes          nodes with their sizes and labels
configuration  yarn-site.xml and the scheduler's file
anonymous      users, queues, names and hosts by numbers
directory      the whole: read, changed, written
"""
