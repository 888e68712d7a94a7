"""What an ApplicationMaster has asked for and not yet got, and which part of it the RM has still to hear.

An allocate call carries absolute counts per (priority, allocation request id, location, capability), not
deltas, and only for what changed. This file owns those counts, the containers to release, the blacklist, the
container updates and the scheduling requests, and puts them together for the next call; after a refused call
they are sent again, and after a restart of the RM all that is outstanding is. It knows neither the connection
nor what the containers are for. Hadoop: AMRMClientImpl (without its RPC), RemoteRequestsTable
and AMRMClientUtils.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from yarnbox.yarn.enums import ContainerUpdateType, ExecutionType
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.master import AllocateRequest, AllocateResponse, UpdateContainerRequest
from yarnbox.yarn.records.request import (
    ExecutionTypeRequest,
    ResourceBlacklistRequest,
    ResourceRequest,
    SchedulingRequest,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.ordered import OrderedSet

ANY = "*"
DEFAULT_RACK = "/default-rack"

RackOf = Callable[[str], str]
"""From a host name to its rack: Hadoop's RackResolver."""


class InvalidContainerRequestError(ValueError):
    """A request that contradicts itself or an earlier one; Hadoop's InvalidContainerRequestException."""


def default_rack(_host: str) -> str:
    """The rack of every host where no topology is configured."""
    return DEFAULT_RACK


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRequest:
    """One container, wherever it is wanted. Equal requests are interchangeable."""

    capability: Resource
    priority: int
    nodes: tuple[str, ...] = ()
    racks: tuple[str, ...] = ()
    relax_locality: bool = True
    node_label_expression: str | None = None
    execution_type: ExecutionTypeRequest = field(default_factory=ExecutionTypeRequest)
    allocation_request_id: int = 0

    def __post_init__(self) -> None:
        if not self.relax_locality and not self.nodes and not self.racks:
            raise InvalidContainerRequestError(
                "Can't turn off locality relaxation on a request with no location constraints"
            )
        expression = self.node_label_expression
        if expression and ("&&" in expression or "||" in expression):
            raise InvalidContainerRequestError(
                "Cannot specify more than one node label in a single node label expression"
            )


class Location(NamedTuple):
    """A place that a request is written for, and whether the container may come from beyond it."""

    name: str
    relax_locality: bool


def expand(
    nodes: Iterable[str], racks: Iterable[str], relax_locality: bool, rack_of: RackOf
) -> list[Location]:
    """Where a request for one container is written: each host, each rack named, each rack implied by a host,
    and `*`.

    The hosts and racks that were named may always be left for a wider place, for the wider request's own flag
    decides whether anything waits there; the implied racks and `*` carry the request's flag.
    """
    hosts = list(dict.fromkeys(nodes))
    named_racks = list(dict.fromkeys(racks))
    implied = [rack for rack in dict.fromkeys(map(rack_of, hosts)) if rack not in named_racks]
    locations = [Location(name, True) for name in (*hosts, *named_racks)]
    locations += [Location(rack, relax_locality) for rack in implied]
    locations.append(Location(ANY, relax_locality))
    return locations


class Place(NamedTuple):
    """What the relax flags of requests must agree on."""

    allocation_request_id: int
    priority: int
    location: str


class AskKey(NamedTuple):
    """What the counts of a request are kept by."""

    place: Place
    execution_type: ExecutionType
    capability: Resource


