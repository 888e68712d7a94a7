"""How long a person waits, and what the daemons weigh: from `yarnbox up` to ready and to gone again, from
submit to finish of a one-container application, memory of a NodeManager and of each node in the RM.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from bench._report import report
from yarnbox.cluster.cluster import Cluster, Options, wait_until
from yarnbox.cluster.directory import ClusterRecord, RunDirectory
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.records.client import GetApplicationsRequest, GetClusterMetricsRequest

ROUNDS = 5
VIRTUAL_NODES = 2_000
CLIENT = "ApplicationClientProtocolService"
KB = 1024


def command(run: RunDirectory, *words: str) -> float:
    """Runs `yarnbox` as a person does; the seconds."""
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "yarnbox.cluster.main", words[0], "--dir", str(run.path), *words[1:]],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - begun


def memory_bytes(pid: int) -> int:
    """What a process has for itself."""
    return int(psutil.Process(pid).memory_full_info().uss)


def waits(run: RunDirectory) -> dict[str, float]:
    """Whole lives of a cluster of three nodes, and an application in each."""
    up, down, seen, app, nm = [], [], [], [], []
    for _ in range(ROUNDS):
        up.append(command(run, "up", "--detach", "--port", "0", "--web-port", "0"))
        seen.append(command(run, "job", "shell", "--containers", "1", "--", "true"))
        record = run.load()
        with BlockingStub(record.rm_address, CLIENT, user="bench") as stub:
            (one,) = stub.call("getApplications", GetApplicationsRequest()).applications
        app.append((one.finish_time - one.start_time) / 1000)
        process = record.nodes["nm1"].process
        assert process is not None
        nm.append(memory_bytes(process.pid))
        down.append(command(run, "down"))
    return {
        "yarnbox up": statistics.median(up),
        "yarnbox down": statistics.median(down),
        "one-container application, submit to finish": statistics.median(app),
        "the same with its command": statistics.median(seen),
        "memory of a NodeManager": statistics.median(nm) / KB / KB,
    }


def memory_per_node(run: RunDirectory) -> dict[str, float]:
    """The RM's memory with many nodes, less that with none."""
    cluster = Cluster(run)
    slow = {"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "10000",
            "yarn.nm.liveness-monitor.expiry-interval-ms": "600000"}  # fmt: skip
    record = cluster.up(Options(nodes=0, port=0, web_port=0, definitions=slow))
    try:
        cluster.wait_until_ready()
        assert record.rm is not None
        before = memory_bytes(record.rm.pid)
        words = ["yarnbox.nm", "--conf", str(run.path), "--virtual", str(VIRTUAL_NODES)]
        with subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.DEVNULL) as nodes:
            try:
                if not wait_until(lambda: active_nodes(record) == VIRTUAL_NODES, 120):
                    raise RuntimeError(f"{active_nodes(record)} of {VIRTUAL_NODES} virtual nodes came up")
                after = memory_bytes(record.rm.pid)
                theirs = memory_bytes(nodes.pid)
            finally:
                nodes.terminate()
    finally:
        cluster.down()
    return {
        "memory of the ResourceManager": before / KB / KB,
        "of each node in it": (after - before) / VIRTUAL_NODES / KB,
        f"of one process with {VIRTUAL_NODES} virtual nodes": theirs / KB / KB,
    }


def active_nodes(record: ClusterRecord) -> int:
    """RUNNING nodes."""
    with BlockingStub(record.rm_address, CLIENT, user="bench") as stub:
        metrics = stub.call("getClusterMetrics", GetClusterMetricsRequest()).cluster_metrics
    return metrics.num_active_nms or 0


UNITS = {
    "yarnbox up": "s",
    "yarnbox down": "s",
    "one-container application, submit to finish": "s",
    "the same with its command": "s",
    "memory of a NodeManager": "MiB",
    "memory of the ResourceManager": "MiB",
    "of each node in it": "KiB",
    f"of one process with {VIRTUAL_NODES} virtual nodes": "MiB",
}


def main() -> None:
    """Measures everything."""
    with tempfile.TemporaryDirectory() as directory:
        figures = waits(RunDirectory(Path(directory) / "waits"))
        figures |= memory_per_node(RunDirectory(Path(directory) / "memory"))
    report("startup", figures, UNITS)


if __name__ == "__main__":
    main()
