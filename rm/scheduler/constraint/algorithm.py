"""The requests of one call placed together: for each container a node, or none.

Nothing is allocated: what comes out is a proposal, which the scheduler may still refuse. Tags of containers
that are placed but not there yet count while the batch is worked on, and are taken back at its end. Each
placement is checked once more when the whole batch is placed, since a later one may have broken its
constraint; what has no node by then is tried a second time. Hadoop: DefaultPlacementAlgorithm,
LocalAllocationTagsManager, CircularIterator, SerialIterator, PopularTagsIterator and BatchedRequests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from yarnbox.rm.scheduler.constraint.asking import number_of, with_number
from yarnbox.rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError
from yarnbox.rm.scheduler.constraint.tags import AllocationTags
from yarnbox.rm.scheduler.constraint.text import Part
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.request import SchedulingRequest
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.java_order import in_hash_order, text_hash

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode

PASSES = 2
"""A batch is gone through, and what is left of it once more."""
SERIAL, POPULAR_TAGS = "SERIAL", "POPULAR_TAGS"


class Batch:
    """Requests of one application that are placed together, for the `attempt`th time."""

    __slots__ = ("application_id", "attempt", "barred", "requests")

    def __init__(
        self, application_id: ApplicationId, requests: Iterable[SchedulingRequest], attempt: int = 1
    ) -> None:
        self.application_id = application_id
        self.requests = list(requests)
        self.attempt = attempt
        self.barred: dict[str, dict[NodeId, None]] = {}
        """Nodes where the scheduler refused a container, by the tag that stands for its request."""

    def blacklist(self, request: SchedulingRequest, node_id: NodeId) -> None:
        """The scheduler refused the request on the node."""
        if request.allocation_tags:
            self.barred.setdefault(first_tag(request), {})[node_id] = None

    def is_blacklisted(self, request: SchedulingRequest, node_id: NodeId) -> bool:
        """Whether it did."""
        return node_id in self.barred.get(first_tag(request), ())


class PlacedRequest:
    """A request and the nodes for its containers; a node may be there twice."""

    __slots__ = ("nodes", "request")

    def __init__(self, request: SchedulingRequest) -> None:
        self.request = request
        self.nodes: list[SchedulerNode] = []


class PlacementResult:
    """The result for a batch: requests with their nodes, and requests with the number of containers that are
    not placed.
    """

    __slots__ = ("placed", "rejected")

    def __init__(self) -> None:
        self.placed: list[PlacedRequest] = []
        self.rejected: list[SchedulingRequest] = []


class ConstraintChecks(Protocol):
    """What an algorithm asks of the constraints."""

    @property
    def tags(self) -> AllocationTags: ...

    def unmet(
        self, application_id: ApplicationId, request: SchedulingRequest, node: SchedulerNode
    ) -> Part | None:
        """The part of the request's constraints that the node does not satisfy, if there is one."""
        ...

    def warn(self, application_id: ApplicationId, error: InvalidAllocationTagsQueryError) -> None:
        """A constraint cannot be looked up."""
        ...

    def fits_in(self, size: Resource, room: Resource) -> bool:
        """Whether the scheduler's calculator says so."""
        ...


class PlacementAlgorithm(Protocol):
    """What `yarn.resourcemanager.placement-constraints.algorithm.class` names."""

    def __init__(self, constraints: ConstraintChecks, iterator: str) -> None: ...

    def place(self, batch: Batch, nodes: Sequence[SchedulerNode]) -> PlacementResult:
        """Nodes for the batch; changes nothing that outlives the call."""
        ...


def first_tag(request: SchedulingRequest) -> str:
    """The tag that stands for a request: the first of Hadoop's set of them; empty when it has none.

    See tests/scenarios/constraints/tag-that-stands-for-a-request.yaml.
    """
    return in_hash_order(request.allocation_tags, text_hash)[0] if request.allocation_tags else ""


def in_order(requests: Sequence[SchedulingRequest], iterator: str) -> list[int]:
    """The places of the requests in the order in which they are served: as they came, or those with the
    commonest tags first.
    """
    places = range(len(requests))
    if iterator == SERIAL:
        return list(places)
    counts: dict[str, int] = {}
    for request in requests:
        for tag in dict.fromkeys(request.allocation_tags):
            counts[tag] = counts.get(tag, 0) + 1
    return sorted(
        places, key=lambda place: -max((counts[tag] for tag in requests[place].allocation_tags), default=0)
    )


