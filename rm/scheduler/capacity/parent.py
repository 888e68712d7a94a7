"""A parent queue: which child is served next, and how much it may be given.

Its children are kept in order for each partition, those that ask apart, so that a heartbeat sorts nothing and
visits nobody who wants nothing. Answers for AbstractParentQueue, ParentQueue and
PriorityUtilizationQueueOrderingPolicy.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Any

from rm.scheduler.calculator import multiply
from rm.scheduler.capacity.assignment import NOTHING, Assignment, Limits, Pass, Skipped, SkipReason
from rm.scheduler.capacity.frame import Frame
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.settings import CapacityMode, ParentOrder, QueueKind, QueueSettings
from rm.scheduler.capacity.shares import (
    absolute_of,
    derive,
    minimum_ratios,
    settle_root,
    settle_unconfigured,
    sum_of_weights,
)
from rm.scheduler.capacity.vectors import derive_children
from yarn.enums import QueueState
from yarn.resource import NONE, Resource, total

Rank = tuple[Any, ...]


class ChildOrder:
    """The children that ask for something in one partition, the one to be served first at the front.

    See tests/scenarios/capacity/priority-utilization-order.yaml.
    """

    __slots__ = ("_entries", "_ranks", "_stale", "asks_in", "partition")

    def __init__(self, partition: str, asks_in: str) -> None:
        self.partition = partition
        """Whose use decides."""
        self.asks_in = asks_in
        """Where the children must ask: the same, or the default one while a partition is being lent."""
        self._entries: list[tuple[Rank, int, CapacityQueue]] = []
        self._ranks: dict[CapacityQueue, tuple[Rank, int]] = {}
        self._stale: dict[CapacityQueue, None] = {}

    def touch(self, child: CapacityQueue) -> None:
        """Its place, or whether it asks, may have changed."""
        self._stale[child] = None

    def note_asking(self, child: CapacityQueue) -> None:
        """It asks for more or less; that matters only if it begins or ceases to ask."""
        if (child in self._ranks) is not child.has_pending(self.asks_in):
            self._stale[child] = None

    def entries(self) -> list[tuple[Rank, int, CapacityQueue]]:
        """Rank, place in the list of names, and queue, in order. Not to be changed while it is walked."""
        if self._stale:
            for child in self._stale:
                self._update(child)
            self._stale.clear()
        return self._entries

    def _update(self, child: CapacityQueue) -> None:
        known = self._ranks.pop(child, None)
        if known is not None:
            del self._entries[bisect_left(self._entries, known)]
        parent = child.parent
        if parent is None or child not in parent.children_set or not child.has_pending(self.asks_in):
            return
        rank = rank_of(child, self.partition, parent.settings.parent_order)
        self._ranks[child] = (rank, child.place)
        # Places are all different: queues themselves are never compared.
        insort(self._entries, (rank, child.place, child))


def rank_of(child: CapacityQueue, partition: str, order: ParentOrder) -> Rank:
    """What decides between siblings, the smallest first."""
    share = child.share(partition)
    has_none = share.absolute == 0
    used = share.absolute_used if has_none else share.used_capacity
    if order is ParentOrder.PRIORITY_UTILIZATION:
        return (
            not child.can_access(partition),
            has_none,
            used >= 1.0,
            -child.settings.priority,
            used,
            share.tie,
        )
    return (not child.can_access(partition), has_none, used, share.tie)


class ParentQueue(CapacityQueue):
    """A queue with queues below it, or able to get some."""

    def __init__(self, frame: Frame, settings: QueueSettings, parent: ParentQueue | None) -> None:
        self.children: list[CapacityQueue] = []
        self.children_set: dict[CapacityQueue, None] = {}
        self.orders: dict[tuple[str, str], ChildOrder] = {}
        super().__init__(frame, settings, parent)

    @property
    def app_count(self) -> int:
        """The sum over its leaves."""
        return sum(child.app_count for child in self.children)

    def walk(self) -> Iterator[CapacityQueue]:
        """Itself, then each child with all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    # Children

    def set_children(self, children: list[CapacityQueue]) -> None:
        """These are the children, in the order of the file; dynamic ones behind them."""
        self.children = children
        self.children_set = dict.fromkeys(children)
        for place, child in enumerate(children):
            child.place = place
            child.parent = self
        self.orders.clear()

    def add_child(self, child: CapacityQueue) -> None:
        """A child that was made just now."""
        self.set_children([*self.children, child])
        self.last_used_ms = self.frame.context.now_ms

    def remove_child(self, child: CapacityQueue) -> None:
        """A child that is there no more."""
        self.set_children([other for other in self.children if other is not child])

    def child_moved(self, child: CapacityQueue, partition: str) -> None:
        """A child's use changed."""
        for order in self.orders.values():
            if order.partition == partition:
                order.touch(child)

    def child_asks(self, child: CapacityQueue, partition: str) -> None:
        """A child asks for more or less."""
        for order in self.orders.values():
            if order.asks_in == partition:
                order.note_asking(child)

    def _order(self, partition: str, asks_in: str) -> ChildOrder:
        order = self.orders.get((partition, asks_in))
        if order is None:
            self.orders[partition, asks_in] = order = ChildOrder(partition, asks_in)
            for child in self.children:
                order.touch(child)
        return order

    # Shares

    def cluster_changed(self, limit: Resource) -> None:
        """Works out the shares of all below, from here down; `limit` is what this queue may use at most."""
        frame = self.frame
        if self.parent is None:
            self._settle_root()
        for label in list(self.shares):
            self._share_out(label)
        share = self.share("")
        limit = frame.calculator.min_of(frame.cluster, limit, share.effective_maximum)
        for child in self.children:
            child.cluster_changed(self.limit_of_child(child, "", limit))
        self.orders.clear()

    def _settle_root(self) -> None:
        """The root has all of each partition that some queue is configured for, and nothing of the others."""
        frame = self.frame
        known = (*self.settings.partitions, *frame.tracker.by_partition, *self.shares)
        for label in dict.fromkeys(known):
            share = self.share(label)
            settle = settle_root if label in self.settings.partitions else settle_unconfigured
            settle(share, frame.partition_total(label))
            share.settle(frame.minimum)

    def _share_out(self, label: str) -> None:
        frame, own = self.frame, self.shares[label]
        calculator, cluster = frame.calculator, frame.cluster
        partition_total = frame.partition_total(label)
        shares = [child.share(label) for child in self.children]
        if shares and all(share.capacity_value.mode is CapacityMode.VECTOR for share in shares):
            derive_children(own, shares, partition_total, cluster, calculator)
        else:
            configured = total(share.capacity_value.resource for share in shares)
            available = own.effective_minimum
            is_empty_root = self.parent is None and not available
            own.minimum_ratio = (
                {} if is_empty_root else minimum_ratios(available, configured, cluster, calculator)
            )
            weights = sum_of_weights([share.capacity_value for share in shares])
            for child, share in zip(self.children, shares, strict=True):
                if label in child.settings.partitions:
                    derive(share, own, partition_total, cluster, calculator, weights)
                else:
                    settle_unconfigured(share, partition_total)
        for share in shares:
            share.settle(frame.minimum)
        if self.kind is QueueKind.MANAGED_PARENT:
            self._settle_empty_leaves(label)

    def _settle_empty_leaves(self, label: str) -> None:
        """What a leaf without capacity uses is compared with what its template would give it."""
        frame, own = self.frame, self.shares[label]
        for child in self.children:
            share = child.share(label)
            template = child.settings.partitions.get(label)
            if share.absolute == 0 and template is not None:
                of_template = multiply(share.total, absolute_of(template.capacity, own))
                share.floor = frame.calculator.max_of(share.total, of_template, frame.minimum)

    def endow(self, child: CapacityQueue) -> None:
        """One child's shares follow from its settings anew, while its siblings keep theirs."""
        frame = self.frame
        for label, share in child.shares.items():
            derive(
                share, self.share(label), frame.partition_total(label), frame.cluster, frame.calculator, 0.0
            )
            share.settle(frame.minimum)
            self.child_moved(child, label)

    def withdraw(self, child: CapacityQueue) -> None:
        """One child has nothing, and may have nothing, until all shares are worked out anew."""
        for label, share in child.shares.items():
            share.capacity = share.absolute = share.absolute_maximum = 0.0
            share.effective_minimum = share.effective_maximum = share.configured_minimum = NONE
            share.settle(self.frame.minimum)
            self._settle_empty_leaves(label)
            self.child_moved(child, label)

    def free_for_children(self, partition: str, limit: Resource) -> Resource:
        """What the children may have besides what they have: the limit less what is used."""
        free = limit - self.usage.of(partition).used
        return free + self.killable.get(partition, NONE) if self.killable else free

    def limit_of_child(self, child: CapacityQueue, partition: str, limit: Resource) -> Resource:
        """What the child may use: what is free, and what it has."""
        free = self.free_for_children(partition, limit)
        return self.frame.calculator.down(free + child.usage.of(partition).used, self.frame.minimum)

    # Giving

    def assign(self, walk: Pass, limit: Resource) -> Assignment:
        """One container at most, to the first child in order that takes one."""
        calculator = self.frame.calculator
        share = self.shares.get(walk.partition) or self.share(walk.partition)
        limits = Limits(limit)
        if not self.can_assign(walk, limits, share.amounts.reserved):
            if walk.recorder is not None:
                walk.recorder.refuse(self, SkipReason.QUEUE_AT_MAXIMUM)
            return NOTHING
        free = limits.headroom
        if walk.ignores_exclusivity:
            mine = calculator.min_of(walk.cluster, limit, share.effective_maximum)
            free = mine - self.charged(walk, share)
        blocked = NONE
        minimum = self.frame.minimum
        is_limited = False
        for _, _, child in self._order(walk.partition, walk.pending_in).entries():
            used = child.shares[walk.partition].amounts.used
            outcome = child.assign(walk, calculator.down(free + used, minimum))
            if outcome.gives:
                return outcome
            if outcome.skipped is Skipped.QUEUE_LIMIT:
                is_limited = True
                if calculator.compare(walk.cluster, outcome.blocked, NONE) > 0:
                    blocked = blocked + outcome.blocked
                    free = free - outcome.blocked
        if is_limited:
            return Assignment(skipped=Skipped.QUEUE_LIMIT, blocked=blocked)
        return NOTHING

    # State

    def settle_state(self) -> None:
        """DRAINING is over when every child has stopped; and so up."""
        if self.state is QueueState.DRAINING and all(
            child.state is QueueState.STOPPED for child in self.children
        ):
            self.state = QueueState.STOPPED
            if self.parent is not None:
                self.parent.settle_state()
