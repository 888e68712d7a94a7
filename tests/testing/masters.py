"""ApplicationMasters for tests of the kit: written against yarnbox.am, as an author would."""

from __future__ import annotations

from yarnbox.am import (
    Connection,
    ContainerEnvironment,
    ContainerLaunchContext,
    ContainerRequest,
    FinalApplicationStatus,
    Resource,
)

REQUEST = ContainerRequest(capability=Resource(1024, 1), priority=1)
TASKS = 3
TASK = ContainerLaunchContext(command=("sleep 1",))


async def retrying(environment: ContainerEnvironment, connection: Connection) -> int:
    """Runs three tasks, each again until it has ended well."""
    rm = connection.rm_client(environment.amrm_token)
    nm = connection.nm_client(rm)
    await rm.register(environment.node_id.host)
    rm.asks.add(REQUEST, TASKS)
    left = TASKS
    async for answer in rm.responses(200, lambda: 0.5):
        for container in answer.allocated_containers:
            rm.asks.remove(REQUEST)
            try:
                await nm.start(container, TASK)
            except Exception:
                rm.asks.release(container.id)
        for status in answer.completed_container_statuses:
            if status.exit_status == 0:
                left -= 1
            else:
                rm.asks.add(REQUEST)
        if left <= 0:
            break
    await rm.finish(FinalApplicationStatus.SUCCEEDED)
    await nm.close()
    await rm.close()
    return 0


def blocking(environment: ContainerEnvironment, connection: Connection) -> int:
    """The same with one task and without asyncio."""
    rm = connection.blocking_rm_client(environment.amrm_token)
    nm = connection.blocking_nm_client(rm)
    rm.register(environment.node_id.host)
    rm.asks.add(REQUEST)
    exit_status: int | None = None
    while exit_status != 0:
        answer = rm.allocate(0.5)
        for container in answer.allocated_containers:
            rm.asks.remove(REQUEST)
            nm.start(container, TASK)
        for status in answer.completed_container_statuses:
            exit_status = status.exit_status
            if exit_status:
                rm.asks.add(REQUEST)
        rm.pause(0.2)
    rm.finish(FinalApplicationStatus.SUCCEEDED)
    nm.close()
    return 0


async def patient(environment: ContainerEnvironment, connection: Connection) -> int:
    """One task, tried again an hour after each failure."""
    rm = connection.rm_client(environment.amrm_token)
    nm = connection.nm_client(rm)
    await rm.register(environment.node_id.host)
    rm.asks.add(REQUEST)
    next_try = None
    is_done, minute = False, 0
    async for answer in rm.responses(60_000, lambda: 0.0):
        minute += 1
        for container in answer.allocated_containers:
            rm.asks.remove(REQUEST)
            await nm.start(container, TASK)
        for status in answer.completed_container_statuses:
            is_done = status.exit_status == 0
            next_try = minute + 60
        if is_done:
            break
        if next_try == minute:
            rm.asks.add(REQUEST)
    await rm.finish(FinalApplicationStatus.SUCCEEDED)
    return 0
