"""One application on one node: which request is served, at which locality, whether it is allocated or
reserved, or why neither.

Nothing is booked here: the result is a proposal that `Commit` books. The only state it changes is the count
of missed opportunities. Hadoop: RegularContainerAllocator and AbstractContainerAllocator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.asks import Locality, RequestKey
from yarnbox.rm.scheduler.capacity.allocation.assignment import (
    SKIPPED,
    AllocationPass,
    Allocator,
    Assignment,
    Kind,
    Limits,
    Skipped,
)
from yarnbox.rm.scheduler.capacity.allocation.node_choice import NodeOrders
from yarnbox.rm.scheduler.capacity.allocation.refusals import (
    RequestOnNode,
    is_off_switch_due,
    is_rack_due,
    may_reserve_more,
    refusal_before_locality,
    refusal_by_request,
)
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.preemption.killable import KillableContainers
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.java_order import in_hash_order, node_hash

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode

KEY_SKIPPED = Assignment(skipped=Skipped.OTHER)
"""The next key of the application may be tried."""
_NEXT_KEY = (SkipReason.LABEL, SkipReason.CONSTRAINT, SkipReason.RESERVATIONS)


class ContainerAllocator(Allocator):
    """Decides what an application gets from a node."""

    def __init__(self, context: QueueContext, killable: KillableContainers, orders: NodeOrders) -> None:
        self._context = context
        self._killable = killable
        self._orders = orders

    def assign(
        self, leaf: LeafQueue, attempt: CapacityAttempt, pass_: AllocationPass, limits: Limits
    ) -> Assignment:
        """Serves its request of the highest priority that this node can serve."""
        for key in attempt.asks.active_keys:
            found = self._try_key(leaf, attempt, key, pass_, limits)
            if found is not KEY_SKIPPED:
                return found
        return SKIPPED

    def serve_reservation(
        self, leaf: LeafQueue, attempt: CapacityAttempt, pass_: AllocationPass, reserved: RMContainer
    ) -> Assignment:
        """The node is reserved for this container: allocates it, keeps the reservation, or drops it.

        No limit is checked: the reservation was counted. Each look counts as a missed opportunity. See
        tests/scenarios/capacity/reservation-made-and-fulfilled.yaml, and look-at-a-reservation-counts.yaml.
        """
        key, node = reserved.key, reserved.node
        asks = attempt.asks.key_asks(key)
        if asks is None or asks.any.count <= 0:
            dropped = Assignment(Kind.DROP)
            dropped.attempt, dropped.node, dropped.from_reserved = attempt, node, reserved
            return dropped
        pass_.observer.try_request(attempt, key, node)
        if attempt.is_blacklisted(node):
            pass_.observer.note(attempt, SkipReason.BLACKLIST)
            return SKIPPED
        attempt.opportunities[key] = attempt.opportunities.get(key, 0) + 1
        limits = Limits(pass_.total)
        on_node = RequestOnNode(
            leaf, attempt, asks, pass_, limits, node, asks.any.capability, reserved=reserved
        )
        return self.decide_by_locality(on_node)

    def _try_key(
        self,
        leaf: LeafQueue,
        attempt: CapacityAttempt,
        key: RequestKey,
        pass_: AllocationPass,
        limits: Limits,
    ) -> Assignment:
        if pass_.candidates is None:
            before = None if pass_.has_counted else _missed(attempt, key)
            found = self._try_on(leaf, attempt, key, pass_, limits, pass_.node, is_last=True)
            if before is not None:
                pass_.has_counted = before != _missed(attempt, key)
            return found
        outcome = KEY_SKIPPED
        nodes = self._orders.ordered(leaf.settings.multi_node_policy, pass_)
        skips_reserved = self._context.settings.skip_reserved_nodes
        for place, node in enumerate(nodes, 1):
            is_last = place == len(nodes)
            if not is_last and node.reserved_container is not None and skips_reserved:
                pass_.observer.try_request(attempt, key, node)
                pass_.observer.note(attempt, SkipReason.RESERVED)
                continue
            outcome = self._try_on(leaf, attempt, key, pass_, limits, node, is_last=is_last)
            if outcome.gives and (is_last or not outcome.is_reservation):
                return outcome
        return outcome

    def _try_on(
        self,
        leaf: LeafQueue,
        attempt: CapacityAttempt,
        key: RequestKey,
        pass_: AllocationPass,
        limits: Limits,
        node: SchedulerNode,
        *,
        is_last: bool,
    ) -> Assignment:
        """One key on one node; a reservation is made on the last one only, but the others count as missed."""
        asks = attempt.asks.key_asks(key)
        if asks is None or asks.any.count <= 0:
            return KEY_SKIPPED
        pass_.observer.try_request(attempt, key, node)
        on_node = RequestOnNode(leaf, attempt, asks, pass_, limits, node, asks.any.capability)
        refused = refusal_by_request(on_node)
        if refused is not None:
            pass_.observer.note(attempt, refused)
            if refused is SkipReason.QUEUE_HEADROOM:
                return Assignment(skipped=Skipped.QUEUE_LIMIT, blocked=limits.headroom)
            return KEY_SKIPPED if refused in _NEXT_KEY else SKIPPED
        # From here on the answer depends on the node, or on how often somebody has looked.
        pass_.is_repeatable = False
        if not asks.any.label and not pass_.is_question:
            attempt.missed_unlabelled[key] = attempt.missed_unlabelled.get(key, 0) + 1
        refused = refusal_before_locality(on_node)
        if refused is not None:
            pass_.observer.note(attempt, refused)
            return SKIPPED
        if pass_.is_question:
            return self.decide_by_locality(on_node)
        attempt.opportunities[key] = attempt.opportunities.get(key, 0) + 1
        found = self.decide_by_locality(on_node)
        if found.is_reservation and not is_last:
            pass_.observer.note(attempt, SkipReason.NODE_FULL)
            return found
        return self._count(on_node, found)

    def _count(self, on_node: RequestOnNode, found: Assignment) -> Assignment:
        """Updates the missed opportunities after a decision: a local container or reservation resets them,
        one off-switch does not.
        """
        attempt, key = on_node.attempt, on_node.key
        if found is KEY_SKIPPED:
            attempt.opportunities[key] -= 1
        elif found.kind is not Kind.NOTHING:
            locality, full_reset = found.locality, self._context.settings.rack_full_reset
            if locality is Locality.NODE_LOCAL or (locality is Locality.RACK_LOCAL and full_reset):
                attempt.opportunities[key] = 0
            if not on_node.node.partition:
                attempt.missed_unlabelled[key] = 0
        return found

    def decide_by_locality(self, on_node: RequestOnNode) -> Assignment:
        """Tries node-local, then rack-local, then off-switch, each only if it is due. Comparisons are strict.
        Changes nothing; of several reasons noted the last is why the node is refused.

        See tests/scenarios/capacity/off-switch-delay.yaml and node-locality-delay-rack.yaml.
        """
        asks, node = on_node.asks, on_node.node
        if len(asks.by_location) > 1:
            rack = asks.at(node.rack)
            if rack is not None:
                host = asks.at(node.host)
                if host is not None:
                    found = self._assign_container(on_node, Locality.NODE_LOCAL, host.capability)
                    if found is not None:
                        return found
                if not rack.relax_locality:
                    on_node.pass_.observer.note(on_node.attempt, SkipReason.STRICT_LOCALITY)
                    return KEY_SKIPPED
                if is_rack_due(on_node):
                    found = self._assign_container(on_node, Locality.RACK_LOCAL, rack.capability)
                    if found is not None:
                        return found
        anywhere = asks.any
        if not anywhere.relax_locality:
            on_node.pass_.observer.note(on_node.attempt, SkipReason.STRICT_LOCALITY)
            return KEY_SKIPPED
        if is_off_switch_due(on_node):
            found = self._assign_container(on_node, Locality.OFF_SWITCH, anywhere.capability)
            if found is not None:
                return found
        else:
            on_node.pass_.observer.note(on_node.attempt, SkipReason.LOCALITY_DELAY)
        return SKIPPED

    def _assign_container(
        self, on_node: RequestOnNode, locality: Locality, required: Resource
    ) -> Assignment | None:
        """Allocates or reserves at this locality; None where the next one may be tried."""
        leaf, attempt, node = on_node.leaf, on_node.attempt, on_node.node
        calculator = self._context.calculator
        if not calculator.fits_in(required, node.total):
            on_node.pass_.observer.note(attempt, SkipReason.NODE_TOO_SMALL)
            return None
        has_room = calculator.container_count(node.available, required) > 0
        kills: tuple[RMContainer, ...] = ()
        if not has_room and self._killable.by_node:
            kills = self._killable.choose(leaf, node, required, on_node.pass_.partition)
            has_room = bool(kills)
        if on_node.reserved is not None:
            found = _propose(on_node, Kind.ALLOCATE if has_room else Kind.RE_RESERVE, locality, required)
            found.kills = kills
            return found
        continues = self._context.settings.continue_looking
        must, needed = False, NONE
        if on_node.limits.unreserve or not calculator.fits_in(required, on_node.limits.headroom):
            needed = self._needed(on_node, required)
            must = calculator.is_any_positive(needed)
        more = may_reserve_more(leaf, attempt, on_node.asks, required)
        given_up: RMContainer | None = None
        if has_room:
            if continues and (must or not more):
                given_up = self._pick_reservation(on_node, needed if must else required)
                if given_up is None:
                    on_node.pass_.observer.note(attempt, SkipReason.RESERVATIONS)
                    return None
            found = _propose(on_node, Kind.ALLOCATE, locality, required)
            found.unreserved, found.kills = given_up, kills
            return found
        if more and not (continues and must):
            # Also where the last of several nodes is reserved: the commit refuses it. See
            # tests/scenarios/queues/multi-node-reserves-the-last-in-vain.yaml.
            return _propose(on_node, Kind.RESERVE, locality, required)
        on_node.pass_.observer.note(attempt, SkipReason.NODE_FULL)
        return None

    def _needed(self, on_node: RequestOnNode, required: Resource) -> Resource:
        """How much must be unreserved to stay within the queue's and the user's limit (the larger of the
        two).
        """
        return self._context.calculator.max_of(
            on_node.pass_.cluster, required - on_node.limits.headroom, on_node.limits.unreserve
        )

    def _pick_reservation(self, on_node: RequestOnNode, needed: Resource) -> RMContainer | None:
        """The application's reservation to drop: of the same key, in any partition, large enough, the first
        in Hadoop's map of nodes. See tests/scenarios/labels/reservation-given-up-for-a-lent-node.yaml.
        """
        by_node = on_node.attempt.reserved.get(on_node.key)
        if not by_node:
            return None
        for node_id in in_hash_order(by_node, node_hash):
            container = by_node[node_id]
            if self._context.calculator.fits_in(needed, container.resource):
                return container
        return None


def _missed(attempt: CapacityAttempt, key: RequestKey) -> tuple[int, int, int]:
    """What a look at a key may have counted."""
    asks = attempt.asks.key_asks(key)
    constrained = asks.constrained if asks is not None else None
    looks = constrained.failed_looks if constrained is not None else 0
    return attempt.opportunities.get(key, 0), attempt.missed_unlabelled.get(key, 0), looks


def _propose(on_node: RequestOnNode, kind: Kind, locality: Locality, required: Resource) -> Assignment:
    found = Assignment(kind)
    found.resource, found.gives = required, bool(required)
    found.attempt = on_node.attempt
    found.node = on_node.node
    found.key = on_node.key
    found.locality = locality
    found.from_reserved = on_node.reserved
    found.ignores_exclusivity = on_node.pass_.ignores_exclusivity
    return found
