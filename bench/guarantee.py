"""How long a queue waits for its guarantee on a real cluster: queue A fills eight nodes, queue B asks for its
half, and the CapacityScheduler's preemption gives it back. Beside it the bound: the monitor's interval to be
seen, the wait before a kill, and two heartbeats of the nodes.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from bench._report import report
from yarnbox.cluster.cluster import Cluster, Options, wait_until
from yarnbox.cluster.directory import RunDirectory
from yarnbox.cluster.site import sample_configuration
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.storage.event_log import FILE, EventLogReader, LoggedEvent

ROUNDS = 3
NODES, SLOT_MB = 8, 1024
SLOTS = 2 * NODES
INTERVAL_MS, WAIT_MS, HEARTBEAT_MS = 300, 600, 1_000
PATIENCE_S = 60

CAPACITY = "yarn.scheduler.capacity."
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
QUEUES = {
    CAPACITY + "root.queues": "a,b",
    CAPACITY + "root.a.capacity": "50",
    CAPACITY + "root.a.user-limit-factor": "10",
    CAPACITY + "root.b.capacity": "50",
    CAPACITY + "maximum-am-resource-percent": "0.5",
    PREEMPTION + "monitoring_interval": str(INTERVAL_MS),
    PREEMPTION + "max_wait_before_kill": str(WAIT_MS),
    PREEMPTION + "total_preemption_per_round": "1.0",
    PREEMPTION + "natural_termination_factor": "1.0",
}
DEFINITIONS = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": str(HEARTBEAT_MS),
    "yarn.nodemanager.resource.memory-mb": str(2 * SLOT_MB),
}


def shell(run: RunDirectory, queue: str, containers: int) -> subprocess.Popen[bytes]:
    """A job whose containers stay until the cluster goes; its AM gives nothing up by itself."""
    size = ["--containers", str(containers), "--memory", str(SLOT_MB)]
    words = ["--queue", queue, *size, "--", "sleep", "300"]
    return subprocess.Popen(
        [sys.executable, "-m", "yarnbox.cluster.main", "job", "--dir", str(run.path), "shell", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def reached_ms(log: list[LoggedEvent], queue: str, slots: int) -> int | None:
    """When the books first held so many containers of the queue."""
    held = 0
    for event in log:
        if event.details.get("queue") == queue and "resource" in event.details:
            held += event.details["resource"]["memory-mb"]
            if held >= slots * SLOT_MB:
                return event.time_ms
    return None


def registered_ms(log: list[LoggedEvent]) -> int:
    """When the second application's AM registered: it asks at once, or a heartbeat later."""
    registered = (event.time_ms for event in log if event.type == "AttemptRegistered")
    return sorted(registered)[1]


def log_of(run: RunDirectory) -> list[LoggedEvent]:
    """The event log so far."""
    return list(EventLogReader(run.logs / FILE).read_all())


def has_reached(run: RunDirectory, queue: str, slots: int) -> bool:
    """Whether the queue has come to so many containers."""
    return reached_ms(log_of(run), queue, slots) is not None


def waited_s(run: RunDirectory, conf: Path) -> float:
    """A life of the cluster: from the registration of B's AM until it holds what it is guaranteed."""
    cluster = Cluster(run, stays_with_us=True)
    cluster.up(
        Options(
            nodes=NODES, port=0, web_port=0, scheduler="capacity", configuration=conf, definitions=DEFINITIONS
        )
    )
    jobs: list[subprocess.Popen[bytes]] = []

    try:
        cluster.wait_until_ready()
        for queue, containers, slots in (("a", SLOTS - 2, SLOTS - 1), ("b", SLOTS // 2 - 1, SLOTS // 2)):
            jobs.append(shell(run, queue, containers))
            has_come = partial(has_reached, run, f"root.{queue}", slots)
            if not wait_until(has_come, PATIENCE_S):
                raise RuntimeError(f"root.{queue} did not come to {slots} containers in {PATIENCE_S} s")
        log = log_of(run)
    finally:
        cluster.down()
        for job in jobs:
            job.kill()
            job.wait()
    reached = reached_ms(log, "root.b", SLOTS // 2)
    assert reached is not None
    return (reached - registered_ms(log)) / 1000


WAITED, BOUND = "from its AM's registration to the guarantee", "interval, wait and two heartbeats"


def main() -> None:
    """Measures it a few times."""
    with tempfile.TemporaryDirectory() as directory:
        conf = Path(directory) / "conf"
        shutil.copytree(sample_configuration(), conf)
        rows = ((name, value, False) for name, value in QUEUES.items())
        (conf / "capacity-scheduler.xml").write_text(write(rows))
        waits = [waited_s(RunDirectory(Path(directory) / f"run{number}"), conf) for number in range(ROUNDS)]
    bound = (INTERVAL_MS + WAIT_MS + 2 * HEARTBEAT_MS) / 1000
    figures = {WAITED: statistics.median(waits), "the longest": max(waits), BOUND: bound}
    report("guarantee", figures, dict.fromkeys(figures, "s"))


if __name__ == "__main__":
    main()
