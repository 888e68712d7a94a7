"""Hadoop's own `mapred job -history` reads the histories that jobs leave here."""

from __future__ import annotations

from pathlib import Path

from tests.am.mapreduce.history.written import attempt, eventful, published
from tests.am.mapreduce.rig import JOB
from tests.clients.jvm import Programs

CLI = "org.apache.hadoop.mapred.JobClient"


def test_a_history_is_shown(programs: Programs, tmp_path: Path) -> None:
    """With all attempts; for a page of them Hadoop wants names of hosts that have eight letters at least."""
    file = published(tmp_path, eventful()).find(JOB)
    assert file is not None
    said = programs.run(tmp_path, CLI, "-history", "all", str(file.path))
    assert said.status == 0, str(said)
    for line in ("Hadoop job: job_1_0001", "User: ann", "JobName: a-job of mine", "Status: SUCCEEDED"):
        assert line in said.out
    for one in (attempt(0), attempt(1), attempt(0, of=1), attempt(1, of=1)):
        assert str(one) in said.out
    assert "division <by> zero" in said.out
