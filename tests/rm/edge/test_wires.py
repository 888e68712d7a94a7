"""Which wire a node is called over: the one of its last registration that was accepted."""

from __future__ import annotations

import asyncio
from typing import Any

from rm.edge.wires import Wires
from yarn.addresses import AddressBook
from yarn.enums import NodeAction
from yarn.hadoop_ipc.stub import HadoopStub
from yarn.ids import ApplicationAttemptId, ApplicationId, NodeId
from yarn.records.tokens import Token
from yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarn.rpc import NOBODY, Caller, Handler

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


async def is_hadoops(wires: Wires) -> bool:
    async with wires.stub(ATTEMPT, NODE, "ann", TOKEN, 1) as stub:
        return isinstance(stub, HadoopStub)


def play(wires: Wires) -> bool:
    return asyncio.run(is_hadoops(wires))


def test_a_node_that_registers_again_elsewhere_is_called_there() -> None:
    wires, accepts = Wires(AddressBook()), tracker(NodeAction.NORMAL)
    assert not play(wires)
    wires.of_hadoop(accepts)("registerNodeManager", REGISTER, NOBODY)
    assert play(wires)
    wires.of_grpc(accepts)("registerNodeManager", REGISTER, NOBODY)
    assert not play(wires)


def test_a_node_that_is_refused_or_only_beats_says_nothing() -> None:
    wires = Wires(AddressBook())
    refused = wires.of_hadoop(tracker(NodeAction.SHUTDOWN))("registerNodeManager", REGISTER, NOBODY)
    assert refused.node_action is NodeAction.SHUTDOWN
    beat = wires.of_hadoop(tracker(NodeAction.NORMAL))("nodeHeartbeat", NodeHeartbeatRequest(), NOBODY)
    assert beat.node_action is NodeAction.NORMAL
    assert not play(wires)


def test_a_registration_may_be_answered_later() -> None:
    """Where hosts are looked up first."""

    def handle(rpc: str, request: Any, caller: Caller) -> Any:
        async def later() -> Any:
            return tracker(NodeAction.NORMAL)(rpc, request, caller)

        return later()

    async def scene() -> bool:
        wires = Wires(AddressBook())
        answer = wires.of_hadoop(handle)("registerNodeManager", REGISTER, NOBODY)
        assert (await answer).node_action is NodeAction.NORMAL
        return await is_hadoops(wires)

    assert asyncio.run(scene())
