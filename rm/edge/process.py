"""The ResourceManager's process: configuration in, a served core, an orderly end.

    python -m yarnbox.rm --conf DIR [--dir RUN_DIR] [-D name=value]

Owns the order of start and end. A wrong configuration is told in full on stderr, status 2; a port that is
taken, or a state store that cannot be used, is one line, status 1. What it does while it is active is in
active.py; one of several RMs takes turns at that (ha/). Hadoop: ResourceManager.main and its services' start.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import os
import signal
import socket
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import grpc.aio

from yarnbox.rm.edge.active import ActivePeriod, Ports, Setup
from yarnbox.rm.edge.directory import ConfigurationDirectory
from yarnbox.rm.edge.front import Front
from yarnbox.rm.edge.http.server import PROPERTY as WEB_PROPERTY
from yarnbox.rm.edge.services import CORE_SERVICES, HA
from yarnbox.rm.edge.store import FILE as STORE_FILE
from yarnbox.rm.edge.store import StateStore, StoreError
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import SITE_FILES, Configuration, ConfigurationError
from yarnbox.yarn.connection.address import Address, announced
from yarnbox.yarn.connection.rm_ids import ENABLED, of_rm, own_id
from yarnbox.yarn.connection.rpc import MAX_MESSAGE_BYTES, PortTakenError, listen, new_server
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.http.listening import bind
from yarnbox.yarn.log import Log, configure_logging
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE, ResourceTypeRegistry
from yarnbox.yarn.runtime.clock import SystemClock
from yarnbox.yarn.runtime.tasks import end_of_parent
from yarnbox.yarn.security.tls import Tls, check_exposure, check_hadoop_wire
from yarnbox.yarn.settings import read
from yarnbox.yarn.storage.journal import JournalError
from yarnbox.yarn.text.command_parser import CommandParser
from yarnbox.yarn.wire import wire_of

if TYPE_CHECKING:
    from yarnbox.rm.edge.ha.role import Role

log = Log("rm")

_AUTHENTICATION = "hadoop.http.authentication.type"
GRPC_PROPERTY = "yarnbox.resourcemanager.grpc.address"
MAX_MESSAGE_PROPERTY = "ipc.maximum.data.length"
PATIENCE_PROPERTY = "yarn.client.nodemanager-connect.max-wait-ms"
LAUNCHERS_PROPERTY = "yarn.resourcemanager.amlauncher.thread-count"
_FILES = (*SITE_FILES, RESOURCE_TYPES_FILE)
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
    except sqlite3.Error as error:
        print(f"rm: state store: {error}", file=sys.stderr)
        return 1


async def _run(directory: ConfigurationDirectory, options: argparse.Namespace) -> int:
    process = Process(directory, Path(options.dir) if options.dir else None, owns_process=True)
    status = await process.run(ends_with_parent=options.exit_with_parent)
    print(f"rm: {process.reason}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="python -m yarnbox.rm", description="Run a ResourceManager.")
    parser.add_argument("--conf", metavar="DIR", required=True, help="configuration directory")
    parser.add_argument("--dir", metavar="DIR", help="run directory: logs and state (default: log to stderr)")
    parser.add_argument(
        "--exit-with-parent", action="store_true", help="exit when the parent process has ended"
    )
    parser.add_argument(
        "-D", metavar="NAME=VALUE", dest="definitions", action="append", default=[], help="set a property"
    )
    return parser


class Process:
    """One RM process: everything around its core."""

    def __init__(
        self, directory: ConfigurationDirectory, run: Path | None, *, owns_process: bool = False
    ) -> None:
        """`owns_process`: nothing else runs in the process, whose collector of garbage is set for it."""
        configuration = directory.load(*_FILES)
        self._rm_id = ""
        """Its id, if it is one of several."""
        if configuration.boolean(ENABLED, False):
            self._rm_id = own_id(configuration)
            configuration = of_rm(configuration, self._rm_id)
        self._configuration = configuration
        self._run = run
        self._settings = read(RMSettings, configuration)
        types = ResourceTypeRegistry.read(configuration)
        self._clock = SystemClock()
        self._start_ms = self._clock.now_ms()
        self._setup = Setup(
            directory=directory,
            configuration=configuration,
            settings=self._settings,
            types=types,
            wire=wire_of(types.units),
            run=run,
            max_message_bytes=configuration.size_bytes(MAX_MESSAGE_PROPERTY, MAX_MESSAGE_BYTES),
            patience_ms=configuration.duration(PATIENCE_PROPERTY, 180_000),
            launchers=configuration.integer(LAUNCHERS_PROPERTY, 50),
            clock=self._clock,
            tls=Tls.of(self._settings.tls),
            owns_process=owns_process,
        )
        self._is_ending = False
        self._period: ActivePeriod | None = None
        self._role: Role | None = None
        self._has_failed = False
        self.reason = ""
        """Why it has ended, in one line."""
        self._parent: int | None = None
        self.address: asyncio.Future[str] = asyncio.Future()
        """Where it serves, as soon as it does."""
        self.web_address: Address | None = None
        """Where its pages are, at the same time."""

    def end(self, reason: str = "asked to end") -> None:
        """Asks it to end."""
        self.reason = reason
        self._is_ending = True
        for one in (self._period, self._role):
            if one is not None:
                one.end()

    async def run(self, *, ends_with_parent: bool = False) -> int:
        """Serves until a signal comes, the parent has gone, or the state store fails."""
        self._parent = os.getppid() if ends_with_parent else None
        configure_logging(self._run / "logs" / "rm.log" if self._run is not None else None)
        if self._settings.web.authentication_type != "simple":
            log.warning(
                "callers are not authenticated: only simple authentication is supported",
                asked=_AUTHENTICATION,
            )
        for notice in self._configuration.notices:
            log.warning("configuration", notice=notice)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.end, f"ended by {number.name}")
        self._check_exposure()
        watch = asyncio.ensure_future(self._watch_parent())
        try:
            await self._serve()
        finally:
            watch.cancel()
        log.info("ended")
        return 1 if self._has_failed else 0

    async def _watch_parent(self) -> None:
        if self._parent is not None:
            await end_of_parent(self._parent)
            log.warning("the parent process has ended", parent=self._parent)
            self.end("the parent process has ended")

    async def _serve(self) -> None:
        role = self._new_role() if self._rm_id else None
        store = self._open_store() if role is None else None
        try:
            address = self._settings.addresses.grpc
            bound = Address(self._settings.addresses.bind_host or address.host, address.port)
            server = new_server(self._setup.max_message_bytes)
            tls = self._setup.tls
            port = listen(server, str(bound), GRPC_PROPERTY, tls)
            listening = self._listen_for_pages()
            assert self.web_address is not None
            try:
                services = (*CORE_SERVICES, HA) if role is not None else CORE_SERVICES
                front = Front(server, services, has_tls=tls is not None, wire=self._setup.wire)
                ports = Ports(
                    front=front, bound=Address(bound.host, port), listening=listening, web=self.web_address
                )
                if role is not None:
                    await self._serve_in_turns(role, server, ports)
                else:
                    await self._serve_alone(store, server, ports)
            finally:
                listening.close()
        finally:
            if store is not None:
                store.close()

    async def _serve_alone(self, store: StateStore | None, server: grpc.aio.Server, ports: Ports) -> None:
        entries = store.load() if store is not None else {}
        self._period = period = ActivePeriod(self._setup, ports, self._start_ms, store, entries=entries)
        if self._is_ending:
            period.end()
        try:
            await period.run(server.start, lambda: self.address.set_result(str(ports.bound)))
        finally:
            await server.stop(_GRACE_S)
        if period.failure is not None:
            self._has_failed, self.reason = True, period.reason

    async def _serve_in_turns(self, role: Role, server: grpc.aio.Server, ports: Ports) -> None:
        self._role = role
        if self._is_ending:
            role.end()
        await server.start()
        try:
            await role.run(ports, lambda: self.address.set_result(str(ports.bound)))
        finally:
            await server.stop(_GRACE_S)

    def _new_role(self) -> Role:
        """The part of one of several RMs; ConfigurationError without what that takes."""
        try:
            from yarnbox.rm.edge.ha.role import Role
        except ImportError as error:
            what = f"false, or the package kazoo has to be installed (pip install 'yarnbox[ha]'): {error}"
            origin = self._configuration.origin(ENABLED)
            raise ConfigurationError.of(origin, what, name=ENABLED, value="true") from None
        return Role(self._setup, self._rm_id)

    def _check_exposure(self) -> None:
        """Nothing listens beyond this machine without TLS, and without knowing who calls."""
        addresses, web = self._settings.addresses, self._settings.web
        bind_host = addresses.bind_host
        hosts = [bind_host] if bind_host else [addresses.grpc.host, web.address.host]
        check_exposure(hosts, self._setup.tls, has_node_secret=addresses.node_secret_file is not None)
        if addresses.hadoop_ipc:
            wire = (addresses.client, addresses.scheduler, addresses.resource_tracker, addresses.admin)
            check_hadoop_wire((bind_host or one.host for one in wire), self._settings.tls)

    def _listen_for_pages(self) -> socket.socket:
        address = self._settings.web.address
        bound = Address(self._settings.addresses.bind_host or address.host, address.port)
        listening = bind(bound, WEB_PROPERTY)
        self.web_address = Address(announced(address.host), int(listening.getsockname()[1]))
        return listening

    def _open_store(self) -> StateStore | None:
        if not self._settings.recovery_enabled or not self._settings.keeps_state:
            return None
        directory = Path(self._settings.store_path.removeprefix("file://"))
        store = StateStore(
            directory / STORE_FILE,
            self._start_ms,
            synchronous=self._settings.store_synchronous,
            creates_missing=self._settings.store_creates_missing,
            accepts_foreign=self._settings.store_accepts_foreign,
        )
        log.info("state store", path=store.path, cluster=store.cluster, is_new=store.is_new)
        for fault in store.faults:
            log.error("the state store is damaged", fault=fault)
        return store
