"""An asyncio loop whose time is virtual: when nothing is left to do, it is the moment of the next timer.

Everything that runs in it is deterministic as long as it waits for timers and for other tasks of the loop
only: no thread, no socket. Whoever waits for what can never come is told so.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Mapping
from typing import Any

LARGEST_STEP_S = 10 * 365 * 86400.0


class StandstillError(AssertionError):
    """Every task waits, and no timer is set: nothing would ever happen again."""


class _Selector(selectors.BaseSelector):
    """Looks at what is ready without waiting for it, and lets the time pass instead."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._real = selectors.DefaultSelector()
        self._loop = loop

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """As every selector."""
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        """As every selector."""
        return self._real.unregister(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        """As every selector."""
        return self._real.get_map()

    def close(self) -> None:
        """As every selector."""
        self._real.close()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready at once; else `timeout` has passed."""
        ready = self._real.select(0)
        if not ready and timeout != 0:
            self._loop.pass_time(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop. Time is counted in whole milliseconds, as clusters count it."""

    def __init__(self) -> None:
        self._now_ms = 0
        super().__init__(_Selector(self))

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._now_ms / 1000

    def now_ms(self) -> int:
        """The same in milliseconds."""
        return self._now_ms

    def pass_time(self, seconds: float | None) -> None:
        """Lets so much time pass; None: there is no timer, and nothing to wait for."""
        if seconds is None or seconds > LARGEST_STEP_S:
            raise StandstillError("every task waits for something that no other one will do")
        self._now_ms += max(1, math.ceil(seconds * 1000 - 1e-6))


class LoopClock:
    """The loop's time as moments since 1970, for cores."""

    def __init__(self, loop: VirtualLoop, start_ms: int) -> None:
        self._loop = loop
        self._start_ms = start_ms

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self._start_ms + self._loop.now_ms()
