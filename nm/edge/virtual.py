"""Many nodes with simulated containers in one process, over real gRPC: for scale tests.

Every node has a core of its own, the same as a real one; only its containers take nothing but time. They
share one port and one connection to the RM; the NM token of a call names the node it is for. Answers for the
NM side of Hadoop's scheduler load simulator.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

from nm import effects as asked
from nm.core import Core
from nm.edge.heartbeats import Heartbeats, UnreachableError
from nm.edge.naming import NamingFiles
from nm.edge.process import LOOPBACK
from nm.edge.pump import Answers, Pump, SystemClock
from nm.edge.serving import Turn, serve_many
from nm.executor.simulated import SimulatedExecutor
from nm.services import ContainerManagementService
from nm.settings import NMSettings
from yarn.ids import NodeId
from yarn.resource import Resource
from yarn.rpc import Stub, listen, new_server, open_channel
from yarn.tasks import end_tasks

log = logging.getLogger("nm.virtual")

CHANNELS = 4
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


class VirtualNode:
    """One of them."""

    def __init__(self, node_id: NodeId, settings: NMSettings, capacity: Resource, stub: Stub, delay_s: float):
        self.core = Core(node_id, settings, capacity, SystemClock())
        self.pump = Pump(self.core, self._perform)
        self._executor = SimulatedExecutor(Answers(self.core, self.pump))
        self.heartbeats = Heartbeats(stub, self.core.status, self.pump.turn, settings, first_delay_s=delay_s)
        self.shut_down_reason: str | None = None

    def _perform(self, effect: asked.Effect) -> None:
        core, executor = self.core, self._executor
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
                self.pump.turn(lambda: core.world.resource_localized(cache, key, place, 0))
            case asked.PrepareLogAggregation(application_id):
                self.pump.turn(lambda: core.world.log_handling_inited(application_id, None))
            case asked.AggregateLogs(application_id=application_id, is_final=is_final):
                self.pump.turn(lambda: core.world.logs_aggregated(application_id, None, is_final=is_final))
            case asked.RegisterAgain():
                self.heartbeats.register_again()
            case asked.ShutDown(reason):
                self.shut_down_reason = reason
            case _:
                return  # files, limits and auxiliary services: there is nothing of that here


class VirtualNodes:
    """All of them, in one process."""

    def __init__(self, settings: NMSettings, capacity: Resource, options: VirtualOptions) -> None:
        self._settings = settings
        self._capacity = Resource(
            options.memory_mb or capacity.memory_mb, options.vcores or capacity.vcores, capacity.others
        )
        self._options = options
        self._server = new_server()
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.nodes: dict[NodeId, VirtualNode] = {}

    async def start(self) -> None:
        """Listens, and lets every node begin to register, some hundred a second."""
        options, settings = self._options, self._settings
        bind = settings.bind_host or LOOPBACK
        port = listen(self._server, f"{bind}:{settings.address.port}", "yarn.nodemanager.address")
        names = [f"{options.prefix}{number:05d}" for number in range(1, options.count + 1)]
        racks = {name: f"/rack{number % options.racks + 1}" for number, name in enumerate(names)}
        options.naming.announce(racks, bind)
        self._channels = [open_channel(str(settings.rm_address)) for _ in range(min(CHANNELS, options.count))]
        for number, name in enumerate(names):
            node_id = NodeId(name, port)
            stub = Stub(self._channels[number % len(self._channels)], "ResourceTrackerService", peer="the RM")
            delay_s = number / REGISTRATIONS_PER_S
            self.nodes[node_id] = VirtualNode(node_id, settings, self._capacity, stub, delay_s)
        serve_many(self._server, self._find)
        await self._server.start()
        loop = asyncio.get_running_loop()
        for node in self.nodes.values():
            node.pump.start()
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
            node.pump.stop()
        await self._server.stop(grace=0.1)
        for channel in self._channels:
            await channel.close()
        return 0

    @property
    def beats(self) -> int:
        """Heartbeats that were answered, of all nodes."""
        return sum(node.heartbeats.beats for node in self.nodes.values())

    async def _live(self, node: VirtualNode) -> None:
        try:
            await node.heartbeats.run()
        except UnreachableError as error:
            log.error("%s: %s", node.core.context.node_id, error)
        if node.shut_down_reason is not None:
            log.error("%s: %s", node.core.context.node_id, node.shut_down_reason)

    def _find(self, node_id: NodeId) -> tuple[Turn, ContainerManagementService] | None:
        node = self.nodes.get(node_id)
        return None if node is None else (node.pump.turn, node.core.management)
