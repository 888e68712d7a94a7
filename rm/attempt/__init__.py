"""RMAppAttempt: one attempt of an application, from the request for its AM's container to its final state.

It requests the AM's container from the scheduler, has it launched, follows the AM and collects what the AM
has to be sent; its application decides whether another attempt follows. Its final state is written to the
state store before it is shown. Hadoop: RMAppAttemptImpl and the events of AMLauncher.

entity     what an attempt is, its diagnostics, its entry in the state store
beginning  from START to the registration of its AM, and recovery
ending     its containers' ends, and its own
table      the law

finished, blacklist    what attempts and applications remember
"""

from yarnbox.rm.attempt.entity import NO_PORT, NOT_AVAILABLE, RMAppAttempt, RMAppAttemptState
from yarnbox.rm.attempt.table import RM_APP_ATTEMPT

__all__ = ["NOT_AVAILABLE", "NO_PORT", "RM_APP_ATTEMPT", "RMAppAttempt", "RMAppAttemptState"]
