"""Where `now_ms` comes from: integer milliseconds, injected, so that virtual time is only another clock."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A source of time."""

    def now_ms(self) -> int:
        """The present moment in milliseconds. In a daemon: since 1970; in virtual time: since the start."""
        ...


class VirtualClock:
    """A clock that stands still until it is told otherwise."""

    __slots__ = ("_now_ms",)

    def __init__(self, now_ms: int = 0) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        """The moment it was last moved to."""
        return self._now_ms

    def move_to(self, now_ms: int) -> None:
        """Lets time pass until `now_ms`; time never runs backwards."""
        assert now_ms >= self._now_ms, f"time runs backwards: {now_ms} < {self._now_ms}"
        self._now_ms = now_ms


class SystemClock:
    """The machine's time since 1970 as it was when the process started, and from there on evenly: setting the
    machine's clock makes no node expire.
    """

    __slots__ = ("_offset_ns",)

    def __init__(self) -> None:
        self._offset_ns = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return (time.monotonic_ns() + self._offset_ns) // 1_000_000
