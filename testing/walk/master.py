"""The AMs of walks: so many tasks, each again until it has ended well; the first few of them fail.

Some change their minds: they give running containers back, stop some, forget to start some, ask for more than
they want, and for what they may not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from yarnbox.am.asks import ANY, ContainerRequest
from yarnbox.am.connection import Connection
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.am.nm_client import NMClient
from yarnbox.am.rm_client import AMRMClient
from yarnbox.testing.walk.model import Model, Promised
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import ExecutionType, FinalApplicationStatus
from yarnbox.yarn.errors import InvalidResourceBlacklistRequestError, InvalidResourceRequestError, YarnError
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerLaunchContext
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.request import ExecutionTypeRequest
from yarnbox.yarn.resources.resource import Resource

OWN_FAILURE = 1
"""The exit status of an AM that fails by itself."""
PATIENCE_S = 200
PLAIN, LABELLED, OPPORTUNISTIC = 1, 2, 3
"""Priorities of the asks."""
WATCHED = 2
"""So many tasks at most are watched by their AM."""
SETTLED = 25
"""After so many answers an AM keeps what it is granted."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an AM wants."""

    tasks: int
    size: Resource
    seconds: int
    """How long each task takes."""
    heartbeat_ms: int
    label: str = ""
    """The partition of every other task."""
    is_opportunistic: bool = False
    """Whether every third task may be."""
    is_fickle: bool = False
    is_watchful: bool = False
    """Whether it asks the nodes of its tasks how these are."""

    def requests(self) -> list[ContainerRequest]:
        """One for each task."""
        plain = ContainerRequest(capability=self.size, priority=PLAIN)
        asked = [plain] * self.tasks
        if self.label:
            there = ContainerRequest(
                capability=self.size, priority=LABELLED, node_label_expression=self.label
            )
            asked[1::2] = [there] * len(asked[1::2])
        if self.is_opportunistic:
            kind = ExecutionTypeRequest(
                execution_type=ExecutionType.OPPORTUNISTIC, enforce_execution_type=True
            )
            anywhere = ContainerRequest(capability=self.size, priority=OPPORTUNISTIC, execution_type=kind)
            asked[2::3] = [anywhere] * len(asked[2::3])
        return asked


def master_of(
    model: Model, promised: Promised, plan: Plan
) -> Callable[[ContainerEnvironment, Connection], Awaitable[int]]:
    """An AM for an application of the model."""

    async def master(environment: ContainerEnvironment, connection: Connection) -> int:
        try:
            return await live(environment, connection)
        except (YarnError, RpcError):
            raise
        except Exception as error:
            model.broke(error)
            raise

    async def live(environment: ContainerEnvironment, connection: Connection) -> int:
        model.note_master(promised, environment.container_id)
        rm = connection.rm_client(environment.amrm_token)
        nm = connection.nm_client(rm)
        model.tables[environment.container_id.application_attempt_id] = rm.asks
        await rm.register(environment.node_id.host)
        if promised.failed < promised.failures:
            model.note_own_failure(promised, environment.container_id)
            return OWN_FAILURE
        work = _Work(model, plan, rm, nm)
        watch = asyncio.get_running_loop().create_task(work.watch()) if plan.is_watchful else None
        try:
            while work.left > 0:
                await work.call()
                if work.left > 0:
                    await asyncio.sleep(plan.heartbeat_ms / 1000)
        finally:
            if watch is not None:
                watch.cancel()
        await rm.finish(FinalApplicationStatus.SUCCEEDED)
        promised.is_finishing = True
        await nm.close()
        await rm.close()
        return 0

    return master


@dataclass(slots=True)
class _Running:
    """A task under way."""

    request: ContainerRequest
    due_s: float
    """When it should long have ended."""
    rm_number: int
    """By which ResourceManager its container was granted."""
    node_id: NodeId


