"""An ApplicationMaster that runs three tasks, each again until it has ended well."""

import asyncio
import os
import sys

from yarnbox.am import (
    Connection,
    ContainerEnvironment,
    ContainerLaunchContext,
    ContainerRequest,
    FinalApplicationStatus,
    Resource,
    configuration_of,
)

TASKS = 3
TASK = ContainerLaunchContext(command=("sleep 1",))
REQUEST = ContainerRequest(capability=Resource(memory_mb=256, vcores=1), priority=1)


async def master(environment: ContainerEnvironment, connection: Connection) -> int:
    """The AM: what a test and a container call; its exit status."""
    rm = connection.rm_client(environment.amrm_token)
    nm = connection.nm_client(rm)
    await rm.register(environment.node_id.host)
    rm.asks.add(REQUEST, TASKS)
    left = TASKS
    async for answer in rm.responses(interval_ms=200, progress=lambda: 0.5):
        for container in answer.allocated_containers:
            rm.asks.remove(REQUEST)
            try:
                await nm.start(container, TASK)
            except Exception:  # the node is gone, or does not take it: back to the ResourceManager
                rm.asks.release(container.id)
        for status in answer.completed_container_statuses:
            if status.exit_status == 0:
                left -= 1
            else:
                rm.asks.add(REQUEST)
        if left <= 0:  # one more may have been granted than was asked for
            break
    await rm.finish(FinalApplicationStatus.SUCCEEDED)
    await nm.close()
    await rm.close()
    return 0


if __name__ == "__main__":
    environment = ContainerEnvironment.read(os.environ)
    sys.exit(asyncio.run(master(environment, Connection.of(configuration_of(os.environ)))))
