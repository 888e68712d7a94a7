"""FSAppAttempt: which of an application's requests a node can serve; delay, reservations, starvation.

It waits for a near place for so many opportunities as a part of the cluster's nodes, reserves a node for what
does not fit, and knows how far it is below its share. Whether it is its turn is its queue's decision. Answers
for FSAppAttempt.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rm.container import RMContainer
from rm.scheduler.application import Application, Attempt
from rm.scheduler.asks import ANY, KeyAsks, Locality, PendingRequest, RequestKey
from rm.scheduler.fair.leaf import less
from rm.scheduler.fair.locality import allowed_level
from rm.scheduler.fair.order import FullKey
from rm.scheduler.fair.policies import Standing
from rm.scheduler.fair.queue import RESERVED, Bounds
from yarn.ids import ApplicationAttemptId
from yarn.records.request import (
    PreemptionContainer,
    PreemptionMessage,
    StrictPreemptionContract,
)
from yarn.resource import NONE, Resource, componentwise_min, map_values

if TYPE_CHECKING:
    from rm.scheduler.fair.leaf import LeafQueue
    from rm.scheduler.fair.scheduler import FairScheduler
    from rm.scheduler.node import SchedulerNode

_RANK = {Locality.NODE_LOCAL: 0, Locality.RACK_LOCAL: 1, Locality.OFF_SWITCH: 2}


class FSAppAttempt(Attempt):
    """An attempt in the fair scheduler."""

    def __init__(
        self,
        scheduler: FairScheduler,
        attempt_id: ApplicationAttemptId,
        application: Application[Any],
        number: int,
    ) -> None:
        super().__init__(scheduler.context, attempt_id, application)
        self.scheduler = scheduler
        self.number = number
        self.leaf: LeafQueue = application.queue
        """The queue it is in: the application's, at hand."""
        self.name_key = str(attempt_id.application_id).encode()
        self.start_ms = scheduler.context.now_ms
        self.first_call_ms: int | None = None
        """When it, or the RM for it, first called for containers."""
        self.has_been_delivered_to = False
        self.weight = 1.0
        self.demand = NONE
        """As of the last update."""
        self.fair_share = NONE
        self.bounds = Bounds()
        self.am_resource = NONE
        """What its AM's container took; given back when the attempt leaves its queue."""
        self.am_obstacle = ""
        """What kept its AM from a node, the last time that one was offered."""
        self.may_preempt_am = scheduler.configuration.may_preempt_am(str(application.queue))
        self.levels: dict[RequestKey, Locality] = {}
        """How far from where it was asked for a container of that key may be."""
        self.level_since_ms: dict[RequestKey, int] = {}
        self.fair_starvation = NONE
        self.min_starvation = NONE
        self.last_at_fair_share_ms = self.start_ms
        self.next_check_ms = 0
        """No starvation is looked for before."""
        self.marked_resource = NONE
        """The sum of the containers marked for preemption."""
        self._sizes_are_known = False
        self.usage.watcher = self

    @property
    def used(self) -> Resource:
        """What it holds; reservations do not count."""
        return self.usage.used()

    # Its place in the queue

    def books_changed(self, partition: str) -> None:
        """Its use changed."""
        leaf = self.leaf
        leaf.application_changed(self)
        leaf.line.note(self)

    def pending_changed(self, partition: str) -> None:
        """It asks for more, or for less: seen at the next update."""
        self.leaf.application_changed(self)

    def wants_something(self) -> bool:
        """Whether it may run, and its demand as of the last update is not what it holds."""
        return self.demand != self.usage.used() and self in self.leaf.runnable

    def standing(self) -> Standing:
        """Its numbers, as the queue's policy sees them."""
        return Standing(
            self.weight,
            NONE,
            self.scheduler.allocations.unbounded,
            self.demand,
            self.usage.used(),
            self.fair_share,
            self.start_ms,
            self.name_key,
        )

    def line_key(self) -> FullKey | None:
        """What sorts it in its queue."""
        key = self.leaf.policy.order_key(self.standing(), self.scheduler.cluster_resource())
        return None if key is None else (*key, self.start_ms, self.name_key)

    def compare(self, other: FSAppAttempt) -> float:
        """Negative, zero or positive as it is served before the other, alike, or after it."""
        cluster = self.scheduler.cluster_resource()
        return self.leaf.policy.compare(self.standing(), other.standing(), cluster)

    def update_demand(self) -> None:
        """What it holds and what it asks for at `*`."""
        demand: Resource | None = None
        for amounts in self.usage.by_partition.values():
            here = amounts.used + amounts.pending if amounts.pending else amounts.used
            demand = here if demand is None else demand + here
        self.demand = NONE if demand is None else demand
        if self.scheduler.settings.size_based_weight:
            self.weight = self.scheduler.size_weight(self.demand.memory_mb)
        self.bounds = bounds = Bounds()
        threshold = self.scheduler.reservation_threshold
        for key in self.asks.active_keys:
            key_asks = self.asks.key_asks(key)
            assert key_asks is not None
            for request in key_asks.by_location.values():
                bounds.include(request.capability, threshold)

    @contextmanager
    def asking_for(self, capabilities: Iterable[Resource]) -> Iterator[None]:
        """While it asks for containers of these sizes: nodes that were of no use may be of use now."""
        self._sizes_are_known = True
        yield
        self._sizes_are_known = False
        for capability in capabilities:
            self.bounds.include(capability, self.scheduler.reservation_threshold)
        self.leaf.lower_bounds(self.bounds)

    def _pending_changed(self, partition: str, delta: Resource, containers: int) -> None:
        super()._pending_changed(partition, delta, containers)
        if containers > 0 and not self._sizes_are_known:
            # A request that came back, or a container that is to grow: any node may be of use.
            self.bounds.include(NONE, self.scheduler.reservation_threshold)
            self.bounds.is_large = True
            self.leaf.lower_bounds(self.bounds)

    # Containers on a node

    def assign(self, node: SchedulerNode) -> Resource | None:
        """One container on the node: what was given, RESERVED, or None."""
        if self.is_over_am_share():
            return None
        for key in list(self.asks.active_keys):
            key_asks = self.asks.key_asks(key)
            assert key_asks is not None
            if not self.is_admissible(key_asks, node):
                continue
            choice = self._choose(key_asks, node)
            if choice is not None:
                # What does not fit is not passed by for what is less urgent.
                return self._take(key_asks, choice[0], choice[1], node, None)
        return None

    def assign_reserved(self, node: SchedulerNode, reserved: RMContainer) -> bool:
        """Serves the key that the node is kept for, if it fits; False when the reservation is not valid."""
        key_asks = self.asks.key_asks(reserved.key)
        if key_asks is None or not self.is_admissible(key_asks, node) or self.is_over_am_share():
            return False
        if reserved.resource.fits_in(node.available):
            choice = self._choose(key_asks, node)
            if choice is not None:
                self._take(key_asks, choice[0], choice[1], node, reserved)
        return True

    def is_admissible(self, key_asks: KeyAsks, node: SchedulerNode) -> bool:
        """Whether a container of this key may be on that node at all, and in the queues as they are."""
        wanted = key_asks.any
        if wanted is None or wanted.count <= 0:
            return False
        by_location = key_asks.by_location
        if len(by_location) > 1 or not wanted.relax_locality:
            at_rack = by_location.get(node.rack)
            is_at_rack = at_rack is not None and at_rack.count > 0
            if not wanted.relax_locality and not is_at_rack:
                return False
            if is_at_rack and at_rack is not None and not at_rack.relax_locality:
                if key_asks.count_at(node.host) <= 0:
                    return False
        if not wanted.capability.fits_in(node.total):
            return False
        if self.leaf.has_room_for(wanted.capability):
            return True
        if self.is_waiting_for_am:
            self._note_obstacle(
                wanted.capability,
                "exceeds current queue or its parents maximum resource allowed). Max share of queue: "
                f"{self.leaf.max_share}",
            )
        return False

    def _choose(self, key_asks: KeyAsks, node: SchedulerNode) -> tuple[Locality, PendingRequest] | None:
        """The nearest request of the key that this node may serve now. See tests/scenarios/fair/."""
        key, allowed = key_asks.key, Locality.OFF_SWITCH
        if not self.scheduler.looks_leave_no_trace:
            self.opportunities[key] = self.opportunities.get(key, 0) + 1
            allowed = allowed_level(self.scheduler, self, key)
        by_location = key_asks.by_location
        if len(by_location) > 1:
            at_rack = by_location.get(node.rack)
            is_at_rack = at_rack is not None and at_rack.count > 0
            at_node = by_location.get(node.host)
            if is_at_rack and at_node is not None and at_node.count > 0:
                return Locality.NODE_LOCAL, at_node
            if at_rack is not None:
                if not at_rack.relax_locality:
                    return None
                if is_at_rack and allowed is not Locality.NODE_LOCAL:
                    return Locality.RACK_LOCAL, at_rack
        wanted = key_asks.any
        if wanted is None or wanted.count <= 0:
            return None
        present = by_location.get(ANY)
        if present is not None and not present.relax_locality:
            return None
        if len(by_location) <= 1 or allowed is Locality.OFF_SWITCH:
            return Locality.OFF_SWITCH, wanted
        return None

    def _take(
        self,
        key_asks: KeyAsks,
        locality: Locality,
        request: PendingRequest,
        node: SchedulerNode,
        reserved: RMContainer | None,
    ) -> Resource | None:
        capability = request.capability
        if capability.fits_in(node.available):
            self.allocate(node, key_asks.key, locality, capability, reserved)
            return capability
        may_reserve = self._may_reserve(capability, node, locality)
        if self.is_waiting_for_am:
            verdict = "is reserved" if may_reserve else "cannot be reserved"
            self._note_obstacle(
                capability, f"exceeds the available resources of the node and the request {verdict})"
            )
        if not may_reserve:
            return None
        if node.reserved_container is None or reserved is not None:
            self.reserve(node, key_asks.key, capability, reserved)
        return RESERVED

    def _note_obstacle(self, asked: Resource, why: str) -> None:
        self.am_obstacle = f"(Resource request: {asked} {why}"

    def allocate(
        self,
        node: SchedulerNode,
        key: RequestKey,
        locality: Locality,
        resource: Resource,
        reserved: RMContainer | None = None,
    ) -> RMContainer:
        """Gives the container; one nearer than it had to be makes the application choosy again."""
        level = self.levels.get(key)
        if level is not None and _RANK[locality] < _RANK[level]:
            self.levels[key] = locality
        container = super().allocate(node, key, locality, resource, reserved)
        if self.scheduler.preemption.has_space_put_aside:
            self.scheduler.preemption.note_allocation(node, self, resource)
        return container

    def complete(self, container: RMContainer) -> bool:
        """Takes an ended container off the books, and off those of preemption."""
        if container.container_id in self.marked_for_preemption:
            self.marked_resource = self.marked_resource - container.resource
        return super().complete(container)

    # AMs

    def is_over_am_share(self) -> bool:
        """Whether its AM would be more than the queue has for AMs."""
        if not self.is_waiting_for_am or not self.asks.active_keys:
            return False
        key_asks = self.asks.key_asks(self.asks.active_keys[0])
        assert key_asks is not None
        assert key_asks.any is not None
        return not self.leaf.may_run_am(key_asks.any.capability)

    def book_am(self, partition: str, delta: Resource) -> None:
        """The AM counts from now until the attempt leaves the queue, whatever becomes of its container."""
        if not delta.is_negative():
            self.am_resource = delta
            self.leaf.am_used = self.leaf.am_used + delta

    # Reservations

    def _may_reserve(self, capability: Resource, node: SchedulerNode, locality: Locality) -> bool:
        scheduler = self.scheduler
        if not self.is_starved():
            return False
        calculator, cluster = self.leaf.policy.calculator, scheduler.cluster_resource()
        if calculator.compare(cluster, capability, scheduler.reservation_threshold) < 0:
            return False
        if scheduler.preemption.is_put_aside(node, self):
            return False
        reserved = node.reserved_container
        if reserved is not None and reserved.attempt_id != self.attempt_id:
            return False
        if locality is Locality.NODE_LOCAL:
            return True
        is_anywhere = locality is Locality.OFF_SWITCH
        held = self._reserved_nodes(None if is_anywhere else node.rack)
        tracker = scheduler.tracker
        there = len(tracker) if is_anywhere else len(tracker.by_rack.get(node.rack, ()))
        return held < math.ceil(there * scheduler.settings.reservable_nodes)

    def _reserved_nodes(self, rack: str | None) -> int:
        """How many nodes are kept for it, in one rack or anywhere."""
        if not self.reserved:
            return 0
        nodes = {
            container.node_id: None
            for container in self.reserved_containers()
            if rack is None or container.node.rack == rack
        }
        return len(nodes)

    # Starvation

    def is_below_share(self, used: Resource, share: Resource) -> bool:
        """Whether so much is less than that share, in the eyes of the queue's policy."""
        return self.leaf.policy.is_below(used, share, self.scheduler.cluster_resource())

    def is_starved(self) -> bool:
        """Whether it is below its fair share, or its queue below its minimum on its account."""
        return bool(self.min_starvation) or self.is_below_share(self.usage.used(), self.fair_share)

    def starvation(self) -> Resource:
        """What it lacks."""
        return self.fair_starvation + self.min_starvation

    def find_fair_starvation(self, leaf: LeafQueue) -> Resource:
        """How far it has been below its fair share for long enough."""
        now_ms = self.context.now_ms
        threshold = leaf.fair_share_threshold
        part = map_values(lambda _, value: int(value * threshold), self.fair_share)
        goal = componentwise_min(part, self.demand)
        is_starved = self.is_below_share(self.used, goal)
        if not is_starved:
            self.last_at_fair_share_ms = now_ms
        if not is_starved or now_ms - self.last_at_fair_share_ms < leaf.fair_share_timeout_ms:
            self.fair_starvation = NONE
        else:
            self.fair_starvation = less(goal, self.used)
        return self.fair_starvation

    # Preemption of its own containers

    def mark(self, container: RMContainer) -> None:
        """The AM is to be asked for the container, and will lose it."""
        if container.container_id not in self.marked_for_preemption:
            self.marked_for_preemption[container.container_id] = self.context.now_ms
            self.marked_resource = self.marked_resource + container.resource

    def can_lose(self, container: RMContainer, considered: Resource) -> bool:
        """Whether the container may be taken; so much of its own is thought of already."""
        if not self.leaf.is_preemptable or (container.is_am and not self.may_preempt_am):
            return False
        if container.container_id not in self.live or container.container_id in self.marked_for_preemption:
            return False
        left = self.used - self.marked_resource - container.resource - considered
        return not self.is_below_share(left, self.fair_share)

    def preemption_message(self) -> PreemptionMessage | None:
        """The containers that it will lose, in the strict part."""
        if not self.marked_for_preemption:
            return None
        containers = tuple(PreemptionContainer(id=one) for one in sorted(self.marked_for_preemption))
        return PreemptionMessage(strict_contract=StrictPreemptionContract(container=containers))
