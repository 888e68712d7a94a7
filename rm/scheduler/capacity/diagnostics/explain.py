"""Explains why an application is pending: what keeps it from being activated, or each of its requests from a
node.

Changes nothing, and costs nothing until it is called. The checks are the allocator's own, called once more,
so that the explanation is the allocator's reason. Hadoop: ActivitiesManager and the AM launch diagnostics of
FiCaSchedulerApp.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yarnbox.rm.asks import KeyAsks, RequestKey
from yarnbox.rm.scheduler.capacity.allocation.allocator import ContainerAllocator
from yarnbox.rm.scheduler.capacity.allocation.assignment import AllocationPass, Limits
from yarnbox.rm.scheduler.capacity.allocation.observer import NOBODY, PassObserver
from yarnbox.rm.scheduler.capacity.allocation.refusals import (
    RequestOnNode,
    refusal_before_locality,
    refusal_by_node,
    refusal_by_request,
)
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.diagnostics import am_launch
from yarnbox.rm.scheduler.capacity.preemption.killable import KillableContainers
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.checks import NODES, Check, RequestChecks, asked, node_checks
from yarnbox.rm.scheduler.constraint.asking import number_of
from yarnbox.rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError
from yarnbox.rm.scheduler.constraint.text import text
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, NodeId
from yarnbox.yarn.records.node import DEFAULT_PARTITION, SHOWN_DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode

RUNNING = "Application waits for containers."
_AT_MAXIMUM = {
    (True, False): SkipReason.QUEUE_AT_MAXIMUM,
    (False, False): SkipReason.PARENT_AT_MAXIMUM,
    (False, True): SkipReason.CLUSTER_FULL,
}
"""By whether the queue is a leaf, and whether it is the root."""
_PASSING = (
    SkipReason.PARTITION_DELAY,
    SkipReason.LOCALITY_DELAY,
    SkipReason.NODE_TOO_SMALL,
    SkipReason.NODE_FULL,
    SkipReason.RESERVED,
)
"""What ends with time, or with what is on the node: on a node that is being decommissioned it makes no
difference, since the commit drops what is proposed there, and the node shrinks to what runs on it.
"""


class _LastReason(PassObserver):
    """Stores the reason that was noted last: of several, it is why a node is refused."""

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last: SkipReason | None = None

    def note(self, attempt: CapacityAttempt, reason: SkipReason) -> None:
        """A reason that may be followed by another."""
        self.last = reason


class _Bounds:
    """The limits of the queues on the way to a leaf: those of the pass, and those that would be if nothing
    were kept free for queues that come before them.
    """

    def __init__(self, limit: Resource) -> None:
        self.limits = Limits(limit)
        self.whole = Limits(limit)
        self.kept: list[str] = []
        """For which queues room is kept free, and how much."""
        self.is_full_above = False
        """Whether a queue on the way has nothing left: those below it are compared with their own maxima."""

    def descend(self, queue: ParentQueue, child: CapacityQueue, pass_: AllocationPass) -> None:
        """From the limits of a queue to those of its child."""
        maximum, partition = queue.share(pass_.partition).effective_maximum, pass_.partition
        min_of = queue.context.calculator.min_of
        mine = min_of(pass_.cluster, self.limits.limit, maximum)
        for other, amount in queue.kept_before(child, pass_, mine):
            self.kept.append(f"{other.path}: {amount}")
            mine = mine - amount
        whole = min_of(pass_.cluster, self.whole.limit, maximum)
        self.limits = Limits(queue.limit_of_child(child, partition, mine))
        self.whole = Limits(queue.limit_of_child(child, partition, whole))

    def check_maximum(self, queue: CapacityQueue, pass_: AllocationPass, reserved: Resource) -> Check:
        """Whether the queue is below its maximum."""
        share = queue.share(pass_.partition)
        holds = _is_below_maximum(queue, pass_, self.limits, reserved)
        would_hold = _is_below_maximum(queue, pass_, self.whole, reserved)
        if would_hold and not holds:
            return self.kept_for_siblings(queue)
        if self.is_full_above:
            holds = holds or _is_below_maximum(queue, pass_, Limits(share.effective_maximum), reserved)
        self.is_full_above |= not holds
        return Check(
            reason=_AT_MAXIMUM[isinstance(queue, LeafQueue), queue.parent is None],
            holds=holds,
            numbers=f"{queue.path}: maximum {share.effective_maximum}, used {share.amounts.used}",
            level=queue.path,
        )

    def kept_for_siblings(self, queue: CapacityQueue) -> Check:
        """The queue may not take what is kept free for others."""
        numbers = ", ".join(self.kept)
        return Check(reason=SkipReason.SIBLING_QUEUE, holds=False, numbers=numbers, level=queue.path)


class Explanations:
    """Finds the checks that keep applications from being allocated containers."""

    def __init__(
        self,
        context: QueueContext,
        tree: QueueTree,
        register: Register[CapacityAttempt],
        killable: KillableContainers,
        allocator: ContainerAllocator,
    ) -> None:
        self._context = context
        self._tree = tree
        self._register = register
        self._killable = killable
        self._allocator = allocator

    def explain(self, application_id: ApplicationId) -> list[RequestChecks]:
        """Everything that stands between the application and its next container: per request the first
        queue that refuses it, or else the reasons of the nodes.
        """
        attempt = self._attempt(application_id)
        if attempt is None:
            return []
        if not attempt.is_activated:
            refused = next(one for one in self._activation_checks(attempt) if not one.holds)
            return [RequestChecks(asked="", checks=(refused,))]
        if not attempt.is_asking:
            nothing = RequestChecks(asked="", checks=(Check(reason=SkipReason.NOTHING_ASKED, holds=False),))
            return self._in_placement(application_id) or [nothing]
        found = [
            RequestChecks(asked=asked(asks), checks=refusals, key=asks.key)
            for asks in _open_requests(attempt)
            if (refusals := tuple(self._refusals(attempt, asks)))
        ]
        found += self._in_placement(application_id)
        return found or self._behind_others(attempt)

    def all_checks(self, application_id: ApplicationId) -> list[RequestChecks]:
        """Every check of each pending request from the root to the nodes, whether it holds or not; of an
        application that is not activated yet, those of its AM.
        """
        attempt = self._attempt(application_id)
        if attempt is None:
            return []
        if not attempt.is_activated:
            name = f"the ApplicationMaster, {attempt.am_resource}"
            return [RequestChecks(asked=name, checks=tuple(self._activation_checks(attempt)))]
        return [
            RequestChecks(asked=asked(asks), checks=tuple(self._checks(attempt, asks)), key=asks.key)
            for asks in _open_requests(attempt)
        ]

    def refusal_on(self, application_id: ApplicationId, key: RequestKey, node_id: NodeId) -> Check | None:
        """The first check by which the allocator refuses the request on that node, at its next heartbeat or
        pass; None when it would allocate the container, or reserve the node.

        On a node of another partition: when the partition is lent to requests without a label.
        """
        attempt = self._attempt(application_id)
        node = self._context.tracker.nodes.get(node_id)
        asks = attempt.asks.key_asks(key) if attempt is not None else None
        if attempt is None or node is None or asks is None or not asks.outstanding:
            return None
        found = self._refusal_by_node(attempt, asks, node)
        if found is not None:
            return Check(reason=found, holds=False, level=NODES, nodes=1)
        pass_ = self._pass(node, lends=asks.label != node.partition)
        bounds = self._bounds(pass_)
        if not _is_own_reservation(attempt, asks, node):
            for check in self._queue_checks(attempt, pass_, bounds):
                if not check.holds:
                    return check
        refused = self._refusal(attempt, asks, node, bounds)
        if refused is None:
            return None
        if refused[0] is SkipReason.QUEUE_HEADROOM:
            return self._headroom_check(attempt, asks, bounds, holds=False)
        return Check(reason=refused[0], holds=False, numbers=refused[1], level=NODES, nodes=1)

    def launch_diagnostics(self, attempt_id: ApplicationAttemptId) -> str:
        """What the attempt's report says while its AM is not there yet, or waits for containers."""
        attempt = self._register.attempt(attempt_id)
        if attempt is None or attempt.attempt_id != attempt_id or attempt.is_stopped:
            return ""
        is_running = attempt.is_activated and not attempt.is_waiting_for_am
        if is_running and not attempt.is_asking:
            return ""
        leaf = self._tree.leaf_of(attempt.application)
        if not attempt.is_activated:
            return am_launch.inactivated(leaf, attempt)
        found = [line for one in self.explain(attempt_id.application_id) for line in one.lines]
        if is_running and not found:
            return ""
        start = RUNNING if is_running else am_launch.activated(leaf, attempt).rstrip()
        return " ".join([start, *found])

    def _attempt(self, application_id: ApplicationId) -> CapacityAttempt | None:
        application = self._register.applications.get(application_id)
        attempt = application.attempt if application is not None else None
        return None if attempt is None or attempt.is_stopped else attempt

    # Before the allocator looks

    def reason_before_activation(self, application_id: ApplicationId) -> SkipReason | None:
        """What keeps an application from being activated; None where nothing does."""
        attempt = self._attempt(application_id)
        return None if attempt is None or attempt.is_activated else _reason_before_activation(attempt)

    def _activation_checks(self, attempt: CapacityAttempt) -> Iterator[Check]:
        """The limits of AMs as they were when the leaf last looked at the application."""
        leaf = self._tree.leaf_of(attempt.application)
        share, own = leaf.share(attempt.partition), attempt.am_resource
        reason = _reason_before_activation(attempt)
        used = leaf.usage.am_used(attempt.partition)
        by_user = attempt.queue_user.usage.am_used(attempt.partition)
        queue_numbers = f"{leaf.path}: limit {share.am_limit}, used {used}, this AM {own}"
        user_numbers = (
            f"{leaf.path}: limit {share.user_am_limit}, {attempt.user} uses {by_user}, this AM {own}"
        )
        for which, level, numbers in (
            (SkipReason.AM_LIMIT, leaf.path, queue_numbers),
            (SkipReason.USER_AM_LIMIT, f"user {attempt.user}", user_numbers),
        ):
            yield Check(reason=which, holds=reason is not which, numbers=numbers, level=level)
        if reason not in (SkipReason.AM_LIMIT, SkipReason.USER_AM_LIMIT):
            yield Check(reason=reason, holds=False, level=leaf.path)

    def _in_placement(self, application_id: ApplicationId) -> list[RequestChecks]:
        """The requests that the placement processor has not committed yet."""
        processor = self._context.rm.constraints.processor
        if processor is None:
            return []
        found = []
        for request, attempt in processor.waiting(application_id):
            tags = ",".join(request.allocation_tags)
            numbers = f"{number_of(request)} of {tags}: attempt {attempt} of {processor.attempts}"
            check = Check(reason=SkipReason.IN_PLACEMENT, holds=False, numbers=numbers)
            key = RequestKey(request.priority or 0, request.allocation_request_id)
            found.append(RequestChecks(asked=f"{number_of(request)} of {tags}", checks=(check,), key=key))
        return found

    def _behind_others(self, attempt: CapacityAttempt) -> list[RequestChecks]:
        """No check of its own fails: an application before it in the order is served first, or it is next."""
        leaf = self._tree.leaf_of(attempt.application)
        for other in leaf.order.asking(attempt.partition):
            if other is attempt:
                break
            for asks in _open_requests(other):
                for one in self._refusals(other, asks):
                    if one.reason in (SkipReason.QUEUE_HEADROOM, SkipReason.SIBLING_QUEUE):
                        numbers = f"{other.application_id}: {one.numbers}"
                        return [_alone(SkipReason.EARLIER_APPLICATION, numbers)]
        asking = [
            sibling.path
            for queue in leaf.ancestors()
            if queue.parent is not None
            for sibling in queue.parent.children
            if sibling is not queue and sibling.has_pending(attempt.partition)
        ]
        return [_alone(SkipReason.SIBLING_QUEUE, ", ".join(asking))] if asking else []

    # What the allocator checks

    def _refusals(self, attempt: CapacityAttempt, asks: KeyAsks) -> Iterator[Check]:
        """The first queue-level check that fails, or else the reasons of the nodes."""
        for check in self._checks(attempt, asks):
            if check.nodes:
                yield check
            elif not check.holds and check.reason is not SkipReason.NO_NODE_SERVES:
                yield check
                return

    def _checks(self, attempt: CapacityAttempt, asks: KeyAsks) -> Iterator[Check]:
        """All checks of a request, from the root to the nodes of its partition."""
        partition, leaf = asks.label, self._tree.leaf_of(attempt.application)
        nodes = list(self._context.tracker.by_partition.get(partition, {}).values())
        if not nodes:
            access = self._access_check(leaf, partition)
            yield access
            if access.holds:
                name = f"no node in partition '{partition}'"
                yield Check(reason=SkipReason.LABEL, holds=False, numbers=name, level=NODES)
            return
        # What is kept free for siblings differs from node to node: one that is offered to the queues counts.
        offered = (one for one in nodes if self._refusal_by_node(attempt, asks, one) is None)
        pass_ = self._pass(next(offered, nodes[0]))
        bounds = self._bounds(pass_)
        yield from self._queue_checks(attempt, pass_, bounds)
        if not leaf.can_access(partition):
            return
        refusals = {node.node_id: self._refusal(attempt, asks, node, bounds) for node in nodes}
        is_stopped = any(one is not None and one[0] is SkipReason.QUEUE_HEADROOM for one in refusals.values())
        fits = self._context.calculator.fits_in(asks.any.capability, bounds.limits.headroom)
        if is_stopped or fits:  # else the allocator does not come so far, or gives reservations up
            yield self._headroom_check(attempt, asks, bounds, holds=not is_stopped)
        if is_stopped:  # what would refuse it even so
            refusals = {
                node.node_id: self._refusal(attempt, asks, node, bounds, has_room=True) for node in nodes
            }
        yield from node_checks(nodes, lambda node: refusals[node.node_id], SkipReason.NO_NODE_SERVES)

    def _bounds(self, pass_: AllocationPass) -> _Bounds:
        """At the root."""
        lent = pass_.ignores_exclusivity
        return _Bounds(self._context.partition_total(DEFAULT_PARTITION) if lent else pass_.total)

    def _pass(
        self, node: SchedulerNode, observer: PassObserver = NOBODY, *, lends: bool = False
    ) -> AllocationPass:
        context = self._context
        total = context.partition_total(node.partition)
        return AllocationPass(
            node,
            node.partition,
            total,
            context.cluster,
            self._allocator,
            observer,
            ignores_exclusivity=lends,
            is_question=True,
        )

    def _access_check(self, leaf: LeafQueue, partition: str) -> Check:
        count = len(self._context.tracker.by_partition.get(partition, {}))
        return Check(
            reason=SkipReason.PARTITION_ACCESS,
            holds=leaf.can_access(partition),
            numbers=f"partition {partition or SHOWN_DEFAULT_PARTITION}, {count} nodes",
            level=leaf.path,
        )

    def _queue_checks(
        self, attempt: CapacityAttempt, pass_: AllocationPass, bounds: _Bounds
    ) -> Iterator[Check]:
        """What must hold on every node of the partition, from the root down: maxima on the path, access to
        the partition, the user's limit; leaves in `bounds` the limits with which the leaf's applications are
        looked at.
        """
        leaf = self._tree.leaf_of(attempt.application)
        path: list[CapacityQueue] = list(leaf.ancestors())[::-1]
        of_attempt = attempt.reserved_resource(DEFAULT_PARTITION)
        for queue, child in zip(path, [*path[1:], None], strict=True):
            if queue is leaf and not pass_.ignores_exclusivity:
                yield self._access_check(leaf, pass_.partition)
            reserved = of_attempt if queue is leaf else queue.unreservable()
            yield bounds.check_maximum(queue, pass_, reserved)
            if isinstance(queue, ParentQueue) and child is not None:
                bounds.descend(queue, child, pass_)
        user_limit = leaf.users.limit_of(
            attempt.queue_user, pass_.partition, ignores_exclusivity=pass_.ignores_exclusivity
        )
        used = attempt.queue_user.usage.used(pass_.partition)
        yield Check(
            reason=SkipReason.USER_LIMIT,
            holds=leaf.user_fits(pass_, attempt, of_attempt, bounds.limits),
            numbers=f"{attempt.user} uses {used}, limit {user_limit}",
            level=f"user {attempt.user}",
        )

    def _headroom_check(
        self, attempt: CapacityAttempt, asks: KeyAsks, bounds: _Bounds, *, holds: bool
    ) -> Check:
        """Whether the room below the limits suffices, as the allocator finds on a node."""
        leaf, required = self._tree.leaf_of(attempt.application), asks.any.capability
        if not holds and bounds.kept and self._context.calculator.fits_in(required, bounds.whole.headroom):
            return bounds.kept_for_siblings(leaf)
        return Check(
            reason=SkipReason.QUEUE_HEADROOM,
            holds=holds,
            numbers=f"{leaf.path} has {bounds.limits.headroom} left, {required} is asked",
            level=leaf.path,
        )

    def _refusal_by_node(
        self, attempt: CapacityAttempt, asks: KeyAsks, node: SchedulerNode
    ) -> SkipReason | None:
        """Why the node is not offered to the request's queue; None where it is reserved for the request."""
        if _is_own_reservation(attempt, asks, node):
            return None
        return refusal_by_node(self._context, self._killable, node)

    def _unmet_constraint(self, attempt: CapacityAttempt, asks: KeyAsks, node: SchedulerNode) -> str:
        """The part of the request's constraint that the node does not satisfy; empty when there is none."""
        constrained = asks.constrained
        if constrained is None:
            return ""
        try:
            part = self._context.rm.constraints.unmet(attempt.application_id, constrained.request, node)
        except InvalidAllocationTagsQueryError as error:
            return str(error)
        return text(part) if part is not None else ""

    def _refusal(
        self,
        attempt: CapacityAttempt,
        asks: KeyAsks,
        node: SchedulerNode,
        bounds: _Bounds,
        *,
        has_room: bool = False,
    ) -> tuple[SkipReason, str] | None:
        """Why the allocator would refuse the request on this node; None when it would not. With `has_room` as
        if the limits left enough room for it.
        """
        found = self._refusal_by_node(attempt, asks, node)
        if found is not None:
            return found, ""
        refused = self._refusal_of_offered(attempt, asks, node, bounds, has_room=has_room)
        if not node.is_schedulable and (refused is None or refused[0] in _PASSING):
            return SkipReason.DECOMMISSIONING, ""
        return refused

    def _refusal_of_offered(
        self,
        attempt: CapacityAttempt,
        asks: KeyAsks,
        node: SchedulerNode,
        bounds: _Bounds,
        *,
        has_room: bool,
    ) -> tuple[SkipReason, str] | None:
        """The same on a node that is offered to the queues."""
        found: SkipReason | None
        notes, is_own = _LastReason(), _is_own_reservation(attempt, asks, node)
        on_node = RequestOnNode(
            self._tree.leaf_of(attempt.application),
            attempt,
            asks,
            self._pass(node, notes, lends=asks.label != node.partition),
            bounds.limits,
            node,
            asks.any.capability,
            reserved=node.reserved_container if is_own else None,
        )
        if is_own:
            found = SkipReason.BLACKLIST if attempt.is_blacklisted(node) else None
        else:
            found = refusal_by_request(on_node)
            if found is None or (has_room and found is SkipReason.QUEUE_HEADROOM):
                found = refusal_before_locality(on_node)
        if found is SkipReason.CONSTRAINT:
            return found, self._unmet_constraint(attempt, asks, node)
        if found is not None:
            return found, ""
        decision = self._allocator.decide_by_locality(on_node)
        if decision.is_reservation:
            return SkipReason.RESERVED if is_own else SkipReason.NODE_FULL, ""
        return None if decision.gives or notes.last is None else (notes.last, "")


