"""NodeManagers in virtual time: their own core, with heartbeats that pause and containers that take time.

A node sends heartbeats at its interval while somebody waits for something of it, and seldom when nobody does:
a quiet day costs little. Containers are functions of time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Protocol, TypeAlias

from yarnbox.nm.core import Core
from yarnbox.nm.edge.virtual import VirtualNode
from yarnbox.nm.effects import Launch
from yarnbox.nm.executor.process import Answers
from yarnbox.nm.executor.simulated import SimulatedExecutor, duration_ms, exit_code
from yarnbox.nm.reporting.health import DirectoriesState
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.container import ContainerLaunchContext

FULL = "used space above threshold of 90.0%"


@dataclass(frozen=True, slots=True)
class Started:
    """A container that begins."""

    container_id: ContainerId
    node: str
    context: ContainerLaunchContext
    number: int
    """How many containers have begun in this cluster, this one included, AMs left out."""
    chance: Random
    """From the cluster's seed."""


@dataclass(frozen=True, slots=True)
class Ends:
    """How a container ends."""

    after_ms: int
    exit_status: int = 0
    output: str = ""
    """What it wrote."""


Behaviour: TypeAlias = Callable[[Started], Ends | None]
"""What a container does: None lets it run until it is ended."""


def as_told(started: Started) -> Ends | None:
    """As the command or the environment says: `sleep 3`, `exit 1`, YARNBOX_SIMULATED_MS."""
    takes_ms = duration_ms(started.context)
    return None if takes_ms is None else Ends(takes_ms, exit_code(started.context))


def runs(seconds: float, exit_status: int = 0) -> Behaviour:
    """Every container takes so long."""
    return lambda _started: Ends(round(seconds * 1000), exit_status)


class NodeWorld(Protocol):
    """What nodes need of their cluster."""

    @property
    def rest_s(self) -> float:
        """The longest time between two heartbeats."""
        ...

    def is_busy(self, node_id: NodeId) -> bool:
        """Whether a heartbeat of that node could bring something."""
        ...

    async def track(self, rpc: str, request: Record, host: str) -> Any:
        """A call of a node to the ResourceManager."""

    def is_am(self, container_id: ContainerId) -> bool:
        """Whether the container is an AM's."""
        ...

    def start_master(self, order: Launch, host: str, ended: Callable[[ContainerId, int], None]) -> None:
        """An AM begins in its container."""

    def end_master(self, container_id: ContainerId) -> None:
        """The container of an AM is ended."""

    def behave(self, order: Launch, host: str) -> Ends | None:
        """What a container that begins now does."""
        ...


class ScriptedExecutor(SimulatedExecutor):
    """Containers of one node: AMs are the test's functions, all others are functions of time."""

    def __init__(self, cluster: NodeWorld, host: str, answers: Answers) -> None:
        super().__init__(answers)
        self._cluster = cluster
        self._host = host

    def plan(self, order: Launch) -> tuple[int | None, int]:
        """What the behaviour says; an AM runs until its function returns."""
        if self._cluster.is_am(order.container_id):
            self._cluster.start_master(order, self._host, self.end)
            return None, 0
        ends = self._cluster.behave(order, self._host)
        return (None, 0) if ends is None else (ends.after_ms, ends.exit_status)

    def end(self, container_id: ContainerId, exit_status: int) -> None:
        """The process of an AM has ended."""
        self._exit(container_id, exit_status)

    def vanish(self) -> None:
        """The machine is gone, with the AMs on it."""
        lost = self.running()
        super().vanish()
        for container_id in lost:
            self._cluster.end_master(container_id)

    def _exit(self, container_id: ContainerId, code: int | None) -> None:
        super()._exit(container_id, code)
        self._cluster.end_master(container_id)


class HeartbeatSchedule:
    """When a node beats."""

    def __init__(self, node: VirtualNode[HeartbeatSchedule], cluster: NodeWorld) -> None:
        self._node = node
        self._cluster = cluster
        self._must_register = True
        self._is_wanted = False
        self.stir = asyncio.Event()
        self.is_registered = False

    def wake(self) -> None:
        """Something ended: the RM is to hear of it at the next beat."""
        self._is_wanted = True
        self.stir.set()

    def register_again(self) -> None:
        """The RM does not know the node any more."""
        self._must_register = True
        self.is_registered = False
        self.wake()

    async def run(self) -> None:
        """Registers and beats until the RM sends the node away, or it is lost."""
        status, turn = self._node.core.status, self._node.driver.turn
        host = self._node.core.context.node_id.host
        while self._node.shut_down_reason is None:
            try:
                if self._must_register:
                    request = turn(status.register_request)
                    registered = await self._cluster.track("registerNodeManager", request, host)
                    if not turn(partial(status.registered, registered)):
                        return
                    self._must_register, self.is_registered = False, True
                else:
                    beat = turn(status.heartbeat_request)
                    answer = await self._cluster.track("nodeHeartbeat", beat, host)
                    turn(partial(status.heartbeat_answered, answer))
            except (YarnError, RpcError):
                if not self._must_register:
                    turn(status.heartbeat_failed)
            if not self._must_register or not self.is_registered:
                await self._pause(status.heartbeat_interval_ms / 1000)

    async def _pause(self, interval_s: float) -> None:
        await asyncio.sleep(interval_s)
        loop = asyncio.get_running_loop()
        rested_s = interval_s
        while rested_s < self._cluster.rest_s and not self._is_wanted and not self._must_register:
            if self._cluster.is_busy(self._node.core.context.node_id):
                break
            self.stir.clear()
            begun_s = loop.time()
            try:
                async with asyncio.timeout(self._cluster.rest_s - rested_s):
                    await self.stir.wait()
            except TimeoutError:
                break
            rested_s += loop.time() - begun_s
        self._is_wanted = False


def fill(core: Core, now_ms: int) -> None:
    """All local directories of the node are full; to be called within a turn."""
    paths = [str(path) for path in core.context.settings.disks.local_directories] or ["local"]
    core.health.directories_checked(
        DirectoriesState("local-dirs", paths, {}, dict.fromkeys(paths, FULL)), now_ms
    )
