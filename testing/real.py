"""A cluster of real processes on this machine, on free ports and in a directory of its own.

AMs and clients call it through relays in the test's process, where the faults stand; the daemons call each
other directly. The AM is a function of a module that its container can import by its file, or a command.
"""

from __future__ import annotations

import asyncio
import getpass
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from heapq import merge
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

import grpc.aio

from yarnbox.am.connection import CLIENT_SERVICE, CONF_DIRS, Connection
from yarnbox.am.launch import command_line, exact_environment, python_context, python_path, redirections
from yarnbox.am.submit import Submitter
from yarnbox.cluster import processes
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.cluster import wait_until as look_until
from yarnbox.cluster.directory import RunDirectory
from yarnbox.cluster.site import GRPC_PROPERTY, HA_PROPERTY
from yarnbox.rm.web.event_rows import ROUTINE
from yarnbox.testing.conditions import Arrival, Condition
from yarnbox.testing.faults import PREEMPTED, ContainerAddress, Fault, Faults, exchange
from yarnbox.testing.loop_thread import LoopThread
from yarnbox.testing.masters import Master
from yarnbox.testing.patience import PATIENCE_S
from yarnbox.testing.setup import Conf, check_cluster, write_files
from yarnbox.testing.temporary import TemporaryDirectory
from yarnbox.testing.watching import Application, WatchedCluster
from yarnbox.yarn.configuration import SITE_FILES, Configuration
from yarnbox.yarn.connection.address_book import ADDRESS_BOOK_FILE, ADDRESS_BOOK_PROPERTY, write_address_book
from yarnbox.yarn.connection.failover import BlockingCalls, blocking_stub_of, stub_of
from yarnbox.yarn.connection.rpc import (
    BlockingStub,
    Caller,
    ConnectionFailedError,
    add_service,
    listen,
    new_server,
    open_channel,
)
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.management import StopContainersRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.storage.event_log import EventLogReader, LoggedEvent

MASTER, CONTAINERS = "ApplicationMasterProtocolService", "ContainerManagementProtocolService"
Targets = Callable[[], Sequence[str]]
FULL_MARKER = ".full"
_LOOK_S = 0.05
_OF_THE_NODE = ("directory.info", "launch_container.sh", "prelaunch.err", "prelaunch.out")
"""What a NodeManager adds to the logs of a container."""
_PROPERTIES = {
    "yarn.log-aggregation-enable": "false",
    "yarn.nodemanager.disk-health-checker.interval-ms": "200",
    "yarnbox.nodemanager.disk-health-checker.full-marker": FULL_MARKER,
}


class _ReadLog:
    """An event log that is read again and again: each line once."""

    def __init__(self, path: Path) -> None:
        self._reader = EventLogReader(path)
        self._events: list[LoggedEvent] | None = None

    def events(self) -> list[LoggedEvent]:
        """Those so far, routine left out."""
        if self._events is None:
            self._events, found = [], self._reader.read_all()
        else:
            found = self._reader.read_new()
        self._events += [one for one in found if one.type not in ROUTINE]
        return self._events


