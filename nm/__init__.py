"""The NodeManager: starts containers, watches them, tells the RM. `python -m yarnbox.nm`.

settings/        every property of the NM
core             builds the parts; the turn; timers and effects handed out; what the world did
context          a handler's reach
events, effects  everything that can happen / that may be asked of the world
application      ApplicationImpl: table and hooks
container        ContainerImpl: table and hooks; container_state: what it is; launching: its processes
retry            whether a container that failed is started again
resources        what containers ask to find; localized: the caches, LocalizedResource's table
scheduler        guaranteed containers at once, opportunistic ones in a queue
status           registration, heartbeats, what their answers mean
descriptors      labels and attributes that the node reports
health, logs     the verdict on the node; what becomes of logs
state            what is stored for a restart; recovery: how it is read again
services         ContainerManagementProtocol
executor/        containers as processes of the operating system; the launch script
localizer        resources copied and unpacked
monitor          memory of process trees against limits
shuffle/         the auxiliary service from which reducers fetch map output
edge/            gRPC, heartbeats, effects carried out; disks, scripts, log files; virtual nodes
testing          FakeNodeManager, for tests of an RM
"""
