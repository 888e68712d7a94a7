"""The load of nodes, by which opportunistic containers find one: what a node reports, and what it got since.

Nodes are ranked every `sorting-nodes-interval-ms`. Until a node reports again, its queue counts as longer by
each container that it was given. It knows neither requests nor applications. Hadoop: NodeQueueLoadMonitor,
ClusterNode and QueueLimitCalculator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cmp_to_key
from typing import TYPE_CHECKING, Protocol

from yarnbox.rm.events.scheduler import (
    SchedulerEvent,
    SchedulerNodeAdded,
    SchedulerNodeRemoved,
    SchedulerNodeUpdate,
)
from yarnbox.rm.scheduler.calculator import float32
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.tracker import ContainerQueuingLimit, OpportunisticContainersStatus
from yarnbox.yarn.resources.resource import NONE, Resource, total

if TYPE_CHECKING:
    from yarnbox.rm.node import RMNode
    from yarnbox.rm.settings import RMSettings
    from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

QUEUE_WAIT_TIME, QUEUE_LENGTH_THEN_RESOURCES = "QUEUE_WAIT_TIME", "QUEUE_LENGTH_THEN_RESOURCES"
_UNKNOWN_MS = -1
"""The wait at a node that does not know it."""
_NEARLY_EQUAL = 2.0**-53


class LoadContext(Protocol):
    """What the loads are read from."""

    @property
    def now_ms(self) -> int: ...

    @property
    def start_ms(self) -> int: ...

    @property
    def settings(self) -> RMSettings: ...

    @property
    def nodes(self) -> Mapping[NodeId, RMNode]: ...

    @property
    def resource_types(self) -> ResourceTypeRegistry: ...


class NodeLoad:
    """What is known of one node."""

    __slots__ = ("capability", "heard_ms", "node_id", "queue_capacity", "queue_length", "used", "wait_ms")

    def __init__(self, node_id: NodeId, queue_capacity: int) -> None:
        self.node_id = node_id
        self.queue_capacity = queue_capacity
        """As the node said first: what it says later does not count (ClusterNode.setProperties)."""
        self.queue_length = 0
        self.wait_ms = 0
        self.heard_ms = 0
        self.capability = NONE
        self.used = NONE

    @property
    def available(self) -> Resource:
        """What is left of the node: of a further type less than nothing, where more is used than it has."""
        left = self.capability - self.used
        if left.memory_mb >= 0 and left.vcores >= 0:
            return left
        return Resource(max(left.memory_mb, 0), max(left.vcores, 0), left.others)

    def lengthen_queue(self) -> bool:
        """One container more will wait there; False where the queue is full."""
        if self.queue_length >= self.queue_capacity:
            return False
        self.queue_length += 1
        return True


class NodeLoads:
    """All nodes that have reported, and the order in which they are taken."""

    def __init__(self, context: LoadContext) -> None:
        self._context = context
        self._comparator = context.settings.opportunistic.load_comparator
        self._loads: dict[NodeId, NodeLoad] = {}
        self._by_host: dict[str, NodeId] = {}
        self._by_rack: dict[str, dict[NodeId, None]] = {}
        self._racks: dict[NodeId, str] = {}
        self._ranked: list[NodeId] = []
        """Nodes that have room in their queues, the least loaded first, when that was looked at last."""
        self._rankings = 0
        """How many intervals had passed then."""
        self._next = 0
        """Where in the ranking the search for a node begins."""
        self._mean = 0
        self._deviation = 0

    # What is heard of nodes

    def handle(self, event: SchedulerEvent) -> None:
        """An event for the scheduler, which has handled it."""
        if isinstance(event, SchedulerNodeUpdate):
            self._rank_when_due()
            node = self._context.nodes.get(event.node_id)
            if node is not None:
                self._update(node)
        elif isinstance(event, SchedulerNodeAdded):
            self._rank_when_due()
            node = self._context.nodes.get(event.node_id)
            if node is not None:
                self._by_host[node.host] = node.node_id
                self._racks[node.node_id] = node.rack
                self._by_rack.setdefault(node.rack, {})[node.node_id] = None
        elif isinstance(event, SchedulerNodeRemoved):
            self._rank_when_due()
            self._remove(event.node_id)

    def _remove(self, node_id: NodeId) -> None:
        self._by_host.pop(node_id.host, None)
        rack = self._racks.pop(node_id, None)
        if rack is not None:
            self._by_rack[rack].pop(node_id, None)
        self._loads.pop(node_id, None)

    def _update(self, node: RMNode) -> None:
        status = node.opportunistic or OpportunisticContainersStatus()
        wait_ms = status.estimated_queue_wait_time or 0
        is_unknown = self._comparator == QUEUE_WAIT_TIME and wait_ms == _UNKNOWN_MS
        if node.state is NodeState.DECOMMISSIONING or is_unknown:
            self._loads.pop(node.node_id, None)
            return
        load = self._loads.get(node.node_id)
        if load is None:
            load = self._loads[node.node_id] = NodeLoad(node.node_id, status.opport_queue_capacity or 0)
        load.wait_ms = wait_ms
        load.queue_length = status.wait_queue_length or 0
        load.capability = node.capability
        load.used = node.reported_use
        load.heard_ms = self._context.now_ms

    # Ranking

    def _rank_when_due(self) -> None:
        """Ranks the nodes, if an interval has ended. Nothing changes but by a call here, so the order is that
        of the interval's end.
        """
        context = self._context
        interval_ms = context.settings.opportunistic.sorting_interval_ms
        rankings = (context.now_ms - context.start_ms) // interval_ms
        if rankings > self._rankings:
            self._rankings = rankings
            self._rank()

    def _rank(self) -> None:
        loads = list(self._loads.values())
        if self._comparator == QUEUE_LENGTH_THEN_RESOURCES:
            loads = self._by_queue_and_resources(loads)
        else:
            loads.sort(key=lambda load: (self._metric(load), -load.heard_ms))
        self._ranked = [load.node_id for load in loads if self._has_room(load)]
        self._next = 0
        self._measure()

    def _metric(self, load: NodeLoad) -> int:
        return load.wait_ms if self._comparator == QUEUE_WAIT_TIME else load.queue_length

    def _has_room(self, load: NodeLoad) -> bool:
        if load.queue_capacity > 0:
            return load.queue_length < load.queue_capacity
        return self._comparator != QUEUE_LENGTH_THEN_RESOURCES or load.queue_length <= 0

    def _by_queue_and_resources(self, loads: list[NodeLoad]) -> list[NodeLoad]:
        """The shorter queue first, then the larger free share of the cluster, by the scarcest type."""
        cluster = total(load.capability for load in loads)
        names = self._context.resource_types.names
        is_whole = all(cluster.value(name) > 0 for name in names)
        rated = [
            (load, left, _least_share(left, cluster, names) if is_whole else 0.0)
            for load in loads
            for left in (load.available,)
        ]
        return [load for load, _, _ in sorted(rated, key=cmp_to_key(_compare))]

    # Choosing

    def at_host(self, host: str, blacklist: Mapping[str, None], size: Resource) -> NodeId | None:
        """The node of that name, unless it is full or blacklisted."""
        self._rank_when_due()
        node_id = None if host in blacklist else self._by_host.get(host)
        return node_id if node_id is not None and self._take(node_id, size) else None

    def on_rack(self, rack: str, blacklist: Mapping[str, None], size: Resource) -> NodeId | None:
        """The first node of the rack that can take a container."""
        self._rank_when_due()
        for node_id in self._by_rack.get(rack, ()):
            if node_id.host not in blacklist and self._take(node_id, size):
                return self._by_host.get(node_id.host)
        return None

    def anywhere(self, blacklist: Mapping[str, None], size: Resource) -> NodeId | None:
        """One of the least loaded nodes, in turn. Hadoop begins with one that it draws."""
        self._rank_when_due()
        candidates = self._ranked[: self._context.settings.opportunistic.nodes_used]
        for place in self._from_next(len(candidates)):
            node_id = candidates[place]
            if node_id.host not in blacklist and self._take(node_id, size):
                self._next = place + 1
                return self._by_host.get(node_id.host)
        return None

    def _from_next(self, count: int) -> Iterator[int]:
        for step in range(count):
            yield (self._next + step) % count

    def _take(self, node_id: NodeId, size: Resource) -> bool:
        """Counts a container of that size on the node; False where there is no room."""
        load = self._loads.get(node_id)
        if load is None:
            return False
        if self._comparator == QUEUE_WAIT_TIME:
            return True
        if self._comparator == QUEUE_LENGTH_THEN_RESOURCES:
            if size.fits_in(load.available):
                load.used = load.used + size
                return True
            if not size.fits_in(load.capability):
                return False
        return load.lengthen_queue()

    # The limit

    def queuing_limit(self) -> ContainerQueuingLimit:
        """How long a node's queue may get: the mean and so many standard deviations, within bounds."""
        self._rank_when_due()
        settings = self._context.settings.opportunistic
        limit = int(float32(self._mean + float32(settings.queue_limit_stdev * self._deviation)))
        if self._comparator == QUEUE_WAIT_TIME:
            limit = min(settings.maximum_queue_wait_ms, max(settings.minimum_queue_wait_ms, limit))
            return ContainerQueuingLimit(max_queue_length=-1, max_queue_wait_time_in_ms=limit)
        limit = min(settings.maximum_queue_length, max(settings.minimum_queue_length, limit))
        return ContainerQueuingLimit(max_queue_length=limit, max_queue_wait_time_in_ms=-1)

    def _measure(self) -> None:
        """Mean and deviation in the whole numbers of QueueLimitCalculator; without nodes those of before."""
        metrics = [self._metric(self._loads[node_id]) for node_id in self._ranked]
        if metrics:
            self._mean = sum(metrics) // len(metrics)
            squares = sum((metric - self._mean) ** 2 for metric in metrics)
            self._deviation = int(float32(squares / len(metrics)) ** 0.5 + 0.5)


_Rated = tuple[NodeLoad, Resource, float]
"""A node, what is left of it, and which share of the cluster that is."""


def _compare(one: _Rated, two: _Rated) -> int:
    (first, here, own), (second, there, other) = one, two
    if first.queue_length != second.queue_length:
        return first.queue_length - second.queue_length
    if abs(other - own) > _NEARLY_EQUAL:
        return 1 if other > own else -1
    if here.vcores != there.vcores:
        return there.vcores - here.vcores
    if here.memory_mb != there.memory_mb:
        return there.memory_mb - here.memory_mb
    return second.heard_ms - first.heard_ms


def _least_share(part: Resource, whole: Resource, names: tuple[str, ...]) -> float:
    return min(1.0, *(float32(part.value(name) / whole.value(name)) for name in names))
