"""What carries out the effects of a real node's core: each kind to the part that does it, its outcome back as
a turn.

Hadoop: the dispatching between ContainerManagerImpl and its services, and DeletionService.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TypeVar

from yarnbox.nm import effects as asked
from yarnbox.nm.core import Core
from yarnbox.nm.edge.collection import LogCollection
from yarnbox.nm.edge.store import StateStore
from yarnbox.nm.effects import WriteLog
from yarnbox.nm.executor.layout import Layout, remove_tree
from yarnbox.nm.executor.process import ProcessExecutor
from yarnbox.nm.localization.localizer import FetchError, Localizer
from yarnbox.nm.monitor import ContainersMonitor
from yarnbox.nm.shuffle.server import ShuffleService
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.runtime.driver import AsyncioDriver
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.shuffle import SHUFFLE_SERVICE

T = TypeVar("T")

log = logging.getLogger("nm.world")


class RealWorld:
    """Disks, processes and threads of one node."""

    def __init__(
        self,
        core: Core,
        layout: Layout,
        monitor: ContainersMonitor,
        collection: LogCollection | None,
        shuffle: ShuffleService | None,
        shut_down: Callable[[str], None],
    ) -> None:
        settings = core.context.settings
        self._core = core
        self._layout = layout
        self._monitor = monitor
        self._collection = collection
        self._shuffle = shuffle
        self._localizer = Localizer(layout, settings.localization.fetch_threads, Tls.of(settings.tls))
        self._delete_delay_s = settings.debug_delete_delay_secs
        self._tasks: set[asyncio.Task[None]] = set()
        self.driver = AsyncioDriver(core, self.perform, self._persist)
        self.executor: ProcessExecutor | None = None
        self.store = StateStore(None)
        self._not_stored: list[asked.StoreEntry | asked.Forget] | None = None
        """Of the call under way; None between calls, whose changes wait in the store."""
        self.wake: Callable[[], None] = lambda: None
        self.register_again: Callable[[], None] = lambda: None
        self._shut_down = shut_down

    def answer(self, call: Callable[[], T]) -> T:
        """A turn for who starts and ends containers. YarnError when what it stored is not on the disk: a
        restart of the node would have forgotten it.
        """
        lost: list[asked.StoreEntry | asked.Forget] = []
        self._not_stored = lost
        try:
            answer = self.driver.turn(call)
        finally:
            self._not_stored = None
        if lost:
            why = f"the recovery store of {self._core.context.node_id} failed: {self.store.failure}"
            self.driver.turn(lambda: self._core.world.not_stored(lost, why))
            raise YarnError(why)
        return answer

    def store_again(self) -> None:
        """Writes what could not be written; the node is healthy again when that succeeds."""
        if self.store.failure is not None:
            self._keep(())

    def _persist(self, effects: Sequence[asked.Effect]) -> None:
        changes = [effect for effect in effects if isinstance(effect, (asked.StoreEntry, asked.Forget))]
        if changes and not self._keep(changes) and self._not_stored is not None:
            self._not_stored.extend(changes)

    def _keep(self, changes: Sequence[asked.StoreEntry | asked.Forget]) -> bool:
        before = self.store.failure
        is_kept = self.store.keep(changes)
        if self.store.failure != before:
            failure = (
                None if self.store.failure is None else f"the recovery store failed: {self.store.failure}"
            )
            self._core.health.failed(failure, self._core.clock.now_ms())
            self.wake()
        return is_kept

    def perform(self, effect: asked.Effect) -> None:
        """Sees to one effect; what takes long goes on beside."""
        assert self.executor is not None
        match effect:
            case asked.SendHeartbeat():
                self.wake()
            case asked.LaunchContainer(launch):
                self.executor.launch(launch)
            case asked.ReacquireContainer(launch):
                self.executor.reacquire(launch)
            case asked.CleanUpContainer(container_id):
                self.executor.clean_up(container_id)
            case asked.SignalContainer(container_id, command):
                self.executor.signal(container_id, command)
            case asked.PauseContainer(container_id):
                self.executor.pause(container_id)
            case asked.ResumeContainer(container_id):
                self.executor.resume(container_id)
            case asked.LinkResource(container_id, user, links, path):
                self.executor.link(container_id, user, links, path)
            case asked.StartMonitoring(container_id, physical, virtual):
                self._monitor.start(container_id, physical, virtual)
            case asked.StopMonitoring(container_id):
                self._monitor.stop(container_id)
            case asked.FetchResource():
                self._spawn(self._fetch(effect))
            case asked.StoreEntry() | asked.Forget():
                pass  # before all others: see _persist
            case asked.WriteLog():
                write_log(effect)
            case asked.RegisterAgain():
                self.register_again()
            case asked.ShutDown(reason):
                self._shut_down(reason)
            case _:
                self._perform_for_application(effect)

    async def drain(self) -> None:
        """Waits for what is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def cancel(self) -> None:
        """Gives up what is under way."""
        for task in self._tasks:
            task.cancel()

    def _perform_for_application(self, effect: asked.Effect) -> None:
        match effect:
            case asked.DeleteContainerFiles(container_id, user):
                self._delete(lambda: self._layout.delete_container(container_id, user))
            case asked.DeleteResource(path):
                self._delete(lambda: remove_tree(Path(path).parent))
            case asked.DeleteApplicationFiles(application_id, user):
                self._delete(lambda: self._layout.delete_application(application_id, user))
            case asked.DeleteLogs(application_id):
                self._delete(lambda: self._layout.delete_logs(application_id), at_once=True)
            case asked.StartAuxiliaryApplication(service, application_id, user, data):
                if self._shuffle is not None and service == SHUFFLE_SERVICE:
                    self._shuffle.start_application(application_id, user, data)
            case asked.StopAuxiliaryApplication(application_id):
                if self._shuffle is not None:
                    self._shuffle.stop_application(application_id)
            case asked.PrepareLogAggregation():
                self._spawn(self._prepare_logs(effect))
            case asked.AggregateLogs():
                self._spawn(self._aggregate_logs(effect))
            case _:
                raise AssertionError(f"nobody carries out {effect}")

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("an effect was not carried out", exc_info=task.exception())

    def _delete(self, remove: Callable[[], None], *, at_once: bool = False) -> None:
        if self._delete_delay_s < 0 and not at_once:
            return
        self._spawn(self._delete_later(remove, 0 if at_once else self._delete_delay_s))

    async def _delete_later(self, remove: Callable[[], None], delay_s: float) -> None:
        if delay_s:
            await asyncio.sleep(delay_s)
        await asyncio.to_thread(remove)

    async def _fetch(self, order: asked.FetchResource) -> None:
        world = self._core.world
        try:
            path, size = await self._localizer.fetch(order)
        except FetchError as fault:
            reason = str(fault)
            self.driver.turn(lambda: world.resource_failed(order.cache, order.key, reason))
        else:
            self.driver.turn(lambda: world.resource_localized(order.cache, order.key, path, size))

    async def _prepare_logs(self, order: asked.PrepareLogAggregation) -> None:
        assert self._collection is not None
        fault = await asyncio.to_thread(self._collection.prepare, order.application_id, order.user)
        self.driver.turn(lambda: self._core.world.log_handling_inited(order.application_id, fault))

    async def _aggregate_logs(self, order: asked.AggregateLogs) -> None:
        assert self._collection is not None
        now_ms = self._core.clock.now_ms()
        fault = await asyncio.to_thread(self._collection.aggregate, order, now_ms)
        self.driver.turn(
            lambda: self._core.world.logs_aggregated(order.application_id, fault, is_final=order.is_final)
        )


def write_log(line: WriteLog) -> None:
    """Writes a line by the logger that it names."""
    logging.getLogger(line.logger).log(logging.getLevelNamesMapping()[line.level.upper()], "%s", line.text)
