"""FakeNodeManager: a NodeManager in the hands of a test, against an RM, real or fake.

It has the core of a real node and speaks real gRPC, tokens included; but no process is started. A test sees
what was ordered and says what became of it:

    async with FakeNodeManager("127.0.0.1:8050", "nm1", Resource(4096, 4)) as node:
        await node.heartbeat()                 # registered; the RM may now allocate here
        order = await node.launched()          # somebody started a container
        node.complete(order.container_id, 0)   # it ends; the heartbeat that tells is the test's, or the next
        one

With `beats=True` heartbeats go out by themselves, as a real node sends them.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Self

from yarnbox.nm import effects as asked
from yarnbox.nm.core import Core
from yarnbox.nm.edge.heartbeats import Heartbeats
from yarnbox.nm.edge.serving import serve_one
from yarnbox.nm.edge.tracker import SERVICE
from yarnbox.nm.edge.world import write_log
from yarnbox.nm.effects import Launch
from yarnbox.nm.settings import NMSettings
from yarnbox.testing.patience import PATIENCE_S
from yarnbox.yarn.connection.rpc import Stub, listen, new_server
from yarnbox.yarn.enums import NodeAction
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.tracker import NodeHeartbeatResponse, RegisterNodeManagerResponse
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import SystemClock
from yarnbox.yarn.runtime.driver import AsyncioDriver
from yarnbox.yarn.runtime.tasks import end_tasks


class FakeNodeManager(AbstractAsyncContextManager["FakeNodeManager"]):
    """One node. Entering registers it, leaving unregisters it unless it was lost or told to go."""

    def __init__(
        self,
        rm_address: str,
        host: str = "nm1",
        capacity: Resource | None = None,
        *,
        settings: NMSettings | None = None,
        beats: bool = False,
    ) -> None:
        self._rm_address = rm_address
        self._host = host
        self._capacity = capacity or Resource(8192, 8)
        self._settings = settings or NMSettings()
        self._beats = beats
        self._server = new_server()
        self._orders: asyncio.Queue[Launch] = asyncio.Queue()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_lost = False
        self.running: dict[ContainerId, Launch] = {}
        """What was launched and has not ended."""
        self.told_to: list[asked.Effect] = []
        """Orders that a fake has no use for: files, limits, logs."""
        self.shut_down_reason: str | None = None

    async def __aenter__(self) -> Self:
        port = listen(self._server, "127.0.0.1:0", "a free port")
        self.node_id = NodeId(self._host, port)
        self.core = Core(self.node_id, self._settings, self._capacity, SystemClock())
        self._driver = AsyncioDriver(self.core, self._perform)
        serve_one(self._server, self._driver.turn, self.core.management)
        await self._server.start()
        self._stub = Stub(self._rm_address, SERVICE, peer="the RM")
        self._heartbeats = Heartbeats(self._stub, self.core.status, self._driver.turn, self._settings)
        self._driver.perform_effects()
        if self._beats:
            self._task = asyncio.get_running_loop().create_task(self._heartbeats.run())
            async with asyncio.timeout(PATIENCE_S):
                await self._heartbeats.is_registered.wait()
        else:
            await self.register()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            await end_tasks([self._task])
        if not self._is_lost:
            request = self._driver.turn(self.core.status.unregister_request)
            if request is not None:
                await self._stub.call("unRegisterNodeManager", request)
        self._driver.stop()
        await self._server.stop(0)
        await self._stub.close()

    @property
    def address(self) -> str:
        """Where it really listens, for an address book."""
        return f"127.0.0.1:{self.node_id.port}"

    # Towards the RM

    async def register(self) -> RegisterNodeManagerResponse:
        """Registers (again); the RM's answer."""
        request = self._driver.turn(self.core.status.register_request)
        response: RegisterNodeManagerResponse = await self._stub.call("registerNodeManager", request)
        self._driver.turn(lambda: self.core.status.registered(response))
        return response

    async def heartbeat(self) -> NodeHeartbeatResponse:
        """One heartbeat; what the RM wants is done. RESYNC is answered by registering, as nodes do."""
        request = self._driver.turn(self.core.status.heartbeat_request)
        response: NodeHeartbeatResponse = await self._stub.call("nodeHeartbeat", request)
        self._driver.turn(lambda: self.core.status.heartbeat_answered(response))
        if response.node_action is NodeAction.RESYNC:
            await self.register()
        return response

    def lose(self) -> None:
        """From now on it is silent, as a machine that lost its power: no heartbeat, no good-bye."""
        self._is_lost = True
        if self._task is not None:
            self._task.cancel()

    # Towards the test

    async def launched(self, timeout_s: float = PATIENCE_S) -> Launch:
        """The next container that was ordered to be launched; it is running now."""
        async with asyncio.timeout(timeout_s):
            return await self._orders.get()

    def complete(self, container_id: ContainerId, exit_code: int = 0, diagnostics: str = "") -> None:
        """Its process has ended by itself."""
        del self.running[container_id]
        self._driver.turn(lambda: self.core.world.container_exited(container_id, exit_code, diagnostics))

    async def ended(self, container_id: ContainerId) -> None:
        """Waits until a container is gone, by whosever order."""
        async with asyncio.timeout(PATIENCE_S):
            while container_id in self.running:
                self._changed.clear()
                await self._changed.wait()

    # The machine that is none

    def _perform(self, effect: asked.Effect) -> None:
        world, turn = self.core.world, self._driver.turn
        match effect:
            case asked.SendHeartbeat():
                self._heartbeats.wake()
            case asked.LaunchContainer(launch) | asked.ReacquireContainer(launch):
                self.running[launch.container_id] = launch
                turn(lambda: world.container_launched(launch.container_id))
                self._orders.put_nowait(launch)
            case asked.CleanUpContainer(container_id):
                self.running.pop(container_id, None)
                turn(lambda: world.container_exited(container_id, 143))
                self._changed.set()
            case asked.PauseContainer(container_id):
                turn(lambda: world.container_paused(container_id))
            case asked.ResumeContainer(container_id):
                turn(lambda: world.container_resumed(container_id))
            case asked.FetchResource(cache, key, directory):
                place = f"/fake/{cache.directory}/{directory}"
                turn(lambda: world.resource_localized(cache, key, place, 0))
            case asked.PrepareLogAggregation(application_id):
                turn(lambda: world.log_handling_inited(application_id, None))
            case asked.AggregateLogs(application_id=application_id, is_final=is_final):
                turn(lambda: world.logs_aggregated(application_id, None, is_final=is_final))
            case asked.RegisterAgain():
                self._heartbeats.register_again()
            case asked.WriteLog():
                write_log(effect)
            case asked.ShutDown(reason):
                self.shut_down_reason = reason
            case _:
                self.told_to.append(effect)
