"""The history server's process: `python -m yarnbox.am.mapreduce.history.server --conf DIR`.

Owns the ports, and the times at which histories are taken in and old ones deleted. Exit status: 0 after a
clean end, 1 when it could not go on, 2 when the configuration is wrong. Hadoop: JobHistoryServer.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from yarnbox.am.job_command.output import OutputSettings
from yarnbox.am.mapreduce.client_protocol import HISTORY_PROTOCOL, SERVICE
from yarnbox.am.mapreduce.history.catalog import Catalog, ContainerLogs
from yarnbox.am.mapreduce.history.client_service import HistoryClientService
from yarnbox.am.mapreduce.history.files import HistoryFiles
from yarnbox.am.mapreduce.history.settings import ADDRESS, WEB_ADDRESS, HistoryServerSettings
from yarnbox.am.mapreduce.history.web import HistoryWeb
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.address import Address, announced
from yarnbox.yarn.connection.rpc import PortTakenError
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.listening import bind
from yarnbox.yarn.http.server import HttpServer
from yarnbox.yarn.log import configure_logging
from yarnbox.yarn.runtime.interpreter import leave
from yarnbox.yarn.runtime.tasks import end_of_parent, end_tasks
from yarnbox.yarn.security.tls import ExposedError, Tls, check_exposure, check_hadoop_wire, scheme
from yarnbox.yarn.settings import read
from yarnbox.yarn.storage.urls import is_remote
from yarnbox.yarn.text.command_parser import CommandParser

log = logging.getLogger("historyserver")

DEFAULT_ADDRESS = Address("127.0.0.1", 19888)
_RM_WEB = "yarn.resourcemanager.webapp.address"


class HistoryServer:
    """One life of it."""

    def __init__(self, settings: HistoryServerSettings, output: OutputSettings, rm_address: str) -> None:
        history = settings.history
        self._settings = settings
        address = history.web_address or DEFAULT_ADDRESS
        self._bound = replace(address, host=settings.bind_host or address.host)
        self._address = replace(address, host=announced(address.host))
        self._catalog = Catalog(
            HistoryFiles(history.intermediate_dir, history.done_dir),
            listed=settings.job_list_size,
            loaded=settings.loaded_jobs,
        )
        self._ended = asyncio.Event()
        url = f"{settings.tls.scheme}://{self._address}"
        site = HistoryWeb(
            self._catalog,
            ContainerLogs(output),
            int(time.time() * 1000),
            f"{settings.tls.scheme}://{rm_address}" if rm_address else "",
            url,
        )
        access = HttpAccess(settings.access, [self._address.host])
        self._tls = Tls.of(settings.tls)
        self._server = HttpServer(site.application(access, self._tls))
        answers = HistoryClientService(self._catalog, url)
        self._clients = HadoopServer({HISTORY_PROTOCOL: Endpoint(SERVICE, answers.handle)})

    def end(self) -> None:
        """Lets `run` return."""
        self._ended.set()

    async def run(self) -> None:
        """Serves until it is ended. PortTakenError when it cannot."""
        check_exposure([self._bound.host], self._tls)
        if self._settings.hadoop_ipc:
            await self._serve_clients()
        await self._server.start(bind(self._bound, WEB_ADDRESS), self._tls)
        log.info("serving %s://%s/jobhistory", scheme(self._tls), self._address)
        settings = self._settings
        work = [self._repeat(settings.move_interval_ms, self._take_in)]
        if settings.history.cleaner_enabled:
            work.append(self._repeat(settings.cleaner_interval_ms, self._clean))
        tasks = [asyncio.create_task(one) for one in work]
        try:
            await self._ended.wait()
        finally:
            await end_tasks(tasks)
            await self._server.stop()
            await self._clients.stop()

    async def _serve_clients(self) -> None:
        """Of Hadoop's own MapReduce."""
        settings = self._settings
        host, port = settings.bind_host or settings.address.host, settings.address.port
        check_hadoop_wire([host], settings.tls)
        await self._clients.start(host, port, ADDRESS)
        log.info("serving Hadoop's job clients at %s", settings.address)

    async def _repeat(self, interval_ms: int, work: Callable[[], None]) -> None:
        while True:
            try:
                work()
            except OSError as error:
                log.warning("%s", error)
            await asyncio.sleep(interval_ms / 1000)

    def _take_in(self) -> None:
        moved = self._catalog.take_in()
        if moved:
            log.info("took in the histories of %d jobs", moved)

    def _clean(self) -> None:
        oldest_ms = int(time.time() * 1000) - self._settings.history.max_age_ms
        deleted = self._catalog.clean(oldest_ms)
        if deleted:
            log.info("deleted the histories of %d jobs", deleted)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs until it is ended; the exit status."""
    parser = CommandParser(
        prog="python -m yarnbox.am.mapreduce.history.server",
        description="The MapReduce history server.",
    )
    parser.add_argument(
        "--conf", type=Path, metavar="DIR", help="configuration directory (default: $HADOOP_CONF_DIR)"
    )
    parser.add_argument(
        "-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="set a property"
    )
    parser.add_argument("--log-file", type=Path, metavar="FILE", help="log into this file instead of stderr")
    parser.add_argument(
        "--exit-with-parent", action="store_true", help="exit when the parent process has ended"
    )
    options = parser.parse_args(arguments)
    configure_logging(options.log_file, "INFO")
    try:
        configuration = _configuration(options)
        settings = read(HistoryServerSettings, configuration)
        output = read(OutputSettings, configuration)
        if is_remote(settings.history.done_dir):
            name = "mapreduce.jobhistory.done-dir"
            origin = str(configuration.origin(name))
            raise ConfigurationError.of(origin, "a path", name=name, value=settings.history.done_dir)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    rm_address = configuration.value(_RM_WEB) or ""
    try:
        asyncio.run(_run(settings, output, rm_address, with_parent=options.exit_with_parent))
    except PortTakenError as error:
        print(error, file=sys.stderr)
        return 1
    except (ConfigurationError, ExposedError) as error:
        print(f"historyserver: {error.message}", file=sys.stderr)
        return 2
    return 0


def _configuration(options: argparse.Namespace) -> Configuration:
    named = os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")
    directory = options.conf or (Path(named) if named else None)
    system = {"user.name": getpass.getuser()}
    if directory is None:
        configuration = Configuration(environment=os.environ, system_properties=system)
    elif not directory.is_dir():
        raise ConfigurationError.of(str(directory), "a configuration directory")
    else:
        configuration = Configuration.load(directory, environment=os.environ, system_properties=system)
    return configuration.overlaid_by_arguments(options.define)


async def _run(
    settings: HistoryServerSettings, output: OutputSettings, rm_address: str, *, with_parent: bool
) -> None:
    server = HistoryServer(settings, output, rm_address)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.end)
    watch = loop.create_task(_follow_parent(server.end)) if with_parent else None
    try:
        await server.run()
    finally:
        if watch is not None:
            await end_tasks([watch])


async def _follow_parent(end: Callable[[], None]) -> None:
    await end_of_parent(os.getppid())
    end()


if __name__ == "__main__":
    leave(main())
