"""The kernel of virtual time: one clock, and a heap of what happens next.

Nothing happens between two moments. Things of one moment happen in the order of their priority, then in the
order in which they were put down. Whoever keeps timers of its own, as the ResourceManager's core does, joins
as a source and goes before the heap at the same moment. The kernel knows neither the RM nor scenarios.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple, Protocol

from yarn.clock import VirtualClock

Action = Callable[[], None]

MOST_AT_ONE_MOMENT = 1_000_000
"""More than this without time passing is an endless loop: a defect."""


class Source(Protocol):
    """Somebody with timers of its own."""

    def next_due_ms(self) -> int | None:
        """The moment of its earliest timer, or None."""
        ...

    def advance(self) -> None:
        """Lets happen what is due at the present moment."""
        ...


class _Entry(NamedTuple):
    due_ms: int
    priority: int
    sequence: int
    action: Action


class Kernel:
    """Moves the clock to what happens next, and lets it happen."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self._heap: list[_Entry] = []
        self._cancelled: dict[int, None] = {}
        self._sequence = 0
        self._sources: list[Source] = []
        self.watchers: list[Action] = []
        """Called after each thing that happened; they may look, and put nothing down."""

    def join(self, source: Source) -> None:
        """From now on the source's timers are minded."""
        self._sources.append(source)

    def at(self, due_ms: int, action: Action, priority: int = 0) -> int:
        """Puts down an action; answers the number by which it can be cancelled."""
        assert due_ms >= self.clock.now_ms(), f"{due_ms} is past"
        self._sequence += 1
        heapq.heappush(self._heap, _Entry(due_ms, priority, self._sequence, action))
        return self._sequence

    def cancel(self, number: int) -> None:
        """The action of that number will not happen."""
        self._cancelled[number] = None

    def next_due_ms(self) -> int | None:
        """The moment at which something happens next, or None."""
        self._drop_cancelled()
        moments = [due for source in self._sources if (due := source.next_due_ms()) is not None]
        if self._heap:
            moments.append(self._heap[0].due_ms)
        return min(moments, default=None)

    def run_until(self, end_ms: int) -> None:
        """Lets everything happen up to and at that moment; the clock then shows it."""
        at_this_moment = 0
        while (due_ms := self.next_due_ms()) is not None and due_ms <= end_ms:
            now_ms = max(due_ms, self.clock.now_ms())
            at_this_moment = at_this_moment + 1 if now_ms == self.clock.now_ms() else 0
            assert at_this_moment < MOST_AT_ONE_MOMENT, f"no end of what happens at {now_ms}"
            self.clock.move_to(now_ms)
            self._happen(now_ms)
            for watcher in self.watchers:
                watcher()
        self.clock.move_to(end_ms)

    def _happen(self, now_ms: int) -> None:
        for source in self._sources:
            due_ms = source.next_due_ms()
            if due_ms is not None and due_ms <= now_ms:
                source.advance()
                return
        heapq.heappop(self._heap).action()

    def _drop_cancelled(self) -> None:
        while self._heap and self._heap[0].sequence in self._cancelled:
            del self._cancelled[heapq.heappop(self._heap).sequence]
