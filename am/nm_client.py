"""An ApplicationMaster's side of the ContainerManagementProtocol: start, stop and look at containers.

Owns one stub per node, made at the first call and closed when the node is forgotten, and shows each node the
token that the RM sent for it. In a cluster that serves Hadoop's wire every node speaks it, those of Hadoop's
own nothing else: there it is spoken with all. Knows nothing of what runs in the containers. Hadoop:
NMClient and ContainerManagementProtocolProxy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from yarnbox.am.rm_client import NMTokenCache
from yarnbox.yarn.connection.failover import Calls
from yarnbox.yarn.connection.rpc import Stub
from yarnbox.yarn.errors import InvalidTokenError, YarnError, error_of_class
from yarnbox.yarn.hadoop_ipc.stub import HadoopStub
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.container import Container, ContainerLaunchContext, ContainerStatus
from yarnbox.yarn.records.management import (
    ContainerExceptionMap,
    ContainerUpdateRequest,
    GetContainerStatusesRequest,
    GetContainerStatusesResponse,
    StartContainerRequest,
    StartContainersRequest,
    StartContainersResponse,
    StopContainersRequest,
    StopContainersResponse,
)
from yarnbox.yarn.security.tls import Tls

SERVICE = "ContainerManagementProtocolService"
TIMEOUT_S = 20.0

Resolve = Callable[[NodeId], str]
"""From a node to the `host:port` at which it is reached: nodes may bear emulated host names."""


def started(container_id: ContainerId, response: StartContainersResponse) -> Mapping[str, bytes]:
    """What the auxiliary services answered; raises what was refused."""
    _raise_refusal(container_id, response.failed_requests)
    return response.services_meta_data


def stopped(container_id: ContainerId, response: StopContainersResponse) -> None:
    """Raises what was refused."""
    _raise_refusal(container_id, response.failed_requests)


def statuses_of(container_id: ContainerId, response: GetContainerStatusesResponse) -> ContainerStatus:
    """The one status that was asked for; raises what was refused."""
    _raise_refusal(container_id, response.failed_requests)
    return next(status for status in response.status if status.container_id == container_id)


def _raise_refusal(container_id: ContainerId, failed: tuple[ContainerExceptionMap, ...]) -> None:
    for entry in failed:
        if entry.container_id == container_id:
            thrown = entry.exception
            if thrown is None:
                raise YarnError(f"{container_id} was refused without a reason")
            raise error_of_class(thrown.class_name or "", thrown.message or "")


class NMClient:
    """Calls of all nodes, for asyncio: over gRPC, or over Hadoop's wire."""

    def __init__(
        self,
        nm_tokens: NMTokenCache,
        resolve: Resolve = str,
        *,
        hadoop_ipc: bool = False,
        tls: Tls | None = None,
        connect: Callable[[NodeId], Calls] | None = None,
    ) -> None:
        """`connect` makes the stub of a node, where nodes are not called over a network."""
        self._tokens = nm_tokens
        self._resolve = resolve
        self._hadoop_ipc = hadoop_ipc
        self._tls = tls
        self._connect = connect or self._connect_by_address
        self._stubs: dict[NodeId, Calls] = {}

    async def start(self, container: Container, context: ContainerLaunchContext) -> Mapping[str, bytes]:
        """Starts a process in a granted container; what the node's auxiliary services answered."""
        assert container.node_id is not None
        one = StartContainerRequest(
            container_launch_context=context, container_token=container.container_token
        )
        request = StartContainersRequest(start_container_request=(one,))
        return started(container.id, await self._call(container.node_id, "startContainers", request))

    async def stop(self, container_id: ContainerId, node_id: NodeId) -> None:
        """Ends a container's process."""
        request = StopContainersRequest(container_id=(container_id,))
        stopped(container_id, await self._call(node_id, "stopContainers", request))

    async def status(self, container_id: ContainerId, node_id: NodeId) -> ContainerStatus:
        """What the node says of a container."""
        request = GetContainerStatusesRequest(container_id=(container_id,))
        return statuses_of(container_id, await self._call(node_id, "getContainerStatuses", request))

    async def update(self, container: Container) -> None:
        """Passes on the token of a container that the RM has enlarged or promoted."""
        assert container.node_id is not None
        assert container.container_token is not None
        request = ContainerUpdateRequest(update_container_token=(container.container_token,))
        response = await self._call(container.node_id, "updateContainer", request)
        _raise_refusal(container.id, response.failed_requests)

    async def forget(self, node_id: NodeId) -> None:
        """Closes the connection to a node that is gone."""
        stub = self._stubs.pop(node_id, None)
        if stub is not None:
            await stub.close()

    async def close(self) -> None:
        """Closes every connection."""
        for node_id in list(self._stubs):
            await self.forget(node_id)

    async def _call(self, node_id: NodeId, rpc: str, request: Record) -> Any:
        token = self._tokens.token_of(node_id)
        if token is None:
            raise InvalidTokenError(f"No NMToken sent for {node_id}")
        stub = self._stubs.get(node_id)
        if stub is None:
            stub = self._stubs[node_id] = self._connect(node_id)
        stub.use_token(token)
        return await stub.call(rpc, request)

    def _connect_by_address(self, node_id: NodeId) -> Calls:
        address, peer = self._resolve(node_id), str(node_id)
        if self._hadoop_ipc:
            return HadoopStub(address, SERVICE, peer=peer, timeout_s=TIMEOUT_S)
        return Stub(address, SERVICE, peer=peer, timeout_s=TIMEOUT_S, tls=self._tls)
