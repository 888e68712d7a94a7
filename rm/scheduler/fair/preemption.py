"""Preemption: which containers are preempted for which application, and the resources that are set aside for
it.

Starved applications wait in a queue. For each container that one of them lacks, a pass searches a node on
which enough containers can be preempted; these are marked, their AMs are asked for them, and after the wait
they are killed. Hadoop: FSPreemptionThread, FSStarvedApps, the preemption part of FSSchedulerNode and
VisitedResourceRequestTracker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from yarnbox.rm.asks import ANY, PendingRequest, RequestKey
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.events.scheduler import (
    PreemptionMark,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForPreemption,
    SchedulerPreemptContainers,
)
from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.containers.completion import Completion
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.queues.queue import FairQueue
from yarnbox.rm.scheduler.node import NodeTracker
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_min, less, total
from yarnbox.yarn.runtime.java_order import JavaHeap, in_hash_order, request_key_hash, text_hash

_ANY_NUMBER = 2**31 - 1
_RACK, _HOST_IN_RACK = "rack", "host in rack"
_CONTINUOUS_RUNS = 10


@dataclass(slots=True)
class _PreemptedOnNode:
    """What preemption has freed on one node or will free (Hadoop: FSSchedulerNode)."""

    marked: dict[ContainerId, None] = field(default_factory=dict)
    """Containers on the node that will be killed."""
    for_app: dict[FSAppAttempt, Resource] = field(default_factory=dict)
    """How much of it is for which application, in the order of first marking."""

    def total(self) -> Resource:
        """The sum over all applications."""
        return total(self.for_app.values())


@dataclass(slots=True)
class _Choice:
    """Containers that could be preempted on one node for one request."""

    containers: list[RMContainer] = field(default_factory=list)
    am_count: int = 0
    by_app: dict[ApplicationId, Resource] = field(default_factory=dict)

    def add(self, container: RMContainer) -> None:
        self.containers.append(container)
        self.am_count += container.is_am
        application_id = container.application_id
        self.by_app[application_id] = self.by_app.get(application_id, NONE) + container.resource


class PreemptionPass:
    """What one pass has found out.

    It only ever marks more, and nothing ends meanwhile: what was looked for in vain need not be looked for
    again, and nodes and their containers are put in order once.
    """

    def __init__(self, tracker: NodeTracker) -> None:
        self.nodes = list(tracker.nodes.values())
        self._vain: dict[object, Resource] = {}
        """For so much nothing can be found in that place, nor on that node."""
        self._futile_nodes: dict[Resource, int] = {}
        """So many nodes at the beginning of all have nothing for it."""
        self._candidates: dict[NodeId, list[RMContainer]] = {}

    def is_futile(self, place: object, capability: Resource) -> bool:
        """Whether an equal or smaller request was searched for there without success."""
        least = self._vain.get(place)
        return least is not None and least.fits_in(capability)

    def failed(self, place: object, capability: Resource) -> None:
        """Nothing was found there."""
        self._vain[place] = capability

    def nodes_left(self, capability: Resource) -> Iterator[SchedulerNode]:
        """All nodes but the first ones, as long as they are known to have nothing."""
        nodes, at = self.nodes, self._futile_nodes.get(capability, 0)
        while at < len(nodes) and self.is_futile(nodes[at].node_id, capability):
            at += 1
        self._futile_nodes[capability] = at
        return islice(nodes, at, None)

    def candidates(self, node: SchedulerNode) -> list[RMContainer]:
        """Its containers in the order in which they are considered: those that are no AMs, the last in
        Hadoop's map first; then AMs.
        """
        found = self._candidates.get(node.node_id)
        if found is None:
            ordered = node.in_hash_order()
            found = [container for container in reversed(ordered) if not container.is_am]
            found.extend(container for container in ordered if container.is_am)
            self._candidates[node.node_id] = found
        return found


class Preemption:
    """The starved applications, the marked containers, and what they free (Hadoop: FSPreemptionThread)."""

    def __init__(
        self,
        fair: FairContext,
        root: FairQueue,
        register: Register[FSAppAttempt],
        completion: Completion[FSAppAttempt],
    ) -> None:
        self._fair = fair
        self._root = root
        self._register = register
        self._completion = completion
        self._starved = JavaHeap[FSAppAttempt](_compare_starvation)
        self._in_queue: dict[FSAppAttempt, None] = {}
        """Those that stand there, to be found at once."""
        self._preempted_on: dict[NodeId, _PreemptedOnNode] = {}
        self._passes = 0
        self._pass = PreemptionPass(fair.tracker)

    @property
    def holds_preempted_space(self) -> bool:
        """Whether preempted space on any node waits for the application that it was freed for."""
        return bool(self._preempted_on)

    def should_attempt_preemption(self) -> bool:
        """Whether the cluster's utilization is above the preemption threshold."""
        fair = self._fair
        if not fair.settings.preemption:
            return False
        used, there = self._root.used, fair.cluster_resource()
        if not there.memory_mb or not there.vcores:
            return False
        utilization = max(
            float32(float32(used.memory_mb) / float32(there.memory_mb)),
            float32(float32(used.vcores) / float32(there.vcores)),
        )
        return fair.settings.utilization_threshold < utilization

    def add_starved(self, app: FSAppAttempt) -> None:
        """Adds a starved application to the queue, once."""
        if app not in self._in_queue:
            self._in_queue[app] = None
            self._starved.add(app)

    def run(self) -> None:
        """Preempts for all starved applications, the least starved first."""
        self._pass = PreemptionPass(self._fair.tracker)
        while len(self._starved):
            app = self._starved.take()
            del self._in_queue[app]
            self._preempt_for(app)

    def kill(self, event: SchedulerPreemptContainers) -> None:
        """The wait is over: kills all containers that were marked in one pass."""
        for container_id in event.container_ids:
            self._kill(container_id)

    def announce(self, event: SchedulerMarkContainerForPreemption) -> None:
        """MARK_CONTAINER_FOR_PREEMPTION: a node shrank, and the AM is asked for a container on it."""
        app = self._register.attempt(event.attempt_id)
        container = app.live.get(event.container_id) if app is not None else None
        if app is not None and container is not None:
            app.mark_for_preemption(event.mark)

    def make_killable(self, event: SchedulerMarkContainerForKillable) -> None:
        """MARK_CONTAINER_FOR_KILLABLE: it was not given up in time."""
        self._kill(event.container_id, event.mark)

    def _kill(self, container_id: ContainerId, mark: PreemptionMark | None = None) -> None:
        container = self._register.container(container_id)
        if container is not None:
            self._completion.preempt(container, mark)

    # One application

    def _preempt_for(self, app: FSAppAttempt) -> None:
        settings, context = self._fair.settings, self._fair.rm
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
        # Hadoop adds four heartbeat intervals otherwise, but multiplies before it has read the interval.
        # See tests/scenarios/fair/fair-preempt-checks-again.yaml.
        use_ms = _CONTINUOUS_RUNS * settings.continuous_sleep_ms if settings.continuous_scheduling else 0
        wait_ms = settings.wait_before_kill_ms + use_ms + settings.wait_before_next_check_ms
        app.next_check_ms = context.now_ms + wait_ms

    def _starved_requests(self, app: FSAppAttempt) -> Iterator[tuple[PendingRequest, int]]:
        """The requests to preempt for, each with a number of containers: as far as the starvation goes.

        In the order of Hadoop's maps, in which hosts, racks and `*` stand as their hashes have it. See
        tests/scenarios/fair/fair-preempts-in-the-order-of-a-map.yaml.
        """
        need = app.starvation()
        visited = _Visited(self._fair.tracker)
        keys = {each.key: each for each in app.asks.all_keys() if each.by_location}
        for key in in_hash_order(keys, lambda key: request_key_hash(*key), len(keys) + 1):
            key_asks = keys[key]
            for location in in_hash_order(key_asks.by_location, text_hash, key_asks.most + 1):
                request = key_asks.by_location[location]
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

    def _choose(self, request: PendingRequest, *, is_relaxed: bool) -> _Choice | None:
        """The best set for one container of the request: the fewest AMs."""
        known, capability = self._pass, request.capability
        is_anywhere = request.location == ANY
        if known.is_futile(ANY, capability) or known.is_futile(request.location, capability):
            return None
        if not is_anywhere:
            nodes: Iterable[SchedulerNode] = self._fair.tracker.nodes_at(request.location)
        else:
            nodes = known.nodes_left(capability)
        if self._fair.published.newest_first:
            nodes = sorted(nodes, key=self._age_key)
        best = self._search(capability, nodes)
        if best is None:
            known.failed(request.location, capability)
        if best is not None and best.am_count and not is_anywhere and is_relaxed:
            named = {node.node_id: None for node in nodes}
            spare = self._search(capability, [node for node in known.nodes if node.node_id not in named])
            if spare is not None and spare.am_count < best.am_count:
                return spare
        return best

    def _candidates(self, node: SchedulerNode) -> Iterable[RMContainer]:
        """In the order in which they are considered."""
        found = self._pass.candidates(node)
        return sorted(found, key=_newest_key) if self._fair.published.newest_first else found

    def _age_key(self, node: SchedulerNode) -> tuple[bool, int, str]:
        """Sorts nodes by the newest container that can be taken there."""
        preempted = self._preempted_on.get(node.node_id)
        marked = preempted.marked if preempted is not None else {}
        for container in self._candidates(node):
            app = self._register.attempt(container.attempt_id)
            if container.container_id not in marked and app is not None and app.can_lose(container, NONE):
                return container.is_am, -container.creation_ms, str(node.node_id)
        return True, 1, str(node.node_id)

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
        """Containers to preempt on this node, AMs last, until the request fits."""
        if self._pass.is_futile(node.node_id, capability):
            return None
        preempted = self._preempted_on.get(node.node_id)
        marked = preempted.marked if preempted is not None else {}
        room = node.available
        if node.reserved_container is not None:
            room = room - node.reserved_container.resource
        if preempted is not None:
            room = room - preempted.total()
        room = less(room, NONE)
        choice = _Choice()
        for container in self._candidates(node):
            if container.container_id in marked:
                continue
            app = self._register.attempt(container.attempt_id)
            if app is None:
                continue
            if app.can_lose(container, choice.by_app.get(container.application_id, NONE)):
                if container.is_am and choice.am_count + 1 >= allowed_ams:
                    return None
                choice.add(container)
                room = room + container.resource
            if capability.fits_in(room):
                return choice
        self._pass.failed(node.node_id, capability)
        return None

    def _mark(self, containers: list[RMContainer], starved: FSAppAttempt) -> None:
        node = containers[0].node
        preempted = self._preempted_on.setdefault(node.node_id, _PreemptedOnNode())
        context = self._fair.rm
        for_whom = f"{starved.application_id} in queue {starved.leaf.path}"
        kill_at_ms = context.now_ms + self._fair.settings.wait_before_kill_ms
        for container in containers:
            preempted.marked[container.container_id] = None
            already = preempted.for_app.get(starved, NONE)
            preempted.for_app[starved] = already + container.resource
            app = self._register.attempt(container.attempt_id)
            mark = container.preemption_mark(for_whom, kill_at_ms)
            if app is not None:
                app.mark_for_preemption(mark)
            context.post(
                SchedulerMarkContainerForPreemption(
                    container_id=container.container_id, attempt_id=container.attempt_id, mark=mark
                )
            )
            if context.story.listeners:
                because = f"{starved.application_id} lacks {starved.starvation()}"
                context.tell("RMContainer", container.container_id, "marked for preemption", because)

    # Preempted space

    def assign_preempted_containers(self, node: SchedulerNode) -> None:
        """Offers the node first to the applications for which its containers were preempted."""
        preempted = self._preempted_on.get(node.node_id)
        if preempted is None:
            return
        for app in list(preempted.for_app):
            figures = app.fair_starvation or app.min_starvation
            if app.is_stopped or not app.is_starved() or not figures:
                del preempted.for_app[app]
        for app, amount in list(preempted.for_app.items()):
            pending = amount
            while pending and not app.is_stopped:
                given = app.assign(node)
                if given is None or given.is_negative():
                    break
                pending = less(pending, given)
        for container_id in list(preempted.marked):
            if container_id not in node.containers:
                del preempted.marked[container_id]
        if not preempted.marked and not preempted.for_app:
            self._preempted_on.pop(node.node_id, None)

    def is_preempted_for(self, node: SchedulerNode, app: FSAppAttempt) -> bool:
        """Whether containers on the node were preempted for the application."""
        preempted = self._preempted_on.get(node.node_id)
        return preempted is not None and app in preempted.for_app

    def record_allocation(self, node: SchedulerNode, app: FSAppAttempt, resource: Resource) -> None:
        """A container was allocated to the application on the node, and uses up what was preempted for it
        there.
        """
        preempted = self._preempted_on.get(node.node_id)
        if preempted is None or app not in preempted.for_app:
            return
        kept = preempted.for_app[app]
        left = kept - componentwise_min(kept, resource)
        if left:
            preempted.for_app[app] = left
        else:
            del preempted.for_app[app]

    def forget_node(self, node: SchedulerNode) -> None:
        """The node is gone."""
        self._preempted_on.pop(node.node_id, None)


class _Visited:
    """Which places are covered by requests that were taken already, per key and size of container."""

    def __init__(self, tracker: NodeTracker) -> None:
        self._tracker = tracker
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


def _newest_key(container: RMContainer) -> tuple[bool, int, int]:
    """AMs last, the newest first."""
    return container.is_am, -container.creation_ms, -container.container_id.id


def _compare_starvation(one: FSAppAttempt, other: FSAppAttempt) -> int:
    """Of two that are equally starved each is the smaller one (FSStarvedApps.StarvationComparator).

    See tests/scenarios/fair/fair-preempts-for-the-last-of-equals.yaml.
    """
    return -1 if one.starvation().fits_in(other.starvation()) else 1
