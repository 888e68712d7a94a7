"""Real processes: a queue gets its guarantee back, and the jobs that had it still end right.

How long it takes is measured by bench/guarantee.py, and held exactly, in virtual time, by the scenario
preemption/monitor-by-the-clock.
"""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.processes.conftest import Desk, wait_until, with_queues
from tests.processes.gated import GATED, ended_jobs, output, told
from tests.waiting import PATIENCE_S
from yarnbox.yarn.storage.event_log import LoggedEvent

pytestmark = pytest.mark.long

CAPACITY = "yarn.scheduler.capacity."
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
SLOTS, SLOT_MB = 8, 1024
"""So many containers have room, wherever; either queue is guaranteed half of them."""
HALF_MB = SLOTS // 2 * SLOT_MB
INTERVAL_MS, WAIT_MS = 300, 600
HEARTBEAT_MS = 1_000
"""Of the nodes, and of the AMs."""


def up(desk: Desk, root: Path, *, nodes: int, is_on: bool = True, wait_ms: int = WAIT_MS) -> None:
    """Nodes of equal size, and two queues."""
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
    memory = f"yarn.nodemanager.resource.memory-mb={SLOTS // nodes * SLOT_MB}"
    patient = "yarn.am.liveness-monitor.expiry-interval-ms=600000"  # with an AM that is stopped for a while
    conf = with_queues(root, queues)
    desk.up(
        "--scheduler",
        "capacity",
        "--nodes",
        str(nodes),
        "--conf",
        conf,
        "-D",
        monitor,
        "-D",
        memory,
        "-D",
        patient,
    )


def shell_job(desk: Desk, queue: str, containers: int, gate: Path) -> subprocess.Popen[str]:
    """Containers that run until the gate opens; their AM does not listen to what it is asked to give up."""
    hold = f"while [ ! -e {gate} ]; do sleep 1; done"
    words = ("--queue", queue, "--containers", str(containers), "--memory", str(SLOT_MB))
    return desk.start("job", "shell", *words, "--", "sh", "-c", hold)


def mapreduce_job(desk: Desk, root: Path, *, maps: int, reduces: int) -> subprocess.Popen[str]:
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
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": str(HEARTBEAT_MS),
        "mapreduce.map.maxattempts": "1",
        "mapreduce.reduce.maxattempts": "1",
    }
    words = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    return desk.start(
        "job", "mapreduce", "--mapper", "gated.mapper", "--reducer", "gated.reducer", "--path", str(root),
        *words, str(root / "input"), str(root / "out"),
    )  # fmt: skip


def used_mb(log: list[LoggedEvent], queue: str) -> int:
    """What the queue's books held at the end of the log."""
    of_queue = (event.details for event in log if event.details.get("queue") == queue)
    return sum(int(one["resource"]["memory-mb"]) for one in of_queue if "resource" in one)


def holds(desk: Desk, queue: str) -> int:
    """What it holds now."""
    return used_mb(desk.events(), queue)


def killed_in(log: list[LoggedEvent]) -> int:
    """How many containers were killed for others."""
    return sum(event.type == "SchedulerMarkContainerForKillable" for event in log)


def second_registered_ms(desk: Desk) -> int | None:
    """When the AM of the second application registered."""
    registered = (event for event in desk.events() if event.type == "AttemptRegistered")
    return next((event.time_ms for event in registered if "_0002_" in event.subject), None)


def ends_well(job: subprocess.Popen[str]) -> None:
    out, err = job.communicate(timeout=PATIENCE_S)
    assert job.returncode == 0, out + err


def wait_for(condition: Callable[[], bool], desk: Desk) -> None:
    assert wait_until(condition, timeout_s=PATIENCE_S), desk.events()[-40:]


