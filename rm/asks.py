"""The pending requests of an application, by key and location, and how an allocation lowers them.

An ask replaces the earlier ask with the same key and location; it does not add to it. The count at `*` is the
truth of how many containers a key still wants: a key is active while it is above zero, and pending resources
follow it alone. Counts of hosts and racks that are left over stay, and count again if `*` is raised. A key
with a placement constraint has one request, at `*`; what may become of it is rm.scheduler.constraint.asking's
business. Knows nothing of queues or limits. Hadoop: AppSchedulingInfo, LocalityAppPlacementAllocator and
the books of SingleConstraintAppPlacementAllocator.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from enum import Enum
from operator import attrgetter
from typing import NamedTuple

from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.errors import SchedulerInvalidResourceRequestError
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.records.request import ResourceRequest, SchedulingRequest
from yarnbox.yarn.resources.resource import NONE, Resource

ANY = "*"


class RequestKey(NamedTuple):
    """Requests of one key are served together: a smaller request priority first, then a smaller allocation
    id; containers that are to grow come after all others, whatever their priority.
    """

    request_priority: int
    allocation_request_id: int = -1
    update_of: ContainerId | tuple[()] = ()
    """The container that is to grow by what is asked; see `rm.scheduler.updates`."""

    @property
    def comparison_key(self) -> tuple[bool, RequestKey]:
        """By which keys are ordered (SchedulerRequestKey.compareTo)."""
        return bool(self.update_of), self


_COMPARISON_KEY = attrgetter("comparison_key")


class Locality(Enum):
    """The locality of a container relative to its request (NodeType)."""

    __hash__ = object.__hash__  # members are single: Enum's own hashes the name at each look

    NODE_LOCAL = "node-local"
    RACK_LOCAL = "rack-local"
    OFF_SWITCH = "off-switch"


class Constrained:
    """What a scheduling request says beyond number and size; it stays when the number falls to zero."""

    __slots__ = ("failed_looks", "request")

    def __init__(self, request: SchedulingRequest) -> None:
        self.request = request
        """As it came; its number is out of date, see the PendingRequest."""
        self.failed_looks = 0
        """How often its constraint could not be looked up."""


class PendingRequest:
    """One request of a key: so many containers of this capability at this location."""

    __slots__ = (
        "capability",
        "constrained",
        "count",
        "execution_type",
        "label",
        "location",
        "relax_locality",
    )

    def __init__(
        self,
        location: str,
        count: int,
        capability: Resource,
        relax_locality: bool = True,
        label: str = "",
        execution_type: ExecutionType = ExecutionType.GUARANTEED,
        constrained: Constrained | None = None,
    ) -> None:
        self.location = location
        self.count = count
        self.capability = capability
        self.relax_locality = relax_locality
        self.label = label
        self.execution_type = execution_type
        self.constrained = constrained
        """The scheduling request that it stands for; None for a plain one."""


_NOTHING = PendingRequest(ANY, 0, NONE, relax_locality=False)
"""Of a key that asks at hosts or racks alone; nobody changes it."""


class KeyAsks:
    """The requests of one key, by location in the order in which they were first asked."""

    __slots__ = ("any", "by_location", "key", "most")

    def __init__(self, key: RequestKey) -> None:
        self.key = key
        self.by_location: dict[str, PendingRequest] = {}
        self.most = 0
        """At so many locations something was asked for at one time."""
        self.any = _NOTHING
        """The request at `*`; kept here although its count is zero."""

    @property
    def outstanding(self) -> int:
        """How many containers the key still wants."""
        return self.any.count

    @property
    def constrained(self) -> Constrained | None:
        """The scheduling request of the key, if it has one."""
        return self.any.constrained

    @property
    def label(self) -> str:
        """The partition in which the key asks: that of its request at `*`."""
        return self.any.label

    def at(self, location: str) -> PendingRequest | None:
        """The request at this location, if its count is above zero."""
        request = self.by_location.get(location)
        return request if request is not None and request.count > 0 else None

    def nearest(self, host: str, rack: str) -> Locality:
        """How near a node is to the nearest place that is asked for (requestLocalityType)."""
        if len(self.by_location) == 1 and ANY in self.by_location:
            return Locality.OFF_SWITCH
        if self.at(host) is not None:
            return Locality.NODE_LOCAL
        return Locality.OFF_SWITCH if self.at(rack) is None else Locality.RACK_LOCAL

    def count_at(self, location: str) -> int:
        """How many containers are asked for at this location."""
        request = self.by_location.get(location)
        return request.count if request is not None else 0

    def unique_locations(self) -> int:
        """The number of distinct locations in the table."""
        return len(self.by_location)


PendingChanged = Callable[[str, Resource, int], None]
"""Called with a partition, the change of the pending resource, and the change of the number of containers."""


class Asks:
    """All requests of an application attempt."""

    __slots__ = ("_keys", "_pending_changed", "active_keys", "partitions", "satisfied")

    def __init__(self, pending_changed: PendingChanged) -> None:
        self._keys: dict[RequestKey, KeyAsks] = {}
        self._pending_changed = pending_changed
        self.active_keys: list[RequestKey] = []
        """The keys that still want containers, most important first."""
        self.satisfied: dict[RequestKey, None] = {}
        """The keys of scheduling requests that got all they wanted: to Hadoop they still want something. See
        tests/scenarios/constraints/satisfied-request-keeps-its-user-active.yaml.
        """
        self.partitions: dict[str, None] = {}
        """Every partition that a plain request at `*` ever named, even one for no containers."""

    def key_asks(self, key: RequestKey) -> KeyAsks | None:
        """The requests of one key; None where it was never asked for."""
        return self._keys.get(key)

    def __getitem__(self, key: RequestKey) -> KeyAsks:
        """The same of a key that was asked for, such as an active one."""
        return self._keys[key]

    def all_keys(self) -> Iterable[KeyAsks]:
        """Every key that was ever asked for."""
        return self._keys.values()

    def is_empty(self) -> bool:
        """Whether no containers are requested."""
        return not self.active_keys

    def replace(self, requests: Iterable[ResourceRequest]) -> None:
        """Takes an ask, normalized and validated before: counts are absolute, 0 cancels.

        Of several requests for the same place the last one counts. A key of which nothing is wanted at `*`
        any more is forgotten with all its places. See tests/scenarios/requests/cancelled-key-forgets-its-
        places.yaml.
        """
        places = {
            (RequestKey(one.priority or 0, one.allocation_request_id), one.resource_name or ANY): one
            for one in requests
        }
        cancelled: dict[RequestKey, None] = {}
        for (key, location), request in places.items():
            key_asks = self._keys.get(key)
            if key_asks is None:
                self._keys[key] = key_asks = KeyAsks(key)
            elif key_asks.constrained is not None:
                raise SchedulerInvalidResourceRequestError(
                    f"a ResourceRequest cannot be handled where a SchedulingRequest with the same scheduler "
                    f"key exists: priority={key.request_priority}, allocationRequestId="
                    f"{key.allocation_request_id}, please send ResourceRequest with a different allocationId "
                    "and priority"
                )
            count = max(request.num_containers or 0, 0)
            if location == ANY and not count:
                cancelled[key] = None
            execution = request.execution_type_request
            self._put(
                key_asks,
                PendingRequest(
                    location,
                    count,
                    request.capability or NONE,
                    request.relax_locality,
                    request.node_label_expression or "",
                    execution.execution_type if execution is not None else ExecutionType.GUARANTEED,
                ),
            )
        for key in cancelled:
            del self._keys[key]

    def put(self, key: RequestKey, requests: Iterable[PendingRequest]) -> None:
        """Books the requests of one key, each in place of the earlier one at its location."""
        key_asks = self._keys.get(key)
        if key_asks is None:
            self._keys[key] = key_asks = KeyAsks(key)
        for request in requests:
            self._put(key_asks, request)

    def drop(self, key: RequestKey) -> None:
        """Forgets a key, which must have no pending containers."""
        assert key not in self.active_keys, f"{key} is active"
        self.satisfied.pop(key, None)
        self._keys.pop(key, None)

    def take(self, locality: Locality, host: str, rack: str, key: RequestKey) -> tuple[PendingRequest, ...]:
        """Takes one container off the requests, as an allocation of this locality does.

        Returns the requests that were lowered, so that `give_back` can undo it: none for a scheduling
        request, which Hadoop never gives back.
        See tests/scenarios/constraints/lost-before-it-was-heard-of.yaml.
        """
        key_asks = self._keys[key]
        if locality is Locality.NODE_LOCAL:
            locations: tuple[str, ...] = (host, rack, ANY)
        elif locality is Locality.RACK_LOCAL:
            locations = (rack, ANY)
        else:
            locations = (ANY,)
        lowered = []
        for location in locations:
            request = key_asks.by_location.get(location)
            if request is not None and request.count > 0:
                request.count -= 1
                lowered.append(request)
                if request.count == 0:
                    # A name leaves the table when allocations bring it to zero; `any` stays at hand.
                    del key_asks.by_location[location]
        wanted = key_asks.any
        if wanted.count == 0:
            self.active_keys.remove(key)
            if wanted.constrained is not None:
                self.satisfied[key] = None
        self._pending_changed(wanted.label, -wanted.capability, -1)
        return () if wanted.constrained is not None else tuple(lowered)

    def give_back(self, key: RequestKey, lowered: Iterable[PendingRequest]) -> None:
        """Restores the requests of a container that ended before its AM pulled it.

        As the AM's own requests of that priority: so what was given for an update of a container does, too,
        as in Hadoop, whose ResourceRequests do not say that. See
        tests/scenarios/fair/fair-growth-lost-with-its-node.yaml.
        """
        if key.update_of:
            key = RequestKey(key.request_priority, key.allocation_request_id)
        key_asks = self._keys.get(key)
        if key_asks is None:
            key_asks = KeyAsks(key)
        for request in lowered:
            self._keys[key] = key_asks
            present = key_asks.by_location.get(request.location)
            count = present.count if present is not None else 0
            self._put(
                key_asks,
                PendingRequest(
                    request.location,
                    count + 1,
                    request.capability,
                    request.relax_locality,
                    request.label,
                    request.execution_type,
                ),
            )

    def clear(self) -> None:
        """Forgets everything; nothing is pending any more."""
        keys, self.active_keys = self.active_keys, []
        self.satisfied.clear()
        for key in keys:
            wanted = self._keys[key].any
            self._pending_changed(wanted.label, wanted.capability * -wanted.count, -wanted.count)
        self._keys.clear()

    def pending(self) -> Resource:
        """The sum of all pending resources."""
        total = NONE
        for key in self.active_keys:
            wanted = self._keys[key].any
            total = total + wanted.capability * wanted.count
        return total

    def forget_default_partition(self) -> None:
        """Of the partitions that were named, it is not known any more. Hadoop does that, it seems by mistake,
        when it looks whether the application may be moved (CapacityScheduler.checkQueuePartition). See
        tests/scenarios/queues/headroom-after-a-look-at-labels.yaml.
        """
        self.partitions.pop(DEFAULT_PARTITION, None)

    def _put(self, key_asks: KeyAsks, request: PendingRequest) -> None:
        if request.location == ANY:
            before = key_asks.any
            was_active = before.count > 0
            key_asks.any = request
            self.satisfied.pop(key_asks.key, None)
            if request.constrained is None:
                self.partitions[request.label] = None
            if request.count > 0 and not was_active:
                insort(self.active_keys, key_asks.key, key=_COMPARISON_KEY)
            elif request.count == 0 and was_active:
                self.active_keys.remove(key_asks.key)
            self._book(before, request)
        key_asks.by_location[request.location] = request
        key_asks.most = max(key_asks.most, len(key_asks.by_location))

    def _book(self, before: PendingRequest, after: PendingRequest) -> None:
        if before.count and before.label != after.label:
            self._pending_changed(before.label, before.capability * -before.count, -before.count)
            before = _NOTHING
        delta = after.capability * after.count - before.capability * before.count
        if delta or after.count != before.count:
            self._pending_changed(after.label, delta, after.count - before.count)
