"""OPPORTUNISTIC containers: handed out at once, on the least loaded nodes, without regard to any queue.

They wait at their nodes and may be ended for guaranteed ones; no queue is charged for them. Owns what is
outstanding of such requests and the choice of nodes; the checks of requests are not its business. Hadoop:
OpportunisticContainerAllocatorAMService, OpportunisticContainerAllocator and NodeQueueLoadMonitor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from yarnbox.rm.asks import ANY, RequestKey
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.events.container import ContainerAcquired
from yarnbox.rm.node import RMNode
from yarnbox.rm.ports import AMSession
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.node import NodeTracker
from yarnbox.yarn.enums import ExecutionType, NodeState
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.ids import ApplicationAttemptId, NodeId
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.records.tracker import ContainerQueuingLimit
from yarnbox.yarn.resources.resource import NONE

if TYPE_CHECKING:
    from yarnbox.rm.scheduler.application import Attempt

Outstanding = dict[RequestKey, dict[str, ResourceRequest]]


def is_opportunistic(request: ResourceRequest) -> bool:
    """Whether the request is for a container of this kind."""
    kind = request.execution_type_request
    return kind is not None and kind.execution_type is ExecutionType.OPPORTUNISTIC


class BookedNodes(Protocol):
    """A scheduler, as far as its nodes are asked for."""

    @property
    def tracker(self) -> NodeTracker: ...


class OpportunisticContext(SchedulerContext, Protocol):
    """What allocating opportunistic containers reaches beyond a scheduler's context."""

    @property
    def am_sessions(self) -> Mapping[ApplicationAttemptId, AMSession]: ...

    @property
    def scheduler(self) -> BookedNodes: ...


