"""The common part of all queues: position in the tree, books, a share of each partition, state, ACLs.

A queue is told its settings and its context; where it stands among its siblings it tells its parent when its
books change. Hadoop: CSQueue, AbstractCSQueue and CSQueueUsageTracker.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.allocation.assignment import AllocationPass, Assignment, Limits
from yarnbox.rm.scheduler.capacity.config.settings import (
    ALL_LABELS,
    NO_CAPACITY,
    CapacityMode,
    QueueKind,
    QueueSettings,
)
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.shares import EMPTY, Share
from yarnbox.rm.scheduler.usage import Usage, Watcher
from yarnbox.yarn.enums import QueueACL, QueueState
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource


class CapacityQueue(Watcher):
    """A queue of the tree."""

    def __init__(
        self, context: QueueContext, settings: QueueSettings, parent: AbstractParentQueue | None
    ) -> None:
        self.context = context
        self.settings = settings
        self.parent = parent
        self.path = settings.path
        self.allows_zero_sum = settings.allow_zero_sum
        """Whether its children's capacities may be zero although its own is not; as long as it lives."""
        self.usage = Usage(self, is_told_each_ask=parent is None)
        self.shares: dict[str, Share] = {}
        self.in_default = Share(self.usage.of(DEFAULT_PARTITION), context.calculator)
        """Its share of the default partition at hand."""
        self._add_share(DEFAULT_PARTITION, self.in_default)
        self.state = QueueState.RUNNING
        self.position = 0
        """Its index among the parent's children."""
        self.last_used_ms = context.rm.now_ms
        """When a leaf last got an application, a parent a child: idle dynamic queues are removed by it."""
        self.runnable_apps = 0
        """Applications below that max-parallel-apps counts as running."""
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

    @property
    @abstractmethod
    def ordering_policy(self) -> str:
        """The word for the order in which it serves what is below it."""

    @abstractmethod
    def subtree(self) -> Iterator[CapacityQueue]:
        """Itself and all below it, a parent before its children."""

    def ancestors(self) -> Iterator[CapacityQueue]:
        """Itself, its parent, and so on up to the root."""
        queue: CapacityQueue | None = self
        while queue is not None:
            yield queue
            queue = queue.parent

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
            if self.parent is not None:
                above = self.parent.share(label)
                share.absolute = float32(share.own_fraction * above.absolute)
                if share.maximum_value.mode is CapacityMode.VECTOR:
                    share.absolute_maximum = float32(share.maximum_fraction * above.absolute_maximum)
            elif label in self.settings.partitions:
                share.absolute_maximum = 1.0

    def share(self, partition: str) -> Share:
        """The queue in a partition; made when first asked for."""
        share = self.shares.get(partition)
        if share is None:
            share = Share(self.usage.of(partition), self.context.calculator)
            self._add_share(partition, share)
        return share

    def _add_share(self, partition: str, share: Share) -> None:
        self.shares[partition] = share
        share.total = self.context.partition_total(partition)
        share.follow_effective(self.context.minimum)

    @abstractmethod
    def cluster_changed(self, limit: Resource, *, activates: bool = True) -> None:
        """The shares have been worked out anew: whatever follows from them. `activates`: applications that
        wait may be activated.
        """

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
            self.context.version += 1
        else:
            self.parent.child_moved(self, partition)

    def pending_changed(self, partition: str) -> None:
        """Its demand may have begun or ended; the root is notified of each change."""
        if self.parent is None:
            self.context.version += 1
        else:
            self.parent.child_asks(self, partition)

    def has_pending(self, partition: str) -> bool:
        """Whether anything is asked for in that partition, here or below."""
        usage = self.usage
        amounts = usage.by_partition.get(partition) if partition else usage.in_default
        if amounts is None:
            return False
        # Memory counts for every calculator.
        return amounts.pending.memory_mb > 0 or self.context.calculator.is_any_positive(amounts.pending)

    # Giving

    @abstractmethod
    def assign(self, pass_: AllocationPass, limit: Resource) -> Assignment:
        """Allocates or reserves at most one container. Called only where something is pending."""

    def can_assign(self, pass_: AllocationPass, limits: Limits, reserved: Resource | None = None) -> bool:
        """Whether the queue is below its limit, or would be if what is reserved were given up: by default
        `unreservable`. Leaves in `limits` what is left, which may be negative.
        """
        partition = pass_.partition
        share = self.share(partition) if partition else self.in_default
        calculator, cluster = self.context.calculator, pass_.cluster
        if pass_.ignores_exclusivity:
            bound = pass_.total
        else:
            bound = calculator.min_of(cluster, share.effective_maximum, limits.limit)
        amounts = share.amounts
        used = amounts.used if amounts.killable is NONE else self.charged(share)
        limits.headroom = bound - used
        if calculator.compare(cluster, used, bound) < 0:
            return True
        if not self.context.settings.continue_looking:
            return False
        if reserved is None:
            reserved = self.unreservable()
        return bool(reserved) and calculator.compare(cluster, used - reserved, bound) < 0

    def unreservable(self) -> Resource:
        """What a parent counts as free if reservations were given up, in whichever partition. See
        tests/scenarios/labels/reserved-in-the-default-partition-opens-others.yaml.
        """
        reserved = self.in_default.amounts.reserved
        return Resource(reserved.memory_mb, reserved.vcores) if reserved.others else reserved

    def charged(self, share: Share) -> Resource:
        """What counts as used in the share's partition: of a parent not what lazy preemption could free."""
        amounts = share.amounts
        if amounts.killable is not NONE and not self.kind.is_leaf:
            return amounts.used - amounts.killable
        return amounts.used

    def accepts(self, assignment: Assignment, partition: str, required: Resource) -> bool:
        """Whether what is proposed still fits in the maximum, here and above (AbstractCSQueue.accept)."""
        calculator = self.context.calculator
        queue: CapacityQueue | None = self
        while queue is not None:
            share = queue.share(partition) if partition else queue.in_default
            ceiling = (
                self.context.partition_total(partition)
                if assignment.ignores_exclusivity
                else share.effective_maximum
            )
            if not calculator.sum_fits_in(share.amounts.used, required, ceiling):
                return False
            queue = queue.parent
        return True

    # Preemption

    @property
    def is_preemption_disabled(self) -> bool:
        """Whether its containers are protected from preemption by other queues: by its own setting, else its
        parent's; always without a scheduling monitor.
        """
        if not self.context.is_monitored:
            return True
        for queue in self.ancestors():
            if queue.settings.is_preemption_disabled is not None:
                return queue.settings.is_preemption_disabled
        return False

    @property
    def is_intra_queue_preemption_disabled(self) -> bool:
        """The same within the queue; protection from other queues includes it."""
        if not self.context.settings.is_intra_queue_preemption_enabled:
            return True
        for queue in self.ancestors():
            if queue.settings.is_intra_queue_preemption_disabled is not None:
                if queue.settings.is_intra_queue_preemption_disabled:
                    return True
                break
        return self.is_preemption_disabled

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


class AbstractParentQueue(CapacityQueue):
    """What a queue knows of its parent. Hadoop: AbstractParentQueue."""

    children: list[CapacityQueue]
    children_set: dict[CapacityQueue, None]
    """The same, to be looked up."""

    @abstractmethod
    def remove_child(self, child: CapacityQueue) -> None:
        """Removes a child."""

    @abstractmethod
    def child_moved(self, child: CapacityQueue, partition: str) -> None:
        """A child's use changed."""

    @abstractmethod
    def child_asks(self, child: CapacityQueue, partition: str) -> None:
        """A child's pending resource has changed."""

    @abstractmethod
    def child_stopped(self) -> None:
        """A child has no more applications, and was to stop."""
