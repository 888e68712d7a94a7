"""The ResourceManager while it is active: a core, what it recovers from, everything that is served around it.

One period of being active has a beginning, in which an earlier RM's state is recovered, and an end, after
which nothing of it is left: an RM that becomes a standby goes on without, and begins anew when it is active
again. An RM that is alone has one period. Hadoop: ResourceManager.RMActiveServices.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import getpass
import random
import re
import secrets
import socket
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yarnbox.rm.context import RMContext
from yarnbox.rm.core import Core
from yarnbox.rm.edge.directory import ConfigurationDirectory
from yarnbox.rm.edge.driver import Driver, Lease
from yarnbox.rm.edge.front import Front, Served
from yarnbox.rm.edge.hadoop import AdminPort, HadoopPorts
from yarnbox.rm.edge.http.container_logs import ContainerLogs
from yarnbox.rm.edge.http.history import Past
from yarnbox.rm.edge.http.metrics import Metrics
from yarnbox.rm.edge.http.pages import Pages as WebPages
from yarnbox.rm.edge.http.proxy import Proxy
from yarnbox.rm.edge.http.server import WebServer
from yarnbox.rm.edge.http.stream import EventStream
from yarnbox.rm.edge.http.tools import Tools
from yarnbox.rm.edge.launcher import Launcher
from yarnbox.rm.edge.log_retention import LogRetention
from yarnbox.rm.edge.meters import Meters
from yarnbox.rm.edge.node_protocols import NodeProtocols
from yarnbox.rm.edge.security.authentication import CallerCheck
from yarnbox.rm.edge.security.groups import UserGroups
from yarnbox.rm.edge.security.tokens import AMRM_KEYS, Tokens
from yarnbox.rm.edge.services import HostNames, grpc_services
from yarnbox.rm.edge.store import Keeper, Key, RecordKeeper, StoreError
from yarnbox.rm.effects import SCHEDULER_JOURNAL
from yarnbox.rm.labels.administration import ATTRIBUTE_JOURNAL, LABEL_JOURNAL
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.address import Address, announced
from yarnbox.yarn.connection.address_book import ADDRESS_BOOK_PROPERTY, AddressBook
from yarnbox.yarn.http.process_beans import ProcessBeans
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.log import LEVELS, Log
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.clock import SystemClock
from yarnbox.yarn.runtime.interpreter import reduce_garbage_collection
from yarnbox.yarn.security.authentication import Authentication
from yarnbox.yarn.security.tls import Tls, scheme
from yarnbox.yarn.security.tokens import activation_delay_ms, new_key
from yarnbox.yarn.storage.event_log import FILE as EVENTS_FILE
from yarnbox.yarn.storage.event_log import RECOVERED, STARTED, EventLog, Milestone
from yarnbox.yarn.storage.journal import Journal
from yarnbox.yarn.topology import RackResolver
from yarnbox.yarn.wire import Wire

log = Log("rm")

EPOCH = ("epoch",)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_FLUSH_S = 0.1
_LEASE_LOOK_S = 0.1

JOURNALS = (LABEL_JOURNAL, ATTRIBUTE_JOURNAL, SCHEDULER_JOURNAL)
"""The names of what is kept in journals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What an RM was started with; it outlives every period of being active."""

    directory: ConfigurationDirectory
    configuration: Configuration
    settings: RMSettings
    types: ResourceTypeRegistry
    wire: Wire
    run: Path | None
    """The directory of logs, if there is one."""
    max_message_bytes: int
    patience_ms: int
    """How long a node is called that is to launch an AM."""
    launchers: int
    clock: SystemClock
    tls: Tls | None = None
    owns_process: bool = False
    """Whether nothing else runs in the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ports that are open before the RM is active and stay open afterwards."""

    front: Front
    bound: Address
    listening: socket.socket
    """The pages'."""
    web: Address
    admin: AdminPort | None = None
    further: Mapping[str, Served] | None = None
    """Services that are not the core's."""


