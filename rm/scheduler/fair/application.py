"""FSAppAttempt: which of an application's requests a node can serve; locality delay, reservations,
starvation.

It waits for a local node for a number of opportunities that is a fraction of the cluster's nodes, reserves a
node for a request that does not fit, and computes how far it is below its share. Its queue decides when it is
served. Hadoop: FSAppAttempt.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from yarnbox.rm.asks import ANY, KeyAsks, Locality, PendingRequest, RequestKey
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.events.scheduler import PreemptionMark
from yarnbox.rm.scheduler.application import Application, Attempt
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.queues.order import FullKey, ServingOrder
from yarnbox.rm.scheduler.fair.queues.policies import Policy, Schedulable
from yarnbox.rm.scheduler.fair.queues.queue import RESERVED, Bounds
from yarnbox.rm.scheduler.fair.reasons import FairReason
from yarnbox.rm.scheduler.usage import Watcher
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId
from yarnbox.yarn.records.request import (
    PreemptionContainer,
    PreemptionMessage,
    StrictPreemptionContract,
)
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_min, less, map_values

_Choice = tuple[Locality, PendingRequest]
_RANK = {Locality.NODE_LOCAL: 0, Locality.RACK_LOCAL: 1, Locality.OFF_SWITCH: 2}


class Leaf(Protocol):
    """The queue that an application is in, as the application sees it."""

    path: str
    policy: Policy
    line: ServingOrder[FSAppAttempt]
    runnable: dict[FSAppAttempt, None]
    max_share: Resource
    is_preemptable: bool
    fair_share_threshold: float
    fair_share_timeout_ms: int

    def application_changed(self, app: FSAppAttempt) -> None:
        """An application's books changed."""
        ...

    def lower_bounds(self, bounds: Bounds) -> None:
        """Containers of other sizes than before are requested."""
        ...

    def fits_in_max_share(self, resource: Resource) -> bool:
        """Whether it and all its ancestors may use that much more."""
        ...

    def may_run_am(self, resource: Resource) -> bool:
        """Whether an AM of this size fits the limit."""
        ...

    def charge_am(self, resource: Resource) -> None:
        """Books the container of an AM."""
        ...


class PreemptedSpace(Protocol):
    """The resources that preemption has freed or will free, and for which application."""

    @property
    def holds_preempted_space(self) -> bool:
        """Whether preempted space on any node waits for the application that it was freed for."""
        ...

    def is_preempted_for(self, node: SchedulerNode, app: FSAppAttempt) -> bool:
        """Whether containers on the node were preempted for the application."""
        ...

    def record_allocation(self, node: SchedulerNode, app: FSAppAttempt, resource: Resource) -> None:
        """A container was allocated to the application on the node, and uses up what was preempted for it
        there.
        """
        ...


