"""The dispatcher: one queue of events, first in first out, drained to the last before a turn ends.

Events are routed by their class's family, the base class that says who handles them. Scheduler events go
through a second queue behind the first, in the order in which the first delivered them, as Hadoop's scheduler
has a dispatcher of its own. Hadoop: AsyncDispatcher and the ResourceManager's SchedulerEventDispatcher.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from yarnbox.yarn.runtime.event import Event

DRAIN_LIMIT = 100_000
"""More events than this in one drain are an endless loop: a defect."""

Handler = Callable[[Any], None]
Watcher = Callable[[Event], None]


class Dispatcher:
    """Two queues, one consumer."""

    __slots__ = ("_behind", "_behind_queue", "_handlers", "_queue", "is_draining", "watchers")

    def __init__(self) -> None:
        self._queue: deque[Event] = deque()
        self._behind_queue: deque[Event] = deque()
        self._handlers: dict[type[Event], Handler] = {}
        self._behind: dict[type[Event], bool] = {}
        self.watchers: list[Watcher] = []
        self.is_draining = False

    @property
    def waiting(self) -> tuple[int, int]:
        """How many events wait, in the first queue and in the second."""
        return len(self._queue), len(self._behind_queue)

    def register(self, family: type[Event], handler: Handler, *, behind: bool = False) -> None:
        """Sends events of `family` to `handler`; `behind` puts them through the second queue."""
        assert family not in self._handlers, f"{family.__name__} has a handler"
        self._handlers[family] = handler
        self._behind[family] = behind

    def post(self, event: Event) -> None:
        """Puts the event at the end of the queue."""
        self._queue.append(event)

    def drain(self) -> int:
        """Handles events in order until both queues are empty; the number handled."""
        assert not self.is_draining, "drain within a drain"
        self.is_draining = True
        count = 0
        queue, behind_queue = self._queue, self._behind_queue
        handlers, behind, watchers = self._handlers, self._behind, self.watchers
        try:
            while queue or behind_queue:
                while queue:
                    event = queue.popleft()
                    family = event.family
                    if behind[family]:
                        behind_queue.append(event)
                        continue
                    count += 1
                    assert count <= DRAIN_LIMIT, f"more than {DRAIN_LIMIT} events in one turn, last {event}"
                    for watcher in watchers:
                        watcher(event)
                    handlers[family](event)
                while behind_queue:
                    event = behind_queue.popleft()
                    count += 1
                    assert count <= DRAIN_LIMIT, f"more than {DRAIN_LIMIT} events in one turn, last {event}"
                    for watcher in watchers:
                        watcher(event)
                    handlers[event.family](event)
        finally:
            self.is_draining = False
        return count
