"""Real processes: a job kept on labelled nodes, labels that outlive the RM."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cluster.cluster import wait_until
from tests.processes.conftest import Desk, with_queues

pytestmark = [pytest.mark.xdist_group("processes"), pytest.mark.timeout(240)]

CAPACITY = "yarn.scheduler.capacity."


def yarn(desk: Desk, *words: str) -> str:
    return desk.yarnbox("yarn", *words)


def test_a_job_stays_where_its_label_says(desk: Desk, tmp_path: Path) -> None:
    conf = with_queues(
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
