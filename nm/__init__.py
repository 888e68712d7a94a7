"""The NodeManager: starts containers, watches them, tells the RM. `python -m yarnbox.nm`.

settings/        every property of the NM
core             builds the parts; the turn; timers and effects handed out; what the world did
context          a handler's reach
events, effects  everything that can happen / that may be asked of the world
application      ApplicationImpl: table and hooks
containers/      a container's life: table, launch, retry, scheduling
localization/    the files that containers ask for
reporting/       registration, heartbeats, health, labels and attributes
logs             what becomes of logs
state            what is stored for a restart; recovery: how it is read again
tables           the state machines as a page: `python -m yarnbox.nm.tables`
services         ContainerManagementProtocol
executor/        containers as processes of the operating system; the launch script
monitor          memory of process trees against limits
shuffle/         the auxiliary service from which reducers fetch map output
edge/            gRPC, heartbeats, effects carried out; disks, scripts, log files; virtual nodes
"""
