"""Preempts containers of queues with a lower priority for reservations of queues with a higher one.

Even of queues below their guarantee, as long as the reserving queue is below its own; disable_preemption is
not looked at. Hadoop: QueuePriorityContainerCandidateSelector.
"""

from __future__ import annotations

from functools import cmp_to_key

from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.scheduler.capacity.preemption.selection import Round, running_on
from yarnbox.rm.scheduler.capacity.preemption.snapshot import QueueView, Snapshot, Steps
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.resources.resource import NONE, Resource, total


def select_by_queue_priority(round_: Round) -> Steps[None]:
    """For each old enough reservation of a dominating, unsatisfied queue: containers of dominated ones."""
    dominance = _Dominance(round_.snapshot)
    if dominance.dominating:
        yield from _Precedence(round_, dominance).select()


class _Dominance:
    """Which leaf dominates which: where their paths diverge, the branch with the larger priority."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.dominating: dict[str, bool] = {}
        """Leaves that come before some other leaf."""
        self._collect(snapshot.root, is_above=False)

    def _collect(self, queue: QueueView, *, is_above: bool) -> None:
        """Notes the leaves below that dominate some leaf; `is_above`: all of them do."""
        if queue.is_leaf and is_above:
            self.dominating[queue.path] = True
        least = min((child.priority for child in queue.children if _has_leaf(child)), default=0)
        for child in queue.children:
            self._collect(child, is_above=is_above or child.priority > least)

    def is_over(self, one: QueueView | None, two: QueueView | None) -> bool:
        """Whether `one` dominates `two`."""
        if one is None or two is None or one is two or one.path not in self.dominating:
            return False
        for mine, theirs in zip(_branch(one), _branch(two), strict=False):
            if mine is not theirs:
                return mine.priority > theirs.priority
        return False


def _has_leaf(queue: QueueView) -> bool:
    return queue.is_leaf or any(_has_leaf(child) for child in queue.children)


def _branch(leaf: QueueView) -> list[QueueView]:
    branch = [leaf]
    while branch[-1].parent is not None:
        branch.append(branch[-1].parent)
    return branch[::-1]


class _Precedence:
    def __init__(self, round_: Round, dominance: _Dominance) -> None:
        self.round = round_
        self.snapshot = round_.snapshot
        self.arithmetic = round_.snapshot.arithmetic
        self.dominance = dominance
        self.freed: dict[tuple[str, str], Resource] = {}
        """What this pass has freed, by queue and partition."""
        self.used_up: dict[NodeId, bool] = {}
        """Nodes that succeeded, or that a reservation was moved to."""

    def select(self) -> Steps[None]:
        in_order = cmp_to_key(self._compare)
        reservations = [
            (queue, reservation)
            for node in self.snapshot.nodes
            if (reservation := node.reserved_container) is not None
            and (queue := self.snapshot.queue_of(reservation)) is not None
            and queue.path in self.dominance.dominating
        ]
        for queue, reservation in sorted(reservations, key=lambda pair: in_order(pair[1])):
            yield
            age_ms = self.snapshot.now_ms - reservation.creation_ms
            if age_ms >= self.round.settings.reservation_delay_ms:
                self._serve(queue, reservation)

    def _compare(self, one: RMContainer, two: RMContainer) -> int:
        """A container whose queue dominates the other's first, then the earlier one."""
        mine, theirs = self.snapshot.queue_of(one), self.snapshot.queue_of(two)
        if self.dominance.is_over(mine, theirs):
            return -1
        if self.dominance.is_over(theirs, mine):
            return 1
        return (one.creation_ms > two.creation_ms) - (one.creation_ms < two.creation_ms)

    def _serve(self, queue: QueueView, reservation: RMContainer) -> None:
        node = reservation.node
        if self._is_satisfied(queue, node.partition):
            return
        chosen = self._choose(queue, reservation, node)
        if chosen is None:
            if self.round.settings.may_move_reservations:
                self._move(queue, reservation)
            return
        self.used_up[node.node_id] = True
        for container in chosen:
            self.round.selected[container] = None
            self.round.allowed = self.round.allowed - container.resource
        place = (queue.path, node.partition)
        self.freed[place] = self.freed.get(place, NONE) + reservation.resource

    def _is_satisfied(self, queue: QueueView, partition: str) -> bool:
        share = queue.share(partition)
        has = share.used - share.reserved + self.freed.get((queue.path, partition), NONE)
        return self.arithmetic.compare(self.snapshot.cluster, has, share.guaranteed) >= 0

    def _choose(
        self, queue: QueueView, reservation: RMContainer, node: SchedulerNode
    ) -> list[RMContainer] | None:
        """The containers whose end would make room on the node; None when it cannot be made."""
        if node.node_id in self.used_up:
            return None
        selected = self.round.selected
        on_node = sorted(running_on(node), key=lambda one: one.container_id)
        lacking = reservation.resource - node.available
        lacking = lacking - total(one.resource for one in on_node if one in selected)
        chosen: list[RMContainer] = []
        if self.arithmetic.fits(lacking, NONE):
            return chosen
        left = self.round.allowed
        for container in sorted(on_node, key=cmp_to_key(self._compare)):
            if container in selected or container.is_am:
                continue
            if not self.dominance.is_over(queue, self.snapshot.queue_of(container)):
                continue
            if self.arithmetic.compare(self.snapshot.cluster, left, container.resource) < 0:
                continue
            chosen.append(container)
            left = left - container.resource
            lacking = lacking - container.resource
            if self.arithmetic.fits(lacking, NONE):
                return chosen
        return None

    def _move(self, queue: QueueView, reservation: RMContainer) -> None:
        """Moves the reservation to another node where room can be made; the containers are preempted in a
        later pass.
        """
        for node in self.snapshot.nodes:
            if node.node_id == reservation.node.node_id or node.reserved_container is not None:
                continue
            if node.partition != reservation.label:
                continue
            if self._choose(queue, reservation, node) is None:
                continue
            if self.round.decisions.move_reservation(reservation, node):
                self.used_up[node.node_id] = True
                return
