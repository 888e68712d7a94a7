"""Thousands of NodeManagers at one heartbeat a second: what one ResourceManager spends on them, and how long
ApplicationMasters wait for their allocate calls meanwhile.

    python -m bench.nodes [--nodes N] [--processes N] [--masters N] [--rounds N] [--wire grpc] [--wire hadoop]

The nodes are virtual, in one process or several; each round is a cluster of its own, over one wire and then
over the other. The ApplicationMasters, unmanaged, ask for a container with each call and give it back with
the next. The share of a core is the honest figure on a machine that has other work to do: waits are those of
the machine, too.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import statistics
import tempfile
import time
from pathlib import Path

import aiohttp
import psutil

from bench._report import report
from yarnbox.am.asks import ContainerRequest
from yarnbox.am.connection import Connection
from yarnbox.am.rm_client import AMRMClient
from yarnbox.am.unmanaged import launch_unmanaged
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory
from yarnbox.yarn.configuration import SITE_FILES, Configuration
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.resources.resource import Resource

NODES = 5_000
MASTERS = 3
PAUSE_S = 0.25
"""Between two calls of one ApplicationMaster."""
WARM_S = 5.0
SECONDS = 20.0
DEFINITIONS = {
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "1000",
    "yarn.nm.liveness-monitor.expiry-interval-ms": "600000",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "1.0",
}
REQUEST = ContainerRequest(capability=Resource(1024, 1), priority=1)


async def master(rm: AMRMClient, number: int, until: float, took_ms: list[float]) -> int:
    """One ApplicationMaster; how many containers it was given."""
    await rm.register("here")
    rm.asks.add(REQUEST)
    await asyncio.sleep(number * PAUSE_S / MASTERS)
    given = 0
    while time.perf_counter() < until:
        begun = time.perf_counter()
        response = await rm.allocate(0.5)
        took_ms.append((time.perf_counter() - begun) * 1000)
        for container in response.allocated_containers:
            rm.asks.release(container.id)
            rm.asks.remove(REQUEST)
            rm.asks.add(REQUEST)
        given += len(response.allocated_containers)
        await asyncio.sleep(PAUSE_S)
    return given


def spent_s(process: psutil.Process) -> float:
    """Its processor time so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


async def heartbeats(web: str) -> int:
    """How many the ResourceManager has answered."""
    query = {"qry": "Hadoop:service=ResourceManager,name=RpcDetailedActivityForPort8031"}
    async with aiohttp.ClientSession() as session, session.get(f"http://{web}/jmx", params=query) as answer:
        (bean,) = (await answer.json())["beans"]
        return int(bean["NodeHeartbeatNumOps"])


async def measure(
    connection: Connection, web: str, rm: psutil.Process, nodes: list[psutil.Process], count: int
) -> dict[str, float]:
    """The figures of some seconds."""
    submitter, context = connection.submitter(getpass.getuser()), ApplicationSubmissionContext()
    attempts = [await asyncio.to_thread(launch_unmanaged, submitter, context) for _ in range(count)]
    clients = [connection.rm_client(attempt.token) for attempt in attempts]
    took_ms: list[float] = []
    until = time.perf_counter() + WARM_S + SECONDS
    masters = [
        asyncio.ensure_future(master(client, number, until, took_ms)) for number, client in enumerate(clients)
    ]
    await asyncio.sleep(WARM_S)
    took_ms.clear()
    beats, spent, begun = await heartbeats(web), spent_s(rm), time.perf_counter()
    spent_by_nodes = sum(map(spent_s, nodes))
    given = sum(await asyncio.gather(*masters))
    beats, spent, seconds = await heartbeats(web) - beats, spent_s(rm) - spent, time.perf_counter() - begun
    spent_by_nodes = sum(map(spent_s, nodes)) - spent_by_nodes
    for client in clients:
        await client.close()
    return {
        "heartbeats": beats / seconds,
        "the ResourceManager's share of a core": spent / seconds,
        "the nodes' share of a core": spent_by_nodes / seconds,
        "its processor time, all work, a heartbeat": spent / beats * 1e6,
        "containers": given / (WARM_S + seconds),
        "allocate, p50": statistics.median(took_ms),
        "allocate, p99": statistics.quantiles(took_ms, n=100)[98],
    }


UNITS = {
    "heartbeats": "1/s",
    "the ResourceManager's share of a core": "",
    "its processor time, all work, a heartbeat": "us",
    "the nodes' share of a core": "",
    "containers": "1/s",
    "allocate, p50": "ms",
    "allocate, p99": "ms",
}


WIRES = ("grpc", "hadoop")


def play(wire: str, options: argparse.Namespace) -> dict[str, float]:
    """The figures of one cluster."""
    definitions = {**DEFINITIONS, "yarnbox.hadoop-ipc.heartbeats.enabled": str(wire == "hadoop").lower()}
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(RunDirectory(Path(directory) / "run"), stays_with_us=True)
        record = cluster.up(
            Options(
                nodes=options.processes,
                virtual=options.nodes // options.processes,
                port=0,
                web_port=0,
                scheduler="capacity",
                definitions=definitions,
                for_hadoop=True,
            )
        )
        try:
            cluster.wait_until_ready()
            assert record.rm is not None
            connection = Connection.of(Configuration.load(cluster.run.path, SITE_FILES))
            rm = psutil.Process(record.rm.pid)
            known = [one.process for one in cluster.run.load().nodes.values()]
            nodes = [psutil.Process(one.pid) for one in known if one is not None]
            return asyncio.run(measure(connection, record.web_address, rm, nodes, options.masters))
        finally:
            cluster.down()
            cluster.close()


def main() -> None:
    """Plays the rounds, one wire after the other, and says what is in the middle."""
    parser = argparse.ArgumentParser(prog="python -m bench.nodes")
    parser.add_argument("--nodes", metavar="N", type=int, default=NODES, help=f"default: {NODES}")
    parser.add_argument("--processes", metavar="N", type=int, default=1, help="of the nodes (default: 1)")
    parser.add_argument("--masters", metavar="N", type=int, default=MASTERS, help=f"default: {MASTERS}")
    parser.add_argument("--rounds", metavar="N", type=int, default=1, help="default: 1")
    parser.add_argument("--wire", action="append", choices=WIRES, help="default: both")
    options = parser.parse_args()
    wires = options.wire or WIRES
    found: dict[str, list[dict[str, float]]] = {wire: [] for wire in wires}
    for _ in range(options.rounds):
        for wire in wires:
            found[wire].append(play(wire, options))
    figures = {
        f"{wire}: {name}": statistics.median(one[name] for one in rounds)
        for wire, rounds in found.items()
        for name in UNITS
    }
    report("nodes", figures, {f"{wire}: {name}": unit for wire in wires for name, unit in UNITS.items()})


if __name__ == "__main__":
    main()
