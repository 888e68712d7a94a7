"""One application against one node: which request, how near, allocate or reserve, or why not.

Nothing is booked here: what comes back is a proposal that the scheduler commits. Only what belongs to looking
changes: the count of missed opportunities. Answers for RegularContainerAllocator and
AbstractContainerAllocator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.asks import ANY, KeyAsks, Locality, RequestKey
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.assignment import (
    SKIPPED,
    Assignment,
    Kind,
    Limits,
    Pass,
    Skipped,
    SkipReason,
)
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.scheduler.capacity.leaf import LeafQueue
    from rm.scheduler.node import SchedulerNode

KEY_SKIPPED = Assignment(skipped=Skipped.OTHER)
"""The next key of the application may be tried."""


def assign_application(leaf: LeafQueue, attempt: CapacityAttempt, walk: Pass, limits: Limits) -> Assignment:
    """A container for the application's most important request that this node can serve."""
    if not attempt.asks_in(walk.pending_in):
        walk.note(attempt, SkipReason.LABEL)
        return SKIPPED
    for key in attempt.asks.active_keys:
        found = _try_key(leaf, attempt, key, walk, limits)
        if found is not KEY_SKIPPED:
            return found
    return SKIPPED


def _try_key(
    leaf: LeafQueue, attempt: CapacityAttempt, key: RequestKey, walk: Pass, limits: Limits
) -> Assignment:
    if walk.candidates is None:
        return _try_on(leaf, attempt, key, walk, limits, walk.node, may_reserve=True)
    outcome = KEY_SKIPPED
    nodes = leaf.frame.order_nodes(leaf, walk)
    for place, node in enumerate(nodes, 1):
        is_last = place == len(nodes)
        if not is_last and node.reserved_container is not None and leaf.frame.settings.skip_reserved_nodes:
            if walk.recorder is not None:
                walk.recorder.look(attempt, key, node)
                walk.recorder.note(attempt, SkipReason.RESERVED)
            continue
        outcome = _try_on(leaf, attempt, key, walk, limits, node, may_reserve=is_last)
        if outcome.gives:
            return outcome
    return outcome


def _try_on(
    leaf: LeafQueue,
    attempt: CapacityAttempt,
    key: RequestKey,
    walk: Pass,
    limits: Limits,
    node: SchedulerNode,
    *,
    may_reserve: bool,
) -> Assignment:
    """One key on one node: the checks that come before locality, in Hadoop's order."""
    asks = attempt.asks.key_asks(key)
    if asks is None or asks.any is None or asks.any.count <= 0:
        return KEY_SKIPPED
    if walk.recorder is not None:
        walk.recorder.look(attempt, key, node)
    frame = leaf.frame
    required = asks.any.capability
    label = asks.any.label
    if walk.ignores_exclusivity and attempt.is_waiting_for_am and not frame.lends_to_ams:
        walk.note(attempt, SkipReason.EXCLUSIVITY)
        return SKIPPED
    if label != walk.pending_in:
        walk.note(attempt, SkipReason.LABEL)
        return KEY_SKIPPED
    constrained = asks.any.constrained
    if constrained is not None:
        walk.is_repeatable = False
        if not frame.context.constraints.admits(attempt.application_id, constrained, node):
            walk.note(attempt, SkipReason.CONSTRAINT)
            return KEY_SKIPPED
    if not frame.settings.continue_looking and not may_reserve_more(leaf, attempt, asks, required):
        walk.note(attempt, SkipReason.RESERVATIONS)
        return KEY_SKIPPED
    room = limits.headroom
    if frame.settings.continue_looking:
        reserved = attempt.reserved_resource(walk.partition)
        if reserved:
            room = room + reserved
    if not frame.calculator.fits_in(required, room):
        walk.note(attempt, SkipReason.QUEUE_HEADROOM)
        return Assignment(skipped=Skipped.QUEUE_LIMIT, blocked=limits.headroom)
    # From here on the answer depends on the node, or on how often somebody has looked.
    walk.is_repeatable = False
    if not label:
        missed = attempt.missed_unlabelled.get(key, 0) + 1
        attempt.missed_unlabelled[key] = missed
        if walk.ignores_exclusivity and missed < len(frame.tracker):
            walk.note(attempt, SkipReason.PARTITION_DELAY)
            return SKIPPED
    if attempt.is_blacklisted(node):
        walk.note(attempt, SkipReason.BLACKLIST)
        return SKIPPED
    attempt.opportunities[key] = attempt.opportunities.get(key, 0) + 1
    placing = _Placing(leaf, attempt, asks, walk, limits, node, required, may_reserve=may_reserve)
    return _by_locality(placing)


