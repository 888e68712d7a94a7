"""What carries out the effects of a real node's core: each kind to the part that does it, its outcome back as
a turn.

Answers for the dispatching between ContainerManagerImpl and its services, and for DeletionService.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from nm import effects as asked
from nm.core import Core
from nm.edge.collection import LogCollection
from nm.edge.pump import Pump
from nm.edge.store import StateStore
from nm.executor.layout import Layout, remove_tree
from nm.executor.process import ProcessExecutor
from nm.localizer import FetchError, Localizer
from nm.monitor import ContainersMonitor
from nm.shuffle.server import ShuffleService
from yarn.shuffle import SHUFFLE_SERVICE

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
        self._localizer = Localizer(layout, settings.localization.fetch_threads)
        self._delete_delay_s = settings.debug_delete_delay_secs
        self._tasks: set[asyncio.Task[None]] = set()
        self.pump = Pump(core, self.perform)
        self.executor: ProcessExecutor | None = None
        self.store = StateStore(None)
        self.wake: Callable[[], None] = lambda: None
        self.register_again: Callable[[], None] = lambda: None
        self._shut_down = shut_down

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
            case asked.Keep(key, value):
                self.store.keep(key, value)
            case asked.Forget(prefix):
                self.store.forget(prefix)
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

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
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
            self.pump.turn(lambda: world.resource_failed(order.cache, order.key, reason))
        else:
            self.pump.turn(lambda: world.resource_localized(order.cache, order.key, path, size))

    async def _prepare_logs(self, order: asked.PrepareLogAggregation) -> None:
        assert self._collection is not None
        fault = await asyncio.to_thread(self._collection.prepare, order.application_id, order.user)
        self.pump.turn(lambda: self._core.world.log_handling_inited(order.application_id, fault))

    async def _aggregate_logs(self, order: asked.AggregateLogs) -> None:
        assert self._collection is not None
        now_ms = self._core.clock.now_ms()
        fault = await asyncio.to_thread(self._collection.aggregate, order, now_ms)
        self.pump.turn(
            lambda: self._core.world.logs_aggregated(order.application_id, fault, is_final=order.is_final)
        )
