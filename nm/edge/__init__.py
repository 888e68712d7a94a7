"""The NodeManager as a process: asyncio, gRPC, disks, scripts. Holds no rules.

main         the command line
process      one NodeManager: its core, its executor, what carries effects out
heartbeats   registration and the beat
tracker      how the RM is called, and by which wire
serving      ContainerManagementProtocol over gRPC, and Hadoop's wire beside it
collection   log files written to where they are collected
world        effects of a real node carried out
container_news  what executors report, each a turn of the core
naming       emulated hosts entered in the address book and the topology table
store        what is remembered over a restart, on disk
http/        REST, pages, metrics, logs
health/      disks, scripts, the size of logs
staging      files that clients stage at the node
virtual      many nodes with simulated containers in one process
"""
