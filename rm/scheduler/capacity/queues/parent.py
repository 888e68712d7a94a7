"""A parent queue: which child is served next, and how much it may be allocated.

Its children with pending requests are kept in order for each partition, so that a heartbeat sorts nothing and
visits no child without demand. Hadoop: AbstractParentQueue, ParentQueue and
PriorityUtilizationQueueOrderingPolicy.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from yarnbox.rm.scheduler.calculator import multiply
from yarnbox.rm.scheduler.capacity.allocation.assignment import (
    NOTHING,
    AllocationPass,
    Assignment,
    Limits,
    Skipped,
)
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.config.settings import CapacityMode, ParentOrder, QueueKind, QueueSettings
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.ordering.custom import QueueForSorting, queue_ordering
from yarnbox.rm.scheduler.capacity.queues.queue import AbstractParentQueue, CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.shares import (
    EMPTY,
    Share,
    absolute_of,
    derive,
    derive_root,
    derive_unconfigured,
    minimum_ratios,
    sum_of_weights,
    withhold,
)
from yarnbox.rm.scheduler.capacity.queues.vectors import derive_children
from yarnbox.yarn.enums import QueueState
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource, total

OrderingKey = tuple[object, ...]


class ChildOrder:
    """The children with pending requests in one partition, the first to be served at the front.

    See tests/scenarios/capacity/priority-utilization-order.yaml.
    """

    __slots__ = ("_entries", "_keys", "asks_in", "partition", "stale")

    def __init__(self, partition: str, asks_in: str) -> None:
        self.partition = partition
        """Whose use decides."""
        self.asks_in = asks_in
        """Where the children must ask: the same, or the default one while a partition is being lent."""
        self._entries: list[tuple[OrderingKey, int, CapacityQueue]] = []
        self._keys: dict[CapacityQueue, tuple[OrderingKey, int]] = {}
        self.stale: dict[CapacityQueue, None] = {}
        """Children whose key, or whether they ask, may have changed."""

    def demand_changed(self, child: CapacityQueue) -> None:
        """Its pending resource has changed; that matters only if its demand begins or ends."""
        if (child in self._keys) is not child.has_pending(self.asks_in):
            self.stale[child] = None

    def entries(self) -> list[tuple[OrderingKey, int, CapacityQueue]]:
        """Key, position and queue, in order. Not to be changed while somebody iterates."""
        if self.stale:
            for child in self.stale:
                self._update(child)
            self.stale.clear()
        return self._entries

    def _update(self, child: CapacityQueue) -> None:
        known = self._keys.pop(child, None)
        if known is not None:
            del self._entries[bisect_left(self._entries, known)]
        parent = child.parent
        if parent is None or child not in parent.children_set or not child.has_pending(self.asks_in):
            return
        key = ordering_key(child, self.partition, parent.settings)
        self._keys[child] = (key, child.position)
        # Positions are all different: queues themselves are never compared.
        insort(self._entries, (key, child.position, child))


def ordering_key(child: CapacityQueue, partition: str, above: QueueSettings) -> OrderingKey:
    """Siblings are served from the smallest key on (Hadoop: PriorityUtilizationQueueOrderingPolicy); `above`
    are the settings of their parent.
    """
    share = child.share(partition) if partition else child.in_default
    is_barred = partition != DEFAULT_PARTITION and not child.can_access(partition)
    policy = queue_ordering(above.parent_policy) if above.parent_policy else None
    if policy is not None:
        standing = QueueForSorting(
            path=child.path,
            priority=child.settings.priority,
            capacity=share.absolute,
            used=share.absolute_used,
            used_capacity=share.used_capacity,
        )
        return (is_barred, *policy.key(standing))
    has_none = share.absolute == 0
    used = share.used_of(share.total if has_none else share.floor)
    if above.parent_order is ParentOrder.PRIORITY_UTILIZATION:
        return (
            is_barred,
            has_none,
            used >= 1.0,
            -child.settings.priority,
            used,
            share.tie,
        )
    return (is_barred, has_none, used, share.tie)


class ParentQueue(AbstractParentQueue):
    """A queue with queues below it, or able to get some."""

    def __init__(
        self, context: QueueContext, settings: QueueSettings, parent: AbstractParentQueue | None
    ) -> None:
        self.children = []
        self.children_set = {}
        self.orders: dict[tuple[str, str], ChildOrder] = {}
        self._last_order: ChildOrder | None = None
        """The one that was looked at last."""
        super().__init__(context, settings, parent)

    @property
    def app_count(self) -> int:
        """The sum over its leaves."""
        return sum(child.app_count for child in self.children)

    def subtree(self) -> Iterator[CapacityQueue]:
        """Itself, then each child with all below it."""
        yield self
        for child in self.children:
            yield from child.subtree()

    # Children

    def set_children(self, children: list[CapacityQueue]) -> None:
        """These are the children, in the order of the file; dynamic ones behind them."""
        self.children = children
        self.children_set = dict.fromkeys(children)
        for position, child in enumerate(children):
            child.position = position
            child.parent = self
        self._forget_orders()

    def add_child(self, child: CapacityQueue) -> None:
        """Adds a child that was just created."""
        self.set_children([*self.children, child])
        self.last_used_ms = self.context.rm.now_ms

    def remove_child(self, child: CapacityQueue) -> None:
        """Removes a child."""
        self.set_children([other for other in self.children if other is not child])

    def child_moved(self, child: CapacityQueue, partition: str) -> None:
        """A child's use changed."""
        for order in self.orders.values():
            if order.partition == partition:
                order.stale[child] = None

    def child_asks(self, child: CapacityQueue, partition: str) -> None:
        """A child's pending resource has changed."""
        for order in self.orders.values():
            if order.asks_in == partition:
                order.demand_changed(child)

    def _order(self, partition: str, asks_in: str) -> ChildOrder:
        order = self.orders.get((partition, asks_in))
        if order is None:
            self.orders[partition, asks_in] = order = ChildOrder(partition, asks_in)
            order.stale = dict.fromkeys(self.children)
        self._last_order = order
        return order

    def _children_in_order(
        self, partition: str, asks_in: str
    ) -> list[tuple[OrderingKey, int, CapacityQueue]]:
        order = self._last_order
        if order is None or order.partition != partition or order.asks_in != asks_in:
            order = self._order(partition, asks_in)
        return order.entries()

    def _all_in_order(self, partition: str) -> list[tuple[OrderingKey, int, CapacityQueue]]:
        """The same with the children that ask nothing."""
        keys = ((ordering_key(child, partition, self.settings), child.position) for child in self.children)
        return sorted((*key, child) for key, child in zip(keys, self.children, strict=True))

    def _forget_orders(self) -> None:
        self.orders.clear()
        self._last_order = None

    # Shares

    def cluster_changed(self, limit: Resource, *, activates: bool = True) -> None:
        """Works out the shares of all below, from here down; `limit` is what this queue may use at most."""
        context = self.context
        if self.parent is None:
            self._derive_root()
        for label in list(self.shares):
            self._derive_children(label)
        share = self.share(DEFAULT_PARTITION)
        limit = context.calculator.min_of(context.cluster, limit, share.effective_maximum)
        for child in self.children:
            child.cluster_changed(self.limit_of_child(child, "", limit), activates=activates)
        self._forget_orders()

    def _derive_root(self) -> None:
        """The root has all of each partition that some queue is configured for, and nothing of the others."""
        context = self.context
        known = (*self.settings.partitions, *context.tracker.by_partition, *self.shares)
        for label in dict.fromkeys(known):
            share = self.share(label)
            derive_share = derive_root if label in self.settings.partitions else derive_unconfigured
            derive_share(share, context.partition_total(label))
            share.follow_effective(context.minimum)

    def _derive_children(self, label: str) -> None:
        context, own = self.context, self.shares[label]
        calculator, cluster = context.calculator, context.cluster
        partition_total = context.partition_total(label)
        shares = [child.share(label) for child in self.children]
        configured: list[Share] = []
        for child, share in zip(self.children, shares, strict=True):
            if label in child.settings.partitions:
                configured.append(share)
            else:
                derive_unconfigured(share, partition_total)
        if configured and all(share.capacity_value.mode is CapacityMode.VECTOR for share in configured):
            derive_children(own, configured, partition_total, calculator)
        else:
            wanted = total(share.capacity_value.resource for share in configured)
            available = own.effective_minimum
            is_empty_root = self.parent is None and not available
            own.minimum_ratio = (
                {} if is_empty_root else minimum_ratios(available, wanted, cluster, calculator)
            )
            weights = sum_of_weights([share.capacity_value for share in configured])
            for share in configured:
                derive(share, own, partition_total, cluster, calculator, weights)
        for child, share in zip(self.children, shares, strict=True):
            if child.settings.partitions.get(label, EMPTY).is_inherited:
                withhold(share)
        for share in shares:
            share.follow_effective(context.minimum)
        if self.kind is QueueKind.MANAGED_PARENT:
            self._measure_empty_leaves(label)

    def _measure_empty_leaves(self, label: str) -> None:
        """What a leaf without capacity uses is compared with what its template would give it."""
        context, own = self.context, self.shares[label]
        for child in self.children:
            share = child.share(label)
            template = child.settings.partitions.get(label)
            if share.absolute == 0 and template is not None:
                of_template = multiply(share.total, absolute_of(template.capacity, own))
                share.floor = context.calculator.max_of(share.total, of_template, context.minimum)

    def activate_template(self, child: CapacityQueue) -> None:
        """Recomputes one child's shares from its settings; its siblings keep theirs."""
        context = self.context
        for label, share in child.shares.items():
            derive(
                share,
                self.share(label),
                context.partition_total(label),
                context.cluster,
                context.calculator,
                0.0,
            )
            share.follow_effective(context.minimum)
            self.child_moved(child, label)

    def deactivate_template(self, child: CapacityQueue) -> None:
        """Sets one child's shares to zero, until all shares are recomputed."""
        for label, share in child.shares.items():
            share.capacity = share.absolute = share.absolute_maximum = 0.0
            share.effective_minimum = share.effective_maximum = share.configured_minimum = NONE
            share.follow_effective(self.context.minimum)
            self._measure_empty_leaves(label)
            self.child_moved(child, label)

    def free_for_children(self, partition: str, limit: Resource) -> Resource:
        """What is free for the children: the limit less what is used."""
        amounts = self.usage.of(partition)
        free = limit - amounts.used
        return free if amounts.killable is NONE else free + amounts.killable

    def kept_before(
        self, child: CapacityQueue, pass_: AllocationPass, limit: Resource
    ) -> list[tuple[CapacityQueue, Resource]]:
        """Queues that a pass comes to before the child and that their limits stop there, with what these
        limits leave: it is kept free for them. Only a question may be asked.
        """
        assert pass_.is_question
        calculator, partition, minimum = self.context.calculator, pass_.partition, self.context.minimum
        free = self.free_for_children(partition, limit)
        found = []
        for _, _, other in self._children_in_order(partition, pass_.pending_in):
            if other is child:
                break
            used = other.usage.of(partition).used
            outcome = other.assign(pass_, calculator.sum_down(free, used, minimum))
            if outcome.skipped is Skipped.QUEUE_LIMIT:
                if calculator.compare(pass_.cluster, outcome.blocked, NONE) > 0:
                    found.append((other, outcome.blocked))
                    free = free - outcome.blocked
        return found

    def limit_of_child(self, child: CapacityQueue, partition: str, limit: Resource) -> Resource:
        """What the child may use: what is free, and what it uses already."""
        free = self.free_for_children(partition, limit)
        return self.context.calculator.sum_down(free, child.usage.of(partition).used, self.context.minimum)

    # Giving

    def assign(self, pass_: AllocationPass, limit: Resource) -> Assignment:
        """One container at most, to the first child in order that takes one."""
        calculator = self.context.calculator
        partition = pass_.partition
        share = self.share(partition) if partition else self.in_default
        limits = Limits(limit)
        if not self.can_assign(pass_, limits):
            pass_.observer.refuse(self.path, SkipReason.QUEUE_AT_MAXIMUM)
            return NOTHING
        free = limits.headroom
        if pass_.ignores_exclusivity:
            mine = calculator.min_of(pass_.cluster, limit, share.effective_maximum)
            free = mine - self.charged(share)
        blocked = NONE
        minimum = self.context.minimum
        is_limited = False
        if self.context.keeps_offers and not pass_.is_question:
            order = self._all_in_order(partition) if self.has_pending(pass_.pending_in) else []
        else:
            order = self._children_in_order(partition, pass_.pending_in)
        for _, _, child in order:
            its_share: Share = child.shares[partition] if partition else child.in_default
            outcome = child.assign(pass_, calculator.sum_down(free, its_share.amounts.used, minimum))
            if outcome.gives:
                return outcome
            if outcome.skipped is Skipped.QUEUE_LIMIT:
                is_limited = True
                if calculator.compare(pass_.cluster, outcome.blocked, NONE) > 0:
                    blocked = blocked + outcome.blocked
                    free = free - outcome.blocked
        if is_limited:
            return Assignment(skipped=Skipped.QUEUE_LIMIT, blocked=blocked)
        return NOTHING

    # State

    def child_stopped(self) -> None:
        """DRAINING is over when every child has stopped; and so up."""
        if self.state is QueueState.DRAINING and all(
            child.state is QueueState.STOPPED for child in self.children
        ):
            self.state = QueueState.STOPPED
            if self.parent is not None:
                self.parent.child_stopped()

    # Books

    def check_books(self) -> None:
        """AssertionError where its sums differ from those of its children."""
        for partition, amounts in self.usage.by_partition.items():
            below = [child.usage.of(partition) for child in self.children]
            for name, own, counted in (
                ("used", amounts.used, total([one.used for one in below])),
                ("pending", amounts.pending, total([one.pending for one in below])),
                ("reserved", amounts.reserved, total([one.reserved for one in below])),
                ("killable", amounts.killable, total([one.killable for one in below])),
            ):
                assert counted == own, (
                    f"{self}: children have {counted} {name}, {own} booked in '{partition}'"
                )

    @property
    def ordering_policy(self) -> str:
        """The word for the order in which it serves its children."""
        return self.settings.parent_policy or self.settings.parent_order.value
