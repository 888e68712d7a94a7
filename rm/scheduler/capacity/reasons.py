"""Why is it pending? For one application: what keeps it from starting, or each of its requests from a node.

Looks, and changes nothing: it costs only when somebody asks. Every node is put under the first reason that
would stop the request there, in the allocator's order. Answers for ActivitiesManager and the AM launch
diagnostics of FiCaSchedulerApp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rm.scheduler.asks import KeyAsks, RequestKey
from rm.scheduler.capacity import launch
from rm.scheduler.capacity.allocator import is_off_switch_due, may_reserve_more
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.assignment import Limits, Pass, SkipReason
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.parent import ParentQueue
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.constraint.asking import number_of
from rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError
from rm.scheduler.constraint.text import text
from yarn.ids import ApplicationAttemptId, ApplicationId
from yarn.resource import Resource

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler
    from rm.scheduler.node import SchedulerNode

RUNNING = "Application waits for containers."


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One reason. Without a key it concerns the whole application; with one, so many nodes."""

    reason: SkipReason
    detail: str = ""
    key: RequestKey | None = None
    nodes: int = 0

    def __str__(self) -> str:
        where = "" if self.key is None else f"priority {self.key.request_priority}: "
        count = f"{self.nodes} nodes: " if self.nodes else ""
        return f"{where}{count}{self.reason.value}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold for a request, with its numbers."""

    reason: SkipReason
    """Why it fails when it does."""
    level: str
    holds: bool
    numbers: str


def explain(scheduler: CapacityScheduler, application_id: ApplicationId) -> list[Explanation]:
    """Everything that stands between the application and its next container."""
    application = scheduler.applications.get(application_id)
    attempt = application.attempt if application is not None else None
    if attempt is None or attempt.is_stopped:
        return []
    if not attempt.is_activated:
        reason = attempt.waits_for or SkipReason.NOT_ACTIVATED
        return [Explanation(reason=reason, detail=_activation_detail(attempt, reason))]
    if not attempt.is_asking:
        return _in_placement(scheduler, application_id) or [Explanation(reason=SkipReason.NOTHING_ASKED)]
    found = [one for key in attempt.asks.active_keys for one in _explain_key(scheduler, attempt, key)]
    found += _in_placement(scheduler, application_id)
    return found or _behind_others(scheduler, attempt)


def _in_placement(scheduler: CapacityScheduler, application_id: ApplicationId) -> list[Explanation]:
    """What the placement processor has not handed to the queues yet."""
    processor = scheduler.context.constraints.processor
    if processor is None:
        return []
    found = []
    for request, attempt in processor.waiting(application_id):
        tags = ",".join(request.allocation_tags)
        detail = f"{number_of(request)} of {tags}: attempt {attempt} of {processor.attempts}"
        key = RequestKey(request.priority or 0, request.allocation_request_id)
        found.append(Explanation(reason=SkipReason.IN_PLACEMENT, detail=detail, key=key))
    return found


def _behind_others(scheduler: CapacityScheduler, attempt: CapacityAttempt) -> list[Explanation]:
    """Nothing of its own stops it: somebody before it in the order may; else it is simply next."""
    leaf = attempt.leaf
    for other in leaf.order.asking(attempt.partition):
        if other is attempt:
            break
        for key in other.asks.active_keys:
            for one in _explain_key(scheduler, other, key):
                if one.reason is SkipReason.QUEUE_HEADROOM:
                    detail = f"{other.application_id}: {one.detail}"
                    return [Explanation(reason=SkipReason.EARLIER_APPLICATION, detail=detail)]
    asking = [
        sibling.path
        for queue in leaf.ancestors()
        if queue.parent is not None
        for sibling in queue.parent.children
        if sibling is not queue and sibling.has_pending(attempt.partition)
    ]
    return [Explanation(reason=SkipReason.SIBLING_QUEUE, detail=", ".join(asking))] if asking else []


def launch_diagnostics(scheduler: CapacityScheduler, attempt_id: ApplicationAttemptId) -> str:
    """What the attempt's report says while its AM is not there yet, or waits for containers."""
    attempt = scheduler.attempt(attempt_id)
    if attempt is None or attempt.attempt_id != attempt_id or attempt.is_stopped:
        return ""
    is_running = attempt.is_activated and not attempt.is_waiting_for_am
    if is_running and not attempt.is_asking:
        return ""
    if not attempt.is_activated:
        return launch.inactivated(scheduler, attempt)
    found = explain(scheduler, attempt_id.application_id)
    if is_running and not found:
        return ""
    start = RUNNING if is_running else launch.activated(scheduler, attempt).rstrip()
    return " ".join([start, *(f"{one}" for one in found)])


def _activation_detail(attempt: CapacityAttempt, reason: SkipReason) -> str:
    leaf = attempt.leaf
    share = leaf.share(attempt.partition)
    used = leaf.usage.am_used(attempt.partition)
    own = attempt.am_resource
    if reason is SkipReason.AM_LIMIT:
        return f"{leaf.path}: limit {share.am_limit}, used {used}, this AM {own}"
    if reason is SkipReason.USER_AM_LIMIT:
        of_user = attempt.member.usage.am_used(attempt.partition)
        return f"{leaf.path}: limit {share.user_am_limit}, {attempt.user} uses {of_user}, this AM {own}"
    return ""


