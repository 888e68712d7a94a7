"""Notices that this process was paused: stopped by a signal, or on a machine suspended or overloaded.

Whoever is silent for too long is declared lost. After a pause silence proves nothing: the process could not
have heard anybody. So a driver reports a pause to its core before it fires any timer. In virtual time there
are no pauses, however far the clock jumps. Hadoop: JvmPauseMonitor, which only logs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PULSE_S = 0.25
"""How often a process that runs checks the clock, at least."""

SHORTEST_MS = 1000
"""Shorter pauses are normal and are not reported."""


class PauseMonitor:
    """Checks the clock before each turn, and every `PULSE_S` when there are none."""

    def __init__(
        self, after_pause: Callable[[int], None], seconds: Callable[[], float] = time.monotonic
    ) -> None:
        """`after_pause` is called with the length of the pause in milliseconds."""
        self._after_pause = after_pause
        self._seconds = seconds
        self._seen_s = seconds()

    async def run(self) -> None:
        """Checks the clock every `PULSE_S` until it is cancelled."""
        while True:
            self.look()
            await asyncio.sleep(PULSE_S)

    def look(self) -> None:
        """Reports a pause, if the last check is too long ago."""
        now_s = self._seconds()
        gap_ms, self._seen_s = int((now_s - self._seen_s) * 1000), now_s
        if gap_ms >= SHORTEST_MS:
            self._after_pause(gap_ms)
