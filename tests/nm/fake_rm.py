"""A ResourceManager's side of ResourceTracker over real gRPC, for tests of NM processes: it listens and
answers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Self

from tests.daemons import Daemon
from tests.nm.rig import APPLICATION, ATTEMPT, RM_IDENTIFIER, Keys, container_id
from tests.waiting import PATIENCE_S
from yarnbox.yarn.connection.rpc import Caller, Stub, add_service, listen, new_server
from yarnbox.yarn.enums import ContainerState, ContainerType, NodeAction
from yarnbox.yarn.errors import NMNotYetReadyError
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import ContainerLaunchContext, ContainerStatus
from yarnbox.yarn.records.management import (
    StartContainerRequest,
    StartContainersRequest,
    StartContainersResponse,
    StopContainersRequest,
)
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier, Token
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
    UnRegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource

ROOT = Path(__file__).resolve().parents[2]


class FakeRM(AbstractAsyncContextManager["FakeRM"]):
    """One RM, any number of nodes."""

    def __init__(self) -> None:
        self.keys = Keys()
        self.registrations: asyncio.Queue[RegisterNodeManagerRequest] = asyncio.Queue()
        self.heartbeats: asyncio.Queue[NodeHeartbeatRequest] = asyncio.Queue()
        self.unregistered: asyncio.Queue[NodeId] = asyncio.Queue()
        self.completed: dict[ContainerId, ContainerStatus] = {}
        self.answers: list[dict[str, Any]] = []
        """What the next heartbeats are answered with, one each."""
        self.registration_answer: dict[str, Any] = {}
        self.interval_ms = 100
        self._response_ids: dict[NodeId, int] = {}
        self._server = new_server()
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        self.port = listen(self._server, "127.0.0.1:0", "the test")
        add_service(self._server, "ResourceTrackerService", self._handle)
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(0)

    async def _handle(self, rpc: str, request: Any, caller: Caller) -> Any:
        if rpc == "registerNodeManager":
            self._response_ids[request.node_id] = 0
            self.registrations.put_nowait(request)
            return RegisterNodeManagerResponse(
                **{
                    "container_token_master_key": self.keys.container.keys.current,
                    "nm_token_master_key": self.keys.nm.keys.current,
                    "node_action": NodeAction.NORMAL,
                    "rm_identifier": RM_IDENTIFIER,
                    **self.registration_answer,
                }
            )
        if rpc == "unRegisterNodeManager":
            self.unregistered.put_nowait(request.node_id)
            return UnRegisterNodeManagerResponse()
        node_id = request.node_status.node_id
        self.heartbeats.put_nowait(request)
        async with self._changed:
            for one in request.node_status.containers_statuses:
                if one.state is ContainerState.COMPLETE:
                    self.completed.setdefault(one.container_id, one)
            self._response_ids[node_id] += 1
            self._changed.notify_all()
        return NodeHeartbeatResponse(
            **{
                "response_id": self._response_ids[node_id],
                "node_action": NodeAction.NORMAL,
                "next_heart_beat_interval": self.interval_ms,
                **(self.answers.pop(0) if self.answers else {}),
            }
        )

    async def registered(self) -> RegisterNodeManagerRequest:
        """The next registration."""
        return await asyncio.wait_for(self.registrations.get(), PATIENCE_S)

    async def registered_id(self) -> NodeId:
        """The node that registers next."""
        node_id = (await self.registered()).node_id
        assert node_id is not None
        return node_id

    async def ended(self, number: int) -> ContainerStatus:
        """The completion of a container, when it has come."""
        async with self._changed:
            await asyncio.wait_for(
                self._changed.wait_for(lambda: container_id(number) in self.completed), PATIENCE_S
            )
        return self.completed[container_id(number)]

    # As an AM

    def stub(self, node_id: NodeId) -> Stub:
        """The AM's stub of a node, with a good token."""
        token = self.keys.nm.create_token(ATTEMPT, node_id, "alice")
        return Stub(f"127.0.0.1:{node_id.port}", "ContainerManagementProtocolService", token=token)

    def token(self, node_id: NodeId, number: int, **others: Any) -> Token:
        """A container's token."""
        identifier = ContainerTokenIdentifier(
            **{
                "container_id": container_id(number),
                "nm_host_addr": str(node_id),
                "app_submitter": "alice",
                "resource": Resource(1024, 1),
                "expiry_time_stamp": int(time.time() * 1000) + 60_000,
                "master_key_id": self.keys.container.key_id,
                "rm_identifier": RM_IDENTIFIER,
                "container_type": ContainerType.TASK,
                **others,
            }
        )
        return self.keys.container.create_token(identifier, node_id)

    async def start(
        self, node_id: NodeId, number: int, launch_context: ContainerLaunchContext, **others: Any
    ) -> StartContainersResponse:
        """Starts one container, as soon as the node is ready; it must not be refused."""
        request = StartContainerRequest(
            container_token=self.token(node_id, number, **others), container_launch_context=launch_context
        )
        async with self.stub(node_id) as stub:
            answer: StartContainersResponse = await _when_ready(
                stub, "startContainers", StartContainersRequest(start_container_request=(request,))
            )
        assert not answer.failed_requests, answer.failed_requests
        return answer

    async def stop(self, node_id: NodeId, number: int) -> None:
        """Stops one container."""
        async with self.stub(node_id) as stub:
            await stub.call("stopContainers", StopContainersRequest(container_id=(container_id(number),)))


async def _when_ready(stub: Stub, rpc: str, request: Any) -> Any:
    """As Hadoop's clients do: a node that waits for the answer to its registration is asked again."""
    while True:
        try:
            return await stub.call(rpc, request)
        except NMNotYetReadyError:
            await asyncio.sleep(0.02)


def start_nm(rm_port: int, directory: Path, *arguments: str, define: Sequence[str] = ()) -> Daemon:
    """Starts a NodeManager against a fake RM."""
    defines = [
        f"yarnbox.resourcemanager.grpc.address=127.0.0.1:{rm_port}",
        "yarn.nodemanager.webapp.address=127.0.0.1:0",
        *define,
    ]
    words = ["--dir", str(directory), *arguments, *(part for one in defines for part in ("-D", one))]
    return Daemon("yarnbox.nm", words, directory.parent / f"{directory.name}.out")


def command(line: str, **environment: str) -> ContainerLaunchContext:
    """A launch context of one shell line."""
    return ContainerLaunchContext(command=(line,), environment=environment)


def work_of(directory: Path, number: int) -> Path:
    """Where that container of the node in the directory works."""
    application = directory / "local" / "usercache" / "alice" / "appcache" / str(APPLICATION)
    return application / str(container_id(number))


def pid_file_of(directory: Path, number: int) -> Path:
    """Where the node keeps the id of that container's process."""
    name = str(container_id(number))
    return directory / "local" / "nmPrivate" / str(APPLICATION) / name / f"{name}.pid"


async def until(condition: Any, said: str = "it never happened") -> None:
    """Waits for a condition to hold."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, said
        await asyncio.sleep(0.01)
