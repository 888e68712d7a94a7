"""What pages cost heartbeats: how long one takes at an RM, alone and with ten clients that poll everything,
and how long these wait for an answer.

    python -m bench.http [--clients N]

The nodes are virtual, a hundred of them, each reporting once in a second; the clients read metrics, nodes,
queues, applications and beans one after the other without a pause in between.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp

from bench._report import report
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory
from yarnbox.yarn.connection.rpc import Stub
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.tracker import (
    NodeHealthStatus,
    NodeHeartbeatRequest,
    NodeStatus,
    RegisterNodeManagerRequest,
)
from yarnbox.yarn.resources.resource import Resource

NODES = 100
CLIENTS = 10
SECONDS = 10.0
PATHS = (
    "/ws/v1/cluster/metrics",
    "/ws/v1/cluster/nodes",
    "/ws/v1/cluster/scheduler",
    "/ws/v1/cluster/apps",
    "/jmx",
)
UNITS = {"answers": "1/s"} | {
    f"{part}, {name}": "ms"
    for part in ("p50", "p99")
    for name in ("heartbeats alone", "heartbeats polled", "answers")
}


async def beat(stub: Stub, number: int, until: float, took_ms: list[float]) -> None:
    """One node: registers, and reports each second."""
    node_id = NodeId(f"v{number}", 1)
    await stub.call(
        "registerNodeManager",
        RegisterNodeManagerRequest(
            node_id=node_id, http_port=1, resource=Resource(8192, 8), nm_version="3.4.1"
        ),
    )
    health = NodeHealthStatus(is_node_healthy=True, health_report="", last_health_report_time=0)
    await asyncio.sleep(number / NODES)
    response_id = 0
    while time.perf_counter() < until:
        status = NodeStatus(node_id=node_id, response_id=response_id, node_health_status=health)
        begun = time.perf_counter()
        answer: Any = await stub.call("nodeHeartbeat", NodeHeartbeatRequest(node_status=status))
        took_ms.append((time.perf_counter() - begun) * 1000)
        response_id = answer.response_id
        await asyncio.sleep(1)


async def poll(session: aiohttp.ClientSession, top: str, until: float, took_ms: list[float]) -> None:
    """One client."""
    while time.perf_counter() < until:
        for path in PATHS:
            begun = time.perf_counter()
            async with session.get(top + path) as answer:
                answer.raise_for_status()
                await answer.read()
            took_ms.append((time.perf_counter() - begun) * 1000)


async def measure(grpc: str, web: str, clients: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each heartbeat, and of each answer."""
    took_ms, answered_ms = list[float](), list[float]()
    connector = aiohttp.TCPConnector(limit=0)
    until = time.perf_counter() + SECONDS
    async with (
        Stub(grpc, "ResourceTrackerService") as stub,
        aiohttp.ClientSession(connector=connector) as session,
    ):
        nodes = [beat(stub, number, until, took_ms) for number in range(NODES)]
        readers = [poll(session, f"http://{web}", until, answered_ms) for _ in range(clients)]
        await asyncio.gather(*readers, *nodes)
    return took_ms, answered_ms


def main() -> None:
    """Starts an RM, measures twice, ends it."""
    parser = argparse.ArgumentParser(prog="python -m bench.http")
    parser.add_argument("--clients", metavar="N", type=int, default=CLIENTS, help=f"default: {CLIENTS}")
    clients = parser.parse_args().clients
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(RunDirectory(Path(directory) / "run"), stays_with_us=True)
        definitions = {"yarn.resourcemanager.recovery.enabled": "false", "yarnbox.node-secret-file": ""}
        record = cluster.up(Options(nodes=0, port=0, web_port=0, definitions=definitions))
        try:
            cluster.wait_until_ready()
            alone, _ = asyncio.run(measure(record.rm_address, record.web_address, 0))
            polled, answers = asyncio.run(measure(record.rm_address, record.web_address, clients))
        finally:
            cluster.down()
    figures = {"answers": len(answers) / SECONDS}
    for name, took_ms in (
        ("heartbeats alone", alone),
        ("heartbeats polled", polled),
        ("answers", answers),
    ):
        figures[f"p50, {name}"] = statistics.median(took_ms)
        figures[f"p99, {name}"] = statistics.quantiles(took_ms, n=100)[98]
    report("http", figures, UNITS)


if __name__ == "__main__":
    main()
