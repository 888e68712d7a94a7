"""ApplicationMasters: the library that one is written with, and the applications that come along.

asks        what is asked of the RM and not yet granted: AMRMClient's request table, without I/O
placement   the short form of placement constraints
rm_client   an AM's side of the ApplicationMasterProtocol
nm_client   an AM's side of the ContainerManagementProtocol
blocking    both for a program without asyncio
unmanaged   an AM that runs outside the cluster
connection  where an AM finds its cluster
environment what a container is told by its NM
launch      launch contexts for Python programs
submit      an application handed to the RM, and followed to its end
command     `yarnbox job`
progress    how far a job is, on a terminal and elsewhere
mapreduce/  the MapReduce AM, its tasks and its jobs
shell/      the DistributedShell AM: one command in many containers
"""
