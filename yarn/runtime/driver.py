"""Drives a core within an asyncio loop: turns, effects and timers, in the order that everybody may rely on.

After each turn the driver (1) takes the effects that the turn ordered, (2) lets `persist` make durable
what must outlive a crash, (3) performs the effects one by one, in their order, and (4) sets the loop's next
call to when the core's next timer is due. Performing an effect may call for another turn: its effects wait
behind those under way.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from yarnbox.yarn.runtime.turns import TurnCore

T = TypeVar("T")
EffectT = TypeVar("EffectT")


class Turn(Protocol):
    """How a call is made within a turn of a core: `AsyncioDriver.turn`."""

    def __call__(self, call: Callable[[], T]) -> T:
        """Makes the call, and returns its answer."""
        ...


class AsyncioDriver(Generic[EffectT]):
    """The loop around one core. It is used from one thread."""

    def __init__(
        self,
        core: TurnCore[EffectT],
        perform: Callable[[EffectT], None],
        persist: Callable[[Sequence[EffectT]], None] = lambda effects: None,
        after_effects: Callable[[], None] = lambda: None,
        before_timers: Callable[[], None] = lambda: None,
    ) -> None:
        """`after_effects` is called when a turn's effects are under way: to see whether the core has ended;
        `before_timers` before the core looks at timers that are due.
        """
        self._core = core
        self._perform_one = perform
        self._persist = persist
        self._after_effects = after_effects
        self._before_timers = before_timers
        self._waiting: deque[EffectT] = deque()
        self._is_performing = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due_ms: int | None = None

    def turn(self, call: Callable[[], T]) -> T:
        """One turn; what it ordered is durable and under way when this returns the call's answer."""
        try:
            return self._core.turn(call)
        finally:
            self.perform_effects()

    def perform_effects(self) -> None:
        """Sees to what earlier turns ordered; for who calls the core himself, and once at the start."""
        while effects := self._core.take_effects():
            self._persist(effects)
            self._waiting.extend(effects)
            if not self._is_performing:
                self._perform_waiting()
        self._set_timer()
        self._after_effects()

    def _perform_waiting(self) -> None:
        self._is_performing = True
        try:
            while self._waiting:
                self._perform_one(self._waiting.popleft())
        finally:
            self._is_performing = False

    def stop(self) -> None:
        """Keeps no timer any longer."""
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self) -> None:
        due_ms = self._core.next_due_ms()
        if due_ms == self._timer_due_ms:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_due_ms, self._timer = due_ms, None
        if due_ms is not None:
            delay_s = max(0, due_ms - self._core.clock.now_ms()) / 1000
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._advance)

    def _advance(self) -> None:
        self._timer = self._timer_due_ms = None
        self._before_timers()
        try:
            self._core.advance()
        finally:
            self.perform_effects()
