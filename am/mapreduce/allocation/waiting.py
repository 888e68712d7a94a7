"""The attempts that have asked for a container and wait for it, found by priority and place.

Keeps an index per place, so that a container finds its attempt without looking at all of them. Hadoop:
RMContainerAllocator.ScheduledRequests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from yarnbox.am.asks import ANY, ContainerRequest
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.resources.resource import Resource


class _Place(NamedTuple):
    priority: int
    name: str


@dataclass(slots=True)
class _Waiting:
    request: ContainerRequest
    places: tuple[_Place, ...]
    since_ms: int


class WaitingAttempts:
    """In the order in which they asked."""

    def __init__(self) -> None:
        self._waiting: dict[TaskAttemptId, _Waiting] = {}
        self._at: dict[_Place, dict[TaskAttemptId, None]] = {}
        self.maps = 0
        self.reduces = 0

    def add(self, attempt_id: TaskAttemptId, request: ContainerRequest, now_ms: int) -> None:
        """It waits from now on, at the hosts and racks of its request and anywhere."""
        names = (*request.nodes, *request.racks, ANY)
        places = tuple(_Place(request.priority, name) for name in names)
        self._waiting[attempt_id] = _Waiting(request, places, now_ms)
        for place in places:
            self._at.setdefault(place, {})[attempt_id] = None
        self._count(attempt_id, 1)

    def pop(self, attempt_id: TaskAttemptId) -> ContainerRequest | None:
        """It waits no longer; what it had asked for."""
        known = self._waiting.pop(attempt_id, None)
        if known is None:
            return None
        for place in known.places:
            there = self._at[place]
            there.pop(attempt_id, None)
            if not there:
                del self._at[place]
        self._count(attempt_id, -1)
        return known.request

    def request_of(self, attempt_id: TaskAttemptId) -> ContainerRequest:
        """What it has asked for."""
        return self._waiting[attempt_id].request

    def nearest(
        self, priority: int, size: Resource, host: str, rack: str, *, far: bool = True
    ) -> TaskAttemptId | None:
        """The attempt for a container: one that wants the host, else the rack, else any; the first to ask.
        Without `far` none that wants to be elsewhere.
        """
        for name in (host, rack, ANY):
            for attempt_id in self._at.get(_Place(priority, name), ()):
                request = self._waiting[attempt_id].request
                if name == ANY and request.nodes and not far:
                    continue
                if request.capability.memory_mb <= size.memory_mb:
                    return attempt_id
        return None

    def maps_since_before(self, moment_ms: int) -> int:
        """How many maps have waited since before that moment."""
        return sum(
            attempt_id.is_map and waiting.since_ms < moment_ms
            for attempt_id, waiting in self._waiting.items()
        )

    def waiting_reduces(self) -> list[TaskAttemptId]:
        """The reduces, in order."""
        return [attempt_id for attempt_id in self._waiting if not attempt_id.is_map]

    def _count(self, attempt_id: TaskAttemptId, by: int) -> None:
        if attempt_id.is_map:
            self.maps += by
        else:
            self.reduces += by
