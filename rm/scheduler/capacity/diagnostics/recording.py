"""The record of one allocation pass: the outcome for queues, applications, requests and nodes, and why.

The recorder observes the pass and notes its reasons; when the pass has ended, it builds the tree before
anything is booked. Knows neither who has requested it nor how long records are stored. Hadoop:
ActivitiesLogger, NodeAllocation, AppAllocation and ActivityDiagnosticConstant.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from yarnbox.rm.asks import RequestKey
from yarnbox.rm.scheduler.activities import AppAllocation, NodeAllocation, QueueActivity, RequestActivity
from yarnbox.rm.scheduler.capacity.allocation.assignment import AllocationPass, Assignment, Kind
from yarnbox.rm.scheduler.capacity.allocation.observer import PassObserver
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue, ordering_key
from yarnbox.rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError
from yarnbox.rm.scheduler.constraint.text import text
from yarnbox.yarn.records.request import CompositePlacementConstraint, PlacementConstraint, SchedulingRequest
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode
    from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
    from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue

NODE_TOO_FULL = "Initial check: node resource is insufficient for minimum allocation"
_QUEUE_NEEDS_NOTHING = "Queue does not need more resource"
_APPLICATION_NEEDS_NOTHING = "Application does not need more resource"
_NO_ACCESS = "Queue is not able to access partition"
_AT_MAXIMUM = "Queue hits max-capacity limit"
_NO_HEADROOM = "Queue does not have enough headroom for inner highest-priority request"
_NO_MATCH = "Node does not match partition or placement constraints"
_NODE_TOO_SMALL = "Node's total resource is insufficient for request"
_NODE_FULL = "Node does not have sufficient resource for request"
_NOTHING_TO_UNRESERVE = "Node can't find a container to be unreserved when needed"

_OF_APPLICATION = {
    SkipReason.NOTHING_ASKED: ("SKIPPED", _APPLICATION_NEEDS_NOTHING),
    SkipReason.QUEUE_AT_MAXIMUM: ("REJECTED", _AT_MAXIMUM),
    SkipReason.USER_LIMIT: ("REJECTED", "Queue hits user max-capacity limit"),
}
_OF_REQUEST = {
    SkipReason.EXCLUSIVITY: "Request skipped in Ignore Exclusivity mode for AM allocation",
    SkipReason.QUEUE_HEADROOM: _NO_HEADROOM,
    SkipReason.RESERVATIONS: "Request skipped based on reservation algo",
    SkipReason.PARTITION_DELAY: (
        "Request skipped because non-partitioned resource request should be scheduled to non-partitioned "
        "partition first"
    ),
}
_OF_NODE = {
    SkipReason.LABEL: _NO_MATCH,
    SkipReason.CONSTRAINT: _NO_MATCH,
    SkipReason.BLACKLIST: "Node is blacklisted",
    SkipReason.STRICT_LOCALITY: "Node skipped because relax locality is not allowed",
    SkipReason.LOCALITY_DELAY: "Node skipped because of off-switch delay",
    SkipReason.NODE_TOO_SMALL: _NODE_TOO_SMALL,
    SkipReason.NODE_FULL: _NODE_FULL,
    SkipReason.RESERVED: "Node has been reserved",
}
_OF_QUEUE = {SkipReason.PARTITION_ACCESS: _NO_ACCESS, SkipReason.QUEUE_AT_MAXIMUM: _AT_MAXIMUM}
_STATES = {Kind.ALLOCATE: "ALLOCATED", Kind.RESERVE: "RESERVED", Kind.RE_RESERVE: "RE_RESERVED"}


class Recorder(PassObserver):
    """Observes one pass."""

    def __init__(self, pass_: AllocationPass, now_ms: int) -> None:
        self._pass = pass_
        self._now_ms = now_ms
        self._node_id = pass_.node.node_id if pass_.candidates is None else None
        self._looked_at: tuple[CapacityAttempt, RequestKey, SchedulerNode] | None = None
        self._given: RequestActivity | None = None
        self._refused: dict[str, str] = {}
        """What refused the queues, by their paths."""
        self.applications: dict[CapacityAttempt, AppAllocation] = {}

    # Noted during the pass

    def refuse(self, path: str, reason: SkipReason) -> None:
        """A queue is refused, and no application in it was tried."""
        self._refused[path] = _OF_QUEUE[reason]

    def refuse_leaf(self, path: str, reason: SkipReason, applications: Iterable[CapacityAttempt]) -> None:
        """A leaf is refused; at its maximum that is found out with its first application."""
        self.refuse(path, reason)
        if reason is SkipReason.QUEUE_AT_MAXIMUM:
            for attempt in applications:
                self.note(attempt, reason)
                break

    def try_request(self, attempt: CapacityAttempt, key: RequestKey, node: SchedulerNode) -> None:
        """A request is tried on a node: the reasons noted next concern it."""
        self._looked_at = (attempt, key, node)

    def note(self, attempt: CapacityAttempt, reason: SkipReason) -> None:
        """Why the application, or the request that is being tried, was allocated nothing."""
        seen = self._seen(attempt)
        if self._looked_at is None or self._looked_at[0] is not attempt:
            # Before any request of it was tried: it wants nothing here, or limits are against it.
            state, diagnostic = _OF_APPLICATION.get(reason, _OF_APPLICATION[SkipReason.NOTHING_ASKED])
            seen.state, seen.diagnostic, seen.reason = state, diagnostic, reason
            if reason is SkipReason.QUEUE_AT_MAXIMUM:
                self._refused[attempt.queue.path] = _AT_MAXIMUM
            return
        _, key, node = self._looked_at
        if reason is SkipReason.RESERVATIONS and attempt.leaf.context.settings.continue_looking:
            remark = RequestActivity(
                key=key, state="SKIPPED", diagnostic=_NOTHING_TO_UNRESERVE, node_id=node.node_id
            )
        elif reason in _OF_REQUEST:
            remark = RequestActivity(key=key, state="SKIPPED", diagnostic=_OF_REQUEST[reason])
        else:
            diagnostic = _OF_NODE.get(reason, reason.value) + _detail(reason, attempt, key, node)
            remark = RequestActivity(key=key, state="SKIPPED", diagnostic=diagnostic, node_id=node.node_id)
        remark.reason = reason
        if reason is SkipReason.QUEUE_HEADROOM:
            remark.state = "REJECTED"
            self._refused[attempt.queue.path] = f"{_NO_HEADROOM} from {attempt.application_id}"
        seen.remarks.append(remark)
        seen.state = remark.state

    def _seen(self, attempt: CapacityAttempt) -> AppAllocation:
        seen = self.applications.get(attempt)
        if seen is None:
            seen = self.applications[attempt] = AppAllocation(
                application_id=attempt.application_id,
                node_id=self._node_id,
                now_ms=self._now_ms,
                queue=attempt.queue.path,
                app_priority=attempt.app_priority,
            )
        return seen

    # Drawn at its end

    def draw(self, root: CapacityQueue, assignment: Assignment) -> NodeAllocation:
        """Builds the tree of a pass from `root` down that ended with this assignment; nothing is
        booked yet.
        """
        self._give(assignment)
        way = list(assignment.attempt.queue.ancestors()) if assignment.gives and assignment.attempt else []
        if self._pass.node.reserved_container is not None and isinstance(root, LeafQueue):
            drawn = self._draw_reserved(root, assignment)
        else:
            drawn = self._draw(root, way)
        return NodeAllocation(
            node_id=self._node_id, now_ms=self._now_ms, partition=self._pass.partition, root=drawn
        )

    def book(self, record: NodeAllocation, assignment: Assignment, container: RMContainer | None) -> None:
        """The pass's proposal is in the books, and this is its container."""
        if container is None:
            return
        if assignment.is_reservation:
            record.state = "RESERVED"
        else:
            record.state = "ALLOCATED" if assignment.from_reserved is None else "ALLOCATED_FROM_RESERVED"
        record.container_id = str(container.container_id)
        if self._given is not None and not assignment.is_reservation:
            self._given.container_id = record.container_id

    def _give(self, assignment: Assignment) -> None:
        attempt, node, key = assignment.attempt, assignment.node, assignment.key
        state = _STATES.get(assignment.kind)
        if state is None or attempt is None or node is None or key is None:
            return
        diagnostic = ""
        if assignment.is_reservation:
            diagnostic = _NODE_FULL + _short_of(attempt, assignment.resource, node.available)
        seen = self._seen(attempt)
        seen.state = state
        self._given = RequestActivity(key=key, state=state, diagnostic=diagnostic, node_id=node.node_id)
        seen.remarks.append(self._given)

    def _draw_reserved(self, leaf: LeafQueue, assignment: Assignment) -> QueueActivity:
        """A reserved node: only its leaf was tried, for one application."""
        state = {Kind.ALLOCATE: "ACCEPTED", Kind.RE_RESERVE: "RE_RESERVED"}.get(assignment.kind, "SKIPPED")
        return QueueActivity(path=leaf.path, state=state, applications=list(self.applications.values()))

    def _draw(self, queue: CapacityQueue, way: list[CapacityQueue]) -> QueueActivity:
        """The queue and what was tried below it; `way` is the path to the leaf that received something."""
        pass_ = self._pass
        if not pass_.ignores_exclusivity and not queue.can_access(pass_.partition):
            return QueueActivity(path=queue.path, state="REJECTED", diagnostic=_NO_ACCESS)
        if not queue.has_pending(pass_.pending_in):
            return QueueActivity(path=queue.path, state="SKIPPED", diagnostic=_QUEUE_NEEDS_NOTHING)
        refused = self._refused.get(queue.path)
        drawn = QueueActivity(path=queue.path, state="ACCEPTED" if queue in way else "SKIPPED")
        if refused is not None:
            drawn.state, drawn.diagnostic = "REJECTED", refused
        if isinstance(queue, LeafQueue):
            drawn.applications = self._draw_leaf(queue, ends_early=refused is not None or queue in way)
        elif isinstance(queue, ParentQueue) and refused is None:
            drawn.queues = [self._draw(child, way) for child in self._visited(queue, way)]
        return drawn

    def _visited(self, parent: ParentQueue, way: list[CapacityQueue]) -> list[CapacityQueue]:
        """The children in their order, up to the first that was allocated something."""
        partition, above = self._pass.partition, parent.settings
        children = sorted(
            parent.children, key=lambda child: (ordering_key(child, partition, above), child.position)
        )
        for place, child in enumerate(children):
            if child in way:
                return children[: place + 1]
        return children

    def _draw_leaf(self, leaf: LeafQueue, *, ends_early: bool) -> list[AppAllocation]:
        """The applications in their order; those without a note have no pending requests."""
        active = list(leaf.order.active(self._pass.partition))
        if ends_early:
            told = [place for place, one in enumerate(active) if one in self.applications]
            active = active[: told[-1] + 1] if told else []
        for attempt in active:
            if attempt not in self.applications:
                self._seen(attempt).diagnostic = _APPLICATION_NEEDS_NOTHING
        return [self.applications[attempt] for attempt in active]


