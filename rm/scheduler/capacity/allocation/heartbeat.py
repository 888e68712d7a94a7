"""Allocation at a node's heartbeat: pass after pass from the root down, each proposal committed at once.

Hadoop: CapacityScheduler.nodeUpdate, allocateContainersToNode and allocateOrReserveNewContainers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.asks import Locality
from yarnbox.rm.scheduler.capacity.allocation.allocator import ContainerAllocator
from yarnbox.rm.scheduler.capacity.allocation.assignment import (
    NOTHING,
    AllocationPass,
    Assignment,
    Kind,
    LimitedLeaf,
)
from yarnbox.rm.scheduler.capacity.allocation.commit import Commit
from yarnbox.rm.scheduler.capacity.allocation.refusals import refusal_by_node
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.config.settings import CapacitySettings
from yarnbox.rm.scheduler.capacity.preemption.killable import KillableContainers
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import Resource

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode


class IdlePasses:
    """Passes that allocated nothing, for reasons that hold on any node of their partition: they are not
    repeated until something has changed.
    """

    def __init__(self) -> None:
        self.is_observed = False
        """Whether every pass is made, because somebody observes them."""
        self.last_partition = ""
        """The partition of the last pass, made or not."""
        self._since: dict[str, int] = {}
        self._limits: dict[str, list[tuple[LimitedLeaf, Resource, bool]]] = {}

    def note(self, partition: str, version: int, limits: list[tuple[LimitedLeaf, Resource, bool]]) -> None:
        """Notes that a pass allocated nothing, and the limits that it stored in the leaves that it
        visited.
        """
        self._since[partition] = version
        self._limits[partition] = limits

    def is_idle(self, partition: str, version: int) -> bool:
        """Whether another pass would have the same outcome."""
        return self._since.get(partition) == version and not self.is_observed

    def repeat(self, partition: str) -> None:
        """Stores in the leaves the limits that the pass would."""
        self.last_partition = partition
        for leaf, limit, is_current in self._limits[partition]:
            leaf.offered_limit = limit
            if is_current:
                leaf.current_limit = limit


@mypyc_attr(allow_interpreted_subclasses=True)
class NodeObserver:
    """Observes all passes for one node at one moment. This one ignores them; subclasses override what they
    record.
    """

    __slots__ = ()

    def observe(self, pass_: AllocationPass) -> None:
        """A pass begins; its observer may be replaced."""

    def decided(self, pass_: AllocationPass, start: CapacityQueue, assignment: Assignment) -> None:
        """A pass from `start` down has ended, and nothing of it is booked yet."""

    def committed(self, pass_: AllocationPass, assignment: Assignment) -> None:
        """What the pass proposed is booked."""

    def end(self) -> None:
        """No pass follows."""


@mypyc_attr(allow_interpreted_subclasses=True)
class AllocationObserver:
    """Observes which nodes are offered to the queues. This one ignores it."""

    __slots__ = ()

    def refuse(self, node: SchedulerNode, reason: SkipReason) -> None:
        """The node is not offered to any queue."""

    def begin(self, node: SchedulerNode) -> NodeObserver:
        """The observer of the passes for this node."""
        return _IGNORES_NODE


_IGNORES_NODE = NodeObserver()
UNOBSERVED = AllocationObserver()
"""Nobody observes."""


class NodeAllocator:
    """Offers nodes to the queues."""

    def __init__(
        self,
        context: QueueContext,
        tree: QueueTree,
        register: Register[CapacityAttempt],
        killable: KillableContainers,
        allocator: ContainerAllocator,
        commit: Commit,
    ) -> None:
        self._context = context
        self._tree = tree
        self._register = register
        self._killable = killable
        self._allocator = allocator
        self._commit = commit
        self._idle = IdlePasses()
        self._observer = UNOBSERVED

    def observe(self, observer: AllocationObserver) -> None:
        """Replaces the observer; UNOBSERVED removes it."""
        self._observer = observer
        self._idle.is_observed = observer is not UNOBSERVED

    def serve(self, node: SchedulerNode, candidates: list[SchedulerNode] | None = None) -> None:
        """Allocates all that one heartbeat of the node may; with multi-node placement on any of the
        candidates, where before each container those are served that are reserved.

        See tests/scenarios/capacity/one-off-switch-per-heartbeat.yaml and
        queues/multi-node-serves-reserved-nodes-first.yaml.
        """
        off_switch = count = 0
        while True:
            if candidates is not None:
                for each in candidates:
                    if each.reserved_container is not None:
                        self.serve_once(each)
            assignment = self.serve_once(node, candidates)
            if assignment is None:
                return
            settings = self._context.settings
            count += 1
            if assignment.locality is Locality.OFF_SWITCH:
                off_switch += 1
            if off_switch >= settings.maximum_off_switch or assignment.is_reservation:
                return
            if not settings.assigns_multiple:
                return
            if assignment.is_in_vain:
                self._context.rm.health.refused += _repetitions(settings, assignment, count, off_switch)
                return
            if settings.maximum_assignments == -1:
                if not any(self._context.is_running(each) for each in candidates or (node,)):
                    return  # all that is proposed on it is dropped: without a bound Hadoop goes on for ever
            elif count >= settings.maximum_assignments:
                return

    def serve_once(
        self, node: SchedulerNode, candidates: list[SchedulerNode] | None = None
    ) -> Assignment | None:
        """Allocates one container at most; None when nothing was allocated, or the node is reserved."""
        refused: SkipReason | None = None
        if candidates is None:
            if node.reserved_container is None:
                context, partition, idle = self._context, node.partition, self._idle
                if idle.is_idle(partition, context.version):
                    # See tests/scenarios/labels/full-node-keeps-the-last-limit.yaml.
                    if idle.last_partition != partition:
                        if refusal_by_node(context, self._killable, node) is None:
                            idle.repeat(partition)
                    return None
                refused = refusal_by_node(context, self._killable, node)
        elif len(candidates) == 1:
            # The only node that is not silent: see tests/scenarios/queues/multi-node-one-candidate.yaml.
            refused = refusal_by_node(self._context, self._killable, candidates[0])
        if refused is not None:
            self._observer.refuse(node, refused)
            return None
        observer = self._observer.begin(node)
        try:
            if candidates is None and node.reserved_container is not None:
                self._serve_reserved(node, node.reserved_container, observer)
                return None
            return self._serve(node, candidates, observer)
        finally:
            observer.end()

    def _serve(
        self, node: SchedulerNode, candidates: list[SchedulerNode] | None, observer: NodeObserver
    ) -> Assignment | None:
        """Runs one pass, and a second one where the partition is lent to requests without a label."""
        context, idle, partition = self._context, self._idle, node.partition
        root = self._tree.root
        idle.last_partition = partition
        total = context.partition_total(partition)
        pass_ = AllocationPass(node, partition, total, context.cluster, self._allocator)
        pass_.candidates = candidates
        pass_.has_counted = node.is_schedulable or candidates is not None
        assignment = self._run(pass_, root, total, observer)
        if assignment.gives:
            return assignment
        is_repeatable, limits = pass_.is_repeatable, pass_.current_limits
        if partition and not context.is_exclusive(partition):
            has_counted = pass_.has_counted
            pass_ = AllocationPass(
                node, partition, total, context.cluster, self._allocator, ignores_exclusivity=True
            )
            pass_.candidates, pass_.has_counted = candidates, has_counted
            # What is lent is bounded by the partition; the limit from above is the default partition's
            # capacity, and only shows in headrooms and limits of AMs.
            assignment = self._run(pass_, root, context.partition_total(DEFAULT_PARTITION), observer)
            if assignment.gives:
                return assignment
            is_repeatable = is_repeatable and pass_.is_repeatable
            limits = [*limits, *pass_.current_limits]
        if is_repeatable:
            idle.note(partition, context.version, limits)
        return None

    def _run(
        self, pass_: AllocationPass, root: CapacityQueue, limit: Resource, observer: NodeObserver
    ) -> Assignment:
        """Runs one pass from the root down, and books its proposal."""
        observer.observe(pass_)
        assignment = root.assign(pass_, limit) if root.has_pending(pass_.pending_in) else NOTHING
        observer.decided(pass_, root, assignment)
        if assignment.gives:
            if self._commit.commit(assignment):
                observer.committed(pass_, assignment)
            else:
                assignment.is_in_vain = not (pass_.has_counted or self._idle.is_observed)
        return assignment

    def _serve_reserved(self, node: SchedulerNode, reserved: RMContainer, observer: NodeObserver) -> None:
        """Serves the reserved container of the node: no other request is served there."""
        attempt = self._register.attempt(reserved.attempt_id)
        if attempt is None:
            return
        context, leaf = self._context, self._tree.leaf_of(attempt.application)
        leaf.take_offer(context.partition_total(DEFAULT_PARTITION))
        total = context.partition_total(node.partition)
        pass_ = AllocationPass(node, node.partition, total, context.cluster, self._allocator)
        observer.observe(pass_)
        assignment = self._allocator.serve_reservation(leaf, attempt, pass_, reserved)
        observer.decided(pass_, leaf, assignment)
        if assignment.kind is not Kind.NOTHING and self._commit.commit(assignment):
            observer.committed(pass_, assignment)


def _repetitions(settings: CapacitySettings, assignment: Assignment, count: int, off_switch: int) -> int:
    """How often Hadoop would propose again in this heartbeat what has just been dropped; 0 for ever."""
    left = []
    if settings.maximum_assignments != -1:
        left.append(settings.maximum_assignments - count)
    if assignment.locality is Locality.OFF_SWITCH:
        left.append(settings.maximum_off_switch - off_switch)
    return max(min(left, default=0), 0)
