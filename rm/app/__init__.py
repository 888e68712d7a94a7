"""RMApp: one application's life, from its submission to its end, over as many attempts as it takes.

It knows its attempts, where it ran and which nodes its AM has to hear of; queues and containers are the
scheduler's business, admission is rm.submission's. Its final state is written to the state store before it
is shown. Hadoop: RMAppImpl.

entity  what an application is
life    what happens to it
table   the law
"""

from yarnbox.rm.app.entity import COMPLETED_STATES, FINAL_STATES, RMApp, RMAppState
from yarnbox.rm.app.table import RM_APP

__all__ = ["COMPLETED_STATES", "FINAL_STATES", "RM_APP", "RMApp", "RMAppState"]
