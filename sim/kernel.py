"""The kernel of virtual time: one clock, and a heap of what happens next.

Nothing happens between two moments. Things of one moment happen in the order of their rank, then in the order
in which they were put down. Whoever keeps timers of its own, as the ResourceManager's core does, joins
as a source and goes before the heap at the same moment. The kernel knows neither the RM nor scenarios.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Protocol

from yarnbox.yarn.runtime.clock import VirtualClock

Action = Callable[[], None]
Rank = tuple[int, int]
"""A priority, and a number that orders the things of one priority."""

_BEFORE_ALL: Rank = (-(2**31), 0)

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


class Kernel:
    """Moves the clock to what happens next, and lets it happen."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self._heap: list[tuple[int, Rank, int, Action]] = []
        self._cancelled: dict[int, None] = {}
        self._sequence = 0
        self._at_this_moment = 0
        self._sources: list[Source] = []
        self._rank = _BEFORE_ALL
        self.watchers: list[Action] = []
        """Called after each thing that happened; they may look, and put nothing down."""

    def join(self, source: Source) -> None:
        """From now on the source's timers are minded."""
        self._sources.append(source)

    def at(self, due_ms: int, action: Action, priority: int = 0, order: int = 0) -> int:
        """Puts down an action; answers the number by which it can be cancelled."""
        assert due_ms >= self.clock.now_ms(), f"{due_ms} is past"
        self._sequence += 1
        heapq.heappush(self._heap, (due_ms, (priority, order), self._sequence, action))
        return self._sequence

    def is_to_come(self, rank: Rank) -> bool:
        """Whether things of that rank are still to happen at the present moment."""
        return rank > self._rank

    def cancel(self, number: int) -> None:
        """The action of that number will not happen."""
        self._cancelled[number] = None

    def run_until(self, end_ms: int) -> None:
        """Lets everything happen up to and at that moment; the clock then shows it."""
        while self._happen_by(end_ms):
            pass
        self.clock.move_to(end_ms)

    def run_while(self, is_wanted: Callable[[], bool], end_ms: int) -> None:
        """Lets one thing after the other happen while they are wanted, none later than that moment; the clock
        then shows when the last one did.
        """
        while is_wanted() and self._happen_by(end_ms):
            pass

    def _happen_by(self, end_ms: int) -> bool:
        """Lets happen what is next, if it is due by then; whether it was."""
        heap = self._heap
        if self._cancelled:
            self._drop_cancelled()
        now_ms = self.clock.now_ms()
        first: Source | None = None
        moment_ms = heap[0][0] if heap else None
        for source in self._sources:
            due_ms = source.next_due_ms()
            if due_ms is None:
                continue
            due_ms = max(due_ms, now_ms)
            if moment_ms is None or due_ms < moment_ms or (due_ms == moment_ms and first is None):
                first, moment_ms = source, due_ms
        if moment_ms is None or moment_ms > end_ms:
            return False
        if moment_ms > now_ms:
            self._at_this_moment = 0
            self.clock.move_to(moment_ms)
        else:
            self._at_this_moment += 1
            assert self._at_this_moment < MOST_AT_ONE_MOMENT, f"too many events at {now_ms}"
        if first is not None:
            self._rank = _BEFORE_ALL
            first.advance()
        else:
            _, self._rank, _, action = heapq.heappop(heap)
            action()
        for watcher in self.watchers:
            watcher()
        return True

    def _drop_cancelled(self) -> None:
        while self._heap and self._heap[0][2] in self._cancelled:
            del self._cancelled[heapq.heappop(self._heap)[2]]
