"""RMAppAttempt: one life of an application's AM, from asking for its container to the last word about it.

It asks the scheduler for the AM's container, has it launched, listens to the AM and gathers what it has to
know; whether another attempt follows is its application's decision. Its final state is written to the state
store before it is shown. Hadoop: RMAppAttemptImpl and the events of AMLauncher.

entity     what an attempt is
beginning  from START to the registration of its AM, and recovery
ending     its containers' ends, and its own
table      the law

diagnostics, finished, blacklist    what attempts and applications remember
"""

from yarnbox.rm.attempt.entity import NO_PORT, NOT_AVAILABLE, RMAppAttempt, RMAppAttemptState
from yarnbox.rm.attempt.table import RM_APP_ATTEMPT

__all__ = ["NOT_AVAILABLE", "NO_PORT", "RM_APP_ATTEMPT", "RMAppAttempt", "RMAppAttemptState"]
