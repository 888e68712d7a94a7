"""Timers: events that fall due later.

A timer is set under a key, replaced by setting it again, and cancelled by the key.

Timers of one moment fire in the order in which they were set. Nothing here knows what time it is: whoever
drives the core asks `next_due_ms` and takes what is due.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from typing import Generic, TypeVar

E = TypeVar("E")


class Timers(Generic[E]):
    """A heap of (due, sequence) with lazy deletion of what was cancelled or replaced."""

    __slots__ = ("_heap", "_live", "_sequence")

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Hashable]] = []
        self._live: dict[Hashable, tuple[int, E]] = {}
        self._sequence = 0

    def __len__(self) -> int:
        return len(self._live)

    def at(self, due_ms: int, key: Hashable, event: E) -> None:
        """Lets `event` happen at `due_ms`; an earlier timer of the same key is forgotten."""
        self._sequence += 1
        self._live[key] = (self._sequence, event)
        heapq.heappush(self._heap, (due_ms, self._sequence, key))

    def cancel(self, key: Hashable) -> None:
        """Forgets the timer of that key, if there is one."""
        self._live.pop(key, None)

    def next_due_ms(self) -> int | None:
        """When the earliest timer is due; None when there is none."""
        return self._heap[0][0] if self._has_live_head() else None

    def pop_due(self, now_ms: int) -> E | None:
        """Takes the earliest event that is due at `now_ms` or before; None when there is none."""
        if not self._has_live_head() or self._heap[0][0] > now_ms:
            return None
        _, _, key = heapq.heappop(self._heap)
        return self._live.pop(key)[1]

    def _has_live_head(self) -> bool:
        """Drops what was cancelled or replaced; whether a timer is left."""
        heap = self._heap
        while heap:
            _, sequence, key = heap[0]
            live = self._live.get(key)
            if live is not None and live[0] == sequence:
                return True
            heapq.heappop(heap)
        return False
