"""A cluster small enough for one test: an RM that grants what is asked and an NM that runs it, over gRPC.

Containers are real processes; map output is served by the NodeManager's own shuffle service. Tokens are not
looked at, nothing is queued, and time is the clock's: for tests of the AM's process alone.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.am.mapreduce.rig import Cluster
from yarnbox.nm.executor.layout import Layout
from yarnbox.nm.executor.script import ScriptInput, launch_script
from yarnbox.nm.shuffle.server import ShuffleService
from yarnbox.yarn.connection.rpc import Caller, add_service, listen, new_server
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.client import (
    GetClusterNodesResponse,
    GetNewApplicationResponse,
    GetQueueInfoResponse,
)
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.management import (
    StartContainersRequest,
    StartContainersResponse,
    StopContainersRequest,
    StopContainersResponse,
)
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    FinishApplicationMasterResponse,
    NMToken,
    RegisterApplicationMasterResponse,
)
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.records.queue import QueueInfo
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.credentials import TOKEN_FILE
from yarnbox.yarn.shuffle import SHUFFLE_SERVICE

HOST = "127.0.0.1"
USER = "tester"
TOKEN = Token(identifier=b"", password=b"", kind="NMToken", service="")


@dataclass(slots=True)
class LittleCluster:
    """Its state, and what an AM has said last."""

    root: Path
    application_id: ApplicationId
    cluster: Cluster = field(default_factory=lambda: Cluster(nodes={HOST: "/default-rack"}))
    shuffle: ShuffleService | None = None
    loses_first: bool = False
    rm_port: int = 0
    nm_port: int = 0
    finished: FinishApplicationMasterRequest | None = None
    client_calls: list[str] = field(default_factory=list)
    started: list[str] = field(default_factory=list)
    processes: dict[ContainerId, asyncio.subprocess.Process] = field(default_factory=dict)
    waiters: dict[ContainerId, asyncio.Task[None]] = field(default_factory=dict)

    @property
    def application_dir(self) -> Path:
        """Where an NM keeps what an application's containers write."""
        return self.root / "local" / "usercache" / USER / "appcache" / str(self.application_id)

    # ApplicationMasterProtocol.

    def master(self, rpc: str, request: Any, _caller: Caller) -> Any:
        """The RM's answers to an AM."""
        if rpc == "registerApplicationMaster":
            return RegisterApplicationMasterResponse(maximum_capability=Resource(8192, 8))
        if rpc == "finishApplicationMaster":
            again = self.finished is not None
            self.finished = request
            return FinishApplicationMasterResponse(is_unregistered=again)
        return self._allocate(request)

    def _allocate(self, request: AllocateRequest) -> AllocateResponse:
        response = self.cluster.allocate(request)
        for container_id in request.release:
            self.kill(container_id)
        here = NodeId(HOST, self.nm_port)
        granted = tuple(
            replace(one, node_id=here, container_token=replace(TOKEN, identifier=str(one.id).encode()))
            for one in response.allocated_containers
        )
        return AllocateResponse(
            response_id=response.response_id,
            allocated_containers=granted,
            completed_container_statuses=response.completed_container_statuses,
            limit=response.limit,
            num_cluster_nodes=1,
            nm_tokens=(NMToken(node_id=here, token=TOKEN),),
        )

    # ApplicationClientProtocol.

    def client(self, rpc: str, request: Any, _caller: Caller) -> Any:
        """The RM's answers to a client."""
        self.client_calls.append(rpc)
        if rpc == "getClusterNodes":
            here = NodeReport(node_id=NodeId(HOST, self.nm_port), rack_name="/default-rack")
            return GetClusterNodesResponse(node_reports=(here,))
        if rpc == "getQueueInfo":
            if request.queue_name != "default":
                raise YarnError(f"Unknown queue: {request.queue_name}")
            return GetQueueInfoResponse(queue_info=QueueInfo(queue_name="default"))
        assert rpc == "getNewApplication", rpc
        return GetNewApplicationResponse(
            application_id=self.application_id, maximum_capability=Resource(8192, 8)
        )

    # ContainerManagementProtocol.

    async def management(self, rpc: str, request: Any, _caller: Caller) -> Any:
        """The NM's answers to an AM."""
        if rpc == "stopContainers":
            assert isinstance(request, StopContainersRequest)
            for container_id in request.container_id:
                self.kill(container_id)
            return StopContainersResponse(succeeded_requests=request.container_id)
        assert isinstance(request, StartContainersRequest)
        assert self.shuffle is not None
        for start in request.start_container_request:
            context, token = start.container_launch_context, start.container_token
            assert context is not None
            assert token is not None
            container_id = ContainerId.parse(token.identifier.decode())
            if SHUFFLE_SERVICE in context.service_data:
                data = context.service_data[SHUFFLE_SERVICE]
                self.shuffle.start_application(self.application_id, USER, data)
            if self.loses_first:
                self.loses_first = False
                self.cluster.end(container_id, -100)
                continue
            await self._launch(container_id, context)
        return StartContainersResponse(services_meta_data={SHUFFLE_SERVICE: self.shuffle.meta_data()})

    async def _launch(self, container_id: ContainerId, context: ContainerLaunchContext) -> None:
        work_dir = self.application_dir / str(container_id)
        work_dir.mkdir(parents=True)
        (work_dir / TOKEN_FILE).write_bytes(context.tokens or b"")
        self.started.append(context.command[0])
        script = launch_script(
            ScriptInput(
                environment=context.environment,
                inherited={},
                fixed={
                    "LOCAL_DIRS": str(self.application_dir),
                    "HADOOP_TOKEN_FILE_LOCATION": str(work_dir / TOKEN_FILE),
                },
                command=context.command,
                log_directory=str(work_dir),
                has_debug_information=False,
            )
        )
        process = await asyncio.create_subprocess_exec(
            "/bin/bash", "-c", script, cwd=work_dir, start_new_session=True
        )
        self.processes[container_id] = process
        self.waiters[container_id] = asyncio.create_task(self._wait(container_id, process))

    async def _wait(self, container_id: ContainerId, process: asyncio.subprocess.Process) -> None:
        exit_status = await process.wait()
        self.cluster.end(container_id, exit_status)

    def kill(self, container_id: ContainerId) -> None:
        """Ends a container's processes."""
        process = self.processes.get(container_id)
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):  # it has ended, and nobody has been told yet
                os.killpg(process.pid, signal.SIGKILL)


@asynccontextmanager
async def little_cluster(root: Path, application_id: ApplicationId) -> AsyncIterator[LittleCluster]:
    """Starts it, and leaves no process behind."""
    little = LittleCluster(root, application_id)
    rm, nm = new_server(), new_server()
    add_service(rm, "ApplicationMasterProtocolService", little.master)
    add_service(nm, "ContainerManagementProtocolService", little.management)
    add_service(rm, "ApplicationClientProtocolService", little.client)
    little.rm_port = listen(rm, f"{HOST}:0", "a test")
    little.nm_port = listen(nm, f"{HOST}:0", "a test")
    little.shuffle = ShuffleService(
        Layout([str(root / "local")], [str(root / "logs")]), HttpAccess(HttpAccessSettings())
    )
    await little.shuffle.start(HOST, 0)
    await rm.start()
    await nm.start()
    try:
        yield little
    finally:
        for container_id in list(little.processes):
            little.kill(container_id)
        await asyncio.gather(*little.waiters.values())
        await little.shuffle.stop()
        await rm.stop(None)
        await nm.stop(None)
