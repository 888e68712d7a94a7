"""What all queues have: a place in the tree, books, a share of each partition, a state, ACLs.

A queue is told its settings and its frame; where it stands among its siblings it tells its parent when its
books change. Answers for CSQueue, AbstractCSQueue and CSQueueUsageTracker.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rm.scheduler.capacity.assignment import Assignment, Limits, Pass
from rm.scheduler.capacity.frame import Frame
from rm.scheduler.capacity.settings import (
    ALL_LABELS,
    DEFAULT_PARTITION,
    NO_CAPACITY,
    QueueKind,
    QueueSettings,
)
from rm.scheduler.capacity.shares import EMPTY, Share
from rm.scheduler.usage import Usage
from yarn.enums import QueueACL, QueueState
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.scheduler.capacity.leaf import LeafQueue
    from rm.scheduler.capacity.parent import ParentQueue


class CapacityQueue(ABC):
    """A queue of the tree."""

    def __init__(self, frame: Frame, settings: QueueSettings, parent: ParentQueue | None) -> None:
        self.frame = frame
        self.settings = settings
        self.parent = parent
        self.path = settings.path
        self.usage = Usage(self)
        self.shares: dict[str, Share] = {}
        self.state = QueueState.RUNNING
        self.place = 0
        """Its place in the parent's list of names."""
        self.last_used_ms = frame.context.now_ms
        """When a leaf last got an application, a parent a child: idle dynamic queues are removed by it."""
        self.runnable_apps = 0
        """Applications below that max-parallel-apps counts as running."""
        self.killable: dict[str, Resource] = {}
        """What lazy preemption would free here, by partition."""
        self.holds_template = True
        """False for a leaf of a managed parent that has no capacity now."""
        self.shares_of_settings()

    def __str__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path})"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.settings.name

    @property
    def kind(self) -> QueueKind:
        """What it may contain."""
        return self.settings.kind

    @property
    def is_dynamic(self) -> bool:
        """Whether a submission made it."""
        return self.settings.is_dynamic

    @property
    @abstractmethod
    def app_count(self) -> int:
        """Applications in it and below."""

    @abstractmethod
    def walk(self) -> Iterator[CapacityQueue]:
        """Itself and all below it, a parent before its children."""

    def leaves(self) -> Iterator[LeafQueue]:
        """The leaves below it, or itself."""
        for queue in self.walk():
            if queue.kind.is_leaf:
                yield queue  # type: ignore[misc]

    def ancestors(self) -> Iterator[CapacityQueue]:
        """Itself, its parent, and so on up to the root."""
        queue: CapacityQueue | None = self
        while queue is not None:
            yield queue
            queue = queue.parent

    def is_descendant_of(self, other: CapacityQueue) -> bool:
        """Whether it is `other`, or below it."""
        return any(queue is other for queue in self.ancestors())

    # Shares

    def shares_of_settings(self) -> None:
        """Takes the configured capacities over; what follows from them is worked out by its parent."""
        for label in (DEFAULT_PARTITION, *self.settings.partitions):
            share = self.share(label)
            configured = self.settings.partitions.get(label, EMPTY)
            share.capacity_value = configured.capacity if self.holds_template else NO_CAPACITY
            share.maximum_value = configured.maximum
            share.am_percent = configured.am_percent
        for label, share in self.shares.items():
            if label not in self.settings.partitions:
                share.capacity_value, share.maximum_value = EMPTY.capacity, EMPTY.maximum

    def share(self, partition: str) -> Share:
        """The queue in a partition; made when first asked for."""
        share = self.shares.get(partition)
        if share is None:
            self.shares[partition] = share = Share(self.usage.of(partition), self.frame.calculator)
            share.total = self.frame.partition_total(partition)
            share.settle(self.frame.minimum)
        return share

    @abstractmethod
    def cluster_changed(self, limit: Resource) -> None:
        """The shares have been worked out anew: whatever follows from them."""

    def can_access(self, partition: str) -> bool:
        """Whether requests of this queue may name the partition."""
        labels = self.settings.accessible_labels
        return partition == DEFAULT_PARTITION or labels == ALL_LABELS or partition in labels

    # Books

    def books_changed(self, partition: str) -> None:
        """Its use changed: so may its place among its siblings."""
        if partition not in self.shares:
            self.share(partition)
        if self.parent is None:
            self.frame.version += 1
        else:
            self.parent.child_moved(self, partition)

    def pending_changed(self, partition: str) -> None:
        """It asks for more or less than before."""
        if self.parent is None:
            self.frame.version += 1
        else:
            self.parent.child_asks(self, partition)

    def has_pending(self, partition: str) -> bool:
        """Whether anything is asked for in that partition, here or below."""
        amounts = self.usage.by_partition.get(partition)
        return amounts is not None and self.frame.calculator.is_any_positive(amounts.pending)

    # Giving

    @abstractmethod
    def assign(self, walk: Pass, limit: Resource) -> Assignment:
        """At most one container, or a node kept for one. Asked only where something is pending."""

    def can_assign(self, walk: Pass, limits: Limits, reserved: Resource) -> bool:
        """Whether the queue is below its limit, or would be if what is reserved were given up; leaves in
        `limits` what is left, which may be negative.
        """
        share = self.shares.get(walk.partition) or self.share(walk.partition)
        calculator, cluster = self.frame.calculator, walk.cluster
        if walk.ignores_exclusivity:
            bound = walk.total
        else:
            bound = calculator.min_of(cluster, share.effective_maximum, limits.limit)
        used = self.charged(walk, share)
        limits.headroom = bound - used
        if calculator.compare(cluster, used, bound) < 0:
            return True
        return (
            self.frame.settings.continue_looking
            and bool(reserved)
            and calculator.compare(cluster, used - reserved, bound) < 0
        )

    def charged(self, walk: Pass, share: Share) -> Resource:
        """What counts as used: of a parent not what lazy preemption could free."""
        used = share.amounts.used
        if self.killable and not self.kind.is_leaf:
            used = used - self.killable.get(walk.partition, NONE)
        return used

    def accepts(self, assignment: Assignment, partition: str, required: Resource) -> bool:
        """Whether what is proposed still fits in the maximum, here and above (AbstractCSQueue.accept)."""
        calculator = self.frame.calculator
        for queue in self.ancestors():
            share = queue.shares.get(partition) or queue.share(partition)
            ceiling = (
                self.frame.partition_total(partition)
                if assignment.ignores_exclusivity
                else share.effective_maximum
            )
            if not calculator.sum_fits_in(share.amounts.used, required, ceiling):
                return False
        return True

    # Who may do what

    def allows(self, user: str, groups: Iterable[str], acl: QueueACL) -> bool:
        """Whether the ACL of this queue, or of one above it, lets the user."""
        names = tuple(groups)
        for queue in self.ancestors():
            settings = queue.settings
            own = settings.submit_acl if acl is QueueACL.SUBMIT_APPLICATIONS else settings.administer_acl
            if own.allows(user, names):
                return True
        return False
