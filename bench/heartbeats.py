"""NodeHeartbeat calls that one RM process sustains over gRPC, beside a bare grpc.aio echo of the same size.

Both servers are processes of their own, and the same client drives them in turn, several rounds each. The
client shares the machine with the server, so the rates alone would flatter the slower of the two: the
processor time that a server spends on a call is told as well, and the ratio of those times is the honest one.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import psutil

from bench._report import report
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory
from yarnbox.yarn.connection.rpc import Stub, listen, new_server, open_channel
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.tracker import (
    NodeHealthStatus,
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    NodeStatus,
    RegisterNodeManagerRequest,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.wire import message_class, to_message

NODES = 200
AT_A_TIME = 32
CALLS = 4_000
ROUNDS = 3
SERVICE = "ResourceTrackerService"
PATH = f"/hadoop.yarn.{SERVICE}/nodeHeartbeat"

Call = Callable[[bytes], Awaitable[bytes]]


def serve_echo(parent: Connection) -> None:
    """The bare echo's process."""

    async def echo(data: bytes, context: Any) -> bytes:
        return data

    async def serve() -> None:
        server = new_server()
        methods: dict[str, Any] = {"nodeHeartbeat": grpc.unary_unary_rpc_method_handler(echo)}
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(f"hadoop.yarn.{SERVICE}", methods),)
        )
        parent.send(listen(server, "127.0.0.1:0", "nothing"))
        await server.start()
        await server.wait_for_termination()

    asyncio.run(serve())


class VirtualNodes:
    """Nodes that only report that they are alive."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        health = NodeHealthStatus(is_node_healthy=True, health_report="", last_health_report_time=0)
        for number in range(NODES):
            status = NodeStatus(
                node_id=NodeId(f"v{number}", 1),
                response_id=0,
                node_health_status=health,
                keep_alive_applications=(),
            )
            self.requests.append(to_message(NodeHeartbeatRequest(node_status=status)))
        self._response: Any = message_class(NodeHeartbeatResponse)

    async def register(self, address: str) -> None:
        """Registers all of them."""
        async with Stub(address, SERVICE) as stub:
            for request in self.requests:
                node_id = request.node_status.node_id
                await stub.call(
                    "registerNodeManager",
                    RegisterNodeManagerRequest(
                        node_id=NodeId(node_id.host, node_id.port),
                        http_port=1,
                        resource=Resource(8192, 8),
                        nm_version="3.4.1",
                    ),
                )

    async def beat(self, call: Call, *, is_echo: bool) -> float:
        """CALLS heartbeats, AT_A_TIME at a time, those of one node one after the other; the seconds."""
        rounds = CALLS // NODES

        async def drive(mine: list[Any]) -> None:
            for _ in range(rounds):
                for request in mine:
                    answer = self._response.FromString(await call(request.SerializeToString()))
                    if not is_echo:
                        request.node_status.response_id = answer.response_id

        begun = time.perf_counter()
        await asyncio.gather(*(drive(self.requests[start::AT_A_TIME]) for start in range(AT_A_TIME)))
        return time.perf_counter() - begun


async def measure(address: str, pid: int, nodes: VirtualNodes, *, is_echo: bool) -> tuple[float, float]:
    """Calls per second, and microseconds of the server's processor time per call."""
    server = psutil.Process(pid)
    async with open_channel(address) as channel:
        call: Any = channel.unary_unary(PATH)
        before = server.cpu_times()
        seconds = await nodes.beat(call, is_echo=is_echo)
        after = server.cpu_times()
    spent = after.user + after.system - before.user - before.system
    return CALLS / seconds, spent / CALLS * 1e6


async def compare(echo: tuple[str, int], rm: tuple[str, int]) -> dict[str, float]:
    """Rounds of both in turn."""
    nodes = VirtualNodes()
    await nodes.register(rm[0])
    echoes, heartbeats = [], []
    for _ in range(ROUNDS):
        echoes.append(await measure(*echo, nodes, is_echo=True))
        heartbeats.append(await measure(*rm, nodes, is_echo=False))
    echo_rate, echo_cpu = (statistics.median(column) for column in zip(*echoes, strict=True))
    rm_rate, rm_cpu = (statistics.median(column) for column in zip(*heartbeats, strict=True))
    return {
        "heartbeats": rm_rate,
        "echoes": echo_rate,
        "rate against the echo": rm_rate / echo_rate,
        "heartbeat, server processor": rm_cpu,
        "echo, server processor": echo_cpu,
        "heartbeats per core against the echo": echo_cpu / rm_cpu,
    }


UNITS = {
    "heartbeats": "calls/s",
    "echoes": "calls/s",
    "heartbeat, server processor": "us/call",
    "echo, server processor": "us/call",
}


def main() -> None:
    """Starts both servers, compares them, ends them."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    echo = spawn.Process(target=serve_echo, args=(there,))
    echo.start()
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(RunDirectory(Path(directory) / "run"), stays_with_us=True)
        definitions = {
            "yarn.nm.liveness-monitor.expiry-interval-ms": "600000",
            "yarn.resourcemanager.recovery.enabled": "false",
            "yarnbox.node-secret-file": "",  # the nodes are made up here
        }
        record = cluster.up(Options(nodes=0, scheduler="fifo", port=0, web_port=0, definitions=definitions))
        try:
            cluster.wait_until_ready()
            assert record.rm is not None
            assert echo.pid is not None
            figures = asyncio.run(
                compare((f"127.0.0.1:{here.recv()}", echo.pid), (record.rm_address, record.rm.pid))
            )
        finally:
            cluster.down()
            echo.terminate()
            echo.join()
    report("heartbeats", figures, UNITS)


if __name__ == "__main__":
    main()