def _reason_before_activation(attempt: CapacityAttempt) -> SkipReason:
    """As the leaf noted when it last looked at the application."""
    return attempt.waits_for or SkipReason.NOT_ACTIVATED


def _is_own_reservation(attempt: CapacityAttempt, asks: KeyAsks, node: SchedulerNode) -> bool:
    reserved = node.reserved_container
    return reserved is not None and reserved.attempt_id == attempt.attempt_id and reserved.key == asks.key


def _is_below_maximum(
    queue: CapacityQueue, pass_: AllocationPass, limits: Limits, reserved: Resource
) -> bool:
    """Of a leaf: for an application with such reservations, as `LeafQueue.assign` comes to it."""
    if not isinstance(queue, LeafQueue) or queue.can_assign(pass_, limits, NONE):
        return queue.can_assign(pass_, limits, reserved)
    return queue.reservations_may_help(pass_, limits) and queue.can_assign(pass_, limits, reserved)


def _open_requests(attempt: CapacityAttempt) -> Iterator[KeyAsks]:
    for key in attempt.asks.active_keys:
        yield attempt.asks[key]


def _alone(reason: SkipReason, numbers: str) -> RequestChecks:
    return RequestChecks(asked="", checks=(Check(reason=reason, holds=False, numbers=numbers),))
