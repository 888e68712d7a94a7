"""The AMs of walks: so many tasks, each again until it has ended well; the first few of them fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from yarnbox.am.asks import ContainerRequest
from yarnbox.am.connection import Connection
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.testing.walk.model import Model, Promised
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.resources.resource import Resource

OWN_FAILURE = 1
"""The exit status of an AM that fails by itself."""
HEARTBEAT_MS = 1000
PATIENCE_S = 120


def master_of(
    model: Model, promised: Promised, tasks: int, size: Resource, seconds: int
) -> Callable[[ContainerEnvironment, Connection], Awaitable[int]]:
    """An AM for an application of the model."""
    task = ContainerLaunchContext(command=(f"sleep {seconds}",))
    request = ContainerRequest(capability=size, priority=1)

    async def master(environment: ContainerEnvironment, connection: Connection) -> int:
        model.note_master(promised, environment.container_id)
        rm = connection.rm_client(environment.amrm_token)
        nm = connection.nm_client(rm)
        await rm.register(environment.node_id.host)
        if promised.failed < promised.failures:
            promised.failed += 1
            promised.failing[environment.container_id] = None
            return OWN_FAILURE
        rm.asks.add(request, tasks)
        left = tasks
        loop = asyncio.get_running_loop()
        running: dict[ContainerId, float] = {}
        async for answer in rm.responses(interval_ms=HEARTBEAT_MS, progress=lambda: 0.5):
            for container in answer.allocated_containers:
                rm.asks.remove(request)
                try:
                    await nm.start(container, task)
                except (YarnError, RpcError):  # it is gone, or may run: given back, and another asked for
                    rm.asks.release(container.id)
                    rm.asks.add(request)
                else:
                    running[container.id] = loop.time() + seconds + PATIENCE_S
            for status in answer.completed_container_statuses:
                if running.pop(status.container_id, None) is None:
                    continue
                if status.exit_status == 0:
                    left -= 1
                else:
                    rm.asks.add(request)
            for container_id in [one for one, due in running.items() if due < loop.time()]:
                # Its node was lost while there was no ResourceManager: nobody will ever tell.
                del running[container_id]
                rm.asks.release(container_id)
                rm.asks.add(request)
            if left <= 0:
                break
        await rm.finish(FinalApplicationStatus.SUCCEEDED)
        promised.is_finishing = True
        await nm.close()
        await rm.close()
        return 0

    return master