class FSAppAttempt(Attempt, Watcher):
    """An attempt in the fair scheduler."""

    hands_out_sizes = False

    def __init__(
        self,
        fair: FairContext,
        space: PreemptedSpace,
        attempt_id: ApplicationAttemptId,
        application: Application[Any],
        number: int,
    ) -> None:
        super().__init__(fair.rm, attempt_id, application)
        self._fair = fair
        self._space = space
        self.number = number
        self.leaf: Leaf = application.queue
        """The queue it is in: the application's, at hand."""
        self.name_key = str(attempt_id.application_id).encode()
        self.start_ms = fair.rm.now_ms
        self.first_call_ms: int | None = None
        """When it, or the RM for it, first called for containers."""
        self.has_been_delivered_to = False
        self._is_blacklist_new = False
        self._barred_nodes: list[SchedulerNode] = []
        self.weight = 1.0
        self.demand = NONE
        """As of the last update."""
        self.fair_share = NONE
        self.bounds = Bounds()
        self._is_am_counted = False
        self.am_resource = NONE
        """What its AM's container took; given back when the attempt leaves its queue."""
        self.am_obstacle = ""
        """What kept its AM from a node, the last time that one was offered."""
        self.may_preempt_am = fair.configuration.may_preempt_am(str(application.queue))
        self.levels: dict[RequestKey, Locality] = {}
        """How far from where it was asked for a container of that key may be."""
        self.level_since_ms: dict[RequestKey, int] = {}
        self.fair_starvation = NONE
        self.min_starvation = NONE
        self.last_at_fair_share_ms = self.start_ms
        self.next_check_ms = 0
        """No starvation is looked for before."""
        self.announced: dict[ContainerId, Resource] = {}
        """What its AM is asked to release, as large as it was when it was marked. What was demoted meanwhile
        stays here when it ends.
        """
        self.announced_resource = NONE
        """The sum of these."""
        self._sizes_are_known = False
        self.usage.watcher = self

    @property
    def used(self) -> Resource:
        """The resource it uses, without reservations."""
        return self.usage.used()

    # Where it will not go

    def update_blacklist(self, additions: Iterable[str], removals: Iterable[str]) -> bool:
        """Updates the blacklist; nodes are tried again when the AM has changed it, not when the RM has."""
        is_changed = super().update_blacklist(additions, removals)
        if is_changed and not self.is_waiting_for_am:
            self._is_blacklist_new = True
        return is_changed

    def blacklisted_nodes(self) -> list[SchedulerNode]:
        """The nodes that do not count for its headroom, as they were when its blacklist last changed: a node
        that came later counts, one that has gone is still taken off.

        See tests/scenarios/fair/fair-headroom-blacklist.yaml.
        """
        if self._is_blacklist_new:
            self._is_blacklist_new = False
            nodes = self._fair.tracker.nodes.values()
            self._barred_nodes = [node for node in nodes if self.is_blacklisted(node)]
        return self._barred_nodes

    # Its place in the queue

    def books_changed(self, partition: str) -> None:
        """Its use changed."""
        leaf = self.leaf
        leaf.application_changed(self)
        leaf.line.mark_changed(self)

    def pending_changed(self, partition: str) -> None:
        """It asks for more, or for less: seen at the next update."""
        self.leaf.application_changed(self)

    def has_unmet_demand(self) -> bool:
        """Whether it may run, and its demand as of the last update is not what it holds."""
        return self.demand != self.usage.used() and self in self.leaf.runnable

    def schedulable(self) -> Schedulable:
        """Its figures for the queue's policy."""
        return Schedulable(
            self.weight,
            NONE,
            self._fair.allocations.unbounded,
            self.demand,
            self.usage.used(),
            self.fair_share,
            self.start_ms,
            self.name_key,
        )

    def sort_key(self) -> FullKey | None:
        """What sorts it in its queue."""
        key = self.leaf.policy.order_key(self.schedulable(), self._fair.cluster_resource())
        return None if key is None else (*key, self.start_ms, self.name_key)

    def compare(self, other: FSAppAttempt) -> float:
        """Negative, zero or positive as it is served before the other, alike, or after it."""
        cluster = self._fair.cluster_resource()
        return self.leaf.policy.compare(self.schedulable(), other.schedulable(), cluster)

    def update_demand(self) -> None:
        """What it holds and what it asks for at `*`."""
        demand: Resource | None = None
        for amounts in self.usage.by_partition.values():
            here = amounts.used + amounts.pending if amounts.pending else amounts.used
            demand = here if demand is None else demand + here
        self.demand = NONE if demand is None else demand
        if self._fair.settings.size_based_weight:
            self.weight = self._fair.size_weight(self.demand.memory_mb)
        self.renew_weight()
        self.bounds = bounds = Bounds()
        threshold = self._fair.reservation_threshold
        for key in self.asks.active_keys:
            key_asks = self.asks[key]
            for request in key_asks.by_location.values():
                bounds.include(request.capability, threshold)

    def renew_weight(self) -> bool:
        """Works priority and age into the weight, where the published rules hold; whether it changed."""
        published = self._fair.published
        if not published.changes_weights:
            return False
        before, memory_mb = self.weight, self.demand.memory_mb
        age_ms = self.context.now_ms - self.start_ms
        base = self._fair.size_weight(memory_mb) if self._fair.settings.size_based_weight else 1.0
        self.weight = base * published.weight_factor(self.application.app_priority, age_ms, memory_mb)
        return self.weight != before

    @contextmanager
    def asking_for(self, capabilities: Iterable[Resource]) -> Iterator[None]:
        """Notes that it requests containers of these sizes: nodes that could not serve it before may now."""
        self._sizes_are_known = True
        yield
        self._sizes_are_known = False
        for capability in capabilities:
            self.bounds.include(capability, self._fair.reservation_threshold)
        self.leaf.lower_bounds(self.bounds)

    def _pending_changed(self, partition: str, delta: Resource, containers: int) -> None:
        super()._pending_changed(partition, delta, containers)
        if containers > 0 and not self._sizes_are_known:
            # A request that came back, or a container that is to grow: any node may be of use.
            self.bounds.include(NONE, self._fair.reservation_threshold)
            self.bounds.is_large = True
            self.leaf.lower_bounds(self.bounds)

    # Containers on a node

    def assign(self, node: SchedulerNode) -> Resource | None:
        """Allocates one container on the node: its resource, RESERVED, or None."""
        if self.is_over_am_share():
            return None
        for key in list(self.asks.active_keys):
            key_asks = self.asks[key]
            refusal = self.refusal(key_asks, node)
            if refusal is not None:
                self._record_queue_limit(key_asks, refusal)
                continue
            choice = self._choose(key_asks, node)
            if isinstance(choice, tuple):
                # What does not fit is not passed by for what is less urgent.
                return self._take(key_asks, choice[0], choice[1], node, None)
        return None

    def assign_reserved(self, node: SchedulerNode, reserved: RMContainer) -> bool:
        """Serves the key that the node is reserved for, if it fits; False when the reservation is
        not valid.
        """
        key_asks = self.asks.key_asks(reserved.key)
        if key_asks is None:
            return False
        refusal = self.refusal(key_asks, node)
        if refusal is not None:
            self._record_queue_limit(key_asks, refusal)
            return False
        if self.is_over_am_share():
            return False
        if reserved.resource.fits_in(node.available):
            choice = self._choose(key_asks, node)
            if isinstance(choice, tuple):
                self._take(key_asks, choice[0], choice[1], node, reserved)
        return True

    def refusal(self, key_asks: KeyAsks, node: SchedulerNode) -> FairReason | None:
        """Why no container of this key may be on that node at all, or in the queues as they are."""
        wanted = key_asks.any
        if wanted.count <= 0:
            return FairReason.NOTHING_ASKED
        by_location = key_asks.by_location
        if len(by_location) > 1 or not wanted.relax_locality:
            at_rack = by_location.get(node.rack)
            is_at_rack = at_rack is not None and at_rack.count > 0
            if not wanted.relax_locality and not is_at_rack:
                return FairReason.STRICT_LOCALITY
            if is_at_rack and at_rack is not None and not at_rack.relax_locality:
                if key_asks.count_at(node.host) <= 0:
                    return FairReason.STRICT_LOCALITY
        if not wanted.capability.fits_in(node.total):
            return FairReason.NODE_TOO_SMALL
        return None if self.leaf.fits_in_max_share(wanted.capability) else FairReason.QUEUE_HEADROOM

    def _record_queue_limit(self, key_asks: KeyAsks, refusal: FairReason) -> None:
        if self.is_waiting_for_am and refusal is FairReason.QUEUE_HEADROOM:
            self._record_obstacle(
                key_asks.any.capability,
                "exceeds current queue or its parents maximum resource allowed). Max share of queue: "
                f"{self.leaf.max_share}",
            )

    def _choose(self, key_asks: KeyAsks, node: SchedulerNode) -> _Choice | FairReason:
        """The nearest request of the key that this node may serve now. See tests/scenarios/fair/."""
        key, allowed = key_asks.key, Locality.OFF_SWITCH
        if not self._fair.may_skip_offers:
            self.opportunities[key] = self._opportunities_with(key_asks, node)
            allowed = self._fair.locality.allowed_level(self, key)
        return self._nearest(key_asks, node, allowed)

    def _nearest(self, key_asks: KeyAsks, node: SchedulerNode, allowed: Locality) -> _Choice | FairReason:
        by_location = key_asks.by_location
        if len(by_location) > 1:
            at_rack = by_location.get(node.rack)
            is_at_rack = at_rack is not None and at_rack.count > 0
            at_node = by_location.get(node.host)
            if is_at_rack and at_node is not None and at_node.count > 0:
                return Locality.NODE_LOCAL, at_node
            if at_rack is not None:
                if not at_rack.relax_locality:
                    return FairReason.STRICT_LOCALITY
                if is_at_rack and allowed is not Locality.NODE_LOCAL:
                    return Locality.RACK_LOCAL, at_rack
        wanted = key_asks.any
        if wanted.count <= 0:
            return FairReason.NOTHING_ASKED
        present = by_location.get(ANY)
        if present is not None and not present.relax_locality:
            return FairReason.STRICT_LOCALITY
        if len(by_location) <= 1 or allowed is Locality.OFF_SWITCH:
            return Locality.OFF_SWITCH, wanted
        return FairReason.LOCALITY_DELAY

    # The same decisions, without their consequences

    def outcome_on(self, key_asks: KeyAsks, node: SchedulerNode) -> tuple[FairReason | None, bool]:
        """The outcome of trying the key on this node: why it would be refused, None where it would be
        allocated or reserved; and whether the attempt ends there, so that no key of lower priority is tried.
        """
        refusal = self.refusal(key_asks, node)
        if refusal is not None:
            return refusal, False
        choice = self._nearest(key_asks, node, self._level_at_next_look(key_asks, node))
        if not isinstance(choice, tuple):
            return choice, False
        locality, request = choice
        if request.capability.fits_in(node.available) or self._may_reserve(
            request.capability, node, locality
        ):
            return None, True
        return FairReason.NODE_FULL, True

    def refusal_of_reservation(
        self, key: RequestKey, node: SchedulerNode, reserved: RMContainer
    ) -> FairReason | None:
        """Why its own reservation on the node would not be fulfilled."""
        key_asks = self.asks.key_asks(key)
        if key_asks is None:
            return FairReason.NOTHING_ASKED
        refusal = self.refusal(key_asks, node)
        if refusal is not None:
            return refusal
        if self.is_over_am_share():
            return FairReason.AM_SHARE
        if not reserved.resource.fits_in(node.available):
            return FairReason.OWN_RESERVATION
        choice = self._nearest(key_asks, node, self._level_at_next_look(key_asks, node))
        if not isinstance(choice, tuple):
            return choice
        return None if choice[1].capability.fits_in(node.available) else FairReason.OWN_RESERVATION

    def _level_at_next_look(self, key_asks: KeyAsks, node: SchedulerNode) -> Locality:
        if self._fair.may_skip_offers:
            return Locality.OFF_SWITCH
        count = self._opportunities_with(key_asks, node)
        return self._fair.locality.level_after(self, key_asks.key, count)

    def _opportunities_with(self, key_asks: KeyAsks, node: SchedulerNode) -> int:
        """The opportunities that it has had, this node included: also one that is full, unless the published
        rule holds.
        """
        before = self.opportunities.get(key_asks.key, 0)
        if self._fair.published.count_free_places_only:
            return before + key_asks.any.capability.fits_in(node.available)
        return before + 1

    def delay_numbers(self, key: RequestKey) -> str:
        """The progress of its locality delay, in numbers."""
        return self._fair.locality.numbers(self, key)

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
            # A reservation is fulfilled as it was made, whatever is asked for by now. See
            # tests/scenarios/fair/fair-reservation-fulfilled-in-its-size.yaml.
            size = capability if reserved is None else reserved.resource
            self.allocate(node, key_asks.key, locality, size, reserved)
            return capability
        may_reserve = self._may_reserve(capability, node, locality)
        if self.is_waiting_for_am:
            verdict = "is reserved" if may_reserve else "cannot be reserved"
            self._record_obstacle(
                capability, f"exceeds the available resources of the node and the request {verdict})"
            )
        if not may_reserve:
            return None
        if node.reserved_container is None or reserved is not None:
            self.reserve(node, key_asks.key, capability, reserved)
        return RESERVED

    def _record_obstacle(self, asked: Resource, why: str) -> None:
        self.am_obstacle = f"(Resource request: {asked} {why}"

    def allocate(
        self,
        node: SchedulerNode,
        key: RequestKey,
        locality: Locality,
        resource: Resource,
        reserved: RMContainer | None = None,
    ) -> RMContainer:
        """Allocates the container; one that is more local than allowed restores the stricter
        locality level.
        """
        level = self.levels.get(key)
        if level is not None and _RANK[locality] < _RANK[level]:
            self.levels[key] = locality
        if locality is Locality.NODE_LOCAL and self._fair.published.reset_after_node_local:
            self.opportunities[key] = 0
        container = super().allocate(node, key, locality, resource, reserved)
        self.count_am(container)
        if self._space.holds_preempted_space:
            self._space.record_allocation(node, self, resource)
        return container

    def complete(self, container: RMContainer) -> bool:
        """Takes an ended container off the books, and off those of preemption."""
        if container.container_id in self.announced and container.execution_type is ExecutionType.GUARANTEED:
            self.announced_resource = self.announced_resource - self.announced.pop(container.container_id)
        return super().complete(container)

    # AMs

    @property
    def is_held_to_am_share(self) -> bool:
        """Whether the next container that it gets counts as its AM's."""
        return not self._is_am_counted and not self.application.is_unmanaged

    def is_over_am_share(self) -> bool:
        """Whether its AM would be more than the queue has for AMs."""
        if not self.is_held_to_am_share or not self.asks.active_keys:
            return False
        key_asks = self.asks[self.asks.active_keys[0]]
        return not self.leaf.may_run_am(key_asks.any.capability)

    def count_am(self, container: RMContainer) -> None:
        """The first container that it gets, or that is recovered, counts as its AM's, as in Hadoop: until the
        attempt leaves the queue, whatever becomes of the container.
        """
        if self.is_held_to_am_share:
            self._is_am_counted = True
            self.am_resource = container.resource
            self.leaf.charge_am(container.resource)

    def book_am(self, partition: str, delta: Resource) -> None:
        """Its first container was counted."""
        return

    # Reservations

    def _may_reserve(self, capability: Resource, node: SchedulerNode, locality: Locality) -> bool:
        fair = self._fair
        if not self.is_starved():
            return False
        calculator, cluster = self.leaf.policy.calculator, fair.cluster_resource()
        if calculator.compare(cluster, capability, fair.reservation_threshold) < 0:
            return False
        if self._space.is_preempted_for(node, self):
            return False
        reserved = node.reserved_container
        if reserved is not None and reserved.attempt_id != self.attempt_id:
            return False
        if locality is Locality.NODE_LOCAL:
            return True
        is_anywhere = locality is Locality.OFF_SWITCH
        held = self._reserved_nodes(None if is_anywhere else node.rack)
        tracker = fair.tracker
        there = len(tracker) if is_anywhere else len(tracker.by_rack.get(node.rack, ()))
        return held < math.ceil(there * fair.settings.reservable_nodes)

    def _reserved_nodes(self, rack: str | None) -> int:
        """How many nodes are reserved for it, in one rack or in all."""
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
        """Whether a use is below a share, by the queue's policy."""
        return self.leaf.policy.is_below(used, share, self._fair.cluster_resource())

    def is_starved(self) -> bool:
        """Whether it is below its fair share, or its queue below its minimum on its account."""
        return bool(self.min_starvation) or self.is_below_share(self.usage.used(), self.fair_share)

    def starvation(self) -> Resource:
        """How much it is below its share."""
        return self.fair_starvation + self.min_starvation

    def find_fair_starvation(self, leaf: Leaf) -> Resource:
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

    def mark_for_preemption(self, mark: PreemptionMark) -> None:
        """The AM is asked to release the container, which will be preempted."""
        if mark.container_id not in self.announced:
            self.announced[mark.container_id] = mark.resource
            self.announced_resource = self.announced_resource + mark.resource
        super().mark_for_preemption(mark)

    def can_lose(self, container: RMContainer, considered: Resource) -> bool:
        """Whether the container may be preempted, given how much of its use is considered already."""
        if not self.leaf.is_preemptable or (container.is_am and not self.may_preempt_am):
            return False
        if container.container_id not in self.live or container.container_id in self.announced:
            return False
        left = self.used - self.announced_resource - container.resource - considered
        return not self.is_below_share(left, self.fair_share)

    def preemption_message(self) -> PreemptionMessage | None:
        """The containers that will be preempted, in the strict contract."""
        if not self.announced:
            return None
        containers = tuple(PreemptionContainer(id=one) for one in sorted(self.announced))
        return PreemptionMessage(strict_contract=StrictPreemptionContract(container=containers))
