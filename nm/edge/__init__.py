"""The NodeManager as a process: asyncio, gRPC, disks, scripts. Holds no rules.

main         the command line
process      one NodeManager: its core, its executor, what carries effects out
heartbeats   registration and the beat
serving      ContainerManagementProtocol over gRPC
disks        local and log directories looked at; log_monitor: what containers write into theirs
scripts      health, label and attribute scripts run
collection   log files written to where they are collected
web          the node's web service: what runs here, and its logs
pump         turns, timers and effects of a core
world        effects of a real node carried out
providers    scripts and settings asked for health, labels, attributes
naming       emulated hosts entered in the address book and the topology table
store        what is remembered over a restart, on disk
virtual      many nodes with simulated containers in one process
"""
