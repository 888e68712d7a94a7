"""The outcome of one allocation attempt on a node: a container, a reservation, or neither.

Values that travel up and down the tree within one pass. Hadoop: CSAssignment, ResourceLimits, SchedulingMode
and ContainerAllocation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from yarnbox.rm.asks import Locality, RequestKey
from yarnbox.rm.scheduler.capacity.allocation.observer import NOBODY, PassObserver
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode
    from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt


class Skipped(Enum):
    """Which further attempts a failed one rules out."""

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
    """A queue's limit in this pass, and the headroom below it."""

    __slots__ = ("headroom", "limit", "unreserve")

    def __init__(self, limit: Resource) -> None:
        self.limit = limit
        self.headroom = limit
        """The limit less what is used; may be negative."""
        self.unreserve = NONE
        """What the application must give up first, to stay below its user's limit."""


class LimitedLeaf(Protocol):
    """A leaf, as far as a pass stores its limits in it."""

    current_limit: Resource
    offered_limit: Resource


class Allocator(ABC):
    """Decides for a leaf what the next application in its order is allocated."""

    @abstractmethod
    def assign(
        self, leaf: Any, attempt: CapacityAttempt, pass_: AllocationPass, limits: Limits
    ) -> Assignment:
        """Serves the application's request of the highest priority that the pass's node can serve."""


class AllocationPass:
    """One pass from the root down to the leaves for one node (with multi-node placement: for several nodes of
    a partition).
    """

    __slots__ = (
        "allocator",
        "candidates",
        "cluster",
        "current_limits",
        "has_counted",
        "ignores_exclusivity",
        "is_question",
        "is_repeatable",
        "node",
        "observer",
        "partition",
        "pending_in",
        "total",
    )

    def __init__(
        self,
        node: SchedulerNode,
        partition: str,
        total: Resource,
        cluster: Resource,
        allocator: Allocator,
        observer: PassObserver = NOBODY,
        *,
        ignores_exclusivity: bool = False,
        is_question: bool = False,
    ) -> None:
        self.node = node
        self.partition = partition
        self.total = total
        """The partition's capacity."""
        self.cluster = cluster
        self.allocator = allocator
        self.observer = observer
        self.ignores_exclusivity = ignores_exclusivity
        """Whether idle capacity of a partition is being lent to requests without a label."""
        self.is_question = is_question
        """Whether it is only asked how the pass would end: attempts and queues remember nothing of it."""
        self.pending_in = "" if ignores_exclusivity else partition
        self.candidates: list[SchedulerNode] | None = None
        """With multi-node placement: all nodes that may be used."""
        self.current_limits: list[tuple[LimitedLeaf, Resource, bool]] = []
        """What the leaves that it came by may use, and whether headrooms and limits of AMs go by it from
        then on.
        """
        self.is_repeatable = True
        """Whether the same pass for another node of the partition would end in the same way."""
        self.has_counted = True
        """Whether somebody may have missed more or fewer opportunities after it than before. Looked at on a
        node that drains: what is proposed there is dropped, and nothing else has changed.
        """


class Assignment:
    """The outcome for one queue or application."""

    __slots__ = (
        "attempt",
        "blocked",
        "from_reserved",
        "gives",
        "ignores_exclusivity",
        "is_in_vain",
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
        self.is_in_vain = False
        """Whether it was dropped, and any further pass for the node would propose it again."""
        self.is_placed_before = False
        """Whether the placement processor found the node, and looked at the constraint."""

    @property
    def is_reservation(self) -> bool:
        """Whether a node is reserved, and nothing allocated."""
        return self.kind in (Kind.RESERVE, Kind.RE_RESERVE)


NOTHING = Assignment()
SKIPPED = Assignment(skipped=Skipped.OTHER)
