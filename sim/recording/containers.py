"""The containers of a run: where, whose, how large, and when each began and ended.

Told by the story. Moments are those of the recording. When there are too many, only those of every second
application stay, then of every fourth; applications count in the order of their first containers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from yarnbox.rm.container import END_STATES, RMContainer, RMContainerState
from yarnbox.sim.recording.limits import MOST_CONTAINERS
from yarnbox.sim.recording.shape import ContainerRow
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId

FIELDS = (
    "id",
    "app",
    "node",
    "queue",
    "user",
    "partition",
    "memoryMB",
    "vcores",
    "priority",
    "isAM",
    "reserved",
    "started",
    "running",
    "finished",
    "exitStatus",
    "diagnostics",
    "locality",
    "requested",
)
LATER = 2
"""So many of them, the last ones, are missing in recordings that are older than these fields."""
NAMED = ("app", "node", "queue", "user", "partition", "diagnostics", "locality", "requested")
"""Fields whose values are places in the list of names."""
_NAMED_PLACES = tuple(FIELDS.index(field) for field in NAMED)
_LONGEST = 200
_RESERVED, _RUNNING = RMContainerState.RESERVED.name, RMContainerState.RUNNING.name
_GIVEN = (RMContainerState.ALLOCATED.name, RMContainerState.ACQUIRED.name)
_ENDED = tuple(state.name for state in END_STATES)


class _Seen:
    """A container that lives, the number of its application, and the moments of its life so far."""

    __slots__ = ("app_number", "container", "moments")

    def __init__(self, container: RMContainer, app_number: int) -> None:
        self.container, self.app_number = container, app_number
        self.moments: dict[str, int] = {}


class _Ended(NamedTuple):
    """A container that has ended: when it began, the number of its application, and its row, in which names
    stand for themselves.
    """

    began: int
    app_number: int
    row: tuple[Any, ...]


class Containers:
    """The containers of one run: those that live, and the rows of so many others."""

    def __init__(self, most: int = MOST_CONTAINERS) -> None:
        self.every = 1
        """Containers of every so many applications are kept."""
        self.count = 0
        """How many there have been."""
        self._most = most
        self._living: dict[ContainerId, _Seen] = {}
        self._ended: dict[ContainerId, _Ended] = {}
        self._numbers: dict[ApplicationId, int] = {}
        """The number of each application, until the ResourceManager has forgotten it."""
        self._apps = 0
        self._words: dict[str, str] = {}
        """Each name once, however many rows have it."""
        self._names: dict[NodeId | ApplicationId, str] = {}
        """Those of nodes and of applications that live."""

    def note(self, container_id: ContainerId, after: str, found: RMContainer | None, at: int) -> bool:
        """It came into a state. `found` is what the scheduler holds by that id; whether it was given to its
        application now, which the reservation of a node for it is not yet.
        """
        seen = self._living.get(container_id)
        if seen is None:
            if found is None or after in _ENDED:
                return False
            self.count += 1
            seen = _Seen(found, self._number_of(container_id.application_id))
            self._living[container_id] = seen
        was_given = "started" in seen.moments
        if after == _RESERVED:
            seen.moments.setdefault("reserved", at)
        elif after in _GIVEN:
            seen.moments.setdefault("started", at)
        elif after == _RUNNING:
            seen.moments.setdefault("started", at)
            seen.moments.setdefault("running", at)
        elif after in _ENDED:
            seen.moments["finished"] = at
            del self._living[container_id]
            self._keep(container_id, seen)
        return "started" in seen.moments and not was_given

    def living(self, container_id: ContainerId) -> RMContainer | None:
        """The container, while it lives."""
        seen = self._living.get(container_id)
        return None if seen is None else seen.container

    def forget(self, application_id: ApplicationId) -> None:
        """The ResourceManager has forgotten the application: none of its containers will begin any more."""
        self._numbers.pop(application_id, None)
        self._names.pop(application_id, None)

    def rows(self) -> tuple[list[ContainerRow], list[str]]:
        """A row for each container, in the order in which they began, and the names that rows speak of."""
        names: dict[str, int] = {}
        living = {each: self._row(each, seen) for each, seen in self._living.items() if self._is_kept(seen)}
        kept = sorted({**self._ended, **living}.items(), key=_order)
        rows = []
        for _, ended in kept[: self._most]:
            row = list(ended.row)
            for place in _NAMED_PLACES:
                row[place] = names.setdefault(row[place], len(names))
            rows.append(row)
        return rows, list(names)

    def _number_of(self, application_id: ApplicationId) -> int:
        number = self._numbers.get(application_id)
        if number is None:
            number = self._numbers[application_id] = self._apps
            self._apps += 1
        return number

    def _is_kept(self, one: _Seen | _Ended) -> bool:
        return one.app_number % self.every == 0

    def _keep(self, container_id: ContainerId, seen: _Seen) -> None:
        if not self._is_kept(seen):
            return
        self._ended[container_id] = self._row(container_id, seen)
        while len(self._ended) > self._most and self.every < self._apps:
            self.every *= 2
            self._ended = {each: kept for each, kept in self._ended.items() if self._is_kept(kept)}
            self._words.clear()
        if len(self._ended) > 2 * self._most:  # all of one application, which no thinning leaves out
            self._ended = dict(sorted(self._ended.items(), key=_order)[: self._most])

    def _row(self, container_id: ContainerId, seen: _Seen) -> _Ended:
        app, node = self._name_of(container_id.application_id), self._name_of(seen.container.node_id)
        values, words = _values(container_id, seen, app, node), self._words
        for field in NAMED:
            values[field] = words.setdefault(values[field], values[field])
        began = min(seen.moments.values(), default=0)
        return _Ended(began, seen.app_number, tuple(values[field] for field in FIELDS))

    def _name_of(self, one: NodeId | ApplicationId) -> str:
        name = self._names.get(one)
        if name is None:
            name = self._names[one] = str(one)
        return name


def _order(pair: tuple[ContainerId, _Ended]) -> tuple[int, ContainerId]:
    return pair[1].began, pair[0]


def _values(container_id: ContainerId, seen: _Seen, app: str, node: str) -> dict[str, Any]:
    one, moments = seen.container, seen.moments
    is_over = "finished" in moments
    return {
        "id": str(container_id),
        "app": app,
        "node": node,
        "queue": one.queue,
        "user": one.user,
        "partition": one.partition,
        "memoryMB": one.resource.memory_mb,
        "vcores": one.resource.vcores,
        "priority": one.key.request_priority,
        "isAM": int(one.is_am),
        "reserved": moments.get("reserved"),
        "started": moments.get("started"),
        "running": moments.get("running"),
        "finished": moments.get("finished"),
        "exitStatus": one.exit_status if is_over else None,
        "diagnostics": one.reason_of_end[:_LONGEST] if is_over else "",
        "locality": one.locality.name if one.locality is not None else "",
        "requested": one.requested.name if one.requested is not None else "",
    }
