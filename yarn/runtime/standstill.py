"""Notices that this process stood still: stopped by a signal, or on a machine suspended or overloaded.

Whoever is silent for too long is declared lost. After a standstill silence proves nothing: the process could
not have heard anybody. So whoever drives a core tells it of a standstill before any timer is looked at. In
virtual time nobody stands still, however far the clock jumps.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PULSE_S = 0.25
"""How often a process that is well looks at the clock, at least."""

SHORTEST_MS = 1000
"""A shorter standstill is everyday life."""


class StandstillWatch:
    """Looks at the clock before each turn, and in pulses where there are none."""

    def __init__(
        self, stood_still: Callable[[int], None], seconds: Callable[[], float] = time.monotonic
    ) -> None:
        """`stood_still` is told for how many milliseconds."""
        self._stood_still = stood_still
        self._seconds = seconds
        self._seen_s = seconds()

    async def run(self) -> None:
        """Looks in pulses until it is cancelled."""
        while True:
            self.look()
            await asyncio.sleep(PULSE_S)

    def look(self) -> None:
        """Tells of a standstill, if the last look is too long ago."""
        now_s = self._seconds()
        gap_ms, self._seen_s = int((now_s - self._seen_s) * 1000), now_s
        if gap_ms >= SHORTEST_MS:
            self._stood_still(gap_ms)
