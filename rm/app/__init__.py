"""RMApp: one application's life, from its submission to its end, over as many attempts as it takes.

It knows its attempts, where it ran and which node updates its AM has to be sent; queues and containers belong
to the scheduler, admission to rm.submission. Its final state is written to the state store before it is
shown. Hadoop: RMAppImpl.

entity  what an application is, and its entry in the state store
life    what happens to it
table   the law
"""

from yarnbox.rm.app.entity import COMPLETED_STATES, FINAL_STATES, RMApp, RMAppState
from yarnbox.rm.app.table import RM_APP

__all__ = ["COMPLETED_STATES", "FINAL_STATES", "RM_APP", "RMApp", "RMAppState"]
