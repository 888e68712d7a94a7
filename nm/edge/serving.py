"""ContainerManagementProtocol over gRPC: rpc names to methods of the core's service, each a turn.

One server may stand before many nodes: the NM token of a call names the node it is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import grpc.aio

from yarnbox.nm.services import ContainerManagementService
from yarnbox.yarn.connection.rpc import Caller, add_service
from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.hadoop_ipc.connection import Tokens
from yarnbox.yarn.hadoop_ipc.digest import Passwords
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer
from yarnbox.yarn.hadoop_ipc.shared_port import SharedPort
from yarnbox.yarn.hadoop_ipc.stub import PROTOCOLS
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.tokens import NMTokenIdentifier, Token
from yarnbox.yarn.runtime.driver import Turn
from yarnbox.yarn.security.tokens import NM_TOKEN, identifier_of
from yarnbox.yarn.wire import PLAIN, Wire

SERVICE = "ContainerManagementProtocolService"


@cache
def method_name(rpc: str) -> str:
    """The service's method for an rpc: `reInitializeContainer` is `re_initialize_container`."""
    return re.sub(r"([A-Z])", r"_\1", rpc).lower()


def call_service(
    service: ContainerManagementService, rpc: str, request: object, token: Token | None
) -> object:
    """One call of the service by its rpc's name."""
    return getattr(service, method_name(rpc))(request, token)


def serve_one(
    server: grpc.aio.Server, turn: Turn, service: ContainerManagementService, wire: Wire = PLAIN
) -> None:
    """Lets one node answer."""

    def handle(rpc: str, request: object, caller: Caller) -> object:
        return turn(lambda: call_service(service, rpc, request, caller.token))

    add_service(server, SERVICE, handle, wire=wire)


def serve_many(
    server: grpc.aio.Server,
    find: Callable[[NodeId], tuple[Turn, ContainerManagementService] | None],
    wire: Wire = PLAIN,
) -> None:
    """Lets many nodes answer, each the calls whose token names it."""

    def handle(rpc: str, request: object, caller: Caller) -> object:
        if caller.token is None:
            raise InvalidTokenError("Invalid NMToken")
        node_id = identifier_of(caller.token, NM_TOKEN, NMTokenIdentifier).node_id
        found = None if node_id is None else find(node_id)
        if found is None:
            raise InvalidTokenError(f"Invalid NMToken: {node_id} is not a node of this process")
        turn, service = found
        return turn(lambda: call_service(service, rpc, request, caller.token))

    add_service(server, SERVICE, handle, wire=wire)


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

        def handle(rpc: str, request: object, caller: Caller) -> object:
            return turn(lambda: call_service(service, rpc, request, caller.token))

        self._hadoop.protocols = {PROTOCOL: Endpoint(SERVICE, handle)}
        self._hadoop.tokens = Tokens(NM_TOKEN, passwords)
        await self._port.forward_to(_LOOPBACK, self._grpc_port)

    async def stop(self) -> None:
        """Ends all connections."""
        await self._port.stop()
