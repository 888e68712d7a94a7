"""OPPORTUNISTIC containers: handed out at once, on the least loaded nodes, without regard to any queue.

They wait at their nodes and may be ended for guaranteed ones; no queue is charged for them. Owns what is
outstanding of such requests; which node takes a container is its loads' business, and nobody checks these
requests. Hadoop: OpportunisticContainerAllocatorAMService, CentralizedOpportunisticContainerAllocator and
OpportunisticContainerContext.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from yarnbox.rm.asks import ANY, RequestKey
from yarnbox.rm.container import RMContainer
from yarnbox.rm.events.container import ContainerAcquired
from yarnbox.rm.ports import AMSession
from yarnbox.rm.scheduler.calculator import DominantResourceCalculator
from yarnbox.rm.scheduler.containers.node_loads import NodeLoads
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.node import NodeTracker
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.ids import ApplicationAttemptId, NodeId
from yarnbox.yarn.records.request import ResourceBlacklistRequest, ResourceRequest
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.scheduler.application import Attempt

_SIZES = DominantResourceCalculator()


def is_opportunistic(request: ResourceRequest) -> bool:
    """Whether the request is for a container of this kind."""
    kind = request.execution_type_request
    return kind is not None and kind.execution_type is ExecutionType.OPPORTUNISTIC


class Sizes(Protocol):
    """A scheduler, as far as its nodes and the sizes of containers are asked for."""

    minimum_allocation: Resource

    @property
    def tracker(self) -> NodeTracker: ...

    def maximum_allocation(self) -> Resource: ...


class OpportunisticContext(SchedulerContext, Protocol):
    """What allocating opportunistic containers reaches beyond a scheduler's context."""

    @property
    def am_sessions(self) -> Mapping[ApplicationAttemptId, AMSession]: ...

    @property
    def scheduler(self) -> Sizes: ...


class _Wanted:
    """What is wanted of one size: how many, and how many of them where. Hadoop: EnrichedResourceRequest."""

    __slots__ = ("count", "hosts", "racks")

    def __init__(self, count: int) -> None:
        self.count = count
        self.hosts: dict[str, int] = {}
        self.racks: dict[str, int] = {}

    def ask(self, place: str, count: int) -> None:
        """A request replaces the one before for the same place."""
        if place == ANY:
            self.count = count
            return
        of_places = self.racks if place.startswith("/") else self.hosts
        if count:
            of_places[place] = count
        else:
            of_places.pop(place, None)


class _Wishes:
    """What the AM of one attempt has asked for, and for what sizes. Hadoop: OpportunisticContainerContext."""

    def __init__(self, minimum: Resource, maximum: Resource) -> None:
        self.minimum, self.maximum = minimum, maximum
        """Of a container, as they were when the AM registered."""
        self.outstanding: dict[RequestKey, dict[Resource, _Wanted]] = {}
        self.blacklist: dict[str, None] = {}
        """Hosts; racks do not count."""

    def take(self, ask: Iterable[ResourceRequest], blacklist: ResourceBlacklistRequest | None) -> None:
        """Adds what a call says. The first request of a size says how many there are, wherever it is for."""
        if blacklist is not None:
            for name in blacklist.blacklist_removals:
                self.blacklist.pop(name, None)
            self.blacklist |= dict.fromkeys(blacklist.blacklist_additions)
        for request in ask:
            key = RequestKey(request.priority or 0, request.allocation_request_id)
            by_size = self.outstanding.setdefault(key, {})
            size, count = request.capability or NONE, request.num_containers or 0
            if size not in by_size:
                by_size[size] = _Wanted(count)
            by_size[size].ask(request.resource_name or ANY, count)

    def forget(self, key: RequestKey, size: Resource) -> None:
        """All that was wanted is there."""
        by_size = self.outstanding[key]
        del by_size[size]
        if not by_size:
            del self.outstanding[key]


class OpportunisticAllocator:
    """What AMs have asked for and not got, and the nodes to put it on."""

    def __init__(self, context: OpportunisticContext) -> None:
        self._context = context
        self.loads = NodeLoads(context)
        self._wishes: dict[ApplicationAttemptId, _Wishes] = {}

    def register(self, attempt_id: ApplicationAttemptId) -> None:
        """An AM has registered."""
        sessions, scheduler = self._context.am_sessions, self._context.scheduler
        for ended in [one for one in self._wishes if one not in sessions]:
            del self._wishes[ended]
        if attempt_id not in self._wishes:
            largest = scheduler.maximum_allocation()
            self._wishes[attempt_id] = _Wishes(scheduler.minimum_allocation, largest)

    def allocate(
        self, attempt: Attempt, ask: Iterable[ResourceRequest], blacklist: ResourceBlacklistRequest | None
    ) -> list[RMContainer]:
        """Takes the ask, and gives what is outstanding, as far as nodes have room. Of the keys the last comes
        first, as in Hadoop.
        """
        self.register(attempt.attempt_id)
        wishes = self._wishes[attempt.attempt_id]
        wishes.take(ask, blacklist)
        if not wishes.outstanding:
            return []
        allocation = _Allocation(self._context, self.loads, attempt, wishes)
        for key in sorted(wishes.outstanding, reverse=True):
            for size, wanted in list(wishes.outstanding[key].items()):
                allocation.serve(key, size, wanted)
        return allocation.given


class _Allocation:
    """One call of an AM."""

    def __init__(
        self, context: OpportunisticContext, loads: NodeLoads, attempt: Attempt, wishes: _Wishes
    ) -> None:
        self._context = context
        self._loads = loads
        self._attempt = attempt
        self._wishes = wishes
        self._most = context.settings.opportunistic.maximum_per_heartbeat
        self.given: list[RMContainer] = []

    def serve(self, key: RequestKey, size: Resource, wanted: _Wanted) -> None:
        """Hosts first, then racks, then any place."""
        loads, blacklist, before = self._loads, self._wishes.blacklist, wanted.count
        for of_places, select in ((wanted.hosts, loads.at_host), (wanted.racks, loads.on_rack)):
            for place, count in list(of_places.items()):
                while count > 0 and self._may_give(wanted):
                    node_id = select(place, blacklist, size)
                    if node_id is None or not self._give(node_id, key, size, wanted):
                        break
                    count -= 1
                    wanted.ask(place, count)
        while self._may_give(wanted):
            node_id = loads.anywhere(blacklist, size)
            if node_id is None or not self._give(node_id, key, size, wanted):
                break
        if wanted.count == 0 < before:
            self._wishes.forget(key, size)

    def _may_give(self, wanted: _Wanted) -> bool:
        return wanted.count > 0 and (self._most <= 0 or len(self.given) < self._most)

    def _give(self, node_id: NodeId, key: RequestKey, size: Resource, wanted: _Wanted) -> bool:
        node = self._context.scheduler.tracker.nodes.get(node_id)
        if node is None:
            return False
        attempt, wishes = self._attempt, self._wishes
        capability = _SIZES.normalize(size, wishes.minimum, wishes.maximum, wishes.minimum)
        container = attempt.create_container(node, key, capability, "")
        container.execution_type = ExecutionType.OPPORTUNISTIC
        container.is_am = False
        attempt.add_live(container)
        node.allocate(container)
        container.fire(ContainerAcquired())
        wanted.count -= 1
        self.given.append(container)
        return True
