"""Preemption: which containers are taken for whom, and the space that is kept for whom they were taken.

Starved applications wait in a queue of their own. A pass looks, for each container that one of them lacks,
for a node on which enough can be taken; what it finds is marked, its AM is told, and after the wait it is
killed. Answers for FSPreemptionThread, FSStarvedApps, the preemption part of FSSchedulerNode and
VisitedResourceRequestTracker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rm.container import RMContainer
from rm.events.container import ContainerKill
from rm.events.scheduler import (
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForPreemption,
    SchedulerPreemptContainers,
)
from rm.scheduler.asks import ANY, PendingRequest, RequestKey
from rm.scheduler.calculator import float32
from rm.scheduler.fair.leaf import less
from rm.scheduler.statuses import preempted
from yarn.ids import ApplicationId, ContainerId, NodeId
from yarn.resource import NONE, Resource, componentwise_min

if TYPE_CHECKING:
    from rm.scheduler.fair.application import FSAppAttempt
    from rm.scheduler.fair.scheduler import FairScheduler
    from rm.scheduler.node import SchedulerNode

_ANY_NUMBER = 2**31 - 1
_RACK, _HOST_IN_RACK = "rack", "host in rack"
_HEARTBEATS = 4
_CONTINUOUS_RUNS = 10


@dataclass(slots=True)
class _Spoils:
    """What is or will be free on one node by preemption."""

    marked: dict[ContainerId, None] = field(default_factory=dict)
    """Containers on the node that will be taken."""
    for_app: dict[FSAppAttempt, Resource] = field(default_factory=dict)
    """How much of it is put aside for whom, in the order of first marking."""

    def total(self) -> Resource:
        """All that is put aside."""
        return sum(self.for_app.values(), NONE)


@dataclass(slots=True)
class _Choice:
    """Containers that could be taken on one node for one request."""

    containers: list[RMContainer] = field(default_factory=list)
    am_count: int = 0
    by_app: dict[ApplicationId, Resource] = field(default_factory=dict)

    def add(self, container: RMContainer) -> None:
        """One more."""
        self.containers.append(container)
        self.am_count += container.is_am
        application_id = container.application_id
        self.by_app[application_id] = self.by_app.get(application_id, NONE) + container.resource


class Preemption:
    """The queue of the starved, the marks, and the space put aside."""

    def __init__(self, scheduler: FairScheduler) -> None:
        self._scheduler = scheduler
        self._starved: dict[FSAppAttempt, None] = {}
        self._spoils: dict[NodeId, _Spoils] = {}
        self._passes = 0
        self._vain: dict[object, Resource] = {}
        """In the pass at hand: for so much nothing can be found in that place, nor on that node.

        A pass only ever marks more, so that what was looked for in vain need not be looked for again.
        """

    @property
    def has_space_put_aside(self) -> bool:
        """Whether anything is kept for anybody."""
        return bool(self._spoils)

    def is_worth_a_look(self) -> bool:
        """Whether so much of the cluster is used that starvation is looked for."""
        scheduler = self._scheduler
        if not scheduler.settings.preemption:
            return False
        used, there = scheduler.root.used, scheduler.cluster_resource()
        if not there.memory_mb or not there.vcores:
            return False
        utilization = max(
            float32(float32(used.memory_mb) / float32(there.memory_mb)),
            float32(float32(used.vcores) / float32(there.vcores)),
        )
        return scheduler.settings.utilization_threshold < utilization

    def add_starved(self, app: FSAppAttempt) -> None:
        """The application is to be helped; once, however often it is found."""
        self._starved.setdefault(app)

    def run(self) -> None:
        """Helps everybody who waits, the least starved first."""
        starved, self._starved = self._starved, {}
        self._vain = {}
        for app in sorted(starved, key=_by_starvation):
            self._help(app)

    def kill(self, event: SchedulerPreemptContainers) -> None:
        """The wait is over: all that was marked in one pass is killed."""
        for container_id in event.container_ids:
            self._kill(container_id)

    def announce(self, event: SchedulerMarkContainerForPreemption) -> None:
        """MARK_CONTAINER_FOR_PREEMPTION: a node shrank, and the AM is asked for a container on it."""
        app = self._scheduler.attempt(event.attempt_id)
        container = app.live.get(event.container_id) if app is not None else None
        if app is not None and container is not None:
            app.mark(container)

    def make_killable(self, event: SchedulerMarkContainerForKillable) -> None:
        """MARK_CONTAINER_FOR_KILLABLE: it was not given up in time."""
        self._kill(event.container_id)

    def _kill(self, container_id: ContainerId) -> None:
        container = self._scheduler.container(container_id)
        if container is not None:
            status = preempted(container_id)
            self._scheduler.complete_container(container, status, ContainerKill(status=status))

    # One application

    def _help(self, app: FSAppAttempt) -> None:
        scheduler = self._scheduler
        settings, context = scheduler.settings, scheduler.context
        taken: list[RMContainer] = []
        if not app.is_stopped:
            for request, count in self._starved_requests(app):
                # Hadoop makes a new request for a part of one, and new requests are relaxed.
                is_relaxed = request.relax_locality or count < request.count
                for _ in range(count):
                    chosen = self._choose(request, is_relaxed=is_relaxed)
                    if chosen is None:
                        break  # nor would there be anything for the next
                    if chosen.containers:
                        self._mark(chosen.containers, app)
                        taken.extend(chosen.containers)
        if taken:
            self._passes += 1
            event = SchedulerPreemptContainers(container_ids=tuple(one.container_id for one in taken))
            key = ("fair-preemption", self._passes)
            context.timer_at(context.now_ms + settings.wait_before_kill_ms, key, event)
        if settings.continuous_scheduling:
            use_ms = _CONTINUOUS_RUNS * settings.continuous_sleep_ms
        else:
            use_ms = _HEARTBEATS * context.settings.heartbeat_interval_ms
        wait_ms = settings.wait_before_kill_ms + use_ms + settings.wait_before_next_check_ms
        app.next_check_ms = context.now_ms + wait_ms

    def _starved_requests(self, app: FSAppAttempt) -> Iterator[tuple[PendingRequest, int]]:
        """The requests to preempt for, each with a number of containers: as far as the starvation goes."""
        need = app.starvation()
        visited = _Visited(self._scheduler)
        for key in list(app.asks.active_keys):
            key_asks = app.asks.key_asks(key)
            assert key_asks is not None
            for request in self._in_order(key_asks.by_location.values()):
                if not need:
                    return
                if not visited.visit(key, request):
                    continue
                # By memory alone, whatever the queue's policy.
                memory = request.capability.memory_mb
                count = min(request.count, need.memory_mb // memory if memory else 0)
                if count == 0:
                    continue
                yield request, count
                need = less(need, request.capability * count)

    def _in_order(self, requests: Iterable[PendingRequest]) -> list[PendingRequest]:
        """Hosts by name, racks by name, `*`."""
        by_rack = self._scheduler.tracker.by_rack

        def place(request: PendingRequest) -> tuple[int, str]:
            if request.location == ANY:
                return 2, ""
            return (1 if request.location in by_rack else 0), request.location

        return sorted(requests, key=place)

    def _choose(self, request: PendingRequest, *, is_relaxed: bool) -> _Choice | None:
        """The best set for one container of the request: the fewest AMs."""
        tracker = self._scheduler.tracker
        is_anywhere = request.location == ANY
        if self._is_vain(ANY, request.capability) or self._is_vain(request.location, request.capability):
            return None
        nodes = list(tracker.nodes.values() if is_anywhere else tracker.nodes_at(request.location))
        best = self._search(request.capability, nodes)
        if best is None:
            self._vain[request.location] = request.capability
        if best is not None and best.am_count and not is_anywhere and is_relaxed:
            named = {node.node_id: None for node in nodes}
            others = [node for node in tracker.nodes.values() if node.node_id not in named]
            spare = self._search(request.capability, others)
            if spare is not None and spare.am_count < best.am_count:
                return spare
        return best

    def _is_vain(self, place: object, capability: Resource) -> bool:
        """Whether no more than this was looked for there in vain."""
        least = self._vain.get(place)
        return least is not None and least.fits_in(capability)

    def _search(self, capability: Resource, nodes: Iterable[SchedulerNode]) -> _Choice | None:
        best, allowed_ams = None, _ANY_NUMBER
        for node in nodes:
            found = self._on_node(capability, node, allowed_ams)
            if found is not None:
                best, allowed_ams = found, found.am_count
                if allowed_ams == 0:
                    break
        return best

    def _on_node(self, capability: Resource, node: SchedulerNode, allowed_ams: int) -> _Choice | None:
        """Containers to take on this node, newest first and AMs last, until the request has room."""
        if self._is_vain(node.node_id, capability):
            return None
        spoils = self._spoils.get(node.node_id)
        marked = spoils.marked if spoils is not None else {}
        room = node.available
        if node.reserved_container is not None:
            room = room - node.reserved_container.resource
        if spoils is not None:
            room = room - spoils.total()
        room = less(room, NONE)
        choice = _Choice()
        for container in _candidates(node):
            if container.container_id in marked:
                continue
            app = self._scheduler.attempt(container.attempt_id)
            if app is None:
                continue
            if app.can_lose(container, choice.by_app.get(container.application_id, NONE)):
                if container.is_am and choice.am_count + 1 >= allowed_ams:
                    return None
                choice.add(container)
                room = room + container.resource
            if capability.fits_in(room):
                return choice
        self._vain[node.node_id] = capability
        return None

    def _mark(self, containers: list[RMContainer], starved: FSAppAttempt) -> None:
        node = containers[0].node
        spoils = self._spoils.setdefault(node.node_id, _Spoils())
        context = self._scheduler.context
        for container in containers:
            spoils.marked[container.container_id] = None
            put_aside = spoils.for_app.get(starved, NONE)
            spoils.for_app[starved] = put_aside + container.resource
            app = self._scheduler.attempt(container.attempt_id)
            if app is not None:
                app.mark(container)
            if context.story.listeners:
                because = f"{starved.application_id} lacks {starved.starvation()}"
                context.tell("RMContainer", container.container_id, "marked for preemption", because)

    # Space put aside

    def hand_out(self, node: SchedulerNode) -> None:
        """Gives what was freed on the node to those for whom it was freed."""
        spoils = self._spoils.get(node.node_id)
        if spoils is None:
            return
        for app in list(spoils.for_app):
            figures = app.fair_starvation or app.min_starvation
            if app.is_stopped or not app.is_starved() or not figures:
                del spoils.for_app[app]
        for app, amount in list(spoils.for_app.items()):
            pending = amount
            while pending and not app.is_stopped:
                given = app.assign(node)
                if given is None or given.is_negative():
                    break
                pending = less(pending, given)
        for container_id in list(spoils.marked):
            if container_id not in node.containers:
                del spoils.marked[container_id]
        if not spoils.marked and not spoils.for_app:
            self._spoils.pop(node.node_id, None)

    def is_put_aside(self, node: SchedulerNode, app: FSAppAttempt) -> bool:
        """Whether space on the node is kept for the application."""
        spoils = self._spoils.get(node.node_id)
        return spoils is not None and app in spoils.for_app

    def note_allocation(self, node: SchedulerNode, app: FSAppAttempt, resource: Resource) -> None:
        """The application got a container on the node: less is kept for it."""
        spoils = self._spoils.get(node.node_id)
        if spoils is None or app not in spoils.for_app:
            return
        kept = spoils.for_app[app]
        left = kept - componentwise_min(kept, resource)
        if left:
            spoils.for_app[app] = left
        else:
            del spoils.for_app[app]

    def forget_node(self, node: SchedulerNode) -> None:
        """The node is gone."""
        self._spoils.pop(node.node_id, None)


class _Visited:
    """Which places are covered by requests that were taken already, per key and size of container."""

    def __init__(self, scheduler: FairScheduler) -> None:
        self._tracker = scheduler.tracker
        self._places: dict[tuple[int, Resource], dict[object, None]] = {}

    def visit(self, key: RequestKey, request: PendingRequest) -> bool:
        """Whether the request stands for something new; from now on it is covered."""
        # Hadoop tells requests apart by request priority, not by allocation request id.
        places = self._places.setdefault((key.request_priority, request.capability), {})
        location = request.location
        if location == ANY:
            if not places:
                places[ANY] = None
            return ANY in places
        if ANY in places:
            return False
        at_host = self._tracker.by_host.get(location)
        if at_host is not None:
            rack = next(iter(at_host.values())).rack
            if (_RACK, rack) in places:
                return False
            places[_HOST_IN_RACK, rack] = None
            return True
        if location not in self._tracker.by_rack or (_HOST_IN_RACK, location) in places:
            return False
        places[_RACK, location] = None
        return True


def _candidates(node: SchedulerNode) -> Iterator[RMContainer]:
    """Those that are no AMs, the newest first; then AMs."""
    ordered = list(node.containers.values())
    yield from (container for container in reversed(ordered) if not container.is_am)
    yield from (container for container in ordered if container.is_am)


def _by_starvation(app: FSAppAttempt) -> tuple[int, int, tuple[tuple[str, int], ...]]:
    starvation = app.starvation()
    return starvation.memory_mb, starvation.vcores, starvation.others
