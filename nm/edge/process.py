"""One NodeManager as a process: its parts started in order, kept going, ended in order.

Owns the loops (heartbeats, monitor, disks, scripts) and the order of start and stop; no rules. Hadoop:
NodeManager, LocalDirsHandlerService, NodeHealthCheckerService and NodeResourceMonitorImpl as running things.
"""

from __future__ import annotations

import asyncio
import getpass
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path

import psutil

from yarnbox import SOURCES
from yarnbox.nm.core import Core
from yarnbox.nm.edge.collection import LogCollection
from yarnbox.nm.edge.container_news import ContainerNews
from yarnbox.nm.edge.health import log_monitor
from yarnbox.nm.edge.health.disks import DirectoriesCheck
from yarnbox.nm.edge.health.providers import ProviderLoops
from yarnbox.nm.edge.heartbeats import Heartbeats, UnreachableError
from yarnbox.nm.edge.http.web import WebService
from yarnbox.nm.edge.serving import HadoopFront, serve_one
from yarnbox.nm.edge.store import StateStore
from yarnbox.nm.edge.tracker import addresses_of_rms, stub_of_rm
from yarnbox.nm.edge.world import RealWorld
from yarnbox.nm.executor.layout import Layout, remove_tree
from yarnbox.nm.executor.leftovers import end_leftovers
from yarnbox.nm.executor.process import ProcessExecutor
from yarnbox.nm.executor.reaper import Reaper
from yarnbox.nm.monitor import ContainersMonitor, Verdict, node_utilization
from yarnbox.nm.settings import NMSettings
from yarnbox.nm.shuffle.server import ShuffleService
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.hosting import NM_ADDRESS_BOOK, NM_CONF_DIR, NM_PYTHON, NM_PYTHONPATH
from yarnbox.yarn.connection.rpc import listen, new_server
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import SystemClock
from yarnbox.yarn.runtime.tasks import end_tasks
from yarnbox.yarn.security.tls import Tls, check_exposure, check_hadoop_wire
from yarnbox.yarn.shuffle import SHUFFLE_SERVICE
from yarnbox.yarn.wire import PLAIN, Wire

log = logging.getLogger("nm")

_LOOPBACK = "127.0.0.1"
NODE_FILE = "node.json"
SHUTDOWN_SLACK_MS = 1000
_STORE_AGAIN_S = 1.0
_MB = 1024 * 1024


