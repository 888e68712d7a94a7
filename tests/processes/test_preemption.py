"""Real processes: a queue gets its guarantee back in time, and the jobs that had it still end right."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster import wait_until
from tests.processes.conftest import Desk, with_queues
from tests.processes.gated import GATED, output

pytestmark = pytest.mark.timeout(240)

CAPACITY = "yarn.scheduler.capacity."
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
SLOTS, SLOT_MB = 16, 1024
"""Eight nodes of two containers each; either queue is guaranteed half of them."""
HALF_MB = SLOTS // 2 * SLOT_MB
INTERVAL_MS, WAIT_MS = 300, 600
HEARTBEAT_MS = 1_000
"""Of the nodes, and of the AMs."""
LOAD_MS = 2_000
"""What a machine that has other things to do may add."""


def up(desk: Desk, root: Path, *, is_on: bool = True, wait_ms: int = WAIT_MS) -> None:
    """Eight nodes and two queues."""
    queues = {
        CAPACITY + "root.queues": "a,b",
        CAPACITY + "root.a.capacity": "50",
        CAPACITY + "root.a.user-limit-factor": "10",
        CAPACITY + "root.b.capacity": "50",
        CAPACITY + "maximum-am-resource-percent": "0.5",
        PREEMPTION + "monitoring_interval": str(INTERVAL_MS),
        PREEMPTION + "max_wait_before_kill": str(wait_ms),
        PREEMPTION + "total_preemption_per_round": "1.0",
        PREEMPTION + "natural_termination_factor": "1.0",
    }
    monitor = f"yarn.resourcemanager.scheduler.monitor.enable={str(is_on).lower()}"
    memory = f"yarn.nodemanager.resource.memory-mb={2 * SLOT_MB}"
    conf = with_queues(root, queues)
    desk.up("--scheduler", "capacity", "--nodes", "8", "--conf", conf, "-D", monitor, "-D", memory)


def shell_job(desk: Desk, queue: str, containers: int, gate: Path) -> subprocess.Popen[str]:
    """Containers that run until the gate opens; their AM does not listen to what it is asked to give up."""
    hold = f"while [ ! -e {gate} ]; do sleep 0.2; done"
    words = ("--queue", queue, "--containers", str(containers), "--memory", str(SLOT_MB))
    return desk.start("job", "shell", *words, "--", hold)


def mapreduce_job(
    desk: Desk, root: Path, *, maps: int, reduces: int, heartbeat_ms: int
) -> subprocess.Popen[str]:
    """Maps that wait for the gate, and reduces that wait for the maps."""
    (root / "input").mkdir()
    for number in range(maps):
        (root / "input" / str(number)).write_text(f"w{number} waits\n")
    (root / "gated.py").write_text(GATED)
    settings = {
        "mapreduce.job.queuename": "a",
        "mapreduce.input.fileinputformat.split.maxsize": "10",
        "mapreduce.job.reduces": str(reduces),
        "mapreduce.job.reduce.slowstart.completedmaps": "0",
        "yarn.app.mapreduce.am.job.reduce.rampup.limit": "1.0",
        "yarn.app.mapreduce.am.resource.mb": str(SLOT_MB),
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": str(heartbeat_ms),
        "mapreduce.map.maxattempts": "1",
        "mapreduce.reduce.maxattempts": "1",
    }
    words = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    return desk.start(
        "job", "mapreduce", "--mapper", "gated.mapper", "--reducer", "gated.reducer", "--path", str(root),
        *words, str(root / "input"), str(root / "out"),
    )  # fmt: skip


def events(desk: Desk) -> list[dict[str, Any]]:
    """The event log so far."""
    return [json.loads(line) for line in desk.yarnbox("events", "--json").splitlines()]


def used_mb(log: list[dict[str, Any]], queue: str) -> list[tuple[int, int]]:
    """What the queue's books held, from each change on."""
    held, course = 0, []
    for entry in log:
        if entry.get("queue") == queue and isinstance(entry.get("resource"), dict):
            held += entry["resource"].get("memory-mb", 0)
            course.append((entry["time"], held))
    return course


def holds(desk: Desk, queue: str) -> int:
    """What it holds now."""
    course = used_mb(events(desk), queue)
    return course[-1][1] if course else 0


def registered_ms(log: list[dict[str, Any]], number: int) -> int:
    """When the AM of that application registered."""
    registered = (entry for entry in log if entry["type"] == "AttemptRegistered")
    return next(int(entry["time"]) for entry in registered if f"_{number:04d}_" in entry["subject"])


def has_registered(desk: Desk, number: int) -> bool:
    """Whether the AM of that application has."""
    return sum(1 for entry in events(desk) if entry["type"] == "AttemptRegistered") >= number


def ends_well(job: subprocess.Popen[str]) -> None:
    out, err = job.communicate(timeout=120)
    assert job.returncode == 0, out + err


def wait_for(condition: Callable[[], bool], desk: Desk) -> None:
    assert wait_until(condition, timeout_s=60), events(desk)[-40:]


