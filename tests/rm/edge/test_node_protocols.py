"""Which wire a node is called over: the one of its last registration that was accepted."""

from __future__ import annotations

import asyncio
from typing import Any

from yarnbox.rm.edge.node_protocols import NodeProtocols
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.rpc import NOBODY, Caller, Handler
from yarnbox.yarn.enums import NodeAction
from yarnbox.yarn.hadoop_ipc.stub import HadoopStub
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, NodeId
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)

NODE = NodeId("127.0.0.1", 4321)
REGISTER = RegisterNodeManagerRequest(node_id=NODE)
TOKEN = Token(identifier=b"i", password=b"p", kind="NMToken", service="")
ATTEMPT = ApplicationAttemptId(ApplicationId(1, 1), 1)


def tracker(action: NodeAction) -> Handler:
    def handle(rpc: str, request: Any, caller: Caller) -> Any:
        if rpc == "nodeHeartbeat":
            return NodeHeartbeatResponse(node_action=action)
        return RegisterNodeManagerResponse(node_action=action)

    return handle


async def is_hadoops(protocols: NodeProtocols) -> bool:
    async with protocols.stub(ATTEMPT, NODE, "ann", TOKEN, 1) as stub:
        return isinstance(stub, HadoopStub)


def play(protocols: NodeProtocols) -> bool:
    return asyncio.run(is_hadoops(protocols))


def test_a_node_that_registers_again_elsewhere_is_called_there() -> None:
    protocols, accepts = NodeProtocols(AddressBook()), tracker(NodeAction.NORMAL)
    assert not play(protocols)
    protocols.of_hadoop(accepts)("registerNodeManager", REGISTER, NOBODY)
    assert play(protocols)
    protocols.of_grpc(accepts)("registerNodeManager", REGISTER, NOBODY)
    assert not play(protocols)


def test_a_node_that_is_refused_or_only_beats_says_nothing() -> None:
    protocols = NodeProtocols(AddressBook())
    refused = protocols.of_hadoop(tracker(NodeAction.SHUTDOWN))("registerNodeManager", REGISTER, NOBODY)
    assert refused.node_action is NodeAction.SHUTDOWN
    beat = protocols.of_hadoop(tracker(NodeAction.NORMAL))("nodeHeartbeat", NodeHeartbeatRequest(), NOBODY)
    assert beat.node_action is NodeAction.NORMAL
    assert not play(protocols)


def test_a_registration_may_be_answered_later() -> None:
    """Where hosts are looked up first."""

    def handle(rpc: str, request: Any, caller: Caller) -> Any:
        async def later() -> Any:
            return tracker(NodeAction.NORMAL)(rpc, request, caller)

        return later()

    async def scene() -> bool:
        protocols = NodeProtocols(AddressBook())
        answer = protocols.of_hadoop(handle)("registerNodeManager", REGISTER, NOBODY)
        assert (await answer).node_action is NodeAction.NORMAL
        return await is_hadoops(protocols)

    assert asyncio.run(scene())
