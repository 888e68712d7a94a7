"""Hadoop's four ports of an RM: each answers its own protocol, with what gRPC would answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest

from tests.rm.edge.test_process import NODE, play, running
from tests.yarn.hadoop_ipc import peer
from yarnbox.cluster.hadoop_site import yarn_properties
from yarnbox.protos.RpcHeader_pb2 import RpcResponseHeaderProto
from yarnbox.rm.edge.hadoop import (
    ADMIN_PROTOCOL,
    CLIENT_PROTOCOL,
    HA_PROTOCOL,
    MASTER_PROTOCOL,
    TRACKER_PROTOCOL,
)
from yarnbox.rm.edge.node_protocols import SERVICE as NODE_SERVICE
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.enums import ContainerType, NodeAction
from yarnbox.yarn.hadoop_ipc.connection import Tokens
from yarnbox.yarn.hadoop_ipc.framing import read_delimited
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer
from yarnbox.yarn.hadoop_ipc.stub import PROTOCOLS
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import RefreshNodesRequest, RefreshNodesResponse
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetClusterMetricsRequest,
    GetClusterMetricsResponse,
    GetNewApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.ha import (
    GetServiceStatusRequest,
)
from yarnbox.yarn.records.management import StartContainersResponse
from yarnbox.yarn.records.tracker import (
    NodeHealthStatus,
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    NodeStatus,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.tokens import NM_TOKEN, ContainerTokenSecretManagerInNM, NMTokenSecretManagerInNM
from yarnbox.yarn.wire import from_bytes, to_bytes

T = TypeVar("T")
_RM = "yarn.resourcemanager."


class Client:
    """A Hadoop client of one port."""

    def __init__(self, address: str, protocol: str, opening: bytes = peer.SIMPLE + peer.context()) -> None:
        self._host, _, self._port = address.rpartition(":")
        self._protocol = protocol
        self._opening = opening

    async def ask(self, method: str, request: Any) -> tuple[RpcResponseHeaderProto, bytes]:
        reader, writer = await asyncio.open_connection(self._host, int(self._port))
        try:
            writer.write(self._opening + peer.call(0, method, to_bytes(request), self._protocol))
            payload = await reader.readexactly(int.from_bytes(await reader.readexactly(4), "big"))
        finally:
            writer.close()
        head, at = read_delimited(payload, 0)
        message = read_delimited(payload, at)[0] if at < len(payload) else b""
        return RpcResponseHeaderProto.FromString(head), message

    async def answer(self, method: str, request: Any, kind: type[T]) -> T:
        head, message = await self.ask(method, request)
        assert head.status == RpcResponseHeaderProto.SUCCESS, head.errorMsg
        return from_bytes(kind, message)


def test_each_port_answers_its_protocol(tmp_path: Path) -> None:
    properties = yarn_properties("127.0.0.1")

    async def scene() -> None:
        async with running(tmp_path, **properties):
            nodes = Client(properties[_RM + "resource-tracker.address"], TRACKER_PROTOCOL)
            registration = RegisterNodeManagerRequest(
                node_id=NODE, http_port=1, resource=Resource(8192, 8), nm_version="3.4.1"
            )
            joined = await nodes.answer("registerNodeManager", registration, RegisterNodeManagerResponse)
            assert joined.node_action is NodeAction.NORMAL
            assert joined.container_token_master_key is not None
            health = NodeHealthStatus(is_node_healthy=True, health_report="", last_health_report_time=0)
            status = NodeStatus(node_id=NODE, response_id=0, node_health_status=health)
            beat = NodeHeartbeatRequest(node_status=status)
            heard = await nodes.answer("nodeHeartbeat", beat, NodeHeartbeatResponse)
            assert (heard.node_action, heard.response_id) == (NodeAction.NORMAL, 1)

            users = Client(properties[_RM + "address"], CLIENT_PROTOCOL)
            metrics = await users.answer(
                "getClusterMetrics", GetClusterMetricsRequest(), GetClusterMetricsResponse
            )
            assert metrics.cluster_metrics is not None
            assert metrics.cluster_metrics.num_node_managers == 1

            admins = Client(properties[_RM + "admin.address"], ADMIN_PROTOCOL)
            await admins.answer("refreshNodes", RefreshNodesRequest(), RefreshNodesResponse)

    play(scene)


def test_a_node_that_registers_there_is_given_its_am_over_the_same_wire(tmp_path: Path) -> None:
    """And the tokens it is shown are those that the keys it was sent know."""
    properties = yarn_properties("127.0.0.1")
    nm_keys, container_keys = NMTokenSecretManagerInNM(), ContainerTokenSecretManagerInNM()
    seen: list[tuple[str, Any]] = []

    def handle(rpc: str, request: Any, caller: Caller) -> Any:
        assert nm_keys.verify(caller.token).app_submitter == "ann"
        seen.append((rpc, request))
        return StartContainersResponse()

    async def scene() -> None:
        node = HadoopServer({PROTOCOLS[NODE_SERVICE]: Endpoint(NODE_SERVICE, handle)})
        node.tokens = Tokens(NM_TOKEN, nm_keys.password)
        node_id = NodeId("127.0.0.1", await node.start("127.0.0.1", 0, "nothing"))
        async with running(tmp_path, **properties) as desk:
            nodes = Client(properties[_RM + "resource-tracker.address"], TRACKER_PROTOCOL)
            registration = RegisterNodeManagerRequest(
                node_id=node_id, http_port=1, resource=Resource(8192, 8), nm_version="3.4.1"
            )
            joined = await nodes.answer("registerNodeManager", registration, RegisterNodeManagerResponse)
            assert joined.nm_token_master_key is not None
            assert joined.container_token_master_key is not None
            nm_keys.set_master_key(joined.nm_token_master_key)
            container_keys.set_master_key(joined.container_token_master_key)
            new = await desk.client.call("getNewApplication", GetNewApplicationRequest())
            context = ApplicationSubmissionContext(
                application_id=new.application_id,
                am_container_spec=ContainerLaunchContext(command=("am",)),
                resource=Resource(1024, 1),
            )
            submission = SubmitApplicationRequest(application_submission_context=context)
            await desk.client.call("submitApplication", submission)
            health = NodeHealthStatus(is_node_healthy=True, health_report="", last_health_report_time=0)
            response_id = 0
            while not seen:
                status = NodeStatus(node_id=node_id, response_id=response_id, node_health_status=health)
                beat = NodeHeartbeatRequest(node_status=status)
                heard = await nodes.answer("nodeHeartbeat", beat, NodeHeartbeatResponse)
                response_id = heard.response_id or 0
                await asyncio.sleep(0.01)
            ((rpc, request),) = seen
            (start,) = request.start_container_request
            assert (rpc, start.container_launch_context.command) == ("startContainers", ("am",))
            shown = container_keys.verify(start.container_token)
            assert (shown.container_type, shown.nm_host_addr) == (
                ContainerType.APPLICATION_MASTER,
                str(node_id),
            )
        await node.stop()

    play(scene)


def test_a_port_does_not_answer_another_ones_protocol(tmp_path: Path) -> None:
    properties = yarn_properties("127.0.0.1")

    async def scene() -> None:
        async with running(tmp_path, **properties):
            wrong = Client(properties[_RM + "address"], TRACKER_PROTOCOL)
            head, _ = await wrong.ask("nodeHeartbeat", NodeHeartbeatRequest())
            assert head.status == RpcResponseHeaderProto.ERROR
            assert head.errorDetail == RpcResponseHeaderProto.ERROR_NO_SUCH_PROTOCOL

    play(scene)


def test_without_high_availability_nobody_knows_its_protocol(tmp_path: Path) -> None:
    properties = yarn_properties("127.0.0.1")
    admins = Client(properties[_RM + "admin.address"], HA_PROTOCOL)

    async def scene() -> None:
        async with running(tmp_path, **properties):
            head, _ = await admins.ask("getServiceStatus", GetServiceStatusRequest())
            assert head.errorDetail == RpcResponseHeaderProto.ERROR_NO_SUCH_PROTOCOL
            assert head.errorMsg == "Unknown protocol: org.apache.hadoop.ha.HAServiceProtocol"

    play(scene)


def test_the_schedulers_port_wants_a_token(tmp_path: Path) -> None:
    properties = yarn_properties("127.0.0.1")

    async def scene() -> None:
        async with running(tmp_path, **properties):
            am = Client(properties[_RM + "scheduler.address"], MASTER_PROTOCOL)
            head, _ = await am.ask("allocate", NodeHeartbeatRequest())
            assert head.status == RpcResponseHeaderProto.FATAL
            assert head.exceptionClassName == "org.apache.hadoop.security.AccessControlException"

    play(scene)


@pytest.mark.parametrize(
    ("address", "known_by"),
    [
        ("address", 8032),
        ("scheduler.address", 8030),
        ("resource-tracker.address", 8031),
        ("admin.address", 8033),
    ],
)
def test_open_connections_are_counted_by_the_meter_of_their_port(
    tmp_path: Path, address: str, known_by: int
) -> None:
    properties = yarn_properties("127.0.0.1")
    host, _, port = properties[_RM + address].rpartition(":")

    async def open_connections(session: aiohttp.ClientSession, web: str) -> dict[int, int]:
        pattern = "Hadoop:service=ResourceManager,name=RpcActivityForPort*"
        async with session.get(f"http://{web}/jmx", params={"qry": pattern}) as answer:
            beans = (await answer.json())["beans"]
        return {int(bean["tag.port"]): bean["NumOpenConnections"] for bean in beans}

    async def scene() -> None:
        async with running(tmp_path, **properties) as desk, aiohttp.ClientSession() as session:
            assert await open_connections(session, desk.web) == dict.fromkeys(range(8030, 8034), 0)
            _, writer = await asyncio.open_connection(host, int(port))
            while not any((found := await open_connections(session, desk.web)).values()):
                await asyncio.sleep(0.01)
            assert found == {one: int(one == known_by) for one in range(8030, 8034)}
            writer.close()

    play(scene)
