"""The loop around the core: one turn per call, timers on the event loop, effects to whoever carries them out.

Owns when the core is called, and that what a turn stored is durable before anybody hears of it. Knows nothing
of gRPC. Answers for the threads of Hadoop's dispatchers and monitors, which have become one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from rm.core import Core
from rm.edge.launcher import Launcher
from rm.edge.store import StateStore
from rm.effects import ApplicationForgotten, KeepLog, KeepRecord, LaunchContainer, StopContainer, StoreState
from yarn.clock import Clock
from yarn.errors import NotReadyError
from yarn.journal import Journal
from yarn.log import LEVELS, Log

T = TypeVar("T")

log = Log("rm")


class Driver:
    """Turns of one core, in one thread."""

    def __init__(
        self, core: Core, clock: Clock, store: StateStore | None, broken: Callable[[BaseException], None]
    ) -> None:
        self._core = core
        self._clock = clock
        self._store = store
        self._broken = broken
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._due_ms: int | None = None
        self._is_broken = False
        self.launcher: Launcher
        self.journals: dict[str, Journal] = {}
        """Where records are kept, by the name of their journal."""

    def turn(self, call: Callable[[], T]) -> T:
        """One turn and all that follows from it; the answer of the call, or what it raised."""
        if self._is_broken:
            raise NotReadyError("the ResourceManager is stopping: its state store failed")
        try:
            return self._core.turn(call)
        finally:
            self.settle()

    def tell(self, news: Callable[[], None]) -> None:
        """Tells the core what the world did, which is a turn of its own, and settles what follows."""
        try:
            news()
        finally:
            self.settle()

    def settle(self) -> None:
        """Carries out what the core ordered, until it orders nothing more, and sets the clock's next call."""
        while effects := self._core.take_effects():
            stored = [effect for effect in effects if isinstance(effect, StoreState)]
            if stored and self._store is not None and not self._write(self._store, stored):
                return
            if not self._keep([effect for effect in effects if isinstance(effect, KeepRecord)]):
                return
            for effect in effects:
                self._perform(effect)
        self._set_timer()

    def _write(self, store: StateStore, orders: list[StoreState]) -> bool:
        try:
            store.write([(order.key, order.value) for order in orders])
        except Exception as error:
            # An RM whose store fails must not go on as if its memory were kept: RMStateStore ends it, too.
            log.exception("the state store failed", store=store.path)
            self._is_broken = True
            self._broken(error)
            return False
        return True

    def _keep(self, orders: list[KeepRecord]) -> bool:
        try:
            for order in orders:
                self.journals[order.journal].append(order.record)
        except OSError as error:
            log.exception("a journal failed")
            self._is_broken = True
            self._broken(error)
            return False
        return True

    def _perform(self, effect: Any) -> None:
        match effect:
            case StoreState():
                if effect.acknowledgement is not None:
                    self._core.stored(effect.acknowledgement)
            case LaunchContainer():
                self.launcher.launch(effect)
            case StopContainer():
                self.launcher.stop(effect)
            case KeepLog():
                Log(effect.logger).write(LEVELS[effect.level], effect.name, dict(effect.keys))
            case ApplicationForgotten() | KeepRecord():
                pass
            case _:
                raise AssertionError(f"nobody carries out {effect}")

    def _set_timer(self) -> None:
        due_ms = self._core.next_due_ms()
        if due_ms == self._due_ms:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._due_ms, self._timer = due_ms, None
        if due_ms is not None:
            delay_s = max(0, due_ms - self._clock.now_ms()) / 1000
            self._timer = self._loop.call_later(delay_s, self._advance)

    def _advance(self) -> None:
        self._due_ms = self._timer = None
        try:
            self._core.advance()
        finally:
            self.settle()