def _unmet(attempt: CapacityAttempt, request: SchedulingRequest, node: SchedulerNode) -> str:
    """Which part of its constraint the node does not satisfy; of alternatives, the last."""
    constraints = attempt.leaf.context.rm.constraints
    try:
        part = constraints.unmet(attempt.application_id, request, node)
    except InvalidAllocationTagsQueryError:
        return ""
    while isinstance(part, PlacementConstraint | CompositePlacementConstraint):
        if isinstance(part, PlacementConstraint):
            part = part.simple_constraint or part.composite_constraint
        else:
            part = part.child_constraints[-1] if part.child_constraints else None
    if part is None or not part.target_expressions:
        return ""
    kind = part.target_expressions[0].target_type.name
    return f', unsatisfied PC expression="{text(part)}", target-type={kind}'


def _detail(reason: SkipReason, attempt: CapacityAttempt, key: RequestKey, node: SchedulerNode) -> str:
    asks = attempt.asks.key_asks(key)
    if asks is None:
        return ""
    if reason is SkipReason.NODE_TOO_SMALL:
        return _short_of(attempt, asks.any.capability, node.total)
    if reason is SkipReason.NODE_FULL:
        return _short_of(attempt, asks.any.capability, node.available)
    if reason is SkipReason.LABEL:
        return f", unsatisfied node partition={node.partition}, required-partition={asks.any.label}"
    if reason is SkipReason.CONSTRAINT and asks.constrained is not None:
        return _unmet(attempt, asks.constrained.request, node)
    return ""


def _short_of(attempt: CapacityAttempt, required: Resource, available: Resource) -> str:
    """Which types of resources do not suffice, and on a line of its own how much is there."""
    names = [MEMORY_MB]
    if attempt.leaf.context.settings.is_dominant:
        names += [VCORES, *(name for name, _ in required.items() if name not in (MEMORY_MB, VCORES))]
    short = [name for name in names if required.value(name) > available.value(name)]
    return f", insufficient resources=[{', '.join(short)}]\nrequired={required}, available={available}"
