"""A cluster in virtual time, in one process: the ResourceManager's core and services, NodeManagers' cores,
and AMs that are functions of the test.

Everything runs in one loop whose time is virtual, so a day of waiting takes as long as what happens in it,
and the same seed gives the same story. Calls pass the faults and the checks of tokens; only wires are
missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, TypeVar

from yarnbox.am.connection import CLIENT_SERVICE
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.nm.core import Core as NodeCore
from yarnbox.nm.edge.serving import call_service
from yarnbox.nm.edge.virtual import VirtualNode
from yarnbox.nm.effects import Launch
from yarnbox.nm.settings import NMSettings
from yarnbox.rm.edge.services import ADMIN, CLIENT, MASTER, TRACKER
from yarnbox.rm.events.node import NodeExpire
from yarnbox.testing.conditions import Arrival
from yarnbox.testing.faults import ContainerAddress, Faults, exchange
from yarnbox.testing.masters import FAILED, AlternatingThread, Master, run_master
from yarnbox.testing.setup import check_cluster, configuration_files
from yarnbox.testing.virtual_time.loop import LoopClock, StandstillError, VirtualLoop
from yarnbox.testing.virtual_time.memory import MemoryConnection, MemoryStub
from yarnbox.testing.virtual_time.nodes import (
    Behaviour,
    Ends,
    HeartbeatSchedule,
    ScriptedExecutor,
    Started,
    as_told,
    fill,
)
from yarnbox.testing.virtual_time.rm import START_MS, VirtualRM
from yarnbox.testing.watching import Application, WatchedCluster
from yarnbox.yarn.connection.rpc import Caller, ConnectionFailedError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.client import (
    GetApplicationReportRequest,
    GetNewApplicationRequest,
    KillApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.resources.node_resources import node_resource
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.tasks import end_tasks
from yarnbox.yarn.security.credentials import Credentials
from yarnbox.yarn.settings import read
from yarnbox.yarn.storage.event_log import LoggedEvent

T = TypeVar("T")

CONTAINERS = "ContainerManagementProtocolService"
PORT = 1234
PATIENCE_S = 3600.0
SESSION_MS = 2000
"""How long nobody is active in a fail-over: as long as the session that `yarnbox up` asks ZooKeeper for."""
LARGEST_REST_S = 200.0
USER = "tester"


class VirtualCluster(WatchedCluster, AbstractContextManager["VirtualCluster"]):
    """One of them. It is used from one thread, outside of any other event loop."""

    def __init__(
        self,
        nodes: int = 3,
        *,
        scheduler: str = "capacity",
        conf: Mapping[str, str] | Path | None = None,
        seed: int = 0,
        resource: Resource | None = None,
        racks: int = 1,
        containers: Behaviour = as_told,
    ) -> None:
        """`resource` is that of each node, by default what `conf` says; `containers` says what containers do,
        and how long. ValueError: no cluster can be so.
        """
        check_cluster(nodes=nodes, racks=racks, conf=conf, containers=containers)
        self._files = configuration_files(scheduler, conf)
        site = self._files.load("yarn-site.xml")
        self._resource = resource or node_resource(site, ResourceTypeRegistry.read(site))
        self.loop = VirtualLoop()
        self.clock = LoopClock(self.loop, START_MS)
        self.chance = Random(seed)
        self.faults = Faults(self)
        self.behaviour = containers
        self.nodes: dict[str, VirtualNode[HeartbeatSchedule]] = {}
        self.rest_s = 0.0
        self._racks = racks
        self._masters: dict[ApplicationId, Master] = {}
        self._running: dict[ContainerId, asyncio.Task[None]] = {}
        self._pulses: dict[str, asyncio.Task[None]] = {}
        self._output: dict[ContainerId, list[str]] = {}
        self._begun = 0
        self._changed = asyncio.Event()
        self._is_closed = False
        try:
            self.run(self._begin(nodes))
        except BaseException:
            self.loop.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends everything that runs in it."""
        if not self._is_closed:
            self._is_closed = True
            self.loop.run_until_complete(self._end())
            self.loop.close()

    async def _begin(self, nodes: int) -> None:
        self.rm = VirtualRM(self._files, self.clock, self.chance, self._call_node, self.rack_of, self.later)
        self.rm.heard.append(self._changed.set)
        self.rest_s = min(self.rm.context.settings.node_expiry_ms / 3000, LARGEST_REST_S)
        for _ in range(nodes):
            self._add_node(self._resource)

    async def _end(self) -> None:
        await end_tasks([*self._running.values(), *self._pulses.values()])
        for node in self.nodes.values():
            node.driver.stop()
        await self.rm.stop()

    # Time

    @property
    def now_s(self) -> float:
        """Seconds since the cluster began."""
        return self.loop.time()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in virtual time, such as a test that is one."""
        try:
            return self.loop.run_until_complete(work)
        except StandstillError as error:
            raise AssertionError(f"{error}\n{self.story()}") from None

    def pass_time(self, seconds: float) -> None:
        """Lets so much time pass."""
        self.run(asyncio.sleep(seconds))

    def wait_until(self, condition: Callable[[], bool], what: str, timeout_s: float | None = None) -> None:
        """Lets time pass until the condition holds; AssertionError with the story when it does not. The
        limit is virtual time, by default an hour.
        """
        limit_s = PATIENCE_S if timeout_s is None else timeout_s

        async def wait() -> bool:
            ends_s = self.loop.time() + limit_s
            while not condition():
                left_s = ends_s - self.loop.time()
                if left_s <= 0:
                    return False
                self._changed.clear()
                try:
                    async with asyncio.timeout(left_s):
                        await self._changed.wait()
                except TimeoutError:
                    continue
            return True

        if not self.run(wait()):
            raise AssertionError(f"waited {limit_s:g} s of virtual time for {what}\n{self.story()}")

    # Nodes

    def rack_of(self, host: str) -> str:
        """The rack of a node."""
        number = int(host.removeprefix("nm")) if host.removeprefix("nm").isdigit() else 1
        return f"/rack{(number - 1) % self._racks + 1}" if self._racks > 1 else "/default-rack"

    def add_node(self, resource: Resource | None = None) -> str:
        """One more node; its host."""

        async def add() -> str:
            return self._add_node(resource or self._resource)

        return self.run(add())

    def _add_node(self, resource: Resource) -> str:
        host = f"nm{len(self.nodes) + 1}"
        settings = read(NMSettings, self._files.load("yarn-site.xml"))
        core = NodeCore(NodeId(host, PORT), settings, resource, self.clock)
        node = VirtualNode(
            core, partial(HeartbeatSchedule, cluster=self), partial(ScriptedExecutor, self, host)
        )
        node.driver.perform_effects()
        self.nodes[host] = node
        self._pulses[host] = self.loop.create_task(node.heartbeats.run())
        return host

    def is_busy(self, node_id: NodeId) -> bool:
        """Whether a beat of that node could bring something."""
        return self.rm.is_waiting_for(node_id)

    async def track(self, rpc: str, request: Record, host: str) -> Any:
        """A call of a node to the ResourceManager."""
        return await self.call(TRACKER, rpc, request, Caller(user=USER, host="127.0.0.1"), host)

    # Calls

    async def call(
        self,
        service: str,
        rpc: str,
        request: Record,
        caller: Caller,
        host: str | None = None,
        timeout_s: float = 60,
    ) -> Any:
        """One call, as far as the faults let it; `host` is the node that is called or that calls."""
        await asyncio.sleep(0)

        async def proceed(passed: Any) -> Any:
            if service == CONTAINERS and host is not None:
                return await self._call_node(host, rpc, passed, caller)
            answer = self.rm.call(service, rpc, passed, caller)
            return await answer if hasattr(answer, "__await__") else answer

        async def wait(seconds: float) -> None:
            await asyncio.sleep(min(seconds, timeout_s))
            if seconds >= timeout_s:
                raise ConnectionFailedError(f"{rpc}: no answer in time")

        try:
            return await exchange(self.faults, Arrival(rpc, request, host), caller, proceed, wait)
        except YarnError as error:
            raise error.with_traceback(None) from None  # callers do not see where in the peer it was
        finally:
            self._changed.set()
            if service in (MASTER, CLIENT, ADMIN):
                for node in self.nodes.values():
                    node.heartbeats.stir.set()

    async def _call_node(self, host: str, rpc: str, request: Record, caller: Caller) -> Any:
        node = self.nodes.get(host)
        if node is None or host not in self._pulses:
            raise ConnectionFailedError(f"{rpc}: cannot reach {host}")
        core = node.core
        return node.driver.turn(lambda: call_service(core.management, rpc, request, caller.token))

    def stub(self, service: str, *, user: str = USER) -> MemoryStub:
        """Calls of a service of the RM, for tests that are coroutines."""
        return MemoryStub(self, service, user=user)

    def _ask(self, service: str, rpc: str, request: Record, user: str) -> Any:
        async def ask() -> Any:
            answer = self.rm.call(service, rpc, request, Caller(user=user, host="127.0.0.1"))
            return await answer if hasattr(answer, "__await__") else answer

        return self.run(ask())

    # Applications

    def submit(
        self,
        master: Master,
        *,
        name: str = "",
        queue: str = "default",
        user: str = USER,
        resource: Resource | None = None,
        max_attempts: int | None = None,
        keep_containers: bool = False,
    ) -> Application:
        """Submits an application whose AM is that function. YarnError: the ResourceManager refuses it.
        ValueError: it is none.
        """
        if not callable(master):
            raise ValueError(
                f"{master!r} is no ApplicationMaster: that is a function of (environment, connection)"
            )
        application_id = self._ask(
            CLIENT_SERVICE, "getNewApplication", GetNewApplicationRequest(), user
        ).application_id
        context = ApplicationSubmissionContext(
            application_id=application_id,
            application_name=name or getattr(master, "__name__", "test"),
            queue=queue,
            am_container_spec=ContainerLaunchContext(),
            resource=resource or Resource(1024, 1),
            max_app_attempts=max_attempts or 0,
            keep_containers_across_application_attempts=keep_containers,
        )
        self._masters[application_id] = master
        request = SubmitApplicationRequest(application_submission_context=context)
        self._ask(CLIENT_SERVICE, "submitApplication", request, user)
        for node in self.nodes.values():
            node.heartbeats.stir.set()
        return Application(application_id, self)

    def play(self, application_id: ApplicationId, master: Master) -> None:
        """What the AM of an application does that somebody else submits."""
        self._masters[application_id] = master

    def kill(self, app: Application, user: str = USER) -> None:
        """Kills an application, as its user may."""
        self._ask(CLIENT_SERVICE, "forceKillApplication", KillApplicationRequest(application_id=app.id), user)

    def report(self, application_id: ApplicationId) -> ApplicationReport:
        """What the RM says of an application."""
        request = GetApplicationReportRequest(application_id=application_id)
        answer = self.rm.call(CLIENT_SERVICE, "getApplicationReport", request, Caller(user=USER))
        report: ApplicationReport = answer.application_report
        return report

    def is_am(self, container_id: ContainerId) -> bool:
        """Whether the RM has had this container launched as an AM's."""
        return container_id in self.rm.am_containers

    def start_master(self, order: Launch, host: str, ended: Callable[[ContainerId, int], None]) -> None:
        """An AM begins in its container."""
        master = self._masters[order.container_id.application_id]
        task = self.loop.create_task(self._run_master(order, host, master, ended))
        self._running[order.container_id] = task
        task.add_done_callback(lambda over: self._forget_master(order.container_id, over))

    def _forget_master(self, container_id: ContainerId, over: asyncio.Task[None]) -> None:
        """For an AM that was ended before it began."""
        if self._running.get(container_id) is over:
            del self._running[container_id]
            self._changed.set()

    async def _run_master(
        self, order: Launch, host: str, master: Master, ended: Callable[[ContainerId, int], None]
    ) -> None:
        environment = ContainerEnvironment(
            container_id=order.container_id,
            node_id=NodeId(host, PORT),
            user=order.user,
            working_directory=Path.cwd(),
            local_dirs=(),
            log_dirs=(),
            credentials=Credentials.from_bytes(order.context.tokens),
            submit_time_ms=int(order.context.environment["APP_SUBMIT_TIME_ENV"]),
        )
        turnstile = AlternatingThread()
        connection = MemoryConnection.to(self, turnstile, self.rack_of)
        status, said = FAILED, ""
        try:
            status, said = await run_master(master, environment, connection, turnstile.run)
        finally:
            self._output.setdefault(order.container_id, []).append(said)
            del self._running[order.container_id]
        ended(order.container_id, status)
        self._changed.set()

    def end_master(self, container_id: ContainerId) -> None:
        """The container of an AM is ended: so is what runs in it."""
        task = self._running.get(container_id)
        if task is not None and task is not asyncio.current_task(self.loop):
            task.cancel()

    def behave(self, order: Launch, host: str) -> Ends | None:
        """What a container that begins now does."""
        self._begun += 1
        ends = self.behaviour(Started(order.container_id, host, order.context, self._begun, self.chance))
        if ends is not None and not isinstance(ends, Ends):
            raise TypeError(f"containers returned {ends!r}: what a container does is Ends(...), or None")
        self._output.setdefault(order.container_id, []).append("" if ends is None else ends.output)
        return ends

    # Looking

    def all_events(self) -> list[LoggedEvent]:
        """Every event of the RM but routine."""
        return self.rm.events()

    def logs(self, container: ContainerAddress) -> str:
        """What a container wrote; of an AM that broke, the traceback."""
        return "\n".join(self._output.get(self.faults.container(container), []))

    def leaks(self) -> list[str]:
        """AMs that still run though their applications have ended, and containers that nodes still have."""
        found = [f"the AM in {one} still runs" for one in self._running]
        for host, node in self.nodes.items():
            if host in self._pulses:
                found += [f"{one} still runs on {host}" for one in node.executor.running()]
        return found

    # Faults

    def preempt_container(self, container_id: ContainerId) -> None:
        """Kills it as preemption does."""
        self.rm.preempt(container_id)
        self._changed.set()

    def lose(self, host: str) -> None:
        """The node is gone, and the RM knows it at once."""
        if host not in self._pulses:
            raise LookupError(f"there is no node {host}: {', '.join(self._pulses)} are left")
        self._pulses.pop(host).cancel()
        node = self.nodes[host]
        node.executor.vanish()
        node.driver.stop()
        node_id = node.core.context.node_id
        self.rm.tell(NodeExpire(node_id=node_id))
        self.rm.context.monitors.node.unregister(node_id)

    def fill(self, host: str) -> None:
        """Its local directories are full."""
        node = self.nodes[host]
        node.driver.turn(lambda: fill(node.core, self.clock.now_ms()))
        node.heartbeats.wake()

    def restart(self, away_ms: int) -> None:
        """Another RM over what the first one stored."""
        self.rm.restart(away_ms)

    def fail_over(self) -> None:
        """Another RM takes over when the session of the first one has timed out."""
        self.rm.restart(SESSION_MS)

    def later(self, ms: int, action: Callable[[], None]) -> None:
        """Has something done later."""
        self.loop.call_later(ms / 1000, action)