def _explain_key(
    scheduler: CapacityScheduler, attempt: CapacityAttempt, key: RequestKey
) -> list[Explanation]:
    asks = attempt.asks.key_asks(key)
    assert asks is not None
    assert asks.any is not None
    frame, leaf, partition = scheduler.frame, attempt.leaf, asks.label
    required = asks.any.capability
    if not leaf.can_access(partition):
        return [Explanation(reason=SkipReason.PARTITION_ACCESS, key=key, detail=partition)]
    nodes = list(frame.tracker.by_partition.get(partition, {}).values())
    if not nodes:
        return [Explanation(reason=SkipReason.LABEL, key=key, detail=f"no node in partition '{partition}'")]
    walk = Pass(nodes[0], partition, frame.partition_total(partition), frame.cluster)
    blocked = next((one for one in queue_checks(attempt, leaf, walk, required) if not one.holds), None)
    if blocked is not None:
        return [Explanation(reason=blocked.reason, detail=blocked.numbers, key=key)]
    return [
        Explanation(reason=reason, key=key, nodes=count, detail=detail)
        for (reason, detail), count in count_nodes(scheduler, attempt, asks, nodes).items()
    ]


def count_nodes(
    scheduler: CapacityScheduler, attempt: CapacityAttempt, asks: KeyAsks, nodes: Sequence[SchedulerNode]
) -> dict[tuple[SkipReason, str], int]:
    """How many of the nodes each reason stops the request on; those that nothing does are not counted."""
    assert asks.any is not None
    counts: dict[tuple[SkipReason, str], int] = {}
    for node in nodes:
        unmet = _unmet_constraint(scheduler, attempt, asks, node)
        if unmet is not None:
            found: SkipReason | None = SkipReason.CONSTRAINT
        else:
            found = _node_reason(scheduler, attempt, asks, node, asks.any.capability)
        if found is not None:
            counts[found, unmet or ""] = counts.get((found, unmet or ""), 0) + 1
    return counts


def _unmet_constraint(
    scheduler: CapacityScheduler, attempt: CapacityAttempt, asks: KeyAsks, node: SchedulerNode
) -> str | None:
    """The part of the request's constraint that the node does not satisfy."""
    constrained = asks.constrained
    if constrained is None:
        return None
    try:
        part = scheduler.context.constraints.unmet(attempt.application_id, constrained.request, node)
    except InvalidAllocationTagsQueryError as error:
        return str(error)
    return text(part) if part is not None else None


def queue_checks(
    attempt: CapacityAttempt, leaf: LeafQueue, walk: Pass, required: Resource
) -> Iterator[Check]:
    """What must hold on every node, from the root down: maxima on the path, the user's limit, the room."""
    path: list[CapacityQueue] = list(leaf.ancestors())[::-1]
    limit = walk.total
    calculator = leaf.frame.calculator
    for place, queue in enumerate(path):
        limits = Limits(limit)
        share = queue.share(walk.partition)
        is_leaf = queue is leaf
        reserved = attempt.reserved_resource(walk.partition) if is_leaf else share.amounts.reserved
        yield Check(
            SkipReason.QUEUE_AT_MAXIMUM if is_leaf else SkipReason.PARENT_AT_MAXIMUM,
            queue.path,
            queue.can_assign(walk, limits, reserved),
            f"{queue.path}: maximum {share.effective_maximum}, used {share.amounts.used}",
        )
        if isinstance(queue, ParentQueue):
            mine = calculator.min_of(walk.cluster, limit, share.effective_maximum)
            limit = queue.limit_of_child(path[place + 1], walk.partition, mine)
            continue
        user_limit = leaf.users.limit_of(attempt.member, walk.partition)
        used = attempt.member.usage.used(walk.partition)
        yield Check(
            SkipReason.USER_LIMIT,
            f"user {attempt.user}",
            calculator.compare(walk.cluster, used - reserved, user_limit) <= 0,
            f"{attempt.user} uses {used}, limit {user_limit}",
        )
        yield Check(
            SkipReason.QUEUE_HEADROOM,
            leaf.path,
            calculator.fits_in(required, limits.headroom + reserved),
            f"{leaf.path} has {limits.headroom} left, {required} is asked",
        )


def _node_reason(
    scheduler: CapacityScheduler,
    attempt: CapacityAttempt,
    asks: KeyAsks,
    node: SchedulerNode,
    required: Resource,
) -> SkipReason | None:
    """What would stop the request on this node; None when nothing would."""
    frame = scheduler.frame
    calculator = frame.calculator
    if node.reserved_container is not None:
        return SkipReason.RESERVED
    if calculator.container_count(frame.room_on(node), frame.minimum) < 1:
        return SkipReason.NODE_BUSY
    if attempt.is_blacklisted(node):
        return SkipReason.BLACKLIST
    if not calculator.fits_in(required, node.total):
        return SkipReason.NODE_TOO_SMALL
    if asks.at(node.host) is None:
        rack = asks.at(node.rack)
        if rack is not None and not rack.relax_locality:
            return SkipReason.STRICT_LOCALITY
        assert asks.any is not None
        if rack is None and not asks.any.relax_locality:
            return SkipReason.STRICT_LOCALITY
        if not is_off_switch_due(attempt.leaf, attempt, asks, is_reserved=False):
            return SkipReason.LOCALITY_DELAY
    if calculator.container_count(node.available, required) < 1:
        may_reserve = may_reserve_more(attempt.leaf, attempt, asks, required)
        return SkipReason.NODE_FULL if may_reserve else SkipReason.RESERVATIONS
    return None
