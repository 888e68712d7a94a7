"""A node's port when Hadoop's own AMs are served too: their wire and gRPC behind one address.

A node is known by one host and port, and AMs of both kinds dial it. Hadoop's prove who they are by SASL with
their NM token. Hadoop: the RPC server of ContainerManagerImpl.
"""

from __future__ import annotations

from typing import Any

from yarnbox.nm.edge.serving import SERVICE, Turn, call_service
from yarnbox.nm.services import ContainerManagementService
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.hadoop_ipc.connection import Tokens
from yarnbox.yarn.hadoop_ipc.digest import Passwords
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer
from yarnbox.yarn.hadoop_ipc.shared_port import SharedPort
from yarnbox.yarn.hadoop_ipc.stub import PROTOCOLS
from yarnbox.yarn.security.tokens import NM_TOKEN
from yarnbox.yarn.wire import Wire

PROTOCOL = PROTOCOLS[SERVICE]
_LOOPBACK = "127.0.0.1"


class HadoopFront:
    """Stands before the gRPC server, which listens on a port of the machine's own."""

    def __init__(self, grpc_port: int, wire: Wire) -> None:
        self._grpc_port = grpc_port
        self._hadoop = HadoopServer({}, wire=wire)
        self._port = SharedPort(self._hadoop)

    async def listen(self, host: str, port: int, setting: str) -> int:
        """Takes the port; nobody is served yet."""
        return await self._port.start(host, port, setting)

    async def serve(self, turn: Turn, service: ContainerManagementService, passwords: Passwords) -> None:
        """Lets the node answer."""

        def handle(rpc: str, request: Any, caller: Caller) -> Any:
            return turn(lambda: call_service(service, rpc, request, caller.token))

        self._hadoop.protocols = {PROTOCOL: Endpoint(SERVICE, handle)}
        self._hadoop.tokens = Tokens(NM_TOKEN, passwords)
        await self._port.forward_to(_LOOPBACK, self._grpc_port)

    async def stop(self) -> None:
        """Ends all connections."""
        await self._port.stop()
