"""A ResourceManager in virtual time: its core, its services and its driver, over a store in memory.

Tokens are made and checked as the process does. What it stored outlives it: `restart` puts another one over
that. Knows no node but by a function that calls it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any, TypeVar, cast

from yarnbox.rm.core import Core
from yarnbox.rm.edge.driver import Driver
from yarnbox.rm.edge.launcher import Launcher
from yarnbox.rm.edge.node_protocols import NodeProtocols
from yarnbox.rm.edge.security.tokens import Tokens
from yarnbox.rm.edge.services import (
    ADMIN,
    CLIENT,
    MASTER,
    TRACKER,
    master_handler,
    node_handler,
    user_handler,
)
from yarnbox.rm.effects import LaunchContainer
from yarnbox.rm.settings import RMSettings
from yarnbox.rm.web.cluster import Totals
from yarnbox.rm.web.event_rows import ROUTINE
from yarnbox.sim.resourcemanager import Groups, NoPages
from yarnbox.sim.scenario.playing.files import CAPACITY_SCHEDULER, YARN_SITE, ScenarioFiles
from yarnbox.testing.virtual_time.disk import JOURNALS, Disk, Lease
from yarnbox.yarn.connection.rpc import Caller, ConnectionFailedError, Handler
from yarnbox.yarn.errors import NotReadyError
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId, NodeId
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.clock import Clock
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.pause import PauseMonitor
from yarnbox.yarn.security.tokens import new_key
from yarnbox.yarn.settings import read
from yarnbox.yarn.storage.event_log import STARTED, LoggedEvent, Milestone, logged

T = TypeVar("T")

START_MS = 1_700_000_000_000
"""The moment at which every virtual cluster begins."""
RESTART_MS = 1000
"""How long a ResourceManager whose store failed is away."""
_FILES = (YARN_SITE, CAPACITY_SCHEDULER)

CallNode = Callable[[str, str, Any, Caller], Awaitable[Any]]


class CrashedError(ConnectionFailedError):
    """The ResourceManager died before it could answer."""


class _Driver(Driver):
    """Turns of one ResourceManager, whose process may stand still or die at any point."""

    def __init__(
        self,
        core: Core,
        clock: Clock,
        disk: Lease,
        broken: Callable[[BaseException], None],
        pass_point: Callable[[], None],
    ) -> None:
        super().__init__(core, clock, disk, broken, disk)
        self.journals = {name: disk.journal(name) for name in JOURNALS}
        self._pass_point = pass_point
        self.is_dead = False
        self.wakes_ms = 0
        """Until then the process stands still."""
        self._paused_s = 0.0
        self.pause_monitor = PauseMonitor(self._after_pause, lambda: self._paused_s)

    @property
    def has_failed(self) -> bool:
        """Whether its store has failed."""
        return self._is_broken

    def stand_still(self, ms: int) -> None:
        """The process does nothing for so long; then it goes on as if nothing had been."""
        asleep_ms = max(0, self.wakes_ms - self._clock.now_ms())
        if ms > asleep_ms:
            self._paused_s += (ms - asleep_ms) / 1000
            self.wakes_ms = self._clock.now_ms() + ms

    async def awake(self) -> None:
        """Waits for as long as the process stands still."""
        while (left_ms := self.wakes_ms - self._clock.now_ms()) > 0 and not self.is_dead:
            await asyncio.sleep(left_ms / 1000)

    def turn(self, call: Callable[[], T]) -> T:
        """One turn, as long as the process lives."""
        if self.is_dead:
            raise CrashedError("the ResourceManager is gone")
        return super().turn(call)

    def tell(self, news: Callable[[], None]) -> None:
        """Tells the core, if it is there and awake; else when it wakes up."""
        left_ms = self.wakes_ms - self._clock.now_ms()
        if left_ms > 0:
            asyncio.get_running_loop().call_later(left_ms / 1000, self.tell, news)
        elif not self.is_dead:
            super().tell(news)

    def _store_effects(self, effects: Any) -> None:
        self._pass_point()
        super()._store_effects(effects)
        self._pass_point()

    def _carry_out(self, effect: Any) -> None:
        self._pass_point()
        super()._carry_out(effect)

    def _advance(self) -> None:
        left_ms = self.wakes_ms - self._clock.now_ms()
        if left_ms > 0:
            self._timer = asyncio.get_running_loop().call_later(left_ms / 1000, self._advance)
            return
        with suppress(CrashedError):
            super()._advance()


class _Launcher(Launcher):
    """Remembers which containers are AMs'."""

    launched_as_am: dict[ContainerId, None]

    def launch(self, order: LaunchContainer) -> None:
        """Starts an AM."""
        self.launched_as_am[order.container.id] = None
        super().launch(order)


