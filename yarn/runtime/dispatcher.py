"""The dispatcher: one queue of events, first in first out, drained to the last before a turn ends.

Events are routed by their class's family, the base class that says who handles them. Scheduler events go
through a second queue behind the first, in the order in which the first delivered them, as Hadoop's scheduler
has a dispatcher of its own. Hadoop: AsyncDispatcher and the ResourceManager's SchedulerEventDispatcher.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from yarnbox.yarn.runtime.event import Event

DRAIN_LIMIT: Final = 100_000
"""More events than this in one drain are an endless loop: a defect."""

Handler = Callable[[Any], None]
Watcher = Callable[[Event], None]
_Route = tuple[Handler, bool]
"""Who handles an event, and whether it goes through the second queue."""


class Dispatcher:
    """Two queues, one consumer."""

    __slots__ = ("_behind_queue", "_families", "_queue", "_routes", "is_draining", "watchers")

    def __init__(self) -> None:
        self._queue: deque[Event] = deque()
        self._behind_queue: deque[Event] = deque()
        self._families: dict[type[Event], _Route] = {}
        self._routes: dict[type[Event], _Route] = {}
        """Of each class of events that has been met, that of its family."""
        self.watchers: list[Watcher] = []
        self.is_draining = False

    @property
    def waiting(self) -> tuple[int, int]:
        """How many events wait, in the first queue and in the second."""
        return len(self._queue), len(self._behind_queue)

    def register(self, family: type[Event], handler: Handler, *, behind: bool = False) -> None:
        """Sends events of `family` to `handler`; `behind` puts them through the second queue."""
        assert family not in self._families, f"{family.__name__} has a handler"
        self._families[family] = (handler, behind)

    def post(self, event: Event) -> None:
        """Puts the event at the end of the queue."""
        self._queue.append(event)

    def drain(self) -> int:
        """Handles events in order until both queues are empty; the number handled."""
        assert not self.is_draining, "drain within a drain"
        self.is_draining = True
        count = 0
        queue, behind_queue = self._queue, self._behind_queue
        watchers = self.watchers
        kind: type[Event] | None = None  # of the event before: many of one class come together
        try:
            while queue or behind_queue:
                while queue:
                    event = queue.popleft()
                    if type(event) is not kind:
                        kind = type(event)
                        handler, is_behind = self._route(kind)
                    if is_behind:
                        behind_queue.append(event)
                        continue
                    count += 1
                    assert count <= DRAIN_LIMIT, f"more than {DRAIN_LIMIT} events in one turn, last {event}"
                    for watcher in watchers:
                        watcher(event)
                    handler(event)
                while behind_queue:
                    event = behind_queue.popleft()
                    count += 1
                    assert count <= DRAIN_LIMIT, f"more than {DRAIN_LIMIT} events in one turn, last {event}"
                    for watcher in watchers:
                        watcher(event)
                    if type(event) is not kind:
                        kind = type(event)
                        handler, is_behind = self._route(kind)
                    handler(event)
        finally:
            self.is_draining = False
        return count

    def _route(self, kind: type[Event]) -> _Route:
        found = self._routes.get(kind)
        if found is None:
            found = self._routes[kind] = self._families[kind.family]
        return found
