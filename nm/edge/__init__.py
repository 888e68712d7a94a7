"""The NodeManager as a process: asyncio, gRPC, disks, scripts. Holds no rules.

main         the command line
process      one NodeManager: its core, its executor, what carries effects out
heartbeats   registration and the beat
serving      ContainerManagementProtocol over gRPC
disks        local and log directories looked at
scripts      health, label and attribute scripts run
collection   log files written to where they are collected
virtual      many nodes with simulated containers in one process
fake         FakeNodeManager, for tests
"""
