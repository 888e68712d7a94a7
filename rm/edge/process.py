"""The ResourceManager's process: configuration in, a served core, an orderly end.

    python -m rm --conf DIR [--dir RUN_DIR] [-D name=value]

Owns the order of start and end. A wrong configuration is told in full on stderr, status 2; a port that is
taken, or a state store that cannot be used, is one line, status 1. Answers for ResourceManager.main and its
services' start.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import getpass
import os
import random
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import grpc.aio

from rm.core import Core
from rm.edge.directory import ConfigurationDirectory
from rm.edge.driver import Driver
from rm.edge.groups import UserGroups
from rm.edge.hadoop import HadoopPorts
from rm.edge.http.history import Past
from rm.edge.http.metrics import Metrics
from rm.edge.http.pages import Pages as WebPages
from rm.edge.http.proxy import Proxy
from rm.edge.http.server import WebServer, bind
from rm.edge.http.stream import EventStream
from rm.edge.http.tools import Tools
from rm.edge.launcher import Launcher
from rm.edge.log_retention import LogRetention
from rm.edge.meters import Meters
from rm.edge.pages import Pages
from rm.edge.services import HostNames, add_services
from rm.edge.store import FILE as STORE_FILE
from rm.edge.store import Key, StateStore, StoreError
from rm.edge.tokens import AMRM_KEYS, Tokens
from rm.edge.wires import Wires
from rm.effects import SCHEDULER_JOURNAL
from rm.labels.administration import ATTRIBUTE_JOURNAL, LABEL_JOURNAL
from rm.settings import RMSettings
from yarn.address import Address
from yarn.addresses import ADDRESS_BOOK_PROPERTY, AddressBook
from yarn.clock import SystemClock
from yarn.configuration import SITE_FILES, Configuration
from yarn.errors import YarnError
from yarn.event_log import FILE as EVENTS_FILE
from yarn.event_log import EventLog
from yarn.journal import Journal, JournalError
from yarn.log import LEVELS, Log, configure_logging
from yarn.process_beans import ProcessBeans
from yarn.resource_types import RESOURCE_TYPES_FILE, ResourceTypeRegistry
from yarn.rpc import MAX_MESSAGE_BYTES, PortTakenError, listen, new_server
from yarn.settings import read
from yarn.tokens import activation_delay_ms, new_key
from yarn.topology import RackResolver
from yarn.wire import use_units

log = Log("rm")

_AUTHENTICATION = "hadoop.http.authentication.type"
EPOCH = ("epoch",)
GRPC_PROPERTY = "yarnbox.resourcemanager.grpc.address"
MAX_MESSAGE_PROPERTY = "ipc.maximum.data.length"
PATIENCE_PROPERTY = "yarn.client.nodemanager-connect.max-wait-ms"
LAUNCHERS_PROPERTY = "yarn.resourcemanager.amlauncher.thread-count"
_FILES = (*SITE_FILES, RESOURCE_TYPES_FILE)
_FLUSH_S = 0.1
_GRACE_S = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs an RM until it is told to end; the exit status."""
    options = _parser().parse_args(arguments)
    environment = dict(os.environ)
    base = Configuration(environment=environment, system_properties={"user.name": getpass.getuser()})
    directory = ConfigurationDirectory(Path(options.conf), base, tuple(options.definitions))
    try:
        return asyncio.run(_run(directory, options))
    except YarnError as error:  # most of all a ConfigurationError, which tells of every fault
        print(f"rm: {error.message}", file=sys.stderr)
        return 2
    except (PortTakenError, StoreError, JournalError) as error:
        print(f"rm: {error}", file=sys.stderr)
        return 1


async def _run(directory: ConfigurationDirectory, options: argparse.Namespace) -> int:
    process = Process(directory, Path(options.dir) if options.dir else None)
    return await process.run(ends_with_parent=options.exit_with_parent)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rm", description="A ResourceManager.")
    parser.add_argument("--conf", metavar="DIR", required=True, help="configuration directory")
    parser.add_argument("--dir", metavar="DIR", help="run directory: logs and state (default: log to stderr)")
    parser.add_argument("--exit-with-parent", action="store_true", help="end when whoever started it is gone")
    parser.add_argument(
        "-D", metavar="NAME=VALUE", dest="definitions", action="append", default=[], help="set a property"
    )
    return parser