@dataclass(slots=True)
class _Outstanding:
    """The count at one key, and the container requests that make it up."""

    ask: ResourceRequest
    requests: dict[ContainerRequest, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many containers are asked for."""
        return self.ask.num_containers or 0


@dataclass(slots=True)
class _Changes:
    """What the RM has not heard yet."""

    asks: dict[AskKey, ResourceRequest] = field(default_factory=dict)
    releases: OrderedSet[ContainerId] = field(default_factory=OrderedSet)
    updates: dict[ContainerId, UpdateContainerRequest] = field(default_factory=dict)
    scheduling: list[SchedulingRequest] = field(default_factory=list)
    blacklist_additions: OrderedSet[str] = field(default_factory=OrderedSet)
    blacklist_removals: OrderedSet[str] = field(default_factory=OrderedSet)

    def put_back(self, unsent: _Changes) -> None:
        """Adds what a call that failed would have said, except where something newer was said since."""
        for key, ask in unsent.asks.items():
            self.asks.setdefault(key, ask)
        for container_id, update in unsent.updates.items():
            self.updates.setdefault(container_id, update)
        self.releases.update(unsent.releases)
        self.scheduling[:0] = unsent.scheduling
        self.blacklist_additions.update(
            n for n in unsent.blacklist_additions if n not in self.blacklist_removals
        )
        self.blacklist_removals.update(
            n for n in unsent.blacklist_removals if n not in self.blacklist_additions
        )


class RequestTable:
    """The asks of one application attempt. One allocate call at a time: `next_request`, then `accept`,
    `refused` or `resync`.
    """

    def __init__(self, rack_of: RackOf = default_rack) -> None:
        self.rack_of = rack_of
        self.response_id = 0
        self.blacklist: OrderedSet[str] = OrderedSet()
        self._outstanding: dict[Place, dict[AskKey, _Outstanding]] = {}
        self._pending_releases: OrderedSet[ContainerId] = OrderedSet()
        self._pending_updates: dict[ContainerId, UpdateContainerRequest] = {}
        self._outstanding_scheduling: list[SchedulingRequest] = []
        self._changes = _Changes()
        self._in_flight = _Changes()

    # Asking.

    def add(self, request: ContainerRequest, count: int = 1) -> None:
        """Asks for `count` more containers like this one; InvalidContainerRequestError if the relax flags
        conflict.
        """
        locations = expand(request.nodes, request.racks, request.relax_locality, self.rack_of)
        for location in locations:
            if location.name not in request.nodes:
                self._check_relaxation(request, location)
        for location in locations:
            key = _key(request, location.name)
            known = self._outstanding.setdefault(key.place, {}).get(key)
            if known is None:
                known = _Outstanding(_first_ask(request, location))
                self._outstanding[key.place][key] = known
            known.requests[request] = known.requests.get(request, 0) + count
            if location.name == ANY:
                known.ask = replace(known.ask, node_label_expression=request.node_label_expression)
            self._change_count(key, known, count)

    def remove(self, request: ContainerRequest) -> None:
        """Takes one such request back, granted or no longer wanted; one that is not there is let be."""
        for location in expand(request.nodes, request.racks, request.relax_locality, self.rack_of):
            key = _key(request, location.name)
            known = self._outstanding.get(key.place, {}).get(key)
            if known is None or request not in known.requests:
                continue
            known.requests[request] -= 1
            if known.requests[request] == 0:
                del known.requests[request]
            self._change_count(key, known, -1)

    def matching(
        self, priority: int, location: str, capability: Resource, allocation_request_id: int = 0
    ) -> list[ContainerRequest]:
        """The outstanding requests that a container of this size at this location satisfies, the largest
        first.
        """
        there = self._outstanding.get(Place(allocation_request_id, priority, location), {})
        found = [
            (key.capability, known) for key, known in there.items() if key.capability.fits_in(capability)
        ]
        found.sort(key=lambda pair: (-pair[0].memory_mb, -pair[0].vcores, pair[0].others))
        return [
            request for _, known in found for request, count in known.requests.items() for _ in range(count)
        ]

    def asks(self) -> list[ResourceRequest]:
        """Every count that is above zero, in the order in which they were first asked."""
        return [known.ask for there in self._outstanding.values() for known in there.values()]

    def add_scheduling_requests(self, requests: Sequence[SchedulingRequest]) -> None:
        """Asks for containers under placement constraints."""
        self._changes.scheduling += requests
        self._outstanding_scheduling += requests

    def replace_scheduling_request(self, request: SchedulingRequest) -> None:
        """Asks for another number of containers under a key (priority, allocation request id) in use; 0
        cancels.
        """

        def is_other(known: SchedulingRequest) -> bool:
            key = (known.priority, known.allocation_request_id)
            return key != (request.priority, request.allocation_request_id)

        self._changes.scheduling[:] = [*filter(is_other, self._changes.scheduling), request]
        self._outstanding_scheduling[:] = [*filter(is_other, self._outstanding_scheduling)]
        if _number(request):
            self._outstanding_scheduling.append(request)

    def scheduling_requests(self) -> list[SchedulingRequest]:
        """The scheduling requests that are not satisfied, with what is left of their number."""
        return list(self._outstanding_scheduling)

    def release(self, container_id: ContainerId) -> None:
        """Gives a container back; said again after a restart of the RM until its completion is heard."""
        self._pending_releases.add(container_id)
        self._changes.releases.add(container_id)
        self._pending_updates.pop(container_id, None)

    def update_blacklist(self, additions: Iterable[str] = (), removals: Iterable[str] = ()) -> None:
        """Hosts or racks where no container is wanted, and those forgiven."""
        for name in additions:
            self.blacklist.add(name)
            self._changes.blacklist_additions.add(name)
            self._changes.blacklist_removals.discard(name)
        for name in removals:
            self.blacklist.discard(name)
            self._changes.blacklist_removals.add(name)
            self._changes.blacklist_additions.discard(name)

    def request_update(
        self,
        container: Container,
        update_type: ContainerUpdateType,
        *,
        capability: Resource | None = None,
        execution_type: ExecutionType | None = None,
    ) -> None:
        """Asks for another size or execution type of a running container; exactly one of the two."""
        _check_update(container, update_type, capability, execution_type)
        update = UpdateContainerRequest(
            container_version=container.version,
            container_id=container.id,
            update_type=update_type,
            capability=capability,
            execution_type=execution_type,
        )
        self._changes.updates[container.id] = update
        self._pending_updates[container.id] = update

    # One call.

    def next_request(self, progress: float, tracking_url: str | None = None) -> AllocateRequest:
        """The next allocate call: all that has changed since the last one that was answered."""
        self._in_flight, self._changes = self._changes, _Changes()
        said = self._in_flight
        if said.asks and said.scheduling:
            # The CapacityScheduler passes scheduling requests over beside an ask: they go with the next call.
            self._changes.scheduling, said.scheduling = said.scheduling, []
        return AllocateRequest(
            ask=tuple(said.asks.values()),
            release=tuple(said.releases),
            blacklist_request=ResourceBlacklistRequest(
                blacklist_additions=tuple(said.blacklist_additions),
                blacklist_removals=tuple(said.blacklist_removals),
            ),
            response_id=self.response_id,
            progress=progress,
            update_requests=tuple(said.updates.values()),
            scheduling_requests=tuple(said.scheduling),
            tracking_url=tracking_url,
        )

    def accept(self, response: AllocateResponse) -> None:
        """Takes in the answer of the call."""
        self._in_flight = _Changes()
        if response.response_id is not None:
            self.response_id = response.response_id
        for status in response.completed_container_statuses:
            if status.container_id is not None:
                self._pending_releases.discard(status.container_id)
                self._pending_updates.pop(status.container_id, None)
        for updated in response.updated_containers:
            if updated.container.id is not None:
                self._pending_updates.pop(updated.container.id, None)
        self.satisfy_scheduling(response.allocated_containers)
        self.satisfy_scheduling(response.containers_from_previous_attempts)
        for rejected in response.rejected_scheduling_requests:
            self._lower_scheduling(rejected.request, _number(rejected.request))

    def refused(self) -> None:
        """The call failed: what it said is said again by the next one, unless something newer was."""
        unsent, self._in_flight = self._in_flight, _Changes()
        self._changes.put_back(unsent)

    def resync(self) -> None:
        """The RM knows the attempt but not what it asked (ApplicationMasterNotRegisteredException): after
        registering again, all that is outstanding is said, under response id 0.
        """
        self.refused()
        changes = self._changes
        changes.releases.update(self._pending_releases)
        changes.blacklist_additions.update(self.blacklist)
        for there in self._outstanding.values():
            changes.asks.update((key, known.ask) for key, known in there.items())
        changes.updates.update(self._pending_updates)
        changes.scheduling[:] = self._outstanding_scheduling
        self.response_id = 0

    def satisfy_scheduling(self, containers: Iterable[Container]) -> None:
        """Counts granted containers off the scheduling requests of the same tags and key."""
        for container in containers:
            if self._outstanding_scheduling:
                self._lower_scheduling(container, 1)

    # Inside.

    def _lower_scheduling(self, given: Container | SchedulingRequest, number: int) -> None:
        """So many containers less are waited for under the key and the tags of what was given, or refused."""
        tags = sorted(given.allocation_tags)
        for index, request in enumerate(self._outstanding_scheduling):
            sizing = request.resource_sizing
            if (
                sorted(request.allocation_tags) != tags
                or (request.priority or 0) != (given.priority or 0)
                or request.allocation_request_id != given.allocation_request_id
                or sizing is None
            ):
                continue
            left = _number(request) - number
            if left > 0:
                smaller = replace(request, resource_sizing=replace(sizing, num_allocations=left))
                self._outstanding_scheduling[index] = smaller
            else:
                del self._outstanding_scheduling[index]
            return

    def _check_relaxation(self, request: ContainerRequest, location: Location) -> None:
        place = Place(request.allocation_request_id, request.priority, location.name)
        for known in self._outstanding.get(place, {}).values():
            existing = known.ask.relax_locality
            if existing != location.relax_locality:
                raise InvalidContainerRequestError(
                    f"Cannot submit a ContainerRequest asking for location {location.name} with locality "
                    f"relaxation {str(location.relax_locality).lower()} when it has already been requested "
                    f"with locality relaxation {str(existing).lower()}"
                )

    def _change_count(self, key: AskKey, known: _Outstanding, by: int) -> None:
        known.ask = replace(known.ask, num_containers=known.count + by)
        self._changes.asks[key] = known.ask
        if known.count == 0:  # the zero is sent once, and then there is nothing to repeat
            there = self._outstanding[key.place]
            del there[key]
            if not there:
                del self._outstanding[key.place]


def _number(request: SchedulingRequest) -> int:
    sizing = request.resource_sizing
    return (sizing.num_allocations or 0) if sizing is not None else 0


def _key(request: ContainerRequest, location: str) -> AskKey:
    place = Place(request.allocation_request_id, request.priority, location)
    return AskKey(place, request.execution_type.execution_type, request.capability)


def _first_ask(request: ContainerRequest, location: Location) -> ResourceRequest:
    return ResourceRequest(
        priority=request.priority,
        resource_name=location.name,
        capability=request.capability,
        num_containers=0,
        relax_locality=location.relax_locality,
        execution_type_request=request.execution_type,
        allocation_request_id=request.allocation_request_id,
    )


def _check_update(
    container: Container,
    update_type: ContainerUpdateType,
    capability: Resource | None,
    execution_type: ExecutionType | None,
) -> None:
    """Refuses an update that says nothing, says two things, or goes the other way than its type."""
    if (capability is None) == (execution_type is None):
        raise InvalidContainerRequestError(
            "an update names either a target capability or a target execution type"
        )
    if capability is None:
        wanted = {
            ContainerUpdateType.PROMOTE_EXECUTION_TYPE: (
                ExecutionType.OPPORTUNISTIC,
                ExecutionType.GUARANTEED,
            ),
            ContainerUpdateType.DEMOTE_EXECUTION_TYPE: (
                ExecutionType.GUARANTEED,
                ExecutionType.OPPORTUNISTIC,
            ),
        }.get(update_type)
        if wanted != (container.execution_type, execution_type):
            raise InvalidContainerRequestError(
                f"{update_type.name} of a {container.execution_type.name} container"
            )
        return
    current = container.resource or Resource()
    if capability.is_negative():
        raise InvalidContainerRequestError(f"the target capability {capability} is negative")
    if capability == current:
        raise InvalidContainerRequestError(f"the target capability {capability} is the container's own")
    smaller, larger = (current, capability)
    if update_type is ContainerUpdateType.DECREASE_RESOURCE:
        smaller, larger = (capability, current)
    elif update_type is not ContainerUpdateType.INCREASE_RESOURCE:
        raise InvalidContainerRequestError(f"{update_type.name} takes an execution type, not a capability")
    if not smaller.fits_in(larger):
        raise InvalidContainerRequestError(f"{update_type.name} from {current} to {capability}")
