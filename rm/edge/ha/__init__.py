"""One of several ResourceManagers: who is active, what a standby answers, and the state that they share.

lease     for how long this one is sure to be the only active one
zookeeper the connection
elector   the lock in ZooKeeper
store     the state store in ZooKeeper, which an old active cannot write to
role      active or standby, and the way from one to the other
service   HAServiceProtocol
standby   the pages of a standby

The core knows nothing of it: an RM that becomes active builds one, and one that steps down drops it.
"""