class Process:
    """One RM process: everything around its core."""

    def __init__(self, directory: ConfigurationDirectory, run: Path | None) -> None:
        configuration = directory.load(*_FILES)
        self._directory = directory
        self._configuration = configuration
        self._run = run
        self._settings = read(RMSettings, configuration)
        self._types = ResourceTypeRegistry.read(configuration)
        use_units(self._types.units)
        self._max_message = configuration.size_bytes(MAX_MESSAGE_PROPERTY, MAX_MESSAGE_BYTES)
        self._patience_ms = configuration.duration(PATIENCE_PROPERTY, 180_000)
        self._launchers = configuration.integer(LAUNCHERS_PROPERTY, 50)
        self._clock = SystemClock()
        self._start_ms = self._clock.now_ms()
        self._ending = asyncio.Event()
        self._failure: BaseException | None = None
        self._parent: int | None = None
        self.address: asyncio.Future[str] = asyncio.Future()
        """Where it serves, as soon as it does."""
        self.web_address: Address | None = None
        """Where its pages are, at the same time."""

    def end(self) -> None:
        """Asks it to end."""
        self._ending.set()

    async def run(self, *, ends_with_parent: bool = False) -> int:
        """Serves until a signal comes, the parent has gone, or the state store fails."""
        self._parent = os.getppid() if ends_with_parent else None
        configure_logging(self._run / "logs" / "rm.log" if self._run is not None else None)
        if self._settings.web.authentication_type != "simple":
            log.warning("callers are believed: only simple is served", asked=_AUTHENTICATION)
        for notice in self._configuration.notices:
            log.warning("configuration", notice=notice)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.end)
        store = self._open_store()
        try:
            await self._serve(store)
        finally:
            if store is not None:
                store.close()
        log.info("ended")
        return 0 if self._failure is None else 1

    def _open_store(self) -> StateStore | None:
        if not self._settings.recovery_enabled or not self._settings.keeps_state:
            return None
        directory = Path(self._settings.store_path.removeprefix("file://"))
        return StateStore(directory / STORE_FILE)

    async def _serve(self, store: StateStore | None) -> None:
        entries = store.load() if store is not None else {}
        address = self._settings.addresses.grpc
        bound = Address(self._settings.addresses.bind_host or address.host, address.port)
        server = new_server(self._max_message)
        port = listen(server, str(bound), GRPC_PROPERTY)
        listening = self._listen_for_pages()
        try:
            await self._serve_both(store, entries, server, Address(bound.host, port), listening)
        finally:
            listening.close()

    def _listen_for_pages(self) -> socket.socket:
        address = self._settings.web.address
        listening = bind(Address(self._settings.addresses.bind_host or address.host, address.port))
        self.web_address = Address(address.host, int(listening.getsockname()[1]))
        return listening

    async def _serve_both(
        self,
        store: StateStore | None,
        entries: dict[Key, Any],
        server: grpc.aio.Server,
        bound: Address,
        listening: socket.socket,
    ) -> None:
        tokens = self._tokens(Address(self._settings.addresses.grpc.host, bound.port))
        book = AddressBook(self._path(ADDRESS_BOOK_PROPERTY))
        core = self._core(tokens, self._epoch(store, entries), book)
        driver = Driver(core, self._clock, store, self._break)
        wires = Wires(book)
        driver.launcher = Launcher(
            tokens,
            wires,
            lambda attempt_id: driver.tell(lambda: core.am_launched(attempt_id)),
            lambda attempt_id, why: driver.tell(lambda: core.am_launch_failed(attempt_id, why)),
            patience_s=self._patience_ms / 1000,
            at_a_time=self._launchers,
        )
        self._restore_keys(tokens, store, entries)
        events = self._event_log(core)
        driver.journals = self._journals()
        kept = {name: journal.load() for name, journal in driver.journals.items()}
        driver.turn(lambda: core.start(entries, kept))
        for name, records in core.journal_snapshots().items():
            driver.journals[name].begin(records)
        if entries:
            log.info("recovered", applications=len(core.context.apps), epoch=core.context.epoch)
        background = self._in_background(core, tokens, store)
        names = HostNames(book) if self._settings.check_node_host else None
        meters, beans = Meters(core), ProcessBeans("ResourceManager")
        beans.meters = meters.all()
        beans.start()
        add_services(server, core, driver, tokens, meters, wires, names)
        hadoop = HadoopPorts(core, driver, tokens, self._settings, self._max_message, names, meters, wires)
        await hadoop.start()
        await server.start()
        pages = self._web(core, driver, listening, book)
        Metrics(core, pages, beans, meters)
        await pages.start()
        self.address.set_result(str(bound))
        log.info("serving", address=bound, web=self.web_address, scheduler=self._settings.scheduler_class)
        _settle_memory()
        try:
            await self._flush_until_the_end(events)
        finally:
            beans.stop()
            for task in background:
                task.cancel()
            await pages.stop()
            await hadoop.stop()
            await server.stop(_GRACE_S)
            await driver.launcher.close()
            for journal in driver.journals.values():
                journal.close()
            if events is not None:
                with contextlib.suppress(OSError):
                    events.close()

    def _web(self, core: Core, driver: Driver, listening: socket.socket, book: AddressBook) -> WebServer:
        pages = WebServer(core, driver, listening, self._settings.web.static_user)
        Tools(core, pages, self._run / "logs" if self._run is not None else None)
        Proxy(core, pages, book)
        WebPages(pages)
        EventStream(core, pages)
        Past(pages, book)
        return pages

    def _core(self, tokens: Tokens, epoch: int, book: AddressBook) -> Core:
        core = Core(
            settings=self._settings,
            configuration=self._configuration,
            resource_types=self._types,
            provider=self._directory,
            groups=UserGroups(self._configuration),
            tokens=tokens,
            pages=Pages(self.web_address or self._settings.web.address, book),
            rack_of=RackResolver.of(self._configuration),
            random=random.Random(secrets.randbits(64)),
            clock=self._clock,
            start_ms=self._start_ms,
            epoch=epoch,
            is_strict=False,
        )
        core.context.hears = lambda logger, level: Log(logger).is_read(LEVELS[level])
        core.context.stopwatch = lambda: time.perf_counter() * 1000
        return core

    def _in_background(
        self, core: Core, tokens: Tokens, store: StateStore | None
    ) -> list[asyncio.Future[None]]:
        """What goes on for ever beside the calls."""
        rolling = asyncio.ensure_future(self._roll_keys(tokens, store))
        rolling.add_done_callback(self._rolling_ended)
        retention = LogRetention(self._settings.logs, core.context.apps, self._clock.now_ms)
        return [rolling, asyncio.ensure_future(retention.run())]

    def _journals(self) -> dict[str, Journal]:
        settings = self._settings
        directories = {
            LABEL_JOURNAL: settings.labels.store_directory,
            ATTRIBUTE_JOURNAL: settings.attributes.store_directory,
            SCHEDULER_JOURNAL: settings.web.configuration_fs_directory
            if settings.web.configuration_store == "fs"
            else settings.web.configuration_leveldb_directory,
        }
        return {
            name: Journal(Path(directory.removeprefix("file://")), name)
            for name, directory in directories.items()
        }

    def _tokens(self, address: Address) -> Tokens:
        return Tokens(
            new_key(secrets.token_bytes),
            rm_identifier=self._start_ms,
            container_expiry_ms=self._settings.container_allocation_expiry_ms,
            service=str(address),
            gives_client_tokens=self._settings.tokens.client_to_am,
        )

    def _epoch(self, store: StateStore | None, entries: dict[Key, Any]) -> int:
        """Counts the starts with one store; it goes into container ids, so that none is given out twice."""
        epoch = int(entries.pop(EPOCH, 0))
        if store is not None:
            span = self._settings.epoch_range
            store.write([(EPOCH, (epoch + 1) % span if span else epoch + 1)])
        return epoch

    def _restore_keys(self, tokens: Tokens, store: StateStore | None, entries: dict[Key, Any]) -> None:
        stored = entries.pop(AMRM_KEYS, None)
        if stored is not None:
            tokens.restore_keys(stored)
        if store is not None:
            store.write([(AMRM_KEYS, tokens.keys_to_store())])

    async def _roll_keys(self, tokens: Tokens, store: StateStore | None) -> None:
        """Makes new keys for ever, and signs with them once all have heard of them."""

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
        events = EventLog(self._run / "logs" / EVENTS_FILE)
        context = core.context
        context.dispatcher.watchers.append(lambda event: events.add(context.now_ms, event))
        context.bookings.append(lambda booking: events.add(context.now_ms, booking))
        return events

    async def _flush_until_the_end(self, events: EventLog | None) -> None:
        while not self._ending.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_FLUSH_S):
                    await self._ending.wait()
            if events is not None and not _flush(events):
                events = None
            if self._parent is not None and os.getppid() != self._parent:
                log.warning("whoever started this is gone", parent=self._parent)
                return

    def _rolling_ended(self, task: asyncio.Future[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("keys cannot be rolled", why=error)
            self._break(error)

    def _path(self, name: str) -> Path | None:
        text = self._configuration.value(name)
        return Path(text) if text else None

    def _break(self, why: BaseException) -> None:
        self._failure = why
        self._ending.set()


def _settle_memory() -> None:
    """What is there now stays: no collection need look at it again."""
    gc.collect()
    gc.freeze()


def _flush(events: EventLog) -> bool:
    """Whether the event log could be written; an RM goes on without it."""
    try:
        events.flush()
    except OSError as error:
        log.error("the event log cannot be written any more", why=error)
        return False
    return True


async def _roll(
    interval_s: int, delay_ms: int, roll: Callable[[], object], activate: Callable[[], object]
) -> None:
    while True:
        await asyncio.sleep(interval_s)
        roll()
        await asyncio.sleep(delay_ms / 1000)
        activate()
