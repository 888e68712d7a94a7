"""Preemption in a running CapacityScheduler: the snapshot of a pass, and what becomes of its decisions.

The policy itself is pure (preemption/). Here the queues, applications and containers of the scheduler are
shown to it, its decisions become scheduler events, and those are carried out: containers announced to their
AM, killed, or, with lazy preemption, left to be killed by whoever needs their space. Answers for the part of
CapacityScheduler and of PreemptionManager that concern preemption.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from rm.container import RMContainer
from rm.events.container import ContainerKill
from rm.events.scheduler import (
    SchedulerKillReservedContainer,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForNonkillable,
    SchedulerMarkContainerForPreemption,
    SchedulerPreemptionReport,
)
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.clients import is_intra_queue_preemption_disabled, is_preemption_disabled
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.preemption.arithmetic import MANDATORY, Arithmetic, not_below_zero, truncate
from rm.scheduler.capacity.preemption.policy import PassReport, PreemptionPolicy
from rm.scheduler.capacity.preemption.selection import AT_ONCE
from rm.scheduler.capacity.preemption.settings import PreemptionSettings, read_settings
from rm.scheduler.capacity.preemption.snapshot import (
    AppView,
    ContainerView,
    NodeView,
    QueueView,
    Share,
    Snapshot,
    Steps,
    whole,
)
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.settings import CapacitySettings, LeafOrder, ParentOrder
from rm.scheduler.node import SchedulerNode
from rm.scheduler.statuses import preempted
from yarn.ids import ContainerId
from yarn.resource import NONE, Resource, componentwise_min

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler

DEFAULT_PARTITION = ""


class ProportionalCapacityPreemptionPolicy:
    """The policy as the scheduling monitor runs it."""

    name = "ProportionalCapacityPreemptionPolicy"

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self.scheduler = scheduler
        self._read = scheduler.frame.settings
        self.policy = PreemptionPolicy(self.read(self._read))

    @staticmethod
    def read(settings: CapacitySettings) -> PreemptionSettings:
        """What either file says of the policy; ConfigurationError with every fault."""
        return read_settings(settings.properties.merged())

    @property
    def monitoring_interval_ms(self) -> int:
        """Between two passes; follows the configuration with the first pass after a refresh."""
        return self.policy.settings.monitoring_interval_ms

    def edit_schedule(self) -> None:
        """One pass, in one go."""
        whole(self.steps())

    def steps(self) -> Steps[None]:
        """One pass, in steps: what is decided goes out as events whenever it pauses."""
        self._reload()
        snapshot = yield from take_snapshot(self.scheduler, is_lazy=self.policy.settings.is_lazy)
        before = list(self.policy.marked)
        report = yield from self.policy.steps(snapshot, _Decisions(self.scheduler))
        for index, container_id in enumerate(before):
            if index % AT_ONCE == 0:
                yield
            if container_id not in self.policy.marked:
                _forget_mark(self.scheduler, container_id)
        yield from _tell(self.scheduler, snapshot, report)

    def _reload(self) -> None:
        """After a refresh everything is read again; the marks survive."""
        if self._read is not self.scheduler.frame.settings:
            self._read = self.scheduler.frame.settings
            self.policy.settings = self.read(self._read)


class _Decisions:
    """Turns decisions into scheduler events."""

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self._scheduler = scheduler
        self._post = scheduler.context.post

    def mark(self, container: ContainerView) -> None:
        """MARK_CONTAINER_FOR_PREEMPTION."""
        self._post(
            SchedulerMarkContainerForPreemption(
                container_id=container.container_id, attempt_id=container.attempt_id
            )
        )

    def kill(self, container: ContainerView) -> None:
        """MARK_CONTAINER_FOR_KILLABLE."""
        self._post(SchedulerMarkContainerForKillable(container_id=container.container_id))

    def unreserve(self, container: ContainerView) -> None:
        """KILL_RESERVED_CONTAINER."""
        self._post(SchedulerKillReservedContainer(container_id=container.container_id))

    def move_reservation(self, container: ContainerView, node: NodeView) -> bool:
        """Lets the reservation wait on the other node, if its request would go there."""
        reserved, target = cast(RMContainer, container), cast(SchedulerNode, node)
        attempt = self._scheduler.attempt(reserved.attempt_id)
        if reserved.key.update_of:  # a container that is to grow cannot do so elsewhere
            return False
        key_asks = attempt.asks.key_asks(reserved.key) if attempt is not None else None
        if attempt is None or key_asks is None or key_asks.any is None or not key_asks.any.relax_locality:
            return False
        attempt.move_reservation(reserved, target)
        self._scheduler.frame.version += 1
        return True


# The snapshot


def take_snapshot(scheduler: CapacityScheduler, *, is_lazy: bool) -> Steps[Snapshot]:
    """What the policy looks at, queue by queue as the scheduler stands then."""
    frame = scheduler.frame
    labels = frame.context.labels.labels
    partitions = [DEFAULT_PARTITION, *sorted(labels)]
    types = (*MANDATORY, *(one.name for one in frame.context.resource_types if one.name not in MANDATORY))
    killable = {}
    if is_lazy:
        killable = {key: one for on_node in frame.killable_on.values() for key, one in on_node.items()}
    root = yield from _view(scheduler, scheduler.tree.root, None, partitions, is_lazy=is_lazy)
    return Snapshot(
        arithmetic=Arithmetic(is_dominant=frame.calculator.is_multi_dimensional, types=types),
        cluster=frame.cluster,
        partitions=partitions,
        root=root,
        nodes=list(scheduler.tracker.nodes.values()),
        containers_on=_running_on,
        reservation_on=lambda node: cast(SchedulerNode, node).reserved_container,
        minimum_allocation=frame.minimum,
        now_ms=frame.context.now_ms,
        killable=killable,
    )


def _running_on(node: NodeView) -> Iterator[RMContainer]:
    for container in cast(SchedulerNode, node).containers.values():
        if not container.is_finished:
            yield container


def _view(
    scheduler: CapacityScheduler,
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
        is_disabled=is_preemption_disabled(scheduler, queue),
        is_intra_disabled=is_intra_queue_preemption_disabled(scheduler, queue),
    )
    for partition in partitions:
        view.shares[partition] = _share(scheduler, queue, partition, is_lazy=is_lazy)
    if isinstance(queue, LeafQueue):
        _fill_leaf(scheduler, queue, view, partitions)
        return view
    for child in list(getattr(queue, "children", ())):
        yield from _view(scheduler, child, view, partitions, is_lazy=is_lazy)
    for partition in partitions:
        mine = view.shares[partition]
        for below in view.children:
            share = below.shares[partition]
            mine.pending = mine.pending + share.pending
            mine.pending_deducted = mine.pending_deducted + share.pending_deducted
    return view


def _share(scheduler: CapacityScheduler, queue: CapacityQueue, partition: str, *, is_lazy: bool) -> Share:
    frame = scheduler.frame
    total = frame.partition_total(partition)
    found = queue.share(partition)
    maximum_ratio = found.absolute_maximum if frame.is_exclusive(partition) else 1.0
    return Share(
        total=total,
        guaranteed=found.effective_minimum or truncate(total, found.absolute),
        maximum=found.effective_maximum or truncate(total, maximum_ratio),
        used=found.amounts.used,
        reserved=found.amounts.reserved,
        killable=queue.killable.get(partition, NONE) if is_lazy else NONE,
    )


def _fill_leaf(scheduler: CapacityScheduler, leaf: LeafQueue, view: QueueView, partitions: list[str]) -> None:
    view.is_fair = leaf.order.order is LeafOrder.FAIR
    view.am_limit = truncate(view.shares[DEFAULT_PARTITION].guaranteed, leaf.am_percent(DEFAULT_PARTITION))
    for place, attempt in enumerate(leaf.order):
        view.active_apps.append(_app(attempt, view, place))
    for place, attempt in enumerate(leaf.pending, start=-len(leaf.pending)):
        view.waiting_apps.append(_app(attempt, view, place))
    calculator, minimum, users = scheduler.frame.calculator, scheduler.frame.minimum, leaf.users

    def limit(name: str, partition: str) -> Resource:
        user = users.by_name.get(name)
        users.consult(partition, for_all=True)
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
    """What the active applications want in the partition as far as user limits let them; the second without
    what is reserved already.
    """
    room: dict[str, tuple[Resource, Resource]] = {}
    demand = deducted = NONE
    for attempt in leaf.order:
        pending = attempt.usage.pending(partition)
        if not pending:
            continue
        user = attempt.member
        if user.name not in room:
            leaf.users.consult(partition)
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
        used[partition] = amounts.used + amounts.reserved
        pending[partition] = amounts.pending
    charged = {attempt.partition: attempt.am_resource}
    return AppView(
        attempt.attempt_id,
        queue,
        attempt.user,
        attempt.application.app_priority,
        live=attempt.live,
        reservations=attempt.reserved_containers(),
        used=used,
        pending=pending,
        am={} if attempt.is_waiting_for_am else charged,
        charged_am=charged,
        order=place,
    )


# What becomes of the decisions


def announce(scheduler: CapacityScheduler, event: SchedulerMarkContainerForPreemption) -> None:
    """MARK_CONTAINER_FOR_PREEMPTION: its AM hears of it at its next call."""
    attempt = scheduler.attempt(event.attempt_id)
    if attempt is not None and event.container_id in attempt.live:
        attempt.announced[event.container_id] = None
        attempt.marked_for_preemption[event.container_id] = scheduler.context.now_ms


def make_killable(scheduler: CapacityScheduler, event: SchedulerMarkContainerForKillable) -> None:
    """MARK_CONTAINER_FOR_KILLABLE: killed at once; if lazy, when somebody needs its space."""
    container = scheduler.container(event.container_id)
    if container is None or container.is_finished:
        return
    _forget_mark(scheduler, event.container_id)
    if not scheduler.frame.settings.is_preemption_lazy:
        status = preempted(container.container_id)
        scheduler.complete_container(container, status, ContainerKill(status=status))
        return
    attempt = scheduler.attempt(container.attempt_id)
    on_node = scheduler.frame.killable_on.setdefault(container.node_id, {})
    if attempt is not None and container.container_id not in on_node:
        on_node[container.container_id] = container
        _book_killable(attempt.leaf, container, container.resource)
        scheduler.frame.version += 1


def make_nonkillable(scheduler: CapacityScheduler, event: SchedulerMarkContainerForNonkillable) -> None:
    """MARK_CONTAINER_FOR_NONKILLABLE: it may live after all."""
    container = scheduler.container(event.container_id)
    attempt = scheduler.attempt(container.attempt_id) if container is not None else None
    if container is not None and attempt is not None:
        forget_killable(scheduler, container, attempt.leaf)


def forget_killable(scheduler: CapacityScheduler, container: RMContainer, leaf: LeafQueue) -> bool:
    """A killable container ended, moved away, or is safe again; False when it was not killable."""
    on_node = scheduler.frame.killable_on.get(container.node_id)
    if not on_node or container.container_id not in on_node:
        return False
    del on_node[container.container_id]
    if not on_node:
        del scheduler.frame.killable_on[container.node_id]
    _book_killable(leaf, container, -container.resource)
    return True


def move_killable(
    scheduler: CapacityScheduler, attempt: CapacityAttempt, source: LeafQueue, target: LeafQueue
) -> None:
    """An application moved: what could be killed under its old queue can be killed under the new one."""
    for container in attempt.live.values():
        if container.container_id in scheduler.frame.killable_on.get(container.node_id, {}):
            _book_killable(source, container, -container.resource)
            _book_killable(target, container, container.resource)


def _book_killable(leaf: LeafQueue, container: RMContainer, delta: Resource) -> None:
    partition = container.partition
    for queue in leaf.ancestors():
        amount = queue.killable.get(partition, NONE) + delta
        if amount:
            queue.killable[partition] = amount
        else:
            queue.killable.pop(partition, None)


def _forget_mark(scheduler: CapacityScheduler, container_id: ContainerId) -> None:
    attempt = scheduler.attempt(container_id.application_attempt_id)
    if attempt is not None:
        attempt.marked_for_preemption.pop(container_id, None)


# What is told of a pass


def _tell(scheduler: CapacityScheduler, snapshot: Snapshot, report: PassReport) -> Steps[None]:
    """For each queue what it has, should have, and should give; of a pass that takes nothing only those who
    want more.
    """
    selected = yield from _selected_by_queue(snapshot, report)
    queues = list(_queues(snapshot.root))
    takes = selected or any(share.to_preempt for queue in queues for share in queue.shares.values())
    for queue in queues:
        yield
        for partition, share in queue.shares.items():
            if not share.total or not (takes or share.pending):
                continue
            figures = SchedulerPreemptionReport(
                queue=queue.path,
                partition=partition,
                guaranteed=share.guaranteed,
                used=share.used,
                pending=share.pending,
                ideal=share.ideal,
                to_preempt=share.to_preempt,
                selected=selected.get((queue.path, partition), 0),
            )
            scheduler.context.post(figures)
            told = {"queue": queue.path, "partition": partition, **figures.amounts}
            scheduler.context.log("info", "preemption pass", **told, selected=figures.selected)


def _selected_by_queue(snapshot: Snapshot, report: PassReport) -> Steps[Mapping[tuple[str, str], int]]:
    counts: dict[tuple[str, str], int] = {}
    for index, container in enumerate(report.selected):
        if index % AT_ONCE == 0:
            yield
        queue = snapshot.queue_of(container)
        while queue is not None:
            place = (queue.path, container.node.partition)
            counts[place] = counts.get(place, 0) + 1
            queue = queue.parent
    return counts


def _queues(queue: QueueView) -> Iterator[QueueView]:
    yield queue
    for child in queue.children:
        yield from _queues(child)
