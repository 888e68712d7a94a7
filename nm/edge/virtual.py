"""Many nodes with simulated containers in one process, over the real wire: for scale tests.

Every node has a core of its own, the same as a real one; only its containers take nothing but time. They
share one port and a few connections to the RM; the NM token of a call names the node it is for. Hadoop: the
NM side of Hadoop's scheduler load simulator.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, Protocol, TypeVar

from yarnbox.nm import effects as asked
from yarnbox.nm.core import Core
from yarnbox.nm.edge.container_news import ContainerNews
from yarnbox.nm.edge.heartbeats import Heartbeats, UnreachableError
from yarnbox.nm.edge.naming import NamingFiles, virtual_names
from yarnbox.nm.edge.process import listening_host
from yarnbox.nm.edge.serving import serve_many
from yarnbox.nm.edge.tracker import addresses_of_rms, stub_of_rm
from yarnbox.nm.edge.world import write_log
from yarnbox.nm.executor.process import Answers
from yarnbox.nm.executor.simulated import SimulatedExecutor
from yarnbox.nm.services import ContainerManagementService
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.failover import Calls
from yarnbox.yarn.connection.rpc import listen, new_server
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import SystemClock
from yarnbox.yarn.runtime.driver import AsyncioDriver, Turn
from yarnbox.yarn.runtime.tasks import end_tasks
from yarnbox.yarn.security.tls import Tls, check_exposure
from yarnbox.yarn.wire import PLAIN, Wire

log = logging.getLogger("nm.virtual")

CONNECTIONS = 4
"""Over gRPC. Over Hadoop's wire calls are read and written together, the more of them the better."""
REGISTRATIONS_PER_S = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualOptions:
    """What the command line says of virtual nodes."""

    count: int
    racks: int = 1
    memory_mb: int | None = None
    vcores: int | None = None
    prefix: str = "virtual"
    naming: NamingFiles = field(default_factory=NamingFiles)
    rms: tuple[str, ...] = ()
    """Where all RMs are; empty: the one that the settings name."""


class Beating(Protocol):
    """What a core orders of the heartbeats of its node."""

    def wake(self) -> None:
        """Lets the next heartbeat go out now."""

    def register_again(self) -> None:
        """Registers before the next heartbeat."""


BeatsT = TypeVar("BeatsT", bound=Beating)


class VirtualNode(Generic[BeatsT]):
    """One of them."""

    def __init__(
        self,
        core: Core,
        beating: Callable[[VirtualNode[BeatsT]], BeatsT],
        executor: Callable[[Answers], SimulatedExecutor] = SimulatedExecutor,
    ) -> None:
        self.core = core
        self.driver = AsyncioDriver(self.core, self._perform)
        self.executor = executor(ContainerNews(self.core, self.driver))
        self.heartbeats = beating(self)
        self.shut_down_reason: str | None = None

    def _perform(self, effect: asked.Effect) -> None:
        core, executor = self.core, self.executor
        match effect:
            case asked.SendHeartbeat():
                self.heartbeats.wake()
            case asked.LaunchContainer(launch):
                executor.launch(launch)
            case asked.ReacquireContainer(launch):
                executor.reacquire(launch)
            case asked.CleanUpContainer(container_id):
                executor.clean_up(container_id)
            case asked.SignalContainer(container_id, command):
                executor.signal(container_id, command)
            case asked.PauseContainer(container_id):
                executor.pause(container_id)
            case asked.ResumeContainer(container_id):
                executor.resume(container_id)
            case asked.FetchResource(cache, key, directory):
                place = f"/virtual/{cache.directory}/{directory}"
                self.driver.turn(lambda: core.world.resource_localized(cache, key, place, 0))
            case asked.PrepareLogAggregation(application_id):
                self.driver.turn(lambda: core.world.log_handling_inited(application_id, None))
            case asked.AggregateLogs(application_id=application_id, is_final=is_final):
                self.driver.turn(lambda: core.world.logs_aggregated(application_id, None, is_final=is_final))
            case asked.RegisterAgain():
                self.heartbeats.register_again()
            case asked.WriteLog():
                write_log(effect)
            case asked.ShutDown(reason):
                self.shut_down_reason = reason
            case _:
                return  # files, limits and auxiliary services: there is nothing of that here


