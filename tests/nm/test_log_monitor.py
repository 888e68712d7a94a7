"""Containers that write too much log."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.nm.fake_rm import FakeRM, command, start_nm
from tests.nm.rig import container_id
from yarnbox.nm.edge.health.log_monitor import judge, look, size_of
from yarnbox.nm.settings import LogMonitorSettings

SETTINGS = LogMonitorSettings(enabled=True, directory_limit_bytes=100, total_limit_bytes=150)
ONE = container_id(1)


def test_the_sizes_of_files_below_are_added_up(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "stdout").write_bytes(b"x" * 10)
    (tmp_path / "below" / "more").write_bytes(b"x" * 5)
    (tmp_path / "elsewhere").symlink_to("/proc/kcore")
    assert size_of(tmp_path) == 15 + len("/proc/kcore")
    assert size_of(tmp_path / "none") == 0


def test_both_limits_are_inclusive() -> None:
    a, b = Path("/a"), Path("/b")
    assert judge(ONE, {a: 100, b: 50}, SETTINGS) is None
    over = judge(ONE, {a: 101, b: 0}, SETTINGS)
    assert over is not None
    assert over.exit_status == -109
    assert over.diagnostics.endswith("101 B of 100 B allowed in /a. Killing container.")
    over = judge(ONE, {a: 100, b: 51}, SETTINGS)
    assert over is not None
    assert "151 B of 150 B allowed in all" in over.diagnostics
    assert look({ONE: []}, SETTINGS) == {}


def test_a_container_that_writes_without_end_is_killed(tmp_path: Path) -> None:
    limits = [
        "yarn.nodemanager.container-log-monitor.enable=true",
        "yarn.nodemanager.container-log-monitor.interval-ms=50",
        "yarn.nodemanager.container-log-monitor.dir-size-limit-bytes=200000",
    ]

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path, define=limits)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command("yes 1><LOG_DIR>/stdout"))
            status = await rm.ended(1)
            assert status.exit_status == -109
            assert "has written too much log" in (status.diagnostics or "")
            node.kill()
            await node.ended()

    asyncio.run(body())