def serve_reservation(
    leaf: LeafQueue, attempt: CapacityAttempt, walk: Pass, reserved: RMContainer
) -> Assignment:
    """The node is kept for this container: allocate it, go on keeping the node, or let go.

    No limit is checked: the reservation was counted. See tests/scenarios/capacity/reservation-made-and-
    fulfilled.yaml.
    """
    key, node = reserved.key, reserved.node
    asks = attempt.asks.key_asks(key)
    if asks is None or asks.any is None or asks.any.count <= 0:
        dropped = Assignment(Kind.DROP)
        dropped.attempt, dropped.node, dropped.from_reserved = attempt, node, reserved
        return dropped
    if walk.recorder is not None:
        walk.recorder.look(attempt, key, node)
    if attempt.is_blacklisted(node):
        if walk.recorder is not None:
            walk.recorder.note(attempt, SkipReason.BLACKLIST)
        return SKIPPED
    attempt.opportunities[key] = attempt.opportunities.get(key, 0) + 1
    limits = Limits(walk.total)
    placing = _Placing(leaf, attempt, asks, walk, limits, node, asks.any.capability, reserved=reserved)
    return _by_locality(placing)


class _Placing:
    """One request on one node: what stays the same while locality is loosened."""

    __slots__ = (
        "asks",
        "attempt",
        "key",
        "leaf",
        "limits",
        "may_reserve",
        "node",
        "required",
        "reserved",
        "walk",
    )

    def __init__(
        self,
        leaf: LeafQueue,
        attempt: CapacityAttempt,
        asks: KeyAsks,
        walk: Pass,
        limits: Limits,
        node: SchedulerNode,
        required: Resource,
        *,
        may_reserve: bool = True,
        reserved: RMContainer | None = None,
    ) -> None:
        self.leaf = leaf
        self.attempt = attempt
        self.asks = asks
        self.key = asks.key
        self.walk = walk
        self.limits = limits
        self.node = node
        self.required = required
        self.may_reserve = may_reserve
        self.reserved = reserved


def _by_locality(placing: _Placing) -> Assignment:
    """Node-local, then rack-local, then anywhere, each only if it is due. Comparisons are strict.

    See tests/scenarios/capacity/off-switch-delay.yaml and node-locality-delay-rack.yaml.
    """
    asks, node, attempt, key = placing.asks, placing.node, placing.attempt, placing.key
    table = asks.by_location
    if len(table) > 1:
        rack = asks.at(node.rack)
        if rack is not None:
            host = asks.at(node.host)
            if host is not None:
                found = _place(placing, Locality.NODE_LOCAL, host.capability)
                if found is not None:
                    return found
            if not rack.relax_locality:
                attempt.opportunities[key] -= 1
                placing.walk.note(attempt, SkipReason.STRICT_LOCALITY)
                return KEY_SKIPPED
            if _is_rack_due(placing):
                found = _place(placing, Locality.RACK_LOCAL, rack.capability)
                if found is not None:
                    return found
    anywhere = asks.any
    assert anywhere is not None
    if not anywhere.relax_locality:
        attempt.opportunities[key] -= 1
        placing.walk.note(attempt, SkipReason.STRICT_LOCALITY)
        return KEY_SKIPPED
    if is_off_switch_due(placing.leaf, attempt, asks, is_reserved=placing.reserved is not None):
        found = _place(placing, Locality.OFF_SWITCH, anywhere.capability)
        if found is not None:
            return found
    else:
        placing.walk.note(attempt, SkipReason.LOCALITY_DELAY)
    return SKIPPED


def _is_rack_due(placing: _Placing) -> bool:
    frame = placing.leaf.frame
    delay = frame.settings.node_locality_delay
    if delay < 0:
        return True
    return placing.attempt.opportunities[placing.key] > min(len(frame.tracker), delay)


def is_off_switch_due(leaf: LeafQueue, attempt: CapacityAttempt, asks: KeyAsks, *, is_reserved: bool) -> bool:
    """Whether the key has missed so many opportunities that any node will do."""
    if is_reserved or (len(asks.by_location) == 1 and ANY in asks.by_location):
        return True
    settings, nodes = leaf.frame.settings, len(leaf.frame.tracker)
    missed = attempt.opportunities.get(asks.key, 0)
    if settings.rack_additional_delay > -1:
        delay = settings.node_locality_delay + settings.rack_additional_delay
        return missed > min(nodes, delay)
    share = min((asks.unique_locations() - 1) / nodes, 1.0)
    return missed > min(nodes, asks.outstanding * share)


