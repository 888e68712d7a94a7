"""The loop around the core: durable before it is told, orders in their order, timers when they are due."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.rm.core import Core
from yarnbox.rm.edge.driver import Driver
from yarnbox.rm.edge.launcher import Launcher
from yarnbox.rm.edge.store import StateStore
from yarnbox.rm.effects import Effect, LaunchContainer, SetEntryAside, StoreState, WriteLog
from yarnbox.rm.events.app import AppNewSaved, AppUpdateSaved
from yarnbox.yarn.errors import NotReadyError, YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerLaunchContext
from yarnbox.yarn.runtime.clock import SystemClock
from yarnbox.yarn.runtime.event import Event

T = TypeVar("T")
ATTEMPT = ApplicationAttemptId(ApplicationId(1, 1), 1)
LAUNCH = LaunchContainer(
    attempt_id=ATTEMPT,
    node_id=NodeId("nm1", 1),
    container=Container(id=ContainerId(ATTEMPT, 1)),
    launch_context=ContainerLaunchContext(),
    user="ann",
    submit_time_ms=1,
)
FIRST = AppNewSaved(application_id=ATTEMPT.application_id)
SECOND = AppUpdateSaved(application_id=ATTEMPT.application_id)


class ScriptedCore:
    """Orders what it is told to, and notes what it hears."""

    def __init__(self, clock: SystemClock, store: StateStore | None = None) -> None:
        self.clock = clock
        self.store = store
        self.orders: list[Effect] = []
        self.heard: list[Any] = []
        self.due_ms: int | None = None
        self.advanced = asyncio.Event()

    def turn(self, call: Callable[[], T]) -> T:
        return call()

    def take_effects(self) -> list[Effect]:
        taken, self.orders = self.orders, []
        return taken

    def stored(self, acknowledgement: Event) -> None:
        self.heard.append((acknowledgement, self.store.load() if self.store else None))
        if acknowledgement == FIRST:
            self.orders.append(LAUNCH)

    def next_due_ms(self) -> int | None:
        return self.due_ms

    def advance(self) -> None:
        assert self.due_ms is not None
        self.heard.append(self.clock.now_ms() - self.due_ms)
        self.due_ms = None
        self.advanced.set()


class NotingLauncher:
    """Notes orders."""

    def __init__(self) -> None:
        self.launched: list[LaunchContainer] = []

    def launch(self, order: LaunchContainer) -> None:
        self.launched.append(order)


def driver_of(
    core: ScriptedCore, store: StateStore | None
) -> tuple[Driver, NotingLauncher, list[BaseException]]:
    broken: list[BaseException] = []
    driver = Driver(cast(Core, core), core.clock, store, broken.append)
    launcher = NotingLauncher()
    driver.launcher = cast(Launcher, launcher)
    return driver, launcher, broken


def test_what_a_turn_stored_is_durable_before_its_acknowledgement(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "s")

    async def scene() -> None:
        core = ScriptedCore(SystemClock(), store)
        driver, launcher, _ = driver_of(core, store)
        core.orders = [
            StoreState(key=("a",), value=1, acknowledgement=FIRST),
            StoreState(key=("b",), value=2, acknowledgement=SECOND),
        ]
        assert driver.turn(lambda: "answer") == "answer"
        both = {("a",): 1, ("b",): 2}
        assert core.heard == [(FIRST, both), (SECOND, both)]
        assert launcher.launched == [LAUNCH], "what an acknowledgement orders is carried out, too"

    asyncio.run(scene())
    store.close()


def test_what_a_refused_call_ordered_is_carried_out_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    async def scene() -> None:
        core = ScriptedCore(SystemClock())
        driver, _, _ = driver_of(core, None)
        core.orders = [WriteLog(level="warning", name="refused", keys=(("user", "ann"),))]

        def refuse() -> None:
            raise YarnError("no")

        with pytest.raises(YarnError, match="no"):
            driver.turn(refuse)

    asyncio.run(scene())
    assert "refused user=ann" in caplog.text


def test_a_timer_fires_when_it_is_due_and_not_before() -> None:
    async def scene() -> None:
        clock = SystemClock()
        core = ScriptedCore(clock)
        driver, _, _ = driver_of(core, None)
        core.due_ms = clock.now_ms() + 3_600_000
        driver.turn(lambda: None)
        core.due_ms = clock.now_ms() + 30
        driver.turn(lambda: None)
        await asyncio.wait_for(core.advanced.wait(), PATIENCE_S)
        assert core.heard[0] >= 0

    asyncio.run(scene())


def test_calls_are_answered_between_the_pieces_of_long_work() -> None:
    """A pass of a monitor sets a timer for its next piece; whoever calls meanwhile has a turn before it."""

    async def scene() -> None:
        core = ScriptedCore(SystemClock())
        driver, _, _ = driver_of(core, None)
        pieces = 8

        def piece() -> None:
            core.heard.append("piece")
            until_ms = core.clock.now_ms() + 3
            while core.clock.now_ms() < until_ms:
                pass
            core.due_ms = core.clock.now_ms() + 1 if core.heard.count("piece") < pieces else None

        core.advance = piece  # type: ignore[method-assign]
        core.due_ms = core.clock.now_ms()
        driver.turn(lambda: None)
        while core.heard.count("piece") < pieces:
            driver.turn(lambda: core.heard.append("call"))
            await asyncio.sleep(0)
        neighbours = list(pairwise(core.heard))
        assert ("piece", "piece") not in neighbours

    asyncio.run(scene())


def test_a_store_that_fails_ends_the_rm(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "s")
    store.close()

    async def scene() -> list[BaseException]:
        core = ScriptedCore(SystemClock())
        driver, _, broken = driver_of(core, store)
        core.orders = [StoreState(key=("a",), value=1, acknowledgement=FIRST)]
        with pytest.raises(NotReadyError, match="its state store failed"):
            driver.turn(lambda: "answer")
        assert core.heard == [], "nobody hears that it was stored"
        with pytest.raises(NotReadyError, match="its state store failed"):
            driver.turn(lambda: None)
        return broken

    assert len(asyncio.run(scene())) == 1


def test_a_refusal_does_not_leave_either_when_its_turn_could_not_be_stored(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "s")
    store.close()

    async def scene() -> None:
        core = ScriptedCore(SystemClock())
        driver, _, _ = driver_of(core, store)
        core.orders = [StoreState(key=("a",), value=1)]

        def refuse() -> None:
            raise YarnError("no")

        with pytest.raises(NotReadyError, match="its state store failed"):
            driver.turn(refuse)

    asyncio.run(scene())


def test_an_entry_is_set_aside_before_the_turn_is_answered(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "s")
    store.write([(("a",), 1), (("b",), 2)])

    async def scene() -> None:
        core = ScriptedCore(SystemClock())
        driver, _, _ = driver_of(core, store)
        core.orders = [SetEntryAside(key=("a",), why="it is broken")]
        driver.turn(lambda: None)

    asyncio.run(scene())
    assert store.load() == {("b",): 2}
    assert [(one.key, one.why) for one in store.all_set_aside()] == [('["a"]', "it is broken")]
    store.close()
