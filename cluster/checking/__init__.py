"""`yarnbox check-conf`: what is wrong with a configuration, and what its queues come to.

check_conf   the command; the CapacityScheduler's queues on a cluster of a given size
check_fair   the same for the FairScheduler
fair_file    the FairScheduler's files, read as the ResourceManager reads them
dry_run      who may submit where, and what happens
sizes        the size of the cluster, by partition
site_findings what in the site files has no effect: written twice, of Kerberos, misspelt
"""