@pytest.mark.parametrize("is_on", [True, False], ids=["preemption on", "preemption off"])
def test_a_queue_gets_its_guarantee_back(desk: Desk, tmp_path: Path, is_on: bool) -> None:
    """With preemption as many as it asks for are killed; without, it waits for those of the others to end."""
    up(desk, tmp_path, nodes=2, is_on=is_on)
    gate = tmp_path / "gate"
    first = shell_job(desk, "a", SLOTS - 2, gate)
    try:
        wait_for(lambda: holds(desk, "root.a") == (SLOTS - 1) * SLOT_MB, desk)
        second = shell_job(desk, "b", SLOTS // 2 - 1, gate)
        if is_on:
            wait_for(lambda: holds(desk, "root.b") == HALF_MB, desk)
        else:
            wait_for(lambda: second_registered_ms(desk) is not None, desk)
            late_ms = (second_registered_ms(desk) or 0) + INTERVAL_MS + WAIT_MS + 4 * HEARTBEAT_MS
            wait_for(lambda: time.time() * 1000 > late_ms, desk)
        log = desk.events()
    finally:
        gate.touch()
    if is_on:
        assert killed_in(log) == SLOTS // 2 - 1
    else:
        assert used_mb(log, "root.b") == SLOT_MB
        assert used_mb(log, "root.a") == (SLOTS - 1) * SLOT_MB
        assert killed_in(log) == 0
    for job in (first, second):
        ends_well(job)


@pytest.mark.parametrize("wait_ms", [60_000, 0], ids=["given up", "killed"])
def test_a_mapreduce_job_that_is_preempted_ends_right(desk: Desk, tmp_path: Path, wait_ms: int) -> None:
    """Asked for containers, its AM gives them up, reduces first; killed ones are nobody's failure.

    One failed attempt would fail the job. With a wait of a minute everything that B gets is given up; without
    a wait the next pass kills it, and the AM, which is stopped meanwhile, hears of that only.
    """
    maps, reduces = 2, SLOTS - 4
    up(desk, tmp_path, nodes=2, wait_ms=wait_ms)
    first = mapreduce_job(desk, tmp_path, maps=maps, reduces=reduces)
    gate = tmp_path / "open"
    try:
        wait_for(lambda: len(desk.running("yarnbox.am.mapreduce.child")) == maps + reduces, desk)
        # An ask that crossed an allocation was served twice, perhaps; what was too much has gone back.
        wait_for(lambda: holds(desk, "root.a") == (1 + maps + reduces) * SLOT_MB, desk)
        (master,) = desk.running("yarnbox.am.mapreduce.app.master")
        if not wait_ms:
            master.suspend()
        second = shell_job(desk, "b", SLOTS // 2 - 1, gate)
        wait_for(lambda: holds(desk, "root.b") == HALF_MB, desk)
        master.resume()
        assert killed_in(desk.events()) == (0 if wait_ms else SLOTS // 2 - 1)
    finally:
        gate.touch()
    for job in (first, second):
        ends_well(job)
    assert output(tmp_path / "out") == {f"w{number}".encode(): 1 for number in range(maps)}
    (app,) = [app for app in applications(desk) if app["queue"] == "root.a"]
    assert app["numAMContainerPreempted"] == 0
    assert app["numNonAMContainerPreempted"] == (0 if wait_ms else SLOTS // 2 - 1)
    assert app["preemptedResourceMB"] == app["numNonAMContainerPreempted"] * SLOT_MB
    status = desk.here("yarn", "application", "-status", app["id"])
    seconds = f"{app['preemptedMemorySeconds']} MB-seconds, {app['preemptedVcoreSeconds']} vcore-seconds"
    assert f"Aggregate Resource Preempted : {seconds}" in status
    assert bool(wait_ms) == (app["preemptedMemorySeconds"] == 0)
    (job_id,) = ended_jobs(desk)
    attempts = [one for task in told(desk, job_id)["tasks"] for one in task["attempts"]]
    assert not [one for one in attempts if one["state"].startswith("FAIL")]
    why = "Attempt killed by AM preemption" if wait_ms else "Container preempted by scheduler"
    taken = [one for one in attempts if one["state"] == "KILLED" and one["diagnostics"].endswith(why)]
    assert len(taken) == SLOTS // 2 - 1
    assert {one["type"] for one in taken} == {"MAP", "REDUCE"}


def applications(desk: Desk) -> list[dict[str, Any]]:
    """What the RM shows of every application."""
    url = f"http://{desk.run.load().web_address}/ws/v1/cluster/apps"
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        apps: list[dict[str, Any]] = json.load(answer)["apps"]["app"]
    return apps
