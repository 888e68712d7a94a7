"""The enumerations of the YARN protocols, by Hadoop's Java names; the values are the numbers on the wire.

A Java name drops the prefix that protobuf's scoping forced on it: `NS_RUNNING` is `NodeState.RUNNING`.
"""

from enum import Enum


class ResourceTypes(Enum):
    """ResourceTypesProto on the wire."""

    COUNTABLE = 0


class YarnApplicationState(Enum):
    """YarnApplicationStateProto on the wire."""

    NEW = 1
    NEW_SAVING = 2
    SUBMITTED = 3
    ACCEPTED = 4
    RUNNING = 5
    FINISHED = 6
    FAILED = 7
    KILLED = 8


class FinalApplicationStatus(Enum):
    """FinalApplicationStatusProto on the wire."""

    UNDEFINED = 0
    SUCCEEDED = 1
    FAILED = 2
    KILLED = 3
    ENDED = 4


class LogAggregationStatus(Enum):
    """LogAggregationStatusProto on the wire."""

    DISABLED = 1
    NOT_START = 2
    RUNNING = 3
    SUCCEEDED = 4
    FAILED = 5
    TIME_OUT = 6
    RUNNING_WITH_FAILURE = 7


class ApplicationTimeoutType(Enum):
    """ApplicationTimeoutTypeProto on the wire."""

    LIFETIME = 1


class LocalResourceType(Enum):
    """LocalResourceTypeProto on the wire."""

    ARCHIVE = 1
    FILE = 2
    PATTERN = 3


class LocalResourceVisibility(Enum):
    """LocalResourceVisibilityProto on the wire."""

    PUBLIC = 1
    PRIVATE = 2
    APPLICATION = 3


class ApplicationAccessType(Enum):
    """ApplicationAccessTypeProto on the wire."""

    VIEW_APP = 1
    MODIFY_APP = 2


class ContainerRetryPolicy(Enum):
    """ContainerRetryPolicyProto on the wire."""

    NEVER_RETRY = 0
    RETRY_ON_ALL_ERRORS = 1
    RETRY_ON_SPECIFIC_ERROR_CODES = 2


class ExecutionType(Enum):
    """ExecutionTypeProto on the wire."""

    GUARANTEED = 1
    OPPORTUNISTIC = 2


class ApplicationsRequestScope(Enum):
    """ApplicationsRequestScopeProto on the wire."""

    ALL = 0
    VIEWABLE = 1
    OWN = 2


class NodeState(Enum):
    """NodeStateProto on the wire."""

    NEW = 1
    RUNNING = 2
    UNHEALTHY = 3
    DECOMMISSIONED = 4
    LOST = 5
    REBOOTED = 6
    DECOMMISSIONING = 7
    SHUTDOWN = 8


class NodeUpdateType(Enum):
    """NodeUpdateTypeProto on the wire."""

    NODE_USABLE = 0
    NODE_UNUSABLE = 1
    NODE_DECOMMISSIONING = 2


class NodeAttributeType(Enum):
    """NodeAttributeTypeProto on the wire."""

    STRING = 1


class QueueState(Enum):
    """QueueStateProto on the wire."""

    STOPPED = 1
    RUNNING = 2
    DRAINING = 3


class QueueACL(Enum):
    """QueueACLProto on the wire."""

    SUBMIT_APPLICATIONS = 1
    ADMINISTER_QUEUE = 2


class YarnApplicationAttemptState(Enum):
    """YarnApplicationAttemptStateProto on the wire."""

    NEW = 1
    SUBMITTED = 2
    SCHEDULED = 3
    ALLOCATED_SAVING = 4
    ALLOCATED = 5
    LAUNCHED = 6
    FAILED = 7
    RUNNING = 8
    FINISHING = 9
    FINISHED = 10
    KILLED = 11


class ContainerState(Enum):
    """ContainerStateProto on the wire."""

    NEW = 1
    RUNNING = 2
    COMPLETE = 3


class ReservationRequestInterpreter(Enum):
    """ReservationRequestInterpreterProto on the wire."""

    ANY = 0
    ALL = 1
    ORDER = 2
    ORDER_NO_GAP = 3


class SignalContainerCommand(Enum):
    """SignalContainerCommandProto on the wire."""

    OUTPUT_THREAD_DUMP = 1
    GRACEFUL_SHUTDOWN = 2
    FORCEFUL_SHUTDOWN = 3


class PlacementTargetType(Enum):
    """PlacementConstraintTargetProto.TargetType on the wire."""

    NODE_ATTRIBUTE = 1
    ALLOCATION_TAG = 2
    SELF = 3


class NodeAttributeOpCode(Enum):
    """NodeAttributeOpCodeProto on the wire."""

    NO_OP = 1
    EQ = 2
    NE = 3


class CompositePlacementType(Enum):
    """CompositePlacementConstraintProto.CompositeType on the wire."""

    AND = 1
    OR = 2
    DELAYED_OR = 3


class PlacementDelayUnit(Enum):
    """TimedPlacementConstraintProto.DelayUnit on the wire."""

    MILLISECONDS = 1
    OPPORTUNITIES = 2


class SchedulerResourceTypes(Enum):
    """SchedulerResourceTypes on the wire."""

    MEMORY = 0
    CPU = 1


class ContainerUpdateType(Enum):
    """ContainerUpdateTypeProto on the wire."""

    INCREASE_RESOURCE = 0
    DECREASE_RESOURCE = 1
    PROMOTE_EXECUTION_TYPE = 2
    DEMOTE_EXECUTION_TYPE = 3


class AMCommand(Enum):
    """AMCommandProto on the wire."""

    AM_RESYNC = 1
    AM_SHUTDOWN = 2


class ContainerSubState(Enum):
    """ContainerSubStateProto on the wire."""

    SCHEDULED = 1
    RUNNING = 2
    PAUSED = 3
    COMPLETING = 4
    DONE = 5


class RejectionReason(Enum):
    """RejectionReasonProto on the wire."""

    COULD_NOT_PLACE_ON_NODE = 1
    COULD_NOT_SCHEDULE_ON_NODE = 2


class LocalizationState(Enum):
    """LocalizationStateProto on the wire."""

    PENDING = 1
    COMPLETED = 2
    FAILED = 3


class NodeAction(Enum):
    """NodeActionProto on the wire."""

    NORMAL = 0
    RESYNC = 1
    SHUTDOWN = 2


class DecommissionType(Enum):
    """DecommissionTypeProto on the wire."""

    NORMAL = 1
    GRACEFUL = 2
    FORCEFUL = 3


class AttributeMappingOperationType(Enum):
    """AttributeMappingOperationTypeProto on the wire."""

    REPLACE = 1
    ADD = 2
    REMOVE = 3


class ContainerType(Enum):
    """ContainerTypeProto on the wire."""

    APPLICATION_MASTER = 1
    TASK = 2