class _NodeCycle:
    """Iterates over the nodes again and again; each request starts about where the one before stopped."""

    __slots__ = ("_next", "_nodes")

    def __init__(self, nodes: Sequence[SchedulerNode]) -> None:
        self._nodes = nodes
        self._next = 0

    def visit(self, first: SchedulerNode | None) -> Iterator[SchedulerNode]:
        """`first`, if there is one, and then every node once.

        Each node that is handed out is behind the next request, until one walks over the end of the list:
        those after it begin at the start.
        """
        nodes, count = self._nodes, len(self._nodes)
        is_first_lap = self._next < count
        place = self._next if is_first_lap else 0
        if is_first_lap:
            self._next += 1
        if first is not None:
            yield first
        yield nodes[place]
        for _ in range(count - 1):
            place += 1
            if place == count:
                place, is_first_lap = 0, False
            if is_first_lap:
                self._next = place + 1
            yield nodes[place]


class DefaultPlacementAlgorithm:
    """Hadoop's own."""

    def __init__(self, constraints: ConstraintChecks, iterator: str) -> None:
        self._constraints = constraints
        self._iterator = iterator

    def place(self, batch: Batch, nodes: Sequence[SchedulerNode]) -> PlacementResult:
        """Two passes over the batch, each checked at its end."""
        work = _BatchPlacement(self._constraints, batch.application_id, nodes)
        for _ in range(PASSES):
            work.place(batch, in_order(batch.requests, self._iterator))
            work.check()
            if not work.outcome.rejected:
                break
            # What the second pass goes through is a batch of its own, which knows of no barred nodes.
            batch = Batch(batch.application_id, work.outcome.rejected, batch.attempt)
        work.remove_tags()
        return work.outcome


class _BatchPlacement:
    """The placement of one batch."""

    def __init__(
        self,
        constraints: ConstraintChecks,
        application_id: ApplicationId,
        nodes: Sequence[SchedulerNode],
    ) -> None:
        self._constraints = constraints
        self._application_id = application_id
        self._nodes = nodes
        self._available: dict[NodeId, Resource] = {}
        """What each node has free, as Hadoop counts it: see `_book`."""
        self.outcome = PlacementResult()

    def place(self, batch: Batch, order: list[int]) -> None:
        """Gives each request nodes, as far as there are any; what is left over is rejected."""
        left = [number_of(request) for request in batch.requests]
        cycle = _NodeCycle(self._nodes)
        last: SchedulerNode | None = None
        for number in order if self._nodes else ():
            request = batch.requests[number]
            placed = PlacedRequest(request)
            self.outcome.placed.append(placed)
            for node in cycle.visit(last):
                if left[number] <= 0:
                    break
                if not batch.is_blacklisted(request, node.node_id) and self._takes(request, node):
                    left[number] -= 1
                    placed.nodes.append(node)
                    self._book(request, node, 1)
                    last = node
        self.outcome.rejected = [
            with_number(request, count)
            for request, count in zip(batch.requests, left, strict=True)
            if count > 0
        ]

    def check(self) -> None:
        """What is placed must hold beside all the rest, itself not counted; else it is rejected."""
        for placed in self.outcome.placed:
            kept = []
            for node in placed.nodes:
                self._tag(placed.request, node, -1)
                if self._is_met(placed.request, node):
                    self._tag(placed.request, node, 1)
                    kept.append(node)
                else:
                    self._account(placed.request, node, -1)
            if lost := len(placed.nodes) - len(kept):
                self.outcome.rejected.append(with_number(placed.request, lost))
            placed.nodes = kept
        self.outcome.placed = [placed for placed in self.outcome.placed if placed.nodes]

    def remove_tags(self) -> None:
        """The containers are not there yet."""
        for placed in self.outcome.placed:
            for node in placed.nodes:
                self._tag(placed.request, node, -1)

    def _takes(self, request: SchedulingRequest, node: SchedulerNode) -> bool:
        available = self._available.setdefault(node.node_id, node.available)
        return self._constraints.fits_in(_size(request), available) and self._is_met(request, node)

    def _is_met(self, request: SchedulingRequest, node: SchedulerNode) -> bool:
        try:
            return self._constraints.unmet(self._application_id, request, node) is None
        except InvalidAllocationTagsQueryError as error:
            self._constraints.warn(self._application_id, error)
            return False

    def _book(self, request: SchedulingRequest, node: SchedulerNode, sign: int) -> None:
        self._tag(request, node, sign)
        self._account(request, node, sign)

    def _account(self, request: SchedulingRequest, node: SchedulerNode, sign: int) -> None:
        # Hadoop adds what it places to what the node has free, and so never finds a node full within a batch;
        # the commit does, and bars the node for the next attempt.
        self._available[node.node_id] = self._available[node.node_id] + _size(request) * sign

    def _tag(self, request: SchedulingRequest, node: SchedulerNode, sign: int) -> None:
        tags = self._constraints.tags
        change = tags.add if sign > 0 else tags.remove
        change(node.node_id, node.rack, self._application_id, request.allocation_tags)


def _size(request: SchedulingRequest) -> Resource:
    sizing = request.resource_sizing
    return (sizing.resources if sizing is not None else None) or NONE
