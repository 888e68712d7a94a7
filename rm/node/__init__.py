"""RMNode: one NodeManager's life as the RM sees it, and what is to be said to it at its next heartbeat.

It knows what its NM reported and tells the scheduler what is new; what is booked on it is SchedulerNode's
business, who may join that of rm.nodes. A node that is LOST, DECOMMISSIONED, REBOOTED or SHUTDOWN leaves the
active register and is remembered in the inactive one. Hadoop: RMNodeImpl.

entity  what a node is, and what it makes of its NM's reports
life    what happens to it
table   the law
"""

from yarnbox.rm.node.entity import RMNode
from yarnbox.rm.node.table import RM_NODE

__all__ = ["RM_NODE", "RMNode"]
