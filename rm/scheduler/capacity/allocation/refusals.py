"""What must hold before a request gets a container on a node, in Hadoop's order.

Every function returns why the request is refused, or None, and changes nothing. The allocator decides by
them, and the explanation of why an application waits calls the same ones. Hadoop: the checks of
RegularContainerAllocator and AbstractContainerAllocator, CapacityScheduler.allocateContainerOnSingleNode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.asks import ANY, Constrained, KeyAsks, RequestKey
from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.allocation.assignment import AllocationPass, Limits
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.preemption.killable import KillableContainers
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.yarn.resources.resource import Resource

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode

_BUSY, _DECOMMISSIONING = SkipReason.NODE_BUSY, SkipReason.DECOMMISSIONING
"""Bound once for full nodes, of which there are many: in Python 3.11 `SkipReason.NODE_BUSY` is a call."""


class RequestOnNode:
    """One request on one node, with all that decides whether it is served there."""

    __slots__ = (
        "asks",
        "attempt",
        "key",
        "leaf",
        "limits",
        "node",
        "pass_",
        "required",
        "reserved",
    )

    def __init__(
        self,
        leaf: LeafQueue,
        attempt: CapacityAttempt,
        asks: KeyAsks,
        pass_: AllocationPass,
        limits: Limits,
        node: SchedulerNode,
        required: Resource,
        *,
        reserved: RMContainer | None = None,
    ) -> None:
        self.leaf = leaf
        self.attempt = attempt
        self.asks = asks
        self.key: RequestKey = asks.key
        self.pass_ = pass_
        self.limits = limits
        self.node = node
        self.required = required
        self.reserved = reserved
        """The reservation on the node that the request waits with."""

    def admits(self, constrained: Constrained) -> bool:
        """Whether the node satisfies the placement constraint of the request; failures are counted, except
        when it is only a question.
        """
        constraints = self.leaf.context.rm.constraints
        if self.pass_.is_question:
            return constraints.would_admit(self.attempt.application_id, constrained, self.node)
        return constraints.admits(self.attempt.application_id, constrained, self.node)


def refusal_by_node(
    context: QueueContext, killable: KillableContainers, node: SchedulerNode
) -> SkipReason | None:
    """Why a node is not offered to any queue."""
    if node.reserved_container is not None:
        return SkipReason.RESERVED
    room = killable.available_with_killable(node) if killable.by_node else node.available
    if not context.calculator.fits_in(context.minimum, room):
        return _BUSY if node.is_schedulable else _DECOMMISSIONING
    return None


def refusal_by_request(on_node: RequestOnNode) -> SkipReason | None:
    """Why the request is not served on this node, or on any other like it, whatever opportunities it has
    missed.
    """
    leaf, attempt, pass_ = on_node.leaf, on_node.attempt, on_node.pass_
    context = leaf.context
    wanted = on_node.asks.any
    if pass_.ignores_exclusivity and attempt.is_waiting_for_am:
        if not context.rm.settings.labels.am_non_exclusive_allocation:
            return SkipReason.EXCLUSIVITY
    if wanted.label != pass_.pending_in:
        return SkipReason.LABEL
    constrained = wanted.constrained
    if constrained is not None:
        pass_.is_repeatable = False
        if not on_node.admits(constrained):
            return SkipReason.CONSTRAINT
    continues = context.settings.continue_looking
    if not continues and not may_reserve_more(leaf, attempt, on_node.asks, on_node.required):
        # Until its reservation has been repeated often enough: see
        # tests/scenarios/capacity/reservation-repeated-lets-another-node-serve.yaml.
        pass_.is_repeatable = False
        return SkipReason.RESERVATIONS
    room = on_node.limits.headroom
    if continues and attempt.reserved:
        room = room + attempt.reserved_resource(pass_.partition)
    if not context.calculator.fits_in(on_node.required, room):
        return SkipReason.QUEUE_HEADROOM
    return None


def refusal_before_locality(on_node: RequestOnNode) -> SkipReason | None:
    """Why the request is not served on this node, at whatever locality."""
    attempt, pass_ = on_node.attempt, on_node.pass_
    if pass_.ignores_exclusivity:
        missed = attempt.missed_unlabelled.get(on_node.key, 0)
        if missed < len(on_node.leaf.context.tracker):
            return SkipReason.PARTITION_DELAY
    if attempt.is_blacklisted(on_node.node):
        return SkipReason.BLACKLIST
    return None


def is_rack_due(on_node: RequestOnNode) -> bool:
    """Whether the key has missed enough opportunities for a rack-local container."""
    context = on_node.leaf.context
    delay = context.settings.node_locality_delay
    if delay < 0:
        return True
    return on_node.attempt.opportunities.get(on_node.key, 0) > min(len(context.tracker), delay)


def is_off_switch_due(on_node: RequestOnNode) -> bool:
    """Whether the key has missed enough opportunities for an off-switch container."""
    asks = on_node.asks
    if on_node.reserved is not None or (len(asks.by_location) == 1 and ANY in asks.by_location):
        return True
    context = on_node.leaf.context
    settings, nodes = context.settings, len(context.tracker)
    missed = on_node.attempt.opportunities.get(on_node.key, 0)
    if settings.rack_additional_delay > -1:
        delay = settings.node_locality_delay + settings.rack_additional_delay
        return missed > min(nodes, delay)
    share = min((asks.unique_locations() - 1) / nodes, 1.0)
    return missed > min(nodes, asks.outstanding * share)


def may_reserve_more(leaf: LeafQueue, attempt: CapacityAttempt, asks: KeyAsks, required: Resource) -> bool:
    """Whether the key may reserve one node more: one for each pending container, more after long
    starvation.
    """
    reserved = attempt.reserved_count(asks.key) if attempt.reserved else 0
    starvation = 0
    if reserved > 0:
        context = leaf.context
        maximum = leaf.settings.maximum_allocation
        # See tests/scenarios/capacity/reservation-repeated-thrice-is-just-not-enough.yaml.
        ratio = context.calculator.ratio
        rest = float32(1.0 - min(ratio(required, maximum), ratio(maximum - context.minimum, maximum)))
        repeated = float32(attempt.re_reservations.get(asks.key, 0) / reserved)
        starvation = int(float32(repeated * rest))
    return starvation + asks.outstanding - reserved > 0