class _Work:
    """The tasks of one AM."""

    def __init__(self, model: Model, plan: Plan, rm: AMRMClient, nm: NMClient) -> None:
        self._model = model
        self._plan = plan
        self._rm = rm
        self._nm = nm
        self._task = ContainerLaunchContext(command=(f"sleep {plan.seconds}",))
        self._running: dict[ContainerId, _Running] = {}
        requests = plan.requests()
        self._requests = {one.priority: one for one in requests}
        self.left = len(requests)
        self._answers = 0
        self._is_asking_more = False
        for request in requests:
            rm.asks.add(request)

    async def call(self) -> None:
        """One heartbeat. One that is refused counts for nothing: the next one says it. When only small nodes
        are left, or such as must leave, what it asks for is too large.
        """
        try:
            answer = await self._rm.allocate(0.5)
        except InvalidResourceBlacklistRequestError:
            self._rm.asks.update_blacklist(removals=(ANY,))
        except InvalidResourceRequestError:
            return
        else:
            await self._take(answer)

    async def watch(self) -> None:
        """Asks the nodes of the first tasks how these are, whether the ResourceManager answers or not."""
        while True:
            await asyncio.sleep(self._plan.heartbeat_ms / 1000)
            for container_id, task in list(self._running.items())[:WATCHED]:
                with suppress(YarnError, RpcError):
                    await self._nm.status(container_id, task.node_id)

    async def _take(self, answer: AllocateResponse) -> None:
        for container in answer.allocated_containers:
            await self._start(container)
        for status in answer.completed_container_statuses:
            ended = self._running.pop(status.container_id, None)
            if ended is None:
                continue
            if status.exit_status == 0:
                self.left -= 1
            else:
                self._rm.asks.add(ended.request)
        self._miss()
        self._answers += 1
        if self._plan.is_fickle and self.left > 0:
            await self._change_mind()

    async def _start(self, container: Container) -> None:
        assert container.priority is not None
        assert container.node_id is not None
        request = self._requests[container.priority]
        self._rm.asks.remove(request)
        is_forgetful = self._plan.is_fickle and self._answers % 5 == 2 and self._answers < SETTLED
        if not is_forgetful or request.priority == OPPORTUNISTIC:  # else the ResourceManager misses it
            try:
                await self._nm.start(container, self._task)
            except (YarnError, RpcError):  # it is gone, or may run: given back, and another asked for
                self._release(container.id)
                self._rm.asks.add(request)
                return
        due_s = asyncio.get_running_loop().time() + self._plan.seconds + PATIENCE_S
        granted_by = self._model.granted_by[container.id]
        self._running[container.id] = _Running(request, due_s, granted_by, container.node_id)

    def _miss(self) -> None:
        """Tasks of which nothing was heard for too long are begun again."""
        now_s = asyncio.get_running_loop().time()
        for container_id in [one for one, task in self._running.items() if task.due_s < now_s]:
            task = self._running[container_id]
            # Its node may have been lost while there was no ResourceManager: then nobody will ever tell.
            self._model.expect(
                task.rm_number != self._model.rm_number or task.request.priority == OPPORTUNISTIC,
                f"{container_id} should have ended {PATIENCE_S} s ago, and its AM was told nothing of it",
            )
            self._give_back(container_id)

    def _give_back(self, container_id: ContainerId) -> None:
        task = self._running.pop(container_id)
        self._release(container_id)
        self._rm.asks.add(task.request)

    def _release(self, container_id: ContainerId) -> None:
        self._model.released[container_id] = None
        self._rm.asks.release(container_id)

    async def _stop(self, container_id: ContainerId) -> None:
        """Its node tells of its end, which is none of its own."""
        with suppress(YarnError, RpcError):
            await self._nm.stop(container_id, self._running[container_id].node_id)

    async def _change_mind(self) -> None:
        if self._is_asking_more:
            self._rm.asks.remove(self._requests[PLAIN])
            self._is_asking_more = False
        elif self._answers % 4 == 1:
            self._rm.asks.add(self._requests[PLAIN])
            self._is_asking_more = True
            if self._answers % 8 == 5:
                self._rm.asks.update_blacklist(additions=(ANY,))
        elif self._answers % 7 == 3 and self._answers < SETTLED and self._running:
            self._give_back(next(iter(self._running)))
        elif self._answers % 7 == 6 and self._answers < SETTLED and self._running:
            await self._stop(next(iter(self._running)))
