"""AsyncioDriver: what a turn ordered is persisted, then performed in order; timers call the core back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.yarn.runtime.clock import SystemClock
from yarnbox.yarn.runtime.driver import AsyncioDriver
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.statemachine import InvalidEventError
from yarnbox.yarn.runtime.turns import TurnContext, TurnCore


class Rang(Event, frozen=True, kw_only=True):
    """A timer has rung."""


Rang.family = Rang


class Context(TurnContext[str]):
    """Orders a word for each invalid event."""

    def report_invalid(self, entity: object, error: InvalidEventError) -> None:
        self.order(f"invalid: {error}")


class Recorder:
    """A core whose turns order words, and what becomes of them."""

    def __init__(self, fails: bool = False) -> None:
        self.turns = Context()
        self.turns.dispatcher.register(Rang, lambda _event: self.turns.order("rang"))
        self.core = TurnCore(self.turns, SystemClock())
        self.seen: list[str] = []
        self.fails = fails
        self.answers: dict[str, Callable[[], object]] = {}
        self.rang = asyncio.Event()
        self.driver = AsyncioDriver(self.core, self._perform, self._persist, self._after_effects)

    def order(self, *words: str) -> str:
        """One turn that orders these words; it answers `done`."""

        def call() -> str:
            for word in words:
                self.turns.order(word)
            return "done"

        return self.driver.turn(call)

    def _persist(self, effects: Sequence[str]) -> None:
        if self.fails:
            raise OSError("disk full")
        self.seen.append("persisted " + " ".join(effects))

    def _perform(self, effect: str) -> None:
        self.seen.append(effect)
        if effect in self.answers:
            self.answers[effect]()
        if effect == "rang":
            self.rang.set()

    def _after_effects(self) -> None:
        self.seen.append("after_effects")


def test_effects_are_persisted_then_performed_in_their_order_before_the_answer() -> None:
    async def body() -> None:
        recorder = Recorder()
        assert recorder.order("a", "b") == "done"
        assert recorder.seen == ["persisted a b", "a", "b", "after_effects"]

    asyncio.run(body())


def test_what_an_effect_causes_waits_behind_the_effects_under_way() -> None:
    async def body() -> None:
        recorder = Recorder()
        recorder.answers["a"] = lambda: recorder.order("caused by a")
        recorder.order("a", "b")
        performed = [word for word in recorder.seen if not word.startswith(("persisted", "after_effects"))]
        assert performed == ["a", "b", "caused by a"]
        assert recorder.seen.index("persisted caused by a") < recorder.seen.index("caused by a")

    asyncio.run(body())


def test_nothing_is_performed_or_answered_when_it_cannot_be_persisted() -> None:
    async def body() -> None:
        recorder = Recorder(fails=True)
        with pytest.raises(OSError, match="disk full"):
            recorder.order("a")
        assert recorder.seen == []

    asyncio.run(body())


def test_a_timer_of_the_core_is_a_call_of_the_loop() -> None:
    async def body() -> None:
        recorder = Recorder()
        due_ms = recorder.core.clock.now_ms() + 1
        recorder.driver.turn(lambda: recorder.turns.timer_at(due_ms, "bell", Rang()))
        await asyncio.wait_for(recorder.rang.wait(), PATIENCE_S)
        assert recorder.core.next_due_ms() is None

    asyncio.run(body())


def test_a_stopped_driver_keeps_no_timer() -> None:
    async def body() -> None:
        recorder = Recorder()
        recorder.driver.turn(lambda: recorder.turns.timer_at(0, "bell", Rang()))
        recorder.driver.stop()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not recorder.rang.is_set()

    asyncio.run(body())
