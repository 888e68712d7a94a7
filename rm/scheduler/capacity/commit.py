"""A heartbeat: pass after pass down the tree, each proposal checked once more and put into the books.

Answers for CapacityScheduler.nodeUpdate, allocateContainersToNode, allocateOrReserveNewContainers,
tryCommit and FiCaSchedulerApp.accept and apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.events.container import ContainerKill, ContainerReleased
from rm.scheduler.asks import Locality
from rm.scheduler.capacity.allocator import serve_reservation
from rm.scheduler.capacity.assignment import NOTHING, Assignment, Kind, Pass
from rm.scheduler.capacity.recording import NODE_TOO_FULL
from rm.scheduler.capacity.settings import DEFAULT_PARTITION
from rm.scheduler.statuses import UNRESERVED_CONTAINER, aborted, preempted
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.scheduler.asks import RequestKey
    from rm.scheduler.capacity.activities import Recording
    from rm.scheduler.capacity.application import CapacityAttempt
    from rm.scheduler.capacity.leaf import LeafQueue
    from rm.scheduler.capacity.queue import CapacityQueue
    from rm.scheduler.capacity.scheduler import CapacityScheduler
    from rm.scheduler.node import SchedulerNode


class IdleWalks:
    """Walks that gave nothing, for reasons that hold on any node of their partition: none is made again
    until something has changed.
    """

    def __init__(self) -> None:
        self.last_partition = ""
        """The partition of the last walk, made or not."""
        self._since: dict[str, int] = {}
        self._limits: dict[str, list[tuple[LeafQueue, Resource]]] = {}

    def note(self, partition: str, version: int, limits: list[tuple[LeafQueue, Resource]]) -> None:
        """A walk gave nothing, and left these limits in the leaves that it came by."""
        self._since[partition] = version
        self._limits[partition] = limits

    def repeat(self, partition: str, version: int) -> bool:
        """Whether another walk would be the same; if so, it leaves behind what it would."""
        if self._since.get(partition) != version:
            return False
        if self.last_partition != partition:
            self.last_partition = partition
            for leaf, limit in self._limits[partition]:
                leaf.current_limit = limit
        return True


def serve_node(scheduler: CapacityScheduler, node: SchedulerNode) -> None:
    """All that one heartbeat of the node may give. See tests/scenarios/capacity/one-off-switch-per-
    heartbeat.yaml.
    """
    settings = scheduler.frame.settings
    off_switch = count = 0
    while True:
        assignment = serve_once(scheduler, node)
        if assignment is None or not assignment.gives:
            return
        count += 1
        if assignment.locality is Locality.OFF_SWITCH:
            off_switch += 1
        if off_switch >= settings.maximum_off_switch or assignment.is_reservation:
            return
        if not settings.assigns_multiple:
            return
        if settings.maximum_assignments != -1 and count >= settings.maximum_assignments:
            return


def serve_once(
    scheduler: CapacityScheduler,
    node: SchedulerNode,
    candidates: list[SchedulerNode] | None = None,
    recording: Recording | None = None,
) -> Assignment | None:
    """One container at most; None when nothing was given, or the node is kept for somebody."""
    if recording is None and scheduler.activities.is_on:
        return _serve_recorded(scheduler, node, candidates)
    frame = scheduler.frame
    partition = node.partition
    if candidates is None:
        if node.reserved_container is not None:
            _serve_reserved(scheduler, node, recording)
            return None
        if recording is None and scheduler.idle.repeat(partition, frame.version):
            return None
        if frame.calculator.container_count(frame.room_on(node), frame.minimum) < 1:
            if recording is not None:
                recording.refuse(NODE_TOO_FULL)
            return None
    scheduler.idle.last_partition = partition
    total = frame.partition_total(partition)
    walk = Pass(node, partition, total, frame.cluster)
    walk.candidates = candidates
    walk.reasons = scheduler.reasons
    if recording is not None:
        recording.attach(walk)
    root = scheduler.tree.root
    assignment = root.assign(walk, total) if root.has_pending(walk.pending_in) else NOTHING
    if recording is not None:
        _commit_recorded(scheduler, recording, walk, root, assignment)
    elif assignment.gives:
        commit(scheduler, assignment)
    if assignment.gives:
        return assignment
    is_repeatable, limits = walk.is_repeatable, walk.current_limits
    if partition and not frame.is_exclusive(partition):
        walk = Pass(node, partition, total, frame.cluster, ignores_exclusivity=True)
        walk.candidates = candidates
        walk.reasons = scheduler.reasons
        if recording is not None:
            recording.attach(walk)
        # What is lent is bounded by the partition; the limit from above is the default partition's capacity,
        # and only shows in headrooms and limits of AMs.
        limit = frame.partition_total(DEFAULT_PARTITION)
        assignment = root.assign(walk, limit) if root.has_pending(walk.pending_in) else NOTHING
        if recording is not None:
            _commit_recorded(scheduler, recording, walk, root, assignment)
        elif assignment.gives:
            commit(scheduler, assignment)
        if assignment.gives:
            return assignment
        is_repeatable = is_repeatable and walk.is_repeatable
        limits = [*limits, *walk.current_limits]
    if is_repeatable and scheduler.reasons is None:
        scheduler.idle.note(partition, frame.version, limits)
    return None


def _serve_recorded(
    scheduler: CapacityScheduler, node: SchedulerNode, candidates: list[SchedulerNode] | None
) -> Assignment | None:
    """The same, while somebody wants to know: neither decides otherwise."""
    recording = scheduler.activities.begin(node)
    try:
        return serve_once(scheduler, node, candidates, recording)
    finally:
        scheduler.activities.end(recording)


def _commit_recorded(
    scheduler: CapacityScheduler,
    recording: Recording,
    walk: Pass,
    root: CapacityQueue,
    assignment: Assignment,
) -> None:
    """As ever; the walk is drawn before the books change, and gets the container that comes of it."""
    drawn = recording.draw(walk, root, assignment)
    is_given = assignment.gives or assignment.from_reserved is not None
    if is_given and assignment.kind is not Kind.NOTHING and commit(scheduler, assignment):
        recording.settle(walk, drawn, assignment, _container_of(assignment))


def _container_of(assignment: Assignment) -> RMContainer | None:
    """What a proposal became."""
    attempt, node = assignment.attempt, assignment.node
    assert attempt is not None
    assert node is not None
    if assignment.is_reservation:
        return node.reserved_container
    if assignment.kind is Kind.DROP:
        return None
    return next(reversed(attempt.live.values()), None)


def _serve_reserved(scheduler: CapacityScheduler, node: SchedulerNode, recording: Recording | None) -> None:
    """The node is kept for a container: nobody else is served from it."""
    reserved = node.reserved_container
    assert reserved is not None
    attempt = scheduler.attempt(reserved.attempt_id)
    if attempt is None:
        return
    frame = scheduler.frame
    walk = Pass(node, node.partition, frame.partition_total(node.partition), frame.cluster)
    walk.reasons = scheduler.reasons
    if recording is not None:
        recording.attach(walk)
    assignment = serve_reservation(attempt.leaf, attempt, walk, reserved)
    if recording is not None:
        _commit_recorded(scheduler, recording, walk, attempt.leaf, assignment)
    elif assignment.kind is not Kind.NOTHING:
        commit(scheduler, assignment)


def commit(scheduler: CapacityScheduler, assignment: Assignment) -> bool:
    """Puts a proposal into the books; False when it is dropped after all."""
    attempt, node, key = assignment.attempt, assignment.node, assignment.key
    assert attempt is not None
    assert node is not None
    reserved = assignment.from_reserved
    if assignment.kind is Kind.DROP:
        assert reserved is not None
        drop_reservation(scheduler, assignment)
        return True
    assert key is not None
    if not _is_acceptable(scheduler, assignment, node):
        return False
    if assignment.unreserved is not None:
        status = aborted(assignment.unreserved.container_id, UNRESERVED_CONTAINER)
        scheduler.complete_container(assignment.unreserved, status, ContainerReleased(status=status))
    for victim in assignment.kills:
        status = preempted(victim.container_id)
        scheduler.complete_container(victim, status, ContainerKill(status=status))
    if assignment.kind is Kind.ALLOCATE:
        container = attempt.allocate(node, key, assignment.locality, assignment.resource, reserved)
        if assignment.ignores_exclusivity:
            attempt.leaf.borrowed.setdefault(node.partition, {})[container.container_id] = None
    else:
        attempt.reserve(node, key, assignment.resource, reserved)
    return True


def drop_reservation(scheduler: CapacityScheduler, assignment: Assignment) -> None:
    """The asks that the node was kept for are gone."""
    reserved = assignment.from_reserved
    assert reserved is not None
    status = aborted(reserved.container_id, UNRESERVED_CONTAINER)
    scheduler.complete_container(reserved, status, ContainerReleased(status=status))


def _is_acceptable(scheduler: CapacityScheduler, assignment: Assignment, node: SchedulerNode) -> bool:
    """The checks of the commit: they see the books as they are now, and other fits than the walk down."""
    frame = scheduler.frame
    attempt = assignment.attempt
    assert attempt is not None
    if scheduler.tracker.nodes.get(node.node_id) is not node or not node.is_schedulable:
        return False
    if attempt.has_constraints and not _meets_constraint(scheduler, assignment, node):
        return False
    if assignment.from_reserved is not None:
        return True
    if assignment.kind is Kind.ALLOCATE and not assignment.kills:
        if frame.calculator.container_count(node.available, assignment.resource) < 1:
            return False
    if node.reserved_container is not None:
        return False
    leaf, partition, required = attempt.leaf, node.partition, assignment.resource
    if assignment.is_placed_before:
        leaf.consider(attempt, partition)
    if assignment.unreserved is not None or assignment.is_placed_before:
        # Otherwise the user's use is what the walk has found within the limit just now.
        given_up = NONE if assignment.unreserved is None else assignment.unreserved.resource
        limit = leaf.users.limit_of(
            attempt.member, partition, ignores_exclusivity=assignment.ignores_exclusivity
        )
        used: Resource = attempt.member.usage.used(partition) - given_up
        if frame.calculator.compare(frame.cluster, used, limit) > 0:
            return False
        required = required - given_up
    if assignment.kills:
        required = required - sum((victim.resource for victim in assignment.kills), NONE)
    return leaf.accepts(assignment, partition, required)


def _meets_constraint(scheduler: CapacityScheduler, assignment: Assignment, node: SchedulerNode) -> bool:
    """A reserved node may have got other containers since somebody looked."""
    attempt, key = assignment.attempt, assignment.key
    assert attempt is not None
    asks = attempt.asks.key_asks(key) if key is not None else None
    constrained = asks.constrained if asks is not None else None
    is_given = assignment.kind is Kind.ALLOCATE and not assignment.is_placed_before
    if constrained is None or not is_given:
        return True
    return scheduler.context.constraints.admits(attempt.application_id, constrained, node)


def accepts_directly(
    scheduler: CapacityScheduler,
    attempt: CapacityAttempt,
    node: SchedulerNode,
    key: RequestKey,
    resource: Resource,
) -> bool:
    """Whether limits and the node's room allow a container that nobody asked the queues for."""
    proposal = Assignment(Kind.ALLOCATE)
    proposal.attempt, proposal.node, proposal.key = attempt, node, key
    proposal.resource, proposal.locality = resource, Locality.NODE_LOCAL
    proposal.is_placed_before = True
    return _is_acceptable(scheduler, proposal, node)
