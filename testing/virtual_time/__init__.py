"""A whole cluster in one process, in virtual time.

cluster   VirtualCluster
rm        its ResourceManager
disk      what it stores, on a disk that may be full
nodes     its NodeManagers; containers as functions of time
loop      an asyncio loop whose time is virtual
memory    the clients of yarnbox.am without a wire
"""
