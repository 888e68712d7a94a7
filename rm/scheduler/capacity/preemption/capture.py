"""Takes the snapshot on which a pass of the preemption policy works."""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.config.settings import ParentOrder
from yarnbox.rm.scheduler.capacity.preemption.arithmetic import (
    MANDATORY,
    Arithmetic,
    not_below_zero,
    truncate,
)
from yarnbox.rm.scheduler.capacity.preemption.killable import KillableContainers
from yarnbox.rm.scheduler.capacity.preemption.snapshot import AppView, QueueView, Share, Snapshot, Steps
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.ordering.fair import FairOrderingPolicy
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_min


class SnapshotCapture:
    """Takes the policy's snapshot of queues, applications and containers."""

    def __init__(self, context: QueueContext, tree: QueueTree, killable: KillableContainers) -> None:
        self._context = context
        self._tree = tree
        self._killable = killable

    def take(self, *, is_lazy: bool) -> Steps[Snapshot]:
        """The snapshot, taken queue by queue."""
        context = self._context
        labels = context.rm.labels.labels
        partitions = [DEFAULT_PARTITION, *sorted(labels)]
        types = (*MANDATORY, *(one.name for one in context.rm.resource_types if one.name not in MANDATORY))
        killable = self._killable.all() if is_lazy else {}
        root = yield from _view(context, self._tree.root, None, partitions, is_lazy=is_lazy)
        return Snapshot(
            arithmetic=Arithmetic(is_dominant=context.calculator.is_multi_dimensional, types=types),
            cluster=context.cluster,
            partitions=partitions,
            root=root,
            nodes=list(context.tracker.nodes.values()),
            minimum_allocation=context.minimum,
            now_ms=context.rm.now_ms,
            killable=killable,
        )


def _view(
    context: QueueContext,
    queue: CapacityQueue,
    parent: QueueView | None,
    partitions: list[str],
    *,
    is_lazy: bool,
) -> Steps[QueueView]:
    yield
    above = queue.parent
    by_priority = above is not None and above.settings.parent_order is ParentOrder.PRIORITY_UTILIZATION
    view = QueueView(
        queue.path,
        parent,
        is_leaf=isinstance(queue, LeafQueue),
        priority=queue.settings.priority if by_priority else 0,
        is_disabled=queue.is_preemption_disabled,
        is_intra_disabled=queue.is_intra_queue_preemption_disabled,
    )
    for partition in partitions:
        view.shares[partition] = _share(context, queue, partition, is_lazy=is_lazy)
    if isinstance(queue, LeafQueue):
        _fill_leaf(context, queue, view, partitions)
        return view
    for child in list(getattr(queue, "children", ())):
        yield from _view(context, child, view, partitions, is_lazy=is_lazy)
    for partition in partitions:
        mine = view.shares[partition]
        for below in view.children:
            share = below.shares[partition]
            mine.pending = mine.pending + share.pending
            mine.pending_deducted = mine.pending_deducted + share.pending_deducted
    return view


def _share(context: QueueContext, queue: CapacityQueue, partition: str, *, is_lazy: bool) -> Share:
    total = context.partition_total(partition)
    found = queue.share(partition)
    maximum_ratio = found.absolute_maximum if context.is_exclusive(partition) else 1.0
    return Share(
        total=total,
        absolute=found.absolute,
        guaranteed=found.effective_minimum or truncate(total, found.absolute),
        maximum=found.effective_maximum or truncate(total, maximum_ratio),
        used=found.amounts.used,
        reserved=found.amounts.reserved,
        killable=found.amounts.killable if is_lazy else NONE,
    )


def _fill_leaf(context: QueueContext, leaf: LeafQueue, view: QueueView, partitions: list[str]) -> None:
    view.is_fair = isinstance(leaf.order.policy, FairOrderingPolicy)
    view.am_limit = truncate(view.shares[DEFAULT_PARTITION].guaranteed, leaf.am_percent(DEFAULT_PARTITION))
    if not view.is_disabled:  # tests/scenarios/preemption/order-of-a-queue-that-is-not-preempted.yaml
        leaf.order.apply_changes()
    for place, attempt in enumerate(leaf.order):
        view.active_apps.append(_app(attempt, view, place))
    for place, attempt in enumerate(leaf.pending, start=-len(leaf.pending)):
        view.waiting_apps.append(_app(attempt, view, place))
    calculator, minimum, users = context.calculator, context.minimum, leaf.users

    def limit(name: str, partition: str) -> Resource:
        user = users.by_name.get(name)
        users.record_decision(partition, for_all=True)
        whole = users.limit(partition, for_all=True)
        return calculator.multiply_down(whole, user.weight if user is not None else 1.0, minimum)

    def used(name: str, partition: str) -> Resource:
        user = users.by_name.get(name)
        return user.usage.used(partition) if user is not None else NONE

    view.user_limit, view.user_used = limit, used
    for partition in partitions:
        share = view.shares[partition]
        share.pending, share.pending_deducted = _demand(leaf, partition)


def _demand(leaf: LeafQueue, partition: str) -> tuple[Resource, Resource]:
    """The pending resource of active applications in the partition within user limits; the second without
    what is reserved already.
    """
    room: dict[str, tuple[Resource, Resource]] = {}
    demand = deducted = NONE
    for attempt in leaf.order:
        pending = attempt.usage.pending(partition)
        if not pending:
            continue
        user = attempt.queue_user
        if user.name not in room:
            leaf.users.record_decision(partition)
            limit = leaf.users.limit_of(user, partition)
            headroom = not_below_zero(limit - user.usage.used(partition))
            room[user.name] = (headroom, headroom)
        first, second = room[user.name]
        wanted = componentwise_min(first, pending)
        rest = not_below_zero(pending - attempt.reserved_resource(partition))
        wanted_besides = componentwise_min(second, rest)
        demand, deducted = demand + wanted, deducted + wanted_besides
        room[user.name] = (first - wanted, second - wanted_besides)
    return demand, deducted


def _app(attempt: CapacityAttempt, queue: QueueView, place: int) -> AppView:
    used: dict[str, Resource] = {}
    pending: dict[str, Resource] = {}
    for partition, amounts in attempt.usage.by_partition.items():
        used[partition] = amounts.used
        pending[partition] = amounts.pending
    charged = {attempt.partition: attempt.am_resource}
    return AppView(
        attempt.attempt_id,
        queue,
        attempt.user,
        attempt.app_priority,
        live=attempt.live,
        reservations=attempt.reserved_in_hash_order() if attempt.reserved else (),
        used=used,
        pending=pending,
        am={} if attempt.is_waiting_for_am else charged,
        charged_am=charged,
        order=place,
    )
