"""Memory against limits: the verdict as a function of numbers, and one look at real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.nm.fake_rm import ROOT
from tests.nm.rig import container_id
from yarnbox.nm.monitor import (
    ContainersMonitor,
    Limits,
    ProcessSample,
    amount,
    is_over,
    judge,
    measure,
    node_utilization,
)
from yarnbox.nm.settings import MonitorSettings

ONE = ProcessSample(
    pid=7,
    parent=1,
    group=7,
    name="java",
    command="java -jar",
    physical=100,
    virtual=1000,
    cpu_s=1.5,
    has_been_seen=True,
)
BOTH = MonitorSettings()


@pytest.mark.parametrize(
    "total, aged, limit, verdict",
    [
        (100, 100, 100, False),
        (101, 101, 100, True),
        (200, 0, 100, False),
        (201, 0, 100, True),
        (150, 90, 100, False),
    ],
)
def test_when_a_tree_is_over_its_limit(total: int, aged: int, limit: int, verdict: bool) -> None:
    assert is_over(total, aged, limit) is verdict


def _judge(limits: Limits, settings: MonitorSettings = BOTH, **change: object) -> int | None:
    verdict = judge(container_id(1), 7, [replace(ONE, **change)], limits, settings)  # type: ignore[arg-type]
    return None if verdict is None else verdict.exit_status


def test_virtual_memory_is_judged_first() -> None:
    assert _judge(Limits(physical=99, virtual=999)) == -103
    assert _judge(Limits(physical=99, virtual=1000)) == -104
    assert _judge(Limits(physical=100, virtual=1000)) is None


def test_each_check_can_be_switched_off() -> None:
    limits = Limits(physical=1, virtual=1)
    assert _judge(limits, MonitorSettings(virtual_checked=False)) == -104
    assert _judge(limits, MonitorSettings(virtual_checked=False, physical_checked=False)) is None


def test_a_process_that_is_new_gets_one_more_look() -> None:
    assert _judge(Limits(physical=60, virtual=2000), has_been_seen=False) is None
    assert _judge(Limits(physical=60, virtual=2000)) == -104


def test_what_is_said() -> None:
    gb = 1024**3
    tree = [replace(ONE, physical=gb + gb // 2, virtual=2 * gb)]
    verdict = judge(container_id(1), 7, tree, Limits(gb, 4 * gb), BOTH)
    assert verdict is not None
    assert (
        f"Container [pid=7,containerID={container_id(1)}] is running {gb // 2}B beyond the 'PHYSICAL' memory "
        "limit. Current usage: 1.5 GB of 1 GB physical memory used; 2 GB of 4 GB virtual memory used. "
        "Killing container."
    ) in verdict.diagnostics
    assert "java -jar" in verdict.diagnostics


@pytest.mark.parametrize(
    "count, text", [(0, "0 B"), (1023, "1023 B"), (1024, "1 KB"), (1536, "1.5 KB"), (5 << 40, "5 TB")]
)
def test_amounts(count: int, text: str) -> None:
    assert amount(count) == text


def test_a_look_at_a_real_tree() -> None:
    script = (
        "import subprocess, sys; p = subprocess.Popen(['sleep', '100']); print('ready', flush=True); p.wait()"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        tree = measure(process.pid, {process.pid: 0.0})
        assert [(one.pid == process.pid, one.has_been_seen) for one in tree] == [(True, True), (False, False)]
        assert all(one.physical > 0 for one in tree)
        monitor = ContainersMonitor(MonitorSettings(virtual_checked=False))
        monitor.start(container_id(1), 1, 1)
        assert monitor.look({container_id(1): process.pid}, 1.0).keys() == {container_id(1)}
        assert (monitor.utilization.pmem or 0) > 0
        monitor.stop(container_id(1))
        assert monitor.look({container_id(1): process.pid}, 1.0) == {}
    finally:
        for one in measure(process.pid, {})[1:]:
            os.kill(one.pid, 9)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_the_node_is_measured() -> None:
    assert (node_utilization().pmem or 0) > 0