class Pages:
    """The addresses of the web pages. Hadoop: WebAppUtils and ProxyUriUtils."""

    def __init__(self, address: Address, book: AddressBook | None = None, scheme: str = "http") -> None:
        self._top = f"{scheme}://{address}"
        self._book = book or AddressBook()

    def application(self, application_id: ApplicationId) -> str:
        """The RM's page of an application."""
        return f"{self._top}/cluster/app/{application_id}"

    def proxy(self, application_id: ApplicationId) -> str:
        """The proxy address of an application's own page."""
        return f"{self._top}/proxy/{application_id}/"

    def node(self, address: str) -> str:
        """The real address of a node's pages: no browser can resolve the names of emulated hosts."""
        return self._book.resolve(address)


class ActivePeriod:
    """One RM, from its recovery to its end."""

    def __init__(
        self,
        setup: Setup,
        ports: Ports,
        start_ms: int,
        store: Keeper | None,
        *,
        entries: dict[Key, object],
        journals: Mapping[str, RecordKeeper] | None = None,
        lease: Lease | None = None,
    ) -> None:
        """`entries` are the store's. Without `journals` they are files; without `lease` it is always
        active.
        """
        self._setup = setup
        self._ports = ports
        self._settings = setup.settings
        self._configuration = setup.configuration
        self._run = setup.run
        self._clock = setup.clock
        self._start_ms = start_ms
        self._store = store
        self._entries = entries
        self._kept = journals
        self._lease = lease
        self._ending = asyncio.Event()
        self.failure: BaseException | None = None
        """What ended it, unless it was asked to end."""

    def end(self) -> None:
        """Asks it to end."""
        self._ending.set()

    async def run(self, before_pages: Callable[[], Awaitable[None]], started: Callable[[], None]) -> None:
        """Recovers, serves, and ends. `before_pages` frees the pages' port; `started` is called as soon as
        everything is served.
        """
        settings, ports, store = self._settings, self._ports, self._store
        tokens = self._tokens(Address(announced(settings.addresses.grpc.host), ports.bound.port))
        book = AddressBook(self._path(ADDRESS_BOOK_PROPERTY))
        core = self._core(tokens, self._epoch(store, self._entries), book)
        driver = Driver(core, self._clock, store, self._break, self._lease)
        protocols = NodeProtocols(book, self._setup.tls, self._setup.wire)
        driver.launcher = Launcher(
            tokens,
            protocols,
            lambda attempt_id: driver.tell(lambda: core.am_launched(attempt_id)),
            lambda attempt_id, why: driver.tell(lambda: core.am_launch_failed(attempt_id, why)),
            patience_s=self._setup.patience_ms / 1000,
            at_a_time=self._setup.launchers,
        )
        self._restore_keys(core.context, tokens, store, self._entries)
        events = self._begin(core, driver, self._entries)
        background = self._in_background(core, driver, tokens, store)
        names = HostNames(book) if settings.check_node_host else None
        meters, beans = Meters(core), ProcessBeans("ResourceManager")
        beans.meters = meters.all()
        beans.start()
        maximum = self._setup.max_message_bytes
        hadoop = HadoopPorts(core, driver, tokens, settings, maximum, names, meters, protocols, ports.admin)
        await hadoop.start()
        check = self._caller_check(core, tokens)
        services = grpc_services(core, driver, tokens, meters, protocols, names, check)
        ports.front.serve({**services, **(ports.further or {})})
        await before_pages()
        pages = self._web(core, driver, ports.listening.dup(), book)
        Metrics(core, pages, beans, meters)
        await pages.start()
        started()
        log.info("serving", address=ports.bound, web=ports.web, scheduler=settings.scheduler_class)
        if self._setup.owns_process:
            reduce_garbage_collection()
        try:
            await self._until_the_end()
        finally:
            ports.front.serve(ports.further or {})
            driver.stop()
            beans.stop()
            for task in background:
                task.cancel()
            await pages.stop()
            await hadoop.stop()
            await driver.launcher.close()
            for journal in driver.journals.values():
                journal.close()
            if events is not None:
                with contextlib.suppress(OSError):
                    events.close()
            if self._setup.owns_process:
                gc.unfreeze()

    def _begin(self, core: Core, driver: Driver, entries: dict[Key, object]) -> EventLog | None:
        """The first turn, with what an earlier RM left; the event log from then on, which says so."""
        events = self._event_log(core)
        epoch = core.context.epoch

        def note(milestone: str, **details: object) -> None:
            if events is not None:
                events.add(self._clock.now_ms(), Milestone(milestone, f"epoch {epoch}", details))

        note(STARTED, webAddress=str(self._ports.web), recovers=bool(entries))
        driver.journals = self._kept or self._journals()
        kept = {name: journal.load() for name, journal in driver.journals.items()}
        driver.turn(lambda: core.start(entries, kept))
        for name, records in core.journal_snapshots().items():
            driver.journals[name].begin(records)
        if entries:
            log.info("recovered", applications=len(core.context.apps), epoch=epoch)
            note(RECOVERED, applications=len(core.context.apps))
        return events

    def _web(self, core: Core, driver: Driver, listening: socket.socket, book: AddressBook) -> WebServer:
        pages = WebServer(core, driver, listening, self._settings.web.static_user, self._setup.tls)
        Tools(core, pages, self._run / "logs" if self._run is not None else None)
        Proxy(core, pages, book)
        WebPages(pages)
        EventStream(core, pages)
        Past(pages, book)
        ContainerLogs(pages, book)
        return pages

    def _caller_check(self, core: Core, tokens: Tokens) -> CallerCheck | None:
        tls = self._setup.tls
        if tls is None:
            return None

        def owner_of(application_id: ApplicationId) -> str | None:
            app = core.context.apps.get(application_id)
            return app.user if app is not None else None

        return CallerCheck(Authentication(tls), tokens, owner_of)

    def _core(self, tokens: Tokens, epoch: int, book: AddressBook) -> Core:
        core = Core(
            settings=self._settings,
            configuration=self._configuration,
            resource_types=self._setup.types,
            provider=self._setup.directory,
            groups=UserGroups(self._configuration),
            tokens=tokens,
            pages=Pages(self._ports.web, book, scheme(self._setup.tls)),
            rack_of=RackResolver.of(self._configuration),
            random=random.Random(secrets.randbits(64)),
            clock=self._clock,
            start_ms=self._start_ms,
            epoch=epoch,
            is_strict=False,
        )
        core.context.logs_at = lambda logger, level: Log(logger).is_read(LEVELS[level])
        core.context.owner = getpass.getuser()
        core.context.stopwatch = lambda: time.perf_counter() * 1000
        return core

    def _in_background(
        self, core: Core, driver: Driver, tokens: Tokens, store: Keeper | None
    ) -> list[asyncio.Future[None]]:
        """The tasks that run beside the calls for as long as the RM is active."""
        rolling = asyncio.ensure_future(self._roll_keys(tokens, store))
        rolling.add_done_callback(self._rolling_ended)
        retention = LogRetention(self._settings.logs, core.context.apps, self._clock.now_ms)
        return [rolling, *map(asyncio.ensure_future, (retention.run(), driver.pause_monitor.run()))]

    def _journals(self) -> dict[str, RecordKeeper]:
        settings = self._settings
        web = settings.web
        scheduler = (
            ("fs.path", web.configuration_fs_directory)
            if web.configuration_store == "fs"
            else ("leveldb-store.path", web.configuration_leveldb_directory)
        )
        found = (
            (LABEL_JOURNAL, "yarn.node-labels.fs-store.root-dir", settings.labels.store_directory),
            (ATTRIBUTE_JOURNAL, "yarn.node-attribute.fs-store.root-dir", settings.attributes.store_directory),
            (SCHEDULER_JOURNAL, f"yarn.scheduler.configuration.{scheduler[0]}", scheduler[1]),
        )
        return {
            name: Journal(_local_directory(setting, directory), name, setting)
            for name, setting, directory in found
        }

    def _tokens(self, address: Address) -> Tokens:
        return Tokens(
            new_key(secrets.token_bytes),
            rm_identifier=self._start_ms,
            container_expiry_ms=self._settings.container_allocation_expiry_ms,
            service=str(address),
            gives_client_tokens=self._settings.tokens.client_to_am,
            wire=self._setup.wire,
        )

    def _epoch(self, store: Keeper | None, entries: dict[Key, object]) -> int:
        """Counts the starts with one store; it goes into container ids, so that none is given out twice. It
        stands beside the file, too, which may be a backup.
        """
        within = entries.pop(EPOCH, 0)
        if store is None:
            return 0
        span = self._settings.epoch_range
        epoch = max(within if isinstance(within, int) else 0, 0 if span else store.epoch)
        following = (epoch + 1) % span if span else epoch + 1
        store.write([(EPOCH, following)])
        store.record_epoch(following)
        return epoch

    def _restore_keys(
        self, context: RMContext, tokens: Tokens, store: Keeper | None, entries: dict[Key, Any]
    ) -> None:
        context.kept_state = store
        stored = entries.pop(AMRM_KEYS, None)
        if stored is not None:
            try:
                tokens.restore_keys(stored)
            except (ValueError, TypeError, KeyError, IndexError) as error:
                context.set_entry_aside(AMRM_KEYS, error)
        if store is not None:
            store.write([(AMRM_KEYS, tokens.keys_to_store())])

    async def _roll_keys(self, tokens: Tokens, store: Keeper | None) -> None:
        """Makes new keys periodically, and signs with them once all nodes have received them."""

        def keep_amrm_keys() -> None:
            if store is not None:
                store.write([(AMRM_KEYS, tokens.keys_to_store())])

        def activate_amrm() -> None:
            tokens.amrm.keys.activate()
            keep_amrm_keys()

        def roll_amrm() -> None:
            tokens.amrm.keys.roll()
            keep_amrm_keys()

        settings, rolled = self._settings, self._settings.tokens
        if tokens.amrm.keys.next is not None:  # an earlier RM ended between the two
            asyncio.get_running_loop().call_later(
                activation_delay_ms(settings.am_expiry_ms) / 1000, activate_amrm
            )
        node_delay_ms = activation_delay_ms(settings.node_expiry_ms)
        containers, nodes = tokens.containers.keys, tokens.nm
        await asyncio.gather(
            _roll(
                rolled.am_rm_key_rolling_secs,
                activation_delay_ms(settings.am_expiry_ms),
                roll_amrm,
                activate_amrm,
            ),
            _roll(rolled.container_key_rolling_secs, node_delay_ms, containers.roll, containers.activate),
            _roll(rolled.nm_key_rolling_secs, node_delay_ms, nodes.keys.roll, nodes.activate_next_key),
        )

    def _event_log(self, core: Core) -> EventLog | None:
        if self._run is None:
            return None
        loop = asyncio.get_running_loop()
        events = EventLog(
            self._run / "logs" / EVENTS_FILE, begun=lambda: loop.call_later(_FLUSH_S, _flush, events)
        )
        context = core.context
        context.dispatcher.watchers.append(lambda event: events.add(context.now_ms, event))
        context.bookings.append(lambda booking: events.add(context.now_ms, booking))
        return events

    async def _until_the_end(self) -> None:
        while self._lease is not None and not self._ending.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LEASE_LOOK_S):
                    await self._ending.wait()
            if not self._lease.is_held:
                self._break(StoreError(self._lease.why_lost or "ZooKeeper did not answer"))
        await self._ending.wait()

    def _rolling_ended(self, task: asyncio.Future[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("keys cannot be rolled", why=error)
            self._break(error)

    def _path(self, name: str) -> Path | None:
        text = self._configuration.value(name)
        return Path(text) if text else None

    def _break(self, why: BaseException) -> None:
        self.failure = self.failure or why
        self._ending.set()

    @property
    def reason(self) -> str:
        """What ended it, in one line."""
        why = self.failure
        what = "state store: " if isinstance(why, (sqlite3.Error, StoreError)) else ""
        return what + (str(why) or type(why).__name__).partition("\n")[0]


def _flush(events: EventLog) -> None:
    """An RM goes on without its event log."""
    events.flush()
    if events.failure is not None:
        log.error("the event log cannot be written any more", why=events.failure)


async def _roll(
    interval_s: int, delay_ms: int, roll: Callable[[], object], activate: Callable[[], object]
) -> None:
    while True:
        await asyncio.sleep(interval_s)
        roll()
        await asyncio.sleep(delay_ms / 1000)
        activate()


def _local_directory(setting: str, text: str) -> Path:
    """The directory that a store's property names. ConfigurationError where it is on another filesystem."""
    scheme = _SCHEME.match(text)
    if scheme is not None and scheme[1].lower() != "file":
        allowed = "a path or a file: URI: yarnbox keeps it in a local directory"
        raise ConfigurationError.of("yarn-site.xml", allowed, name=setting, value=text)
    return Path(text.removeprefix("file://"))
