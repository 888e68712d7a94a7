"""What one look at a node comes to: a container, a node kept for one, or the reason for neither.

Values that travel up and down the tree within one pass. Answers for CSAssignment, ResourceLimits,
SchedulingMode, ContainerAllocation and ActivityDiagnosticConstant.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from rm.scheduler.asks import Locality, RequestKey
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.scheduler.capacity.application import CapacityAttempt
    from rm.scheduler.capacity.leaf import LeafQueue
    from rm.scheduler.capacity.recording import Recorder
    from rm.scheduler.node import SchedulerNode


class SkipReason(Enum):
    """Why an application got nothing when it was looked at, or is not looked at."""

    NOTHING_ASKED = "it asks for nothing"
    NOT_RUNNABLE = "too many applications run: max-parallel-apps of its user, its queue or one above"
    NOT_ACTIVATED = "it waits to be activated"
    AM_LIMIT = "Queue's AM resource limit exceeded."
    USER_AM_LIMIT = "User's AM resource limit exceeded."
    CLUSTER_EMPTY = "Skipping AM assignment as cluster resource is empty."
    QUEUE_AT_MAXIMUM = "Queue hits max-capacity limit"
    PARENT_AT_MAXIMUM = "a queue above is at its maximum"
    QUEUE_HEADROOM = "Queue does not have enough headroom for the request"
    EARLIER_APPLICATION = (
        "an earlier application of the queue is stopped by the queue's limit, which ends the queue's turn"
    )
    SIBLING_QUEUE = "room is kept free for a sibling queue whose next request does not fit yet"
    USER_LIMIT = "User capacity has reached its maximum limit."
    LABEL = "the node is in another partition than the request"
    CONSTRAINT = "Node does not satisfy the placement constraint of the request"
    IN_PLACEMENT = "the placement processor looks for a node that satisfies its constraint"
    PARTITION_ACCESS = "Queue can not access the partition of the node"
    EXCLUSIVITY = "ApplicationMasters may not borrow a partition"
    PARTITION_DELAY = "nodes without a label are preferred for some time yet"
    BLACKLIST = "the application bars the node or its rack"
    LOCALITY_DELAY = "it waits for a node closer to where it asked"
    STRICT_LOCALITY = "relaxLocality is off and the node is elsewhere"
    NODE_TOO_SMALL = "the request is larger than the whole node"
    NODE_FULL = "the node has not enough room, and no further reservation may be made"
    NODE_BUSY = "the node has not room for the smallest container"
    RESERVED = "the node is kept for another container"
    RESERVATIONS = "it holds all the reservations that it may have"


class Skipped(Enum):
    """How far a failed attempt reaches."""

    NO = "no"
    OTHER = "other"
    """The next application may be tried."""
    QUEUE_LIMIT = "queue limit"
    """The leaf is done; what its limit has left is kept free for it."""


class Kind(Enum):
    """What is proposed."""

    NOTHING = "nothing"
    ALLOCATE = "allocate"
    RESERVE = "reserve"
    RE_RESERVE = "re-reserve"
    DROP = "drop"
    """A reservation is no longer wanted."""


class Limits:
    """What a queue may use at most in this pass, and what that leaves."""

    __slots__ = ("headroom", "limit", "unreserve")

    def __init__(self, limit: Resource) -> None:
        self.limit = limit
        self.headroom = limit
        """The limit less what is used; may be negative."""
        self.unreserve = NONE
        """What the application must give up first, to stay below its user's limit."""


class Pass:
    """One walk down the tree for one node (or, with multi-node placement, for several of a partition)."""

    __slots__ = (
        "candidates",
        "cluster",
        "current_limits",
        "ignores_exclusivity",
        "is_repeatable",
        "node",
        "partition",
        "pending_in",
        "reasons",
        "recorder",
        "total",
    )

    def __init__(
        self,
        node: SchedulerNode,
        partition: str,
        total: Resource,
        cluster: Resource,
        *,
        ignores_exclusivity: bool = False,
    ) -> None:
        self.node = node
        self.partition = partition
        self.total = total
        """The partition's capacity."""
        self.cluster = cluster
        self.ignores_exclusivity = ignores_exclusivity
        """Whether idle capacity of a partition is being lent to requests without a label."""
        self.pending_in = "" if ignores_exclusivity else partition
        self.candidates: list[SchedulerNode] | None = None
        """With multi-node placement: all nodes that may be used."""
        self.current_limits: list[tuple[LeafQueue, Resource]] = []
        """What the leaves that it came by may use, as headrooms and limits of AMs go by from then on."""
        self.is_repeatable = True
        """Whether the same walk for another node of the partition would end in the same way."""
        self.reasons: dict[CapacityAttempt, SkipReason] | None = None
        """Filled in while somebody looks."""
        self.recorder: Recorder | None = None
        """Writes the walk down for somebody who asked."""

    def note(self, attempt: CapacityAttempt, reason: SkipReason) -> None:
        """Why the application got nothing in this pass."""
        if self.reasons is not None:
            self.reasons[attempt] = reason
        if self.recorder is not None:
            self.recorder.note(attempt, reason)


class Assignment:
    """The outcome for one queue or application."""

    __slots__ = (
        "attempt",
        "blocked",
        "from_reserved",
        "gives",
        "ignores_exclusivity",
        "is_placed_before",
        "key",
        "kills",
        "kind",
        "locality",
        "node",
        "resource",
        "skipped",
        "unreserved",
    )

    def __init__(
        self, kind: Kind = Kind.NOTHING, skipped: Skipped = Skipped.NO, blocked: Resource = NONE
    ) -> None:
        self.kind = kind
        self.skipped = skipped
        self.blocked = blocked
        """With QUEUE_LIMIT: what the limit leaves, and siblings may not take."""
        self.resource = NONE
        self.gives = False
        """Whether the resource is not zero: a container, or a node kept for one."""
        self.attempt: CapacityAttempt | None = None
        self.node: SchedulerNode | None = None
        self.key: RequestKey | None = None
        self.locality = Locality.OFF_SWITCH
        self.from_reserved: RMContainer | None = None
        """The reservation that is being fulfilled, repeated or dropped."""
        self.unreserved: RMContainer | None = None
        """The reservation on another node that is given up in exchange."""
        self.kills: tuple[RMContainer, ...] = ()
        """Killable containers that make room (lazy preemption)."""
        self.ignores_exclusivity = False
        self.is_placed_before = False
        """Whether the placement processor found the node, and looked at the constraint."""

    @property
    def is_reservation(self) -> bool:
        """Whether a node is kept, and nothing given."""
        return self.kind in (Kind.RESERVE, Kind.RE_RESERVE)


NOTHING = Assignment()
SKIPPED = Assignment(skipped=Skipped.OTHER)