@pytest.mark.parametrize("is_on", [True, False], ids=["preemption on", "preemption off"])
def test_a_queue_gets_its_guarantee_back(desk: Desk, tmp_path: Path, is_on: bool) -> None:
    """From its AM's first ask: one interval to be seen, the wait, and two heartbeats of the nodes."""
    up(desk, tmp_path, is_on=is_on)
    gate = tmp_path / "gate"
    first = shell_job(desk, "a", SLOTS - 2, gate)
    try:
        wait_for(lambda: holds(desk, "root.a") == (SLOTS - 1) * SLOT_MB, desk)
        second = shell_job(desk, "b", SLOTS // 2 - 1, gate)
        if is_on:
            wait_for(lambda: holds(desk, "root.b") == HALF_MB, desk)
        else:
            wait_for(lambda: has_registered(desk, 2), desk)
            late_ms = registered_ms(events(desk), 2) + INTERVAL_MS + WAIT_MS + 4 * HEARTBEAT_MS
            wait_for(lambda: time.time() * 1000 > late_ms, desk)
        log = events(desk)
    finally:
        gate.touch()
    if is_on:
        asked_ms = registered_ms(log, 2) + HEARTBEAT_MS
        reached_ms = next(time_ms for time_ms, held in used_mb(log, "root.b") if held >= HALF_MB)
        assert reached_ms - asked_ms <= INTERVAL_MS + WAIT_MS + 2 * HEARTBEAT_MS + LOAD_MS
        killed = [entry for entry in log if entry["type"] == "SchedulerMarkContainerForKillable"]
        assert len(killed) == SLOTS // 2 - 1
    else:
        assert used_mb(log, "root.b")[-1][1] == SLOT_MB
        assert used_mb(log, "root.a")[-1][1] == (SLOTS - 1) * SLOT_MB
    for job in (first, second):
        ends_well(job)


@pytest.mark.parametrize("wait_ms", [60_000, 0], ids=["given up", "killed"])
def test_a_mapreduce_job_that_is_preempted_ends_right(desk: Desk, tmp_path: Path, wait_ms: int) -> None:
    """Asked for containers, its AM gives them up, reduces first; killed ones are nobody's failure.

    One failed attempt would fail the job. With a wait of a minute everything that B gets is given up; without
    a wait the next pass kills what an AM that seldom calls has not heard of by then.
    """
    maps, reduces = 4, SLOTS - 6
    up(desk, tmp_path, wait_ms=wait_ms)
    heartbeat_ms = HEARTBEAT_MS if wait_ms else 4 * HEARTBEAT_MS
    first = mapreduce_job(desk, tmp_path, maps=maps, reduces=reduces, heartbeat_ms=heartbeat_ms)
    gate = tmp_path / "open"
    try:
        wait_for(lambda: holds(desk, "root.a") == (SLOTS - 1) * SLOT_MB, desk)
        second = shell_job(desk, "b", SLOTS // 2 - 1, gate)
        wait_for(lambda: holds(desk, "root.b") == HALF_MB, desk)
        log = events(desk)
    finally:
        gate.touch()
    asked_ms = registered_ms(log, 2) + HEARTBEAT_MS
    reached_ms = next(time_ms for time_ms, held in used_mb(log, "root.b") if held >= HALF_MB)
    until_free_ms = HEARTBEAT_MS if wait_ms else INTERVAL_MS
    assert reached_ms - asked_ms <= INTERVAL_MS + until_free_ms + 2 * HEARTBEAT_MS + LOAD_MS
    for job in (first, second):
        ends_well(job)
    assert output(tmp_path / "out") == {f"w{number}".encode(): 1 for number in range(maps)}
    (app,) = [app for app in applications(desk) if app["queue"] == "root.a"]
    killed = Counter(entry["type"] for entry in log)["SchedulerMarkContainerForKillable"]
    assert app["numAMContainerPreempted"] == 0
    assert app["numNonAMContainerPreempted"] == (0 if wait_ms else killed)
    assert app["preemptedResourceMB"] == app["numNonAMContainerPreempted"] * SLOT_MB
    status = desk.yarnbox("yarn", "application", "-status", app["id"])
    seconds = f"{app['preemptedMemorySeconds']} MB-seconds, {app['preemptedVcoreSeconds']} vcore-seconds"
    assert f"Aggregate Resource Preempted : {seconds}" in status
    assert bool(wait_ms) == (app["preemptedMemorySeconds"] == 0)
    (report,) = (desk.directory / "history").glob("job_*.json")
    attempts = [one for task in json.loads(report.read_text())["tasks"] for one in task["attempts"]]
    assert not [one for one in attempts if one["state"].startswith("FAIL")]
    given_up = [one for one in attempts if one["diagnostics"] == "Attempt killed by AM preemption"]
    if wait_ms:
        assert len(given_up) == SLOTS // 2 - 1
        assert {one["type"] for one in given_up} == {"MAP", "REDUCE"}
    else:
        # A container that is taken before its AM has started anything in it leaves no attempt behind.
        assert sum(one["state"] == "KILLED" for one in attempts) > 0
        assert killed + len(given_up) >= SLOTS // 2 - 1


def applications(desk: Desk) -> list[dict[str, Any]]:
    """What the RM shows of every application."""
    url = f"http://{desk.run.load().web_address}/ws/v1/cluster/apps"
    with urllib.request.urlopen(url, timeout=5) as answer:
        apps: list[dict[str, Any]] = json.load(answer)["apps"]["app"]
    return apps