class _NodeWires:
    """Stands where the wires to nodes are."""

    def __init__(self, call: CallNode) -> None:
        self._call = call

    @asynccontextmanager
    async def stub(
        self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str, token: Token, patience_s: float
    ) -> Any:
        """Calls of the node in the attempt's name."""
        yield _NodeStub(self._call, node_id.host, Caller(user=user, token=token))


class _NodeStub:
    """Calls of one node."""

    def __init__(self, call: CallNode, host: str, caller: Caller) -> None:
        self._call = call
        self._host = host
        self._caller = caller

    async def call(self, rpc: str, request: Record) -> Any:
        """The node's answer."""
        return await self._call(self._host, rpc, request, self._caller)


class VirtualRM:
    """One ResourceManager after the other, over the same store."""

    def __init__(
        self,
        files: ScenarioFiles,
        clock: Clock,
        chance: Random,
        call_node: CallNode,
        rack_of: Callable[[str], str],
        later: Callable[[int, Callable[[], None]], None],
    ) -> None:
        self._later = later
        self._files = files
        self._clock = clock
        self._chance = chance
        self._call_node = call_node
        self._rack_of = rack_of
        self.disk = Disk()
        self._kept: list[tuple[int, Any]] = []
        self.heard: list[Callable[[], None]] = []
        """Called after each event."""
        self.am_containers: dict[ContainerId, None] = {}
        self.is_checked = False
        """Whether books are recounted after each turn, from the next start on."""
        self.broke: Callable[[BaseException], None] | None = None
        """Is told of what a start raises."""
        self.died: Callable[[], None] = lambda: None
        """Is called when it dies."""
        self.began: Callable[[], None] = lambda: None
        """Is called when another one begins, before its first turn."""
        self._points_left = 0
        self._next_away_ms = 0
        self.is_away = False
        self._start()

    def _core_over(self, chance: Random, *, checks_books: bool) -> tuple[Core, Tokens]:
        configuration = self._files.load(*_FILES)
        settings = read(RMSettings, configuration)
        start_ms = self._clock.now_ms()
        tokens = Tokens(
            new_key(chance.randbytes),
            rm_identifier=start_ms,
            container_expiry_ms=settings.container_allocation_expiry_ms,
            service="rm",
        )
        if self.disk.keys is not None:
            tokens.restore_keys(self.disk.keys)
        core = Core(
            settings=settings,
            configuration=configuration,
            resource_types=ResourceTypeRegistry.read(configuration),
            provider=self._files,
            groups=Groups({}),
            tokens=tokens,
            pages=NoPages(),
            rack_of=self._rack_of,
            random=Random(chance.random()),
            clock=self._clock,
            start_ms=start_ms,
            epoch=self.disk.epoch,
            is_strict=False,
            checks_books=checks_books,
        )
        return core, tokens

    def recovered(self) -> Core:
        """What another ResourceManager would begin with, if it began now; nothing that it orders is done."""
        core, _ = self._core_over(Random(0), checks_books=False)
        entries = self.disk.entries()
        journals = {name: list(records) for name, records in self.disk.journals.items()}
        core.turn(lambda: core.start(entries, journals))
        return core

    def _start(self) -> None:
        core, tokens = self._core_over(self._chance, checks_books=self.is_checked)
        self.core, self._tokens = core, tokens
        settings = core.context.settings
        self.disk.keys = tokens.keys_to_store()
        self.context = context = core.context
        lease = self.disk.open()
        self._driver = driver = _Driver(
            core, self._clock, lease, lambda _error: self._store_failed(driver), self._pass_point
        )
        launcher = _Launcher(
            tokens,
            cast(NodeProtocols, _NodeWires(self._call_node)),
            lambda attempt_id: driver.tell(lambda: core.am_launched(attempt_id)),
            lambda attempt_id, why: driver.tell(lambda: core.am_launch_failed(attempt_id, why)),
            patience_s=60,
            at_a_time=50,
        )
        launcher.launched_as_am = self.am_containers
        driver.launcher = launcher
        context.dispatcher.watchers.append(self._note)
        context.bookings.append(self._note)
        self.began()
        static_user = settings.web.static_user
        self._handlers: dict[str, Handler] = {
            CLIENT: user_handler(CLIENT, core.client, driver, static_user),
            ADMIN: user_handler(ADMIN, core.admin, driver, static_user),
            MASTER: master_handler(core.master, driver, tokens),
            TRACKER: node_handler(core.tracker, driver, tokens),
        }
        self._note(Milestone(STARTED, f"epoch {self.disk.epoch}", {}))
        entries = self.disk.entries()
        journals = {name: list(records) for name, records in self.disk.journals.items()}
        self.disk.epoch += 1
        driver.turn(lambda: core.start(entries, journals))
        self.disk.journals = {name: list(records) for name, records in core.journal_snapshots().items()}

    def _note(self, event: Any) -> None:
        if type(event).__name__ not in ROUTINE:
            self._kept.append((self._clock.now_ms(), event))
            for hear in self.heard:
                hear()

    def events(self) -> list[LoggedEvent]:
        """What has happened, routine left out."""
        return [logged(now_ms, event) for now_ms, event in self._kept]

    @property
    def is_well(self) -> bool:
        """Whether it is there, and neither stands still nor ends."""
        driver = self._driver
        is_awake = driver.wakes_ms <= self._clock.now_ms()
        return not self.is_away and is_awake and not driver.has_failed and not driver.is_dead

    @property
    def awake_since_s(self) -> float:
        """When it stood still for the last time, in seconds from the beginning of the cluster."""
        return max(0, self._driver.wakes_ms - START_MS) / 1000

    def call(self, service: str, rpc: str, request: Record, caller: Caller) -> Any:
        """The answer, or an awaitable of it. ConnectionFailedError while the RM is away."""
        if self.is_away:
            raise ConnectionFailedError(f"{rpc}: cannot reach the ResourceManager")
        driver, handler = self._driver, self._handlers[service]
        if driver.wakes_ms > self._clock.now_ms():
            return self._call_later(driver, handler, rpc, request, caller)
        return handler(rpc, request, caller)

    async def _call_later(
        self, driver: _Driver, handler: Handler, rpc: str, request: Record, caller: Caller
    ) -> Any:
        await driver.awake()
        answer = handler(rpc, request, caller)
        return await answer if hasattr(answer, "__await__") else answer

    def tell(self, *events: Event) -> None:
        """A turn in which these events happen."""
        self._driver.tell(lambda: self.core.tell(*events))

    def preempt(self, container_id: ContainerId) -> None:
        """Kills a container as preemption does. LookupError: it does not run."""
        scheduler = self.context.scheduler
        container = scheduler.container(container_id)
        if container is None:
            raise LookupError(f"{container_id} does not run")
        self._driver.turn(
            lambda: scheduler.preempt_container(container, container.preemption_mark("the test"))
        )

    def is_waiting_for(self, node_id: NodeId) -> bool:
        """Whether a heartbeat of the node could bring something: somebody waits for containers, or the RM
        has something to tell the node.
        """
        node = self.context.nodes.get(node_id)
        if node is not None and (node.containers_to_clean or node.finished_apps):
            return True
        totals = Totals(self.context, None)
        return bool(totals.pending_containers or totals.pending_apps)

    def restart(self, away_ms: int) -> None:
        """Ends it; another one is there that much later."""
        if self.is_away:
            return
        self._points_left = 0
        self.died()
        self._driver.is_dead = True
        self._driver.stop()
        self.is_away = True
        self._later(away_ms, self._start_again)

    crash = restart

    def crash_in(self, points: int, away_ms: int) -> None:
        """It dies at that point from now on at which it can: before or after a write, before an effect. 0: it
        does not.
        """
        self._points_left, self._next_away_ms = points, away_ms

    def stand_still(self, ms: int) -> None:
        """The process stands still for so long: what is sent to it waits, its timers wait."""
        self._driver.stand_still(ms)

    def take_over(self, session_ms: int, ms: int) -> None:
        """It stands still for so long. When its session has timed out another one takes over; when it wakes
        up it still believes for a moment that it is the one.
        """
        if not self.is_away and ms > session_ms:
            self._points_left = 0
            self.died()
            self._driver.stand_still(ms)
            self.is_away = True
            self._later(session_ms, self._start_again)

    def _store_failed(self, driver: _Driver) -> None:
        """The process ends when its store fails; whoever watches it starts it again."""

        def end() -> None:
            if driver is self._driver:
                self.restart(RESTART_MS)
            driver.is_dead = True
            driver.stop()

        self._later(0, end)

    def _pass_point(self) -> None:
        if self._points_left:
            self._points_left -= 1
            if not self._points_left:
                self.restart(self._next_away_ms)
                raise CrashedError("the ResourceManager died")

    def _start_again(self) -> None:
        self.is_away = False
        try:
            self._start()
        except CrashedError:
            return
        except Exception as error:
            self.is_away = True
            if self._driver.has_failed and isinstance(error, NotReadyError):
                self._driver.is_dead = True
                self._driver.stop()
                self._later(RESTART_MS, self._start_again)
                return
            if self.broke is None:
                raise
            self.broke(error)

    async def stop(self) -> None:
        """Ends it for good."""
        self._driver.stop()
        await self._driver.launcher.close()
