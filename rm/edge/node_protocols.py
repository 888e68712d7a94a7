"""Over which protocol a node is called: the one over which it registered, gRPC or Hadoop's.

A NodeManager of Hadoop's registers at Hadoop's port and speaks nothing else. One of ours is called over gRPC,
wherever it registers: at Hadoop's port it is known by the token that it shows.
An RM that was started again is told by the registrations that it asks for. Knows no rule of the RM. Hadoop:
the proxies that AMLauncher gets from YarnRPC.
"""

from __future__ import annotations

from typing import Any

from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.rpc import Caller, Handler, Stub
from yarnbox.yarn.enums import NodeAction
from yarnbox.yarn.hadoop_ipc.stub import HadoopStub
from yarnbox.yarn.ids import ApplicationAttemptId, NodeId
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.wire import PLAIN, Wire

SERVICE = "ContainerManagementProtocolService"


class NodeProtocols:
    """The nodes that are called over Hadoop's wire; all others are called over gRPC."""

    def __init__(self, addresses: AddressBook, tls: Tls | None = None, wire: Wire = PLAIN) -> None:
        self._addresses = addresses
        self._tls = tls
        self._wire = wire
        self._hadoop: dict[NodeId, None] = {}

    def of_hadoop(self, handler: Handler) -> Handler:
        """The tracker's handler for Hadoop's port: who registers there without a token is called over
        Hadoop's wire.
        """
        return self._noting(handler, is_hadoop=True)

    def of_grpc(self, handler: Handler) -> Handler:
        """The tracker's handler for gRPC's port."""
        return self._noting(handler, is_hadoop=False)

    def _noting(self, handler: Handler, *, is_hadoop: bool) -> Handler:
        def note(request: Any, response: Any, caller: Caller) -> object:
            if response.node_action is NodeAction.NORMAL and is_hadoop and caller.token is None:
                self._hadoop[request.node_id] = None
            elif response.node_action is NodeAction.NORMAL:
                self._hadoop.pop(request.node_id, None)
            return response

        async def awaited(request: object, response: Any, caller: Caller) -> object:
            return note(request, await response, caller)

        def handle(rpc: str, request: object, caller: Caller) -> object:
            response = handler(rpc, request, caller)
            if rpc != "registerNodeManager":
                return response
            noted = awaited if hasattr(response, "__await__") else note
            return noted(request, response, caller)

        return handle

    def stub(
        self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str, token: Token, patience_s: float
    ) -> Stub | HadoopStub:
        """Calls of the node in the attempt's name; who is not there yet is waited for."""
        address = self._addresses.resolve(str(node_id))
        peer = f"{node_id} at {address}"
        if node_id in self._hadoop:
            return HadoopStub(
                address,
                SERVICE,
                user=str(attempt_id),
                token=token,
                timeout_s=patience_s,
                wait_for_ready=True,
                peer=peer,
                wire=self._wire,
            )
        return Stub(
            address,
            SERVICE,
            user=user or None,
            token=token,
            timeout_s=patience_s,
            wait_for_ready=True,
            peer=peer,
            tls=self._tls,
            wire=self._wire,
        )