def may_reserve_more(leaf: LeafQueue, attempt: CapacityAttempt, asks: KeyAsks, required: Resource) -> bool:
    """Whether the key may keep one node more: one for each container it wants, more after long waiting."""
    reserved = attempt.reserved_count(asks.key)
    starvation = 0
    if reserved > 0:
        frame = leaf.frame
        maximum = leaf.settings.maximum_allocation
        calculator = frame.calculator
        node_factor = calculator.ratio(required, maximum)
        span = (maximum.memory_mb - frame.minimum.memory_mb) / maximum.memory_mb if maximum.memory_mb else 0.0
        repeated = attempt.re_reservations.get(asks.key, 0)
        starvation = int(repeated / reserved * (1.0 - min(node_factor, span)))
    return starvation + asks.outstanding - reserved > 0


def _place(placing: _Placing, locality: Locality, required: Resource) -> Assignment | None:
    """Allocates, or reserves, or None: not here, a looser level may be tried."""
    leaf, attempt, walk, node = placing.leaf, placing.attempt, placing.walk, placing.node
    frame = leaf.frame
    calculator = frame.calculator
    if not calculator.fits_in(required, node.total):
        walk.note(attempt, SkipReason.NODE_TOO_SMALL)
        return None
    has_room = calculator.container_count(node.available, required) > 0
    kills: tuple[RMContainer, ...] = ()
    if not has_room and frame.killable_on:
        kills = frame.kills_for(leaf, node, required, walk) or ()
        has_room = bool(kills)
    if placing.reserved is not None:
        found = _propose(placing, Kind.ALLOCATE if has_room else Kind.RE_RESERVE, locality, required)
        found.kills = kills
        return found
    continues = frame.settings.continue_looking
    must, needed = False, NONE
    if placing.limits.unreserve or not calculator.fits_in(required, placing.limits.headroom):
        needed = _needed(placing, required)
        must = calculator.is_any_positive(needed)
    more = may_reserve_more(leaf, attempt, placing.asks, required)
    given_up: RMContainer | None = None
    if has_room:
        if continues and (must or not more):
            given_up = _pick_reservation(placing, needed if must else required)
            if given_up is None:
                walk.note(attempt, SkipReason.RESERVATIONS)
                return None
        found = _propose(placing, Kind.ALLOCATE, locality, required)
        found.unreserved, found.kills = given_up, kills
        return found
    if more and placing.may_reserve and not (continues and must) and node.reserved_container is None:
        return _propose(placing, Kind.RESERVE, locality, required)
    walk.note(attempt, SkipReason.NODE_FULL)
    return None


def _needed(placing: _Placing, required: Resource) -> Resource:
    """What must be given up to stay within the queue's and the user's limit (the larger of the two)."""
    calculator = placing.leaf.frame.calculator
    return calculator.max_of(
        placing.walk.cluster, required - placing.limits.headroom, placing.limits.unreserve
    )


def _pick_reservation(placing: _Placing, needed: Resource) -> RMContainer | None:
    """The application's reservation to give up: of the same key and partition, large enough, the first by
    node id.
    """
    by_node = placing.attempt.reserved.get(placing.key)
    if not by_node:
        return None
    calculator = placing.leaf.frame.calculator
    for node_id in sorted(by_node):
        container = by_node[node_id]
        if container.partition == placing.walk.partition and calculator.fits_in(needed, container.resource):
            return container
    return None


def _propose(placing: _Placing, kind: Kind, locality: Locality, required: Resource) -> Assignment:
    found = Assignment(kind)
    found.resource, found.gives = required, bool(required)
    found.attempt = placing.attempt
    found.node = placing.node
    found.key = placing.key
    found.locality = locality
    found.from_reserved = placing.reserved
    found.ignores_exclusivity = placing.walk.ignores_exclusivity
    if placing.reserved is None:
        _reset_opportunities(placing, locality)
    return found


def _reset_opportunities(placing: _Placing, locality: Locality) -> None:
    """The count starts again after a local container or reservation, but not after one off-switch."""
    attempt, key = placing.attempt, placing.key
    full_reset = placing.leaf.frame.settings.rack_full_reset
    if locality is Locality.NODE_LOCAL or (locality is Locality.RACK_LOCAL and full_reset):
        attempt.opportunities[key] = 0
    if not placing.node.partition:
        attempt.missed_unlabelled[key] = 0
