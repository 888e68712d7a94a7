"""The containers of a run: where, whose, how large, and when each began and ended.

Told by the story. Moments are those of the recording. When there are too many, only those of every second
application stay, then of every fourth; applications count in the order of their first containers.
"""

from __future__ import annotations

from typing import Any

from yarnbox.rm.container import END_STATES, RMContainer, RMContainerState
from yarnbox.sim.recording.limits import MOST_CONTAINERS
from yarnbox.yarn.ids import ApplicationId, ContainerId

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
_LONGEST = 200
_ENDED = tuple(state.name for state in END_STATES)


class _Seen:
    """A container that lives, and the moments of its life so far."""

    __slots__ = ("container", "moments")

    def __init__(self, container: RMContainer) -> None:
        self.container = container
        self.moments: dict[str, int] = {}


class Containers:
    """The containers of one run."""

    def __init__(self, most: int = MOST_CONTAINERS) -> None:
        self.every = 1
        """Containers of every so many applications are kept."""
        self.count = 0
        """How many there have been."""
        self._most = most
        self._living: dict[ContainerId, _Seen] = {}
        self._ended: dict[ContainerId, _Seen] = {}
        self._number: dict[ApplicationId, int] = {}

    def note(self, container_id: ContainerId, after: str, found: RMContainer | None, at: int) -> bool:
        """It came into a state. `found` is what the scheduler holds by that id; whether it was given to its
        application now, which the reservation of a node for it is not yet.
        """
        seen = self._living.get(container_id)
        if seen is None:
            if found is None or after in _ENDED:
                return False
            self.count += 1
            seen = self._living[container_id] = _Seen(found)
            self._number.setdefault(container_id.application_id, len(self._number))
        was_given = "started" in seen.moments
        if after == RMContainerState.RESERVED.name:
            seen.moments.setdefault("reserved", at)
        elif after in (RMContainerState.ALLOCATED.name, RMContainerState.ACQUIRED.name):
            seen.moments.setdefault("started", at)
        elif after == RMContainerState.RUNNING.name:
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

    def rows(self) -> tuple[list[list[Any]], list[str]]:
        """A row for each container, in the order in which they began, and the names that rows speak of."""
        names: dict[str, int] = {}
        kept = {**self._ended, **{each: seen for each, seen in self._living.items() if self._is_kept(each)}}
        ordered = sorted(kept.items(), key=lambda pair: (_begin(pair[1]), pair[0]))
        rows = []
        for container_id, seen in ordered[: self._most]:
            values = _values(container_id, seen)
            for field in NAMED:
                values[field] = names.setdefault(values[field], len(names))
            rows.append([values[field] for field in FIELDS])
        return rows, list(names)

    def _is_kept(self, container_id: ContainerId) -> bool:
        return self._number[container_id.application_id] % self.every == 0

    def _keep(self, container_id: ContainerId, seen: _Seen) -> None:
        if not self._is_kept(container_id):
            return
        self._ended[container_id] = seen
        while len(self._ended) > self._most and self.every < len(self._number):
            self.every *= 2
            self._ended = {each: kept for each, kept in self._ended.items() if self._is_kept(each)}


def _begin(seen: _Seen) -> int:
    return min(seen.moments.values(), default=0)


def _values(container_id: ContainerId, seen: _Seen) -> dict[str, Any]:
    one, moments = seen.container, seen.moments
    is_over = "finished" in moments
    return {
        "id": str(container_id),
        "app": str(container_id.application_id),
        "node": str(one.node_id),
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
        "diagnostics": one.diagnostics[:_LONGEST] if is_over else "",
        "locality": one.locality.name if one.locality is not None else "",
        "requested": one.requested.name if one.requested is not None else "",
    }
