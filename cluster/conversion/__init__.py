"""`yarnbox convert-conf`: files of the FairScheduler for the CapacityScheduler. Hadoop: `yarn fs2cs`.

command    reads and writes files, and has the CapacityScheduler look at what came of it
queues     a capacity-scheduler.xml and a yarn-site.xml that come near to an allocation file
placement  its placement rules as mapping rules
outcome    what is asked for, what came of it, and what has no equivalent
"""
