"""The RM and NM clients for a program without asyncio: the smallest AMs, and commands.

The same conversation as rm_client.py and nm_client.py, carried out call by call. Hadoop: what AMRMClient
and NMClient are in Java, which block by nature.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from yarnbox.am.asks import RequestTable
from yarnbox.am.nm_client import SERVICE, Resolve, started, statuses_of, stopped
from yarnbox.am.rm_client import MAX_WAIT_MS, RETRY_MS, Conversation, NMTokenCache, Pause, Steps
from yarnbox.yarn.connection.failover import BlockingCalls
from yarnbox.yarn.connection.rpc import BlockingStub, ConnectionFailedError
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import InvalidTokenError, YarnError
from yarnbox.yarn.hadoop_ipc.stub import BlockingHadoopStub
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerLaunchContext, ContainerStatus
from yarnbox.yarn.records.management import (
    GetContainerStatusesRequest,
    StartContainerRequest,
    StartContainersRequest,
    StopContainersRequest,
)
from yarnbox.yarn.records.master import (
    AllocateResponse,
    RegisterApplicationMasterRequest,
    RegisterApplicationMasterResponse,
)
from yarnbox.yarn.records.request import PlacementConstraintMapEntry
from yarnbox.yarn.security.tls import Tls

T = TypeVar("T")


class BlockingAMRMClient:
    """AMRMClient whose methods return when they are done."""

    def __init__(
        self,
        stub: BlockingCalls,
        asks: RequestTable | None = None,
        nm_tokens: NMTokenCache | None = None,
        *,
        max_wait_ms: int = MAX_WAIT_MS,
        retry_ms: int = RETRY_MS,
        now_s: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        """`now_s` and `wait` are the time, where it is not this machine's."""
        self.asks = asks or RequestTable()
        self.nm_tokens = nm_tokens or NMTokenCache()
        self._stub = stub
        self._conversation = Conversation(self.asks, self.nm_tokens)
        self._max_wait_ms = max_wait_ms
        self._retry_ms = retry_ms
        self._now_s = now_s
        self._wait = wait or threading.Event().wait

    def register(
        self,
        host: str,
        rpc_port: int = -1,
        tracking_url: str = "",
        placement_constraints: Iterable[PlacementConstraintMapEntry] = (),
    ) -> RegisterApplicationMasterResponse:
        """Registers the attempt; once, before anything else."""
        request = RegisterApplicationMasterRequest(
            host=host,
            rpc_port=rpc_port,
            tracking_url=tracking_url,
            placement_constraints=tuple(placement_constraints),
        )
        return self._run(self._conversation.register(request))

    def allocate(self, progress: float) -> AllocateResponse:
        """One heartbeat. ApplicationAttemptNotFoundError means that the AM must end."""
        response = self._run(self._conversation.allocate(progress))
        if response.am_rm_token is not None:
            self._stub.use_token(response.am_rm_token)
        return response

    def pause(self, seconds: float) -> None:
        """Lets the time until the next heartbeat pass."""
        self._wait(seconds)

    def finish(self, status: FinalApplicationStatus, diagnostics: str = "", tracking_url: str = "") -> None:
        """Unregisters; after it the AM may exit."""
        self._run(self._conversation.finish(status, diagnostics, tracking_url))

    def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    self.pause(step.ms / 1000)
                    step = steps.send(None)
                    continue
                try:
                    answer = self._call(step.rpc, step.request)
                except YarnError as refusal:
                    step = steps.throw(refusal)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            steps.close()

    def _call(self, rpc: str, request: object) -> object:
        deadline = self._now_s() + self._max_wait_ms / 1000
        while True:
            try:
                return self._stub.call(rpc, request)
            except ConnectionFailedError:
                if self._now_s() + self._retry_ms / 1000 > deadline:
                    raise
                self.pause(self._retry_ms / 1000)


class BlockingNMClient:
    """NMClient whose methods return when they are done."""

    def __init__(
        self,
        nm_tokens: NMTokenCache,
        resolve: Resolve = str,
        *,
        hadoop_ipc: bool = False,
        tls: Tls | None = None,
        connect: Callable[[NodeId], BlockingStub | BlockingHadoopStub] | None = None,
    ) -> None:
        """`connect` makes the stub of a node, where nodes are not called over a network."""
        self._tokens = nm_tokens
        self._resolve = resolve
        self._hadoop_ipc = hadoop_ipc
        self._tls = tls
        self._connect = connect or self._connect_by_address
        self._stubs: dict[NodeId, BlockingStub | BlockingHadoopStub] = {}

    def start(self, container: Container, context: ContainerLaunchContext) -> Mapping[str, bytes]:
        """Starts a process in a granted container; what the node's auxiliary services answered."""
        assert container.id is not None
        assert container.node_id is not None
        request = StartContainerRequest(
            container_launch_context=context, container_token=container.container_token
        )
        response = self._stub(container.node_id).call(
            "startContainers", StartContainersRequest(start_container_request=(request,))
        )
        return started(container.id, response)

    def stop(self, container_id: ContainerId, node_id: NodeId) -> None:
        """Ends a container's process."""
        request = StopContainersRequest(container_id=(container_id,))
        stopped(container_id, self._stub(node_id).call("stopContainers", request))

    def status(self, container_id: ContainerId, node_id: NodeId) -> ContainerStatus:
        """What the node says of a container."""
        request = GetContainerStatusesRequest(container_id=(container_id,))
        return statuses_of(container_id, self._stub(node_id).call("getContainerStatuses", request))

    def close(self) -> None:
        """Closes every connection."""
        for stub in self._stubs.values():
            stub.close()
        self._stubs.clear()

    def _stub(self, node_id: NodeId) -> BlockingStub | BlockingHadoopStub:
        token = self._tokens.token_of(node_id)
        if token is None:
            raise InvalidTokenError(f"No NMToken sent for {node_id}")
        stub = self._stubs.get(node_id)
        if stub is None:
            stub = self._stubs[node_id] = self._connect(node_id)
        stub.use_token(token)
        return stub

    def _connect_by_address(self, node_id: NodeId) -> BlockingStub | BlockingHadoopStub:
        address, peer = self._resolve(node_id), str(node_id)
        if self._hadoop_ipc:
            return BlockingHadoopStub(address, SERVICE, peer=peer)
        return BlockingStub(address, SERVICE, peer=peer, tls=self._tls)