class OpportunisticAllocator:
    """What AMs have asked for and not got, and the nodes to put it on."""

    def __init__(self, context: OpportunisticContext) -> None:
        self._context = context
        self._outstanding: dict[ApplicationAttemptId, Outstanding] = {}
        self._ranked: list[NodeId] = []
        self._ranked_ms: int | None = None
        self._limit: ContainerQueuingLimit | None = None

    def allocate(self, attempt: Attempt, ask: Iterable[ResourceRequest]) -> list[RMContainer]:
        """Takes the ask, and gives what is outstanding; nothing while no node is there."""
        self._forget_ended()
        outstanding = self._outstanding.setdefault(attempt.attempt_id, {})
        for request in ask:
            key = RequestKey(request.priority or 0, request.allocation_request_id)
            outstanding.setdefault(key, {})[request.resource_name or ANY] = request
        limit = self._context.settings.opportunistic.maximum_per_heartbeat
        given: list[RMContainer] = []
        for key in sorted(outstanding):
            by_place = outstanding[key]
            anywhere = by_place.get(ANY)
            while anywhere is not None and (anywhere.num_containers or 0) > 0:
                if 0 <= limit <= len(given):
                    return given
                node = self._pick(attempt, by_place, len(given))
                if node is None:
                    return given
                given.append(self._give(attempt, node, key, anywhere))
                for place in (node.host, node.rack, ANY):
                    _take_one(by_place, place)
                anywhere = by_place[ANY]
        return given

    def _pick(
        self, attempt: Attempt, by_place: dict[str, ResourceRequest], turn: int
    ) -> SchedulerNode | None:
        """The next node: where it was asked for, if that is among the least loaded ones, else one of those in
        turn.
        """
        nodes = [node for node in self._least_loaded() if not attempt.is_blacklisted(node)]
        if not nodes:
            return None
        for name in ("host", "rack"):
            for node in nodes:
                request = by_place.get(getattr(node, name))
                if request is not None and (request.num_containers or 0) > 0:
                    return node
        return nodes[turn % len(nodes)]

    def _give(
        self, attempt: Attempt, node: SchedulerNode, key: RequestKey, request: ResourceRequest
    ) -> RMContainer:
        container = attempt.create_container(node, key, request.capability or NONE, "")
        container.execution_type = ExecutionType.OPPORTUNISTIC
        container.is_am = False
        attempt.add_live(container)
        node.allocate(container)
        container.fire(ContainerAcquired())
        return container

    def _forget_ended(self) -> None:
        sessions = self._context.am_sessions
        for attempt_id in [one for one in self._outstanding if one not in sessions]:
            del self._outstanding[attempt_id]

    # Nodes

    def _least_loaded(self) -> list[SchedulerNode]:
        """The nodes that are used."""
        self._rank()
        tracker = self._context.scheduler.tracker.nodes
        present = [tracker[node_id] for node_id in self._ranked if node_id in tracker]
        return present[: self._context.settings.opportunistic.nodes_used]

    def _rank(self) -> None:
        """Ranks the nodes anew, unless that was done a moment ago."""
        context = self._context
        if self._ranked_ms is not None:
            if context.now_ms - self._ranked_ms < context.settings.opportunistic.sorting_interval_ms:
                return
        ranked = [node for node in context.nodes.values() if node.state is NodeState.RUNNING]
        ranked.sort(key=self._load)
        self._ranked = [node.node_id for node in ranked]
        self._ranked_ms = context.now_ms
        self._limit = None

    def _load(self, node: RMNode) -> tuple[int, int]:
        status = node.opportunistic
        comparator = self._context.settings.opportunistic.load_comparator
        if status is None:
            return (0, 0)
        if comparator == "QUEUE_WAIT_TIME":
            return (_queue_wait_ms(node), 0)
        if comparator != "QUEUE_LENGTH_THEN_RESOURCES":
            return (_queue_length(node), 0)
        booked = self._context.scheduler.tracker.nodes.get(node.node_id)
        free_mb = booked.available.memory_mb if booked is not None else 0
        return (_queue_length(node), (status.opport_memory_used or 0) - free_mb)

    def queuing_limit(self) -> ContainerQueuingLimit:
        """How long a node's queue may get: the mean and so many standard deviations, within bounds."""
        self._rank()
        if self._limit is None:
            self._limit = self._new_limit()
        return self._limit

    def _new_limit(self) -> ContainerQueuingLimit:
        settings = self._context.settings.opportunistic
        nodes = self._context.nodes.values()
        if settings.load_comparator == "QUEUE_WAIT_TIME":
            waits = [_queue_wait_ms(node) for node in nodes]
            wait_ms = _threshold(waits, settings.queue_limit_stdev)
            wait_ms = min(settings.maximum_queue_wait_ms, max(settings.minimum_queue_wait_ms, wait_ms))
            return ContainerQueuingLimit(max_queue_length=-1, max_queue_wait_time_in_ms=wait_ms)
        length = _threshold([_queue_length(node) for node in nodes], settings.queue_limit_stdev)
        length = min(settings.maximum_queue_length, max(settings.minimum_queue_length, length))
        return ContainerQueuingLimit(max_queue_length=length, max_queue_wait_time_in_ms=-1)


def _threshold(loads: list[int], sigma: float) -> int:
    """Mean and so many standard deviations, in the whole numbers of QueueLimitCalculator."""
    if not loads:
        return 0
    mean = sum(loads) // len(loads)
    variance = sum((load - mean) ** 2 for load in loads) / len(loads)
    return int(mean + sigma * math.floor(math.sqrt(variance) + 0.5))


def _queue_wait_ms(node: RMNode) -> int:
    status = node.opportunistic
    return max(status.estimated_queue_wait_time or 0, 0) if status is not None else 0


def _queue_length(node: RMNode) -> int:
    status = node.opportunistic
    if status is None:
        return 0
    return status.wait_queue_length or status.queued_opport_containers or 0


def _take_one(by_place: dict[str, ResourceRequest], place: str) -> None:
    request = by_place.get(place)
    if request is not None and (request.num_containers or 0) > 0:
        by_place[place] = replace(request, num_containers=(request.num_containers or 0) - 1)