class NodeManagerProcess:
    """Everything of one node but the command line."""

    def __init__(
        self,
        settings: NMSettings,
        capacity: Resource,
        host: str,
        directory: Path | None = None,
        configuration: Configuration | None = None,
        own_logs: Path | None = None,
        reread: Callable[[], NMSettings] | None = None,
        conf: Path | None = None,
        wire: Wire = PLAIN,
    ) -> None:
        """`conf` is the directory that the configuration was read from."""
        self._conf = conf
        self._wire = wire
        self._tls = Tls.of(settings.tls)
        self._settings = settings
        self._reread = reread
        self._capacity = capacity
        self._host = host
        self._directory = directory
        self._configuration = configuration
        self._rms = addresses_of_rms(settings, configuration)
        self._own_logs = own_logs
        self._layout = Layout(settings.disks.local_directories, settings.disks.log_directories)
        self._monitor = ContainersMonitor(settings.monitor)
        self._server = new_server()
        self._hadoop: HadoopFront | None = None
        self._shuffle: ShuffleService | None = None
        self._reaper: Reaper | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self.reason: str | None = None
        """Why the node could not go on."""
        self.core: Core
        self.heartbeats: Heartbeats
        self.node_id: NodeId

    def _new_core(self, node_id: NodeId) -> Core:
        core = Core(node_id, self._settings, self._capacity, SystemClock(), self._wire)
        core.context.owner = getpass.getuser()
        core.status.physical = _physical_resource()
        return core

    async def start(self) -> None:
        """Listens, makes its directories, and begins to register."""
        settings = self._settings
        bind = listening_host(settings, settings.address)
        web_bind = listening_host(settings, settings.web_address)
        self._check_exposure((bind, web_bind))
        port = await self._listen(bind)
        self.node_id = NodeId(self._host, port)
        self._locks = self._layout.lock()
        aside = self._layout.prepare(keeps=settings.recovery_enabled)
        if not settings.executor_class.endswith(".DefaultContainerExecutor"):
            log.warning("%s is not here: containers run as the node's own user", settings.executor_class)
        self.core = core = self._new_core(self.node_id)
        names = (self._host, bind, web_bind, settings.address.host, settings.web_address.host)
        self._access = HttpAccess(settings.http_access, names)
        self._web = WebService(
            core, self._layout, self._access, self._configuration, self._own_logs, self._tls
        )
        await self._web.start(web_bind, settings.web_address.port)
        core.status.http_port = self._web.port
        await self._start_auxiliary_services(bind)
        collection = self._log_collection()
        self._world = world = RealWorld(
            core, self._layout, self._monitor, collection, self._shuffle, self.shut_down
        )
        self._reaper = None if settings.recovery_enabled else Reaper()
        world.executor = self._executor = ProcessExecutor(
            settings,
            self._layout,
            ContainerNews(core, world.driver),
            self.node_id,
            core.status.http_port,
            core.context.auxiliary_services,
            os.environ,
            are_disks_healthy=lambda: core.health.are_disks_healthy,
            reaper=self._reaper,
            hosting=_hosting(self._conf, self._tls, settings.address_book),
        )
        self._stub = stub_of_rm(settings, self._rms, self._tls, self._wire)
        self.heartbeats = Heartbeats(self._stub, core.status, world.driver.turn, settings)
        world.wake, world.register_again = self.heartbeats.wake, self.heartbeats.register_again
        self._disks = [
            DirectoriesCheck("local-dirs", settings.disks.local_directories, settings.disks),
            DirectoriesCheck("log-dirs", settings.disks.log_directories, settings.disks),
        ]
        await self._look_at_disks()
        providers = ProviderLoops(settings, core, world.driver.turn, self._reread)
        await providers.first_look()
        if settings.recovery_enabled:
            world.store = StateStore(Path(settings.recovery_directory), core.clock.now_ms())
            core.recover(world.store.entries())
        places = map(str, self._layout.all_local)
        await end_leftovers(places, core.context.containers, settings.sigkill_delay_ms)
        world.driver.perform_effects()
        serve_one(self._server, world.answer, core.management, self._wire)
        await self._serve()
        self._write_node_file()
        self._spawn(_remove(aside))
        self._start_loops(providers)

    def _start_loops(self, providers: ProviderLoops) -> None:
        self._spawn(self._beat())
        self._spawn(self._monitor_loop())
        if self._settings.disks.check_enabled:
            self._spawn(self._disks_loop())
        if self._settings.log_monitor.enabled:
            self._spawn(self._logs_loop())
        for loop in providers.loops():
            self._spawn(loop)
        self._spawn(self._store_loop())

    def shut_down(self, reason: str | None = None) -> None:
        """Asks the process to end; a reason makes its exit status tell of it."""
        if reason is not None and self.reason is None:
            log.error("shutting down: %s", reason)
            self.reason = reason
        self._stopping.set()

    async def run(self) -> int:
        """Goes on until it is asked to end; the exit status."""
        await self._stopping.wait()
        await self._stop()
        return 0 if self.reason is None else 1

    # Ending

    async def _stop(self) -> None:
        settings, core = self._settings, self.core
        has_work = self._world.driver.turn(core.stop)
        if has_work:
            longest_ms = settings.sigkill_delay_ms + settings.process_kill_wait_ms + SHUTDOWN_SLACK_MS
            await self._wait_for_applications(longest_ms / 1000)
        await end_tasks(self._tasks)
        if settings.recovery_enabled and settings.recovery_supervised and not core.context.is_decommissioned:
            self._executor.abandon()
        else:
            await self._executor.end_all()
        await self.heartbeats.unregister()
        self._world.driver.stop()
        self._world.cancel()
        self._world.store.close()
        if self._hadoop is not None:
            await self._hadoop.stop()
        await self._server.stop(grace=0.1)
        await self._stub.close()
        await self._web.stop()
        if self._shuffle is not None:
            await self._shuffle.stop()
        if self._reaper is not None:
            self._reaper.close()
        for lock in self._locks:
            lock.close()
        if self._directory is not None:
            (self._directory / NODE_FILE).unlink(missing_ok=True)

    async def _wait_for_applications(self, longest_s: float) -> None:
        deadline = time.monotonic() + longest_s
        while self.core.context.applications and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        if self.core.context.applications:
            log.warning("still alive: %s", ", ".join(map(str, self.core.context.applications)))

    # Loops

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a part of the node broke", exc_info=task.exception())
            self.shut_down(f"{type(task.exception()).__name__}: {task.exception()}")

    async def _beat(self) -> None:
        try:
            await self.heartbeats.run()
        except UnreachableError as error:
            self.shut_down(str(error))

    async def _monitor_loop(self) -> None:
        monitoring = self._settings.monitor
        interval_s = monitoring.interval_ms / 1000
        before = time.monotonic()
        node_utilization()  # the first measurement of the processor is against nothing
        while True:
            await asyncio.sleep(interval_s)
            pids = {
                container_id: pid
                for container_id in self._monitor.watched()
                if (pid := self._executor.pid_of(container_id)) is not None
            }
            now = time.monotonic()
            if monitoring.enabled:
                verdicts = await asyncio.to_thread(self._monitor.look, pids, now - before)
                self._end_those_over(verdicts)
            before = now
            self.core.status.containers_utilization = self._monitor.utilization
            self.core.status.node_utilization = node_utilization()

    def _end_those_over(self, verdicts: Mapping[ContainerId, Verdict]) -> None:
        for container_id, verdict in verdicts.items():
            log.warning("%s", verdict.diagnostics)
            over_limit = partial(self.core.world.container_over_limit, container_id)
            self._world.driver.turn(partial(over_limit, verdict.exit_status, verdict.diagnostics))

    async def _logs_loop(self) -> None:
        settings = self._settings.log_monitor
        while True:
            await asyncio.sleep(settings.interval_ms / 1000)
            directories = {one: self._layout.log_directories(one) for one in self._monitor.watched()}
            self._end_those_over(await asyncio.to_thread(log_monitor.look, directories, settings))

    async def _store_loop(self) -> None:
        while True:
            await asyncio.sleep(_STORE_AGAIN_S)
            self._world.store_again()

    async def _disks_loop(self) -> None:
        while True:
            await asyncio.sleep(self._settings.disks.check_interval_ms / 1000)
            await self._look_at_disks()

    async def _look_at_disks(self) -> None:
        if not self._settings.disks.check_enabled:
            return
        local, logs = [await asyncio.to_thread(check.look) for check in self._disks]
        self._layout.use(local.good, logs.good)
        was_healthy = self.core.health.is_healthy
        now_ms = self.core.clock.now_ms()
        self.core.health.directories_checked(local, now_ms)
        self.core.health.directories_checked(logs, now_ms)
        if self.core.health.is_healthy is not was_healthy:
            log.warning("health: %s", self.core.health.report or "good again")
            self.heartbeats.wake()

    # Starting

    def _check_exposure(self, hosts: tuple[str, ...]) -> None:
        """Nothing listens beyond this machine without TLS, and without knowing who calls."""
        settings = self._settings
        check_exposure(hosts, self._tls, has_node_secret=settings.node_secret_file is not None)
        if settings.hadoop_ipc:
            check_hadoop_wire(hosts[:1], settings.tls)

    async def _listen(self, bind: str) -> int:
        """The node's port: gRPC's own, or one that Hadoop's wire shares with it."""
        address, setting = str(Address(bind, self._settings.address.port)), "yarn.nodemanager.address"
        if not self._settings.hadoop_ipc:
            return listen(self._server, address, setting, self._tls)
        self._hadoop = HadoopFront(listen(self._server, f"{_LOOPBACK}:0", setting, self._tls), self._wire)
        return await self._hadoop.listen(bind, self._settings.address.port, setting)

    def _log_collection(self) -> LogCollection | None:
        logs = self._settings.logs
        if not logs.aggregation_enabled:
            return None
        return LogCollection(
            logs.remote_directory,
            logs.remote_suffix,
            self._layout,
            self.node_id,
            files_per_application=logs.files_per_application,
            compression=logs.compression,
        )

    async def _start_auxiliary_services(self, bind: str) -> None:
        if SHUFFLE_SERVICE in self._settings.aux_services:
            self._shuffle = ShuffleService(self._layout, self._access, self._tls)
            await self._shuffle.start(bind, self._settings.shuffle_port)
            self.core.context.auxiliary_services = {SHUFFLE_SERVICE: self._shuffle.meta_data()}

    async def _serve(self) -> None:
        await self._server.start()
        if self._hadoop is not None:
            core = self.core
            await self._hadoop.serve(self._world.answer, core.management, core.context.nm_tokens.password)

    def _write_node_file(self) -> None:
        """Where it listens, for whoever started it."""
        if self._directory is None:
            return
        self._directory.mkdir(parents=True, exist_ok=True)
        known = {
            "node_id": str(self.node_id),
            "pid": os.getpid(),
            "http_port": self.core.status.http_port,
            "shuffle_port": self._shuffle.port if self._shuffle else None,
        }
        draft = self._directory / f".{NODE_FILE}"
        draft.write_text(json.dumps(known), encoding="utf-8")
        draft.replace(self._directory / NODE_FILE)


async def _remove(paths: list[Path]) -> None:
    for path in paths:
        await asyncio.to_thread(remove_tree, path)


def listening_host(settings: NMSettings, address: Address) -> str:
    """Where a server of the node listens: yarn.nodemanager.bind-host, else the host of its address; of an
    emulated host, where that really is.
    """
    if settings.bind_host:
        return settings.bind_host
    book = AddressBook(Path(settings.address_book) if settings.address_book else None)
    return Address.parse(book.resolve(str(address))).host


def _hosting(conf: Path | None, tls: Tls | None, address_book: str | None) -> dict[str, str]:
    """What containers are told of this host."""
    told = {NM_PYTHON: sys.executable, NM_PYTHONPATH: str(SOURCES)}
    if tls is not None:
        told |= tls.variables
    if conf is not None:
        told[NM_CONF_DIR] = str(conf.absolute())
    if address_book:
        told[NM_ADDRESS_BOOK] = str(Path(address_book).absolute())
    return told


def _physical_resource() -> Resource:
    return Resource(psutil.virtual_memory().total // _MB, psutil.cpu_count() or 1)
