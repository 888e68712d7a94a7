"""Which aggregated logs are old enough to go."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tests.waiting import PATIENCE_S
from yarnbox.rm.edge.log_retention import LogRetention
from yarnbox.rm.settings.logs import LogRetentionSettings
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.storage.aggregated_logs import LogLayout

OLD, NEW, RUNNING = ApplicationId(1, 1), ApplicationId(1, 2), ApplicationId(1, 3)
NOW_S = 1_000_000


def written(layout: LogLayout, application_id: ApplicationId, **ages_s: int) -> Path:
    """A directory whose files are that old, as old itself as its newest file."""
    directory = layout.application_directory("ann", application_id)
    directory.mkdir(parents=True)
    for name, age_s in ages_s.items():
        (directory / name).write_text("log")
        os.utime(directory / name, (NOW_S - age_s,) * 2)
    os.utime(directory, (NOW_S - min(ages_s.values()),) * 2)
    return directory


def look(root: Path, retain_s: int) -> None:
    """One look at all logs."""
    settings = LogRetentionSettings(remote_directory=str(root), retain_secs=retain_s)
    apps = {RUNNING: SimpleNamespace(is_in_final_state=False), OLD: SimpleNamespace(is_in_final_state=True)}

    asyncio.run(LogRetention(settings, cast(Any, apps), lambda: NOW_S * 1000).look())


def test_what_is_older_than_the_retention_goes(tmp_path: Path) -> None:
    layout = LogLayout(tmp_path)
    old = written(layout, OLD, nm1_1=200, nm2_1=150)
    new = written(layout, NEW, nm1_1=200, nm2_1=50)
    running = written(layout, RUNNING, nm1_1_10=300, nm1_1_20=150)
    (running / "nm1_1_30").write_text("log")
    os.utime(running / "nm1_1_30", (NOW_S - 10,) * 2)
    os.utime(running, (NOW_S - 150,) * 2)
    look(tmp_path, 100)
    assert not old.exists()
    assert sorted(path.name for path in new.iterdir()) == ["nm1_1", "nm2_1"]
    assert [path.name for path in running.iterdir()] == ["nm1_1_30"], "a running one's old cycles go"


def test_nothing_is_looked_at_by_default() -> None:
    retention = LogRetention(LogRetentionSettings(), {}, lambda: NOW_S * 1000)
    asyncio.run(asyncio.wait_for(retention.run(), PATIENCE_S))


def test_the_pace_is_a_tenth_of_the_retention_unless_it_is_given() -> None:
    assert LogRetentionSettings(retain_secs=3600).interval_secs == 360
    assert LogRetentionSettings(retain_secs=3600, check_interval_secs=7).interval_secs == 7
    assert LogRetentionSettings(retain_secs=3).interval_secs == 1