class YarnCluster(WatchedCluster, AbstractContextManager["YarnCluster"]):
    """One of them, ready when it is made."""

    def __init__(
        self,
        nodes: int = 3,
        *,
        scheduler: str = "capacity",
        conf: Conf = None,
        directory: Path | None = None,
        rms: int = 1,
    ) -> None:
        """`directory` is where it lives; a new one by default, which goes with it. With several `rms` there
        is a ZooKeeper, too, and one of them is active. ValueError: no cluster can be so.
        """
        check_cluster(nodes=nodes, conf=conf)
        self._temporary = None if directory else TemporaryDirectory("yarnbox-test-")
        root = directory or (self._temporary.path if self._temporary else Path())
        self.cluster = Cluster(RunDirectory(root / "run"), stays_with_us=True)
        self.faults = Faults(self)
        self._is_broken = False
        self._seen = 0
        self._away_until_s = 0.0
        self._thread = LoopThread()
        self._servers: list[grpc.aio.Server] = []
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._calls: BlockingCalls | None = None
        self._logs: dict[Path, _ReadLog] = {}
        self._reading = Lock()
        if isinstance(conf, Path):
            source = conf
        else:
            source = write_files(root / "conf", scheduler, conf or {})
        try:
            options = Options(
                nodes=nodes,
                configuration=source,
                scheduler=scheduler,
                port=0,
                web_port=0,
                rms=rms,
                definitions=_PROPERTIES,
            )
            self._record = self.cluster.up(options)
            self.cluster.wait_until_ready()
            self._thread.run(self._relay_all())
            self.configuration_directory = self._write_client_files(root / "client")
        except BaseException:
            self.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends every process of it."""
        self._thread.run(self._stop_relays())
        self._thread.close()
        if self._calls is not None:
            self._calls.close()
        if self.cluster.run.record_file.exists():
            self.cluster.down()
        self.cluster.close()
        if self._temporary is not None:
            self._temporary.close()

    # Relays

    async def _relay_all(self) -> None:
        rms = self._record.rm_addresses
        self._rm_relay = await self._relay((MASTER, CLIENT_SERVICE), lambda: rms, None)
        self._node_relays = {
            host: await self._relay((CONTAINERS,), partial(self._address_of, host), host)
            for host in self._record.nodes
        }

    async def _relay(self, services: Iterable[str], targets: Targets, host: str | None) -> str:
        server = new_server()
        port = listen(server, "127.0.0.1:0", "a free port")
        for service in services:
            add_service(server, service, self._passing_on(service, targets, host))
        await server.start()
        self._servers.append(server)
        return f"127.0.0.1:{port}"

    def _passing_on(
        self, service: str, targets: Targets, host: str | None
    ) -> Callable[[str, Any, Caller], Any]:
        async def handle(rpc: str, request: Record, caller: Caller) -> Any:
            async def proceed(passed: Any) -> Any:
                if self._away_until_s > self._thread.loop.time():
                    raise ConnectionFailedError(f"{rpc}: the ResourceManager is away")
                channels = [self._channel(target) for target in targets()]
                stub = stub_of(channels, service, user=caller.user, token=caller.token)
                return await stub.call(rpc, passed)

            return await exchange(self.faults, Arrival(rpc, request, host), caller, proceed, asyncio.sleep)

        return handle

    def _channel(self, address: str) -> grpc.aio.Channel:
        if address not in self._channels:
            self._channels[address] = open_channel(address)
        return self._channels[address]

    def _address_of(self, host: str) -> tuple[str, ...]:
        reports = self.cluster.nodes(self._record) or []
        ports = [one.node_id.port for one in reports if one.node_id and one.node_id.host == host]
        if not ports:
            raise ConnectionFailedError(f"{host} has not registered")
        return (f"127.0.0.1:{ports[-1]}",)

    async def _stop_relays(self) -> None:
        for server in self._servers:
            await server.stop(0)
        for channel in self._channels.values():
            await channel.close()

    def _write_client_files(self, directory: Path) -> Path:
        directory.mkdir()
        over = {
            GRPC_PROPERTY: self._rm_relay,
            HA_PROPERTY: "false",
            ADDRESS_BOOK_PROPERTY: str(directory / ADDRESS_BOOK_FILE),
        }
        write_address_book(directory / ADDRESS_BOOK_FILE, self._node_relays)
        for name in SITE_FILES:
            configuration = Configuration.load(self.cluster.run.path, [name])
            if name == "yarn-site.xml":
                configuration = configuration.overlaid(over)
            (directory / name).write_text(configuration.to_xml(), encoding="utf-8")
        return directory

    # For tests

    @property
    def address(self) -> str:
        """Where the ResourceManager itself serves, past the faults; the first one of several."""
        return self._record.rm_address

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead programs to this cluster, through the faults."""
        return dict.fromkeys(CONF_DIRS, str(self.configuration_directory))

    def connection(self) -> Connection:
        """It, as an AM is connected with it that runs in the test's process."""
        return Connection.of(Configuration.load(self.configuration_directory))

    def submit(
        self,
        master: Master | Sequence[str],
        *,
        name: str = "",
        queue: str = "default",
        user: str = "",
        resource: Resource | None = None,
        max_attempts: int | None = None,
        keep_containers: bool = False,
    ) -> Application:
        """Submits an application whose AM is that function, or the command of these words. ValueError: it is
        neither, or not at the top of a module. YarnError: the ResourceManager refuses it.
        """
        with blocking_stub_of(
            self._record.rm_addresses, CLIENT_SERVICE, user=user or getpass.getuser()
        ) as stub:
            submitter = Submitter(stub)
            application_id = submitter.new_application().application_id
            submitter.submit(
                ApplicationSubmissionContext(
                    application_id=application_id,
                    application_name=name or getattr(master, "__name__", "test"),
                    queue=queue,
                    am_container_spec=self._launch_context(master),
                    resource=resource or Resource(256, 1),
                    max_app_attempts=max_attempts or 0,
                    keep_containers_across_application_attempts=keep_containers,
                )
            )
        return Application(application_id, self)

    @property
    def _submitter(self) -> Submitter:
        """That of our own calls; who waits for an application asks many times."""
        if self._calls is None:
            addresses, user = self._record.rm_addresses, getpass.getuser()
            self._calls = blocking_stub_of(addresses, CLIENT_SERVICE, user=user)
        return Submitter(self._calls)

    def _launch_context(self, master: Master | Sequence[str]) -> ContainerLaunchContext:
        if callable(master):
            file, where = inspect.getsourcefile(master), getattr(master, "__qualname__", "")
            if file is None or "." in where or "<" in where:
                remedy = "put it at the top of a module"
                raise ValueError(f"{where or master} cannot be found by a container: {remedy}")
            return python_context(
                "yarnbox.testing.run",
                [str(Path(file).resolve()), where],
                environment=self.environment,
                paths=[path for path in sys.path if path],
            )
        if not (isinstance(master, list | tuple) and master):
            raise ValueError(f"{master!r} is no ApplicationMaster: a function or the words of a command is")
        variables = {**self.environment, "PYTHONPATH": python_path()}
        return ContainerLaunchContext(
            environment=exact_environment(variables), command=(command_line(master) + redirections(),)
        )

    def wait_until(self, condition: Callable[[], bool], what: str, timeout_s: float | None = None) -> None:
        """Looks until the condition holds; AssertionError with the story when it does not in time."""
        limit_s = PATIENCE_S if timeout_s is None else timeout_s
        if not look_until(condition, limit_s, _LOOK_S):
            raise AssertionError(f"waited {limit_s:g} s for {what}\n{self.story()}")

    def all_events(self) -> list[LoggedEvent]:
        """Every event of the RM since the test began, routine left out."""
        return self._all()[self._seen :]

    def _all(self) -> list[LoggedEvent]:
        with self._reading:
            logs = [
                self._logs.setdefault(path, _ReadLog(path)).events()
                for path in self.cluster.run.event_logs(self._record)
            ]
            return list(merge(*logs, key=lambda event: event.time_ms))

    def report(self, application_id: ApplicationId) -> ApplicationReport:
        """What the RM says of an application."""
        return self._submitter.report(application_id)

    def kill(self, app: Application) -> None:
        """Kills an application."""
        self._submitter.kill(app.id)

    def logs(self, container: ContainerAddress) -> str:
        """What a container wrote: its files, one after the other."""
        container_id = self.faults.container(container)
        place = f"nodes/*/logs/{container_id.application_id}/{container_id}/*"
        files = sorted(one for one in self.cluster.run.path.glob(place) if one.name not in _OF_THE_NODE)
        texts = [(one.name, one.read_text(encoding="utf-8", errors="replace")) for one in files]
        return "\n".join(f"{name}:\n{text}" for name, text in texts if text)

    def leaks(self) -> list[str]:
        """Processes of containers."""
        return [
            f"process {process.pid} of a container on {name}"
            for name in self._record.nodes
            for process in processes.containers_of(self.cluster.run.node(name))
        ]

    # Between tests

    def begin_again(self) -> bool:
        """Makes it as new for another test, if nothing of it is broken: applications are killed, events so
        far and faults forgotten. Whether it could be.
        """
        if self._is_broken:
            return False
        try:
            for app in dict.fromkeys(one.id.application_id for one in self.containers()):
                self.kill(Application(app, self))
            self.wait_until(lambda: not any(one.is_live for one in self.containers()), "containers to end")
        except (AssertionError, ConnectionFailedError):
            return False
        self.faults = Faults(self)
        self._seen = len(self._all())
        return True

    def _is_idle(self) -> bool:
        return not any(one.is_live for one in self.containers())

    # Faults

    def inject(self, fault: Fault) -> None:
        """Lets a fault happen now."""
        self._thread.call(lambda: self.faults.inject(fault))

    def at(self, condition: str | Condition, fault: Fault) -> None:
        """Lets a fault happen at a call."""
        self._thread.call(lambda: self.faults.at(condition, fault))

    def preempt_container(self, container_id: ContainerId) -> None:
        """Ends it, and has its AM told that it was preempted."""
        granted = next((one for one in self.faults.granted if one.id == container_id), None)
        token = self.faults.nm_tokens.get(granted.node_id) if granted and granted.node_id else None
        if granted is None or granted.node_id is None or token is None:
            raise LookupError(f"no AM was granted {container_id}")
        self.faults.told_as[container_id] = (PREEMPTED, "Container preempted by scheduler")
        with BlockingStub(f"127.0.0.1:{granted.node_id.port}", CONTAINERS, token=token) as stub:
            stub.call("stopContainers", StopContainersRequest(container_id=(container_id,)))

    def lose(self, host: str) -> None:
        """Kills the node and what runs on it; the RM misses its heartbeats."""
        self._is_broken = True
        self.cluster.kill_node(host)

    def fill(self, host: str) -> None:
        """Its local directories count as full."""
        self._is_broken = True
        (self.cluster.run.node(host) / "local" / FULL_MARKER).touch()

    def restart(self, away_ms: int) -> None:
        """Ends the RM and starts it again."""
        self._is_broken = True
        self._away_until_s = self._thread.loop.time() + away_ms / 1000
        self.cluster.restart_rm()

    def fail_over(self) -> str:
        """Has another of several ResourceManagers be active; which one is, when it is. ClusterError: there is
        only one.
        """
        self._is_broken = True
        return self.cluster.fail_over()[1]

    def later(self, ms: int, action: Callable[[], None]) -> None:
        """Has something done later."""
        self._thread.loop.call_later(ms / 1000, action)
