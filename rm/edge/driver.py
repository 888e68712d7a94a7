"""The ResourceManager's driver: what a turn stored is durable before anybody hears of it, or the RM ends.

Turns, effects and timers are those of yarn/runtime/driver.py. Here stand which effects are persisted, who
carries out the others, and what follows from a store that fails. Knows nothing of gRPC. Hadoop: the threads
of the dispatchers and monitors, which have become one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from yarnbox.rm.core import Core
from yarnbox.rm.edge.launcher import Launcher
from yarnbox.rm.edge.store import Keeper, RecordKeeper, StoreError
from yarnbox.rm.effects import (
    AppendRecord,
    ApplicationForgotten,
    Effect,
    LaunchContainer,
    SetEntryAside,
    StopContainer,
    StoreState,
    WriteLog,
)
from yarnbox.yarn.errors import NotReadyError
from yarnbox.yarn.log import LEVELS, Log
from yarnbox.yarn.runtime.clock import Clock
from yarnbox.yarn.runtime.driver import AsyncioDriver
from yarnbox.yarn.runtime.pause import PauseMonitor

T = TypeVar("T")

log = Log("rm")


class StoreFailedError(Exception):
    """A turn could not be stored; the RM is about to end."""


class Lease(Protocol):
    """The time for which this RM, one of several, is sure to be the active one."""

    why_lost: str

    @property
    def is_held(self) -> bool:
        """Whether no other RM can be active at this moment."""
        ...


class Driver(AsyncioDriver[Effect]):
    """Turns of one core, in one thread."""

    def __init__(
        self,
        core: Core,
        clock: Clock,
        store: Keeper | None,
        broken: Callable[[BaseException], None],
        lease: Lease | None = None,
    ) -> None:
        """Without `lease` it is the only RM."""
        super().__init__(core, self._carry_out, self._store_effects)
        self._rm = core
        self._clock = clock
        self._store = store
        self._lease = lease
        self._broken = broken
        self._is_broken = False
        self.launcher: Launcher
        self.pause_monitor = PauseMonitor(self._after_pause)
        self.journals: Mapping[str, RecordKeeper] = {}
        """Where records are kept, by the name of their journal."""

    def turn(self, call: Callable[[], T]) -> T:
        """One turn and all that follows from it; the answer of the call, or what it raised. NotReadyError:
        the turn, or an earlier one, could not be stored.
        """
        self.pause_monitor.look()
        self._check_store()
        try:
            return super().turn(call)
        finally:
            self._check_store()  # nobody hears of what could not be stored

    def tell(self, news: Callable[[], None]) -> None:
        """Tells the core what the world did, which is a turn of its own, and settles what follows."""
        try:
            news()
        finally:
            self.perform_effects()

    def perform_effects(self) -> None:
        """Carries out what the core ordered, until it orders nothing more. If it cannot be stored, nothing of
        it is carried out, and no turn is answered any more.
        """
        try:
            super().perform_effects()
        except StoreFailedError:
            self._is_broken = True

    def _check_store(self) -> None:
        if self._is_broken:
            raise NotReadyError("the ResourceManager is stopping: its state store failed")
        if self._lease is not None and not self._lease.is_held:
            raise NotReadyError("the ResourceManager is not active any more")

    def _after_pause(self, gap_ms: int) -> None:
        log.warning("the process stood still; all liveness intervals start again", ms=gap_ms)
        self.tell(lambda: self._rm.after_pause(gap_ms))

    def _advance(self) -> None:
        self.pause_monitor.look()
        super()._advance()

    def _store_effects(self, effects: Sequence[Effect]) -> None:
        """Raises StoreFailedError: an RM whose store fails must not go on as if its memory were kept, and
        RMStateStore ends it, too.
        """
        try:
            if self._lease is not None and not self._lease.is_held:
                raise StoreError(self._lease.why_lost or "not active any more: ZooKeeper did not answer")
            if self._store is not None:
                self._write(self._store, effects)
            for effect in effects:
                if isinstance(effect, AppendRecord):
                    self.journals[effect.journal].append(effect.record)
        except StoreError as error:
            log.error("the state store failed", why=error)
            self._broken(error)
            raise StoreFailedError from error
        except Exception as error:
            log.exception("the state store failed")
            self._broken(error)
            raise StoreFailedError from error

    def _write(self, store: Keeper, effects: Sequence[Effect]) -> None:
        stored = [(effect.key, effect.value) for effect in effects if isinstance(effect, StoreState)]
        if stored:
            store.write(stored)
        for effect in effects:
            if isinstance(effect, SetEntryAside):
                store.set_aside(effect.key, effect.why, self._clock.now_ms())

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case StoreState():
                if effect.acknowledgement is not None:
                    self._rm.stored(effect.acknowledgement)
            case LaunchContainer():
                self.launcher.launch(effect)
            case StopContainer():
                self.launcher.stop(effect)
            case WriteLog():
                Log(effect.logger).write(LEVELS[effect.level], effect.name, dict(effect.keys))
            case ApplicationForgotten() | AppendRecord() | SetEntryAside():
                pass
            case _:
                raise AssertionError(f"nobody carries out {effect}")
