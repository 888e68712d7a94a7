"""Turns of a core, its timers, and its effects in their order.

Effects may be answered at once, by another turn; so they wait in a queue, and one call at a time empties it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from nm.core import Core
from nm.effects import Effect
from yarn.ids import ContainerId

T = TypeVar("T")


class SystemClock:
    """Milliseconds since 1970."""

    def now_ms(self) -> int:
        """Now."""
        return time.time_ns() // 1_000_000


class Pump:
    """What drives one core within an event loop."""

    def __init__(self, core: Core, perform: Callable[[Effect], None]) -> None:
        self._core = core
        self._perform = perform
        self._effects: deque[Effect] = deque()
        self._is_flushing = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due_ms: int | None = None

    def turn(self, call: Callable[[], T]) -> T:
        """One call of the core; what it asks of the world is under way when this returns."""
        try:
            return self._core.turn(call)
        finally:
            self._after()

    def start(self) -> None:
        """Carries out what the core asked for while it was built, and keeps its timers from now on."""
        self._after()

    def stop(self) -> None:
        """Keeps no timer any longer."""
        if self._timer is not None:
            self._timer.cancel()

    def _after(self) -> None:
        self._effects.extend(self._core.take_effects())
        if not self._is_flushing:
            self._is_flushing = True
            try:
                while self._effects:
                    self._perform(self._effects.popleft())
            finally:
                self._is_flushing = False
        self._set_timer()

    def _set_timer(self) -> None:
        due_ms = self._core.next_due_ms()
        if due_ms == self._timer_due_ms:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_due_ms = due_ms
        self._timer = None
        if due_ms is not None:
            delay_s = max(0, due_ms - self._core.clock.now_ms()) / 1000
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._advance)

    def _advance(self) -> None:
        self._timer = self._timer_due_ms = None
        self._core.advance()
        self._after()


class Answers:
    """News of containers, each a turn: what executors report to."""

    def __init__(self, core: Core, pump: Pump) -> None:
        self._world = core.world
        self._pump = pump

    def launched(self, container_id: ContainerId) -> None:
        """Its process runs."""
        self._pump.turn(lambda: self._world.container_launched(container_id))

    def exited(self, container_id: ContainerId, exit_code: int, diagnostics: str) -> None:
        """Nothing of it runs any longer."""
        self._pump.turn(lambda: self._world.container_exited(container_id, exit_code, diagnostics))

    def paused(self, container_id: ContainerId) -> None:
        """It stands still."""
        self._pump.turn(lambda: self._world.container_paused(container_id))

    def resumed(self, container_id: ContainerId) -> None:
        """It runs again."""
        self._pump.turn(lambda: self._world.container_resumed(container_id))
