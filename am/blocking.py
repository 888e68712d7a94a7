"""The RM and NM clients for a program without asyncio: the smallest AMs, and commands.

They are AMRMClient and NMClient on stubs that block: a coroutine that never has to wait is carried out at
once. Hadoop: what AMRMClient and NMClient are in Java, which block by nature.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar

from yarnbox.am.asks import RequestTable
from yarnbox.am.nm_client import SERVICE, NMClient, Resolve
from yarnbox.am.rm_client import MAX_WAIT_MS, RETRY_MS, AMRMClient, NMTokenCache
from yarnbox.yarn.connection.failover import BlockingCalls
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.hadoop_ipc.stub import BlockingHadoopStub
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.container import Container, ContainerLaunchContext, ContainerStatus
from yarnbox.yarn.records.master import AllocateResponse, RegisterApplicationMasterResponse
from yarnbox.yarn.records.request import PlacementConstraintMapEntry
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.tls import Tls

T = TypeVar("T")


def at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing but calls that block."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("a blocking client must not wait for the event loop")


class Blocking:
    """A stub that blocks, as AMRMClient and NMClient call it."""

    def __init__(self, stub: BlockingCalls | BlockingHadoopStub) -> None:
        self._stub = stub

    async def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record."""
        return self._stub.call(rpc, request, timeout_s)

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""
        self._stub.use_token(token)

    async def close(self) -> None:
        """Closes what it opened."""
        self._stub.close()


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
        self._wait = wait or threading.Event().wait
        self._client = AMRMClient(
            Blocking(stub),
            asks,
            nm_tokens,
            max_wait_ms=max_wait_ms,
            retry_ms=retry_ms,
            now_s=now_s,
            sleep=self._sleep,
        )
        self.asks = self._client.asks
        self.nm_tokens = self._client.nm_tokens

    async def _sleep(self, seconds: float) -> None:
        self.pause(seconds)

    def register(
        self,
        host: str,
        rpc_port: int = -1,
        tracking_url: str = "",
        placement_constraints: Iterable[PlacementConstraintMapEntry] = (),
    ) -> RegisterApplicationMasterResponse:
        """Registers the attempt; once, before anything else."""
        return at_once(self._client.register(host, rpc_port, tracking_url, placement_constraints))

    def allocate(self, progress: float) -> AllocateResponse:
        """One heartbeat. ApplicationAttemptNotFoundError means that the AM must end."""
        return at_once(self._client.allocate(progress))

    def pause(self, seconds: float) -> None:
        """Lets the time until the next heartbeat pass."""
        self._wait(seconds)

    def finish(self, status: FinalApplicationStatus, diagnostics: str = "", tracking_url: str = "") -> None:
        """Unregisters; after it the AM may exit."""
        at_once(self._client.finish(status, diagnostics, tracking_url))


class BlockingNMClient:
    """NMClient whose methods return when they are done."""

    def __init__(
        self,
        nm_tokens: NMTokenCache,
        resolve: Resolve = str,
        *,
        hadoop_ipc: bool = False,
        tls: Tls | None = None,
        connect: Callable[[NodeId], BlockingCalls | BlockingHadoopStub] | None = None,
    ) -> None:
        """`connect` makes the stub of a node, where nodes are not called over a network."""
        self._resolve = resolve
        self._hadoop_ipc = hadoop_ipc
        self._tls = tls
        connect = connect or self._connect_by_address
        self._client = NMClient(nm_tokens, connect=lambda node_id: Blocking(connect(node_id)))

    def start(self, container: Container, context: ContainerLaunchContext) -> Mapping[str, bytes]:
        """Starts a process in a granted container; what the node's auxiliary services answered."""
        return at_once(self._client.start(container, context))

    def stop(self, container_id: ContainerId, node_id: NodeId) -> None:
        """Ends a container's process."""
        at_once(self._client.stop(container_id, node_id))

    def status(self, container_id: ContainerId, node_id: NodeId) -> ContainerStatus:
        """What the node says of a container."""
        return at_once(self._client.status(container_id, node_id))

    def close(self) -> None:
        """Closes every connection."""
        at_once(self._client.close())

    def _connect_by_address(self, node_id: NodeId) -> BlockingCalls | BlockingHadoopStub:
        address, peer = self._resolve(node_id), str(node_id)
        if self._hadoop_ipc:
            return BlockingHadoopStub(address, SERVICE, peer=peer)
        return BlockingStub(address, SERVICE, peer=peer, tls=self._tls)