class VirtualNodes:
    """All of them, in one process."""

    def __init__(
        self, settings: NMSettings, capacity: Resource, options: VirtualOptions, wire: Wire = PLAIN
    ) -> None:
        self._settings = settings
        self._capacity = Resource(
            options.memory_mb or capacity.memory_mb, options.vcores or capacity.vcores, capacity.others
        )
        self._options = options
        self._wire = wire
        self._server = new_server()
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.nodes: dict[NodeId, VirtualNode[Heartbeats]] = {}
        self.reason: str | None = None
        """Why the process could not go on; a node that ends by itself is no reason."""

    async def start(self) -> None:
        """Listens, and lets every node begin to register, some hundred a second."""
        options, settings = self._options, self._settings
        bind, tls = listening_host(settings, settings.address), Tls.of(settings.tls)
        check_exposure([bind], tls, has_node_secret=settings.node_secret_file is not None)
        address = Address(bind, settings.address.port)
        port = listen(self._server, str(address), "yarn.nodemanager.address", tls)
        names = virtual_names(options.prefix, options.count)
        racks = {name: f"/rack{number % options.racks + 1}" for number, name in enumerate(names)}
        options.naming.announce(racks, bind)
        rms = options.rms or addresses_of_rms(settings, None)
        connections = 1 if settings.hadoop_heartbeats else min(CONNECTIONS, options.count)
        self._stubs = [stub_of_rm(settings, rms, tls, self._wire) for _ in range(connections)]
        for number, name in enumerate(names):
            node_id = NodeId(name, port)
            stub = self._stubs[number % len(self._stubs)]
            core = Core(node_id, settings, self._capacity, SystemClock(), self._wire)
            self.nodes[node_id] = VirtualNode(
                core, partial(self._beating, stub, number / REGISTRATIONS_PER_S)
            )
        serve_many(self._server, self._find, self._wire)
        await self._server.start()
        loop = asyncio.get_running_loop()
        for node in self.nodes.values():
            node.driver.perform_effects()
            self._tasks.append(loop.create_task(self._live(node)))
        log.info("%d virtual nodes at port %d", len(self.nodes), port)

    def shut_down(self, reason: str | None = None) -> None:
        """Asks the process to end."""
        self._stopping.set()

    async def run(self) -> int:
        """Goes on until it is asked to end; the exit status."""
        await self._stopping.wait()
        await end_tasks(self._tasks)
        nodes = list(self.nodes.values())
        await asyncio.gather(*(node.heartbeats.unregister() for node in nodes))
        for node in nodes:
            node.driver.stop()
        await self._server.stop(grace=0.1)
        for stub in self._stubs:
            await stub.close()
        return 0

    @property
    def beats(self) -> int:
        """Heartbeats that were answered, of all nodes."""
        return sum(node.heartbeats.beats for node in self.nodes.values())

    def _beating(self, stub: Calls, delay_s: float, node: VirtualNode[Heartbeats]) -> Heartbeats:
        return Heartbeats(stub, node.core.status, node.driver.turn, self._settings, first_delay_s=delay_s)

    async def _live(self, node: VirtualNode[Heartbeats]) -> None:
        try:
            await node.heartbeats.run()
        except UnreachableError as error:
            log.error("%s: %s", node.core.context.node_id, error)
        if node.shut_down_reason is not None:
            log.error("%s: %s", node.core.context.node_id, node.shut_down_reason)

    def _find(self, node_id: NodeId) -> tuple[Turn, ContainerManagementService] | None:
        node = self.nodes.get(node_id)
        return None if node is None else (node.driver.turn, node.core.management)
