"""Real processes: a job kept on labelled nodes, labels that outlive the RM, a guarantee that comes back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cluster.cluster import wait_until
from tests.processes.conftest import ROOT, Desk
from yarn.configuration.document import write

pytestmark = [pytest.mark.xdist_group("processes"), pytest.mark.timeout(240)]

CAPACITY = "yarn.scheduler.capacity."
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."


def configuration(root: Path, queues: dict[str, str]) -> str:
    """The sample configuration with another capacity-scheduler.xml."""
    shutil.copytree(ROOT / "conf", root / "conf")
    properties = ((name, value, False) for name, value in queues.items())
    (root / "conf" / "capacity-scheduler.xml").write_text(write(properties))
    return str(root / "conf")


def yarn(desk: Desk, *words: str) -> str:
    return desk.yarnbox("yarn", *words)


def test_a_job_stays_where_its_label_says(desk: Desk, tmp_path: Path) -> None:
    conf = configuration(
        tmp_path,
        {
            CAPACITY + "root.queues": "default",
            CAPACITY + "root.default.capacity": "100",
            CAPACITY + "root.default.accessible-node-labels": "*",
            CAPACITY + "root.default.accessible-node-labels.dynamic.capacity": "100",
            CAPACITY + "maximum-am-resource-percent": "0.5",
        },
    )
    desk.up("--scheduler", "capacity", "--conf", conf, "-D", "yarn.node-labels.enabled=true")
    yarn(desk, "rmadmin", "-addToClusterNodeLabels", "dynamic(exclusive=true)")
    yarn(desk, "rmadmin", "-replaceLabelsOnNode", "nm2=dynamic")
    desk.yarnbox("job", "pi", "-D", "mapreduce.job.node-label-expression=dynamic", "3", "10")
    (report,) = (desk.directory / "history").glob("job_*.json")
    assert set(hosts_of(json.loads(report.read_text()))) == {"nm2"}
    desk.yarnbox("restart-rm", "--signal", "KILL")
    assert wait_until(
        lambda: "<dynamic:exclusivity=true>" in yarn(desk, "cluster", "--list-node-labels"), timeout_s=30
    )
    assert wait_until(lambda: details(desk).count("Node-Labels : dynamic") == 1, timeout_s=30)


def details(desk: Desk) -> str:
    return yarn(desk, "node", "-list", "-showDetails")


def hosts_of(report: object) -> list[str]:
    """Every `nodeHost` in a report."""
    if isinstance(report, dict):
        own = [value for key, value in report.items() if key == "nodeHost"]
        return own + [host for value in report.values() for host in hosts_of(value)]
    if isinstance(report, list):
        return [host for item in report for host in hosts_of(item)]
    return []


@pytest.mark.parametrize("is_on", [True, False], ids=["preemption on", "preemption off"])
def test_a_queue_gets_its_guarantee_back(desk: Desk, tmp_path: Path, is_on: bool) -> None:
    conf = configuration(
        tmp_path,
        {
            CAPACITY + "root.queues": "a,b",
            CAPACITY + "root.a.capacity": "50",
            CAPACITY + "root.a.user-limit-factor": "10",
            CAPACITY + "root.b.capacity": "50",
            CAPACITY + "maximum-am-resource-percent": "0.5",
            PREEMPTION + "monitoring_interval": "300",
            PREEMPTION + "max_wait_before_kill": "600",
            PREEMPTION + "total_preemption_per_round": "1.0",
            PREEMPTION + "natural_termination_factor": "1.0",
        },
    )
    monitor = f"yarn.resourcemanager.scheduler.monitor.enable={str(is_on).lower()}"
    memory = "yarn.nodemanager.resource.memory-mb=2048"
    desk.up("--scheduler", "capacity", "--nodes", "8", "--conf", conf, "-D", monitor, "-D", memory)
    gate = tmp_path / "gate"
    hold = "while [ ! -e " + str(gate) + " ]; do sleep 0.2; done"
    first = desk.start("job", "shell", "--queue", "a", "--containers", "14", "--memory", "1024", "--", hold)
    try:
        assert wait_until(lambda: used_percent(desk, "a") > 180, timeout_s=60)
        second = desk.start(
            "job", "shell", "--queue", "b", "--containers", "6", "--memory", "1024", "--", hold
        )
        if is_on:
            assert wait_until(lambda: used_percent(desk, "b") > 80, timeout_s=60)
            assert used_percent(desk, "a") < 130
            assert "to-preempt" in desk.yarnbox("events")
        else:
            assert wait_until(lambda: pending(desk), timeout_s=30)
            assert used_percent(desk, "b") < 30
    finally:
        gate.touch()
    for job in (first, second):
        out, err = job.communicate(timeout=120)
        assert job.returncode == 0, out + err


def used_percent(desk: Desk, queue: str) -> float:
    """The queue's use as a share of its guarantee."""
    status = yarn(desk, "queue", "-status", queue)
    (line,) = [line for line in status.splitlines() if "Current Capacity" in line]
    return float(line.partition(":")[2].strip().rstrip("%"))


def pending(desk: Desk) -> bool:
    """Whether the second job has been taken in."""
    return yarn(desk, "application", "-list").count("application_") > 1
