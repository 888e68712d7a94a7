"""RMNode: the RM's state machine of one NodeManager, and what its next heartbeat's answer will contain.

It stores what its NM reported and notifies the scheduler of changes; its books are in SchedulerNode, and
which hosts may join is decided in rm.monitoring.nodes. A node that is LOST, DECOMMISSIONED, REBOOTED or
SHUTDOWN leaves the active register and is remembered in the inactive one. Hadoop: RMNodeImpl.

entity  what a node is, and what it makes of its NM's reports
life    what happens to it
table   the law
"""

from yarnbox.rm.node.entity import RMNode
from yarnbox.rm.node.table import RM_NODE

__all__ = ["RM_NODE", "RMNode"]
