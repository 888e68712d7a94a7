"""What `up` suggests is a job that gets in, under whatever configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tree import ROOT
from yarnbox.cluster.directory import ClusterRecord, NodeRecord
from yarnbox.cluster.main import hints_for
from yarnbox.cluster.suggestions import queue_for_a_job
from yarnbox.yarn.configuration.document import write

PREFIX = "yarn.scheduler.capacity."
TWO = {"root.queues": "etl,adhoc", "root.etl.capacity": "50", "root.adhoc.capacity": "50"}
DEFAULT = {"root.queues": "default,adhoc", "root.default.capacity": "50", "root.adhoc.capacity": "50"}
REFUSING = """{"rules": [{"type": "user", "matches": "*", "policy": "specified", "fallbackResult": "reject"},
 {"type": "user", "matches": "*", "policy": "reject"}]}"""
NONE = """{"rules": [{"type": "user", "matches": "*", "policy": "reject"}]}"""
JSON = {"mapping-rule-format": "json", "queue-mappings-override.enable": "true"}


@pytest.mark.parametrize(
    "queues, queue",
    [
        (DEFAULT, "default"),
        (TWO, "root.etl"),
        ({**DEFAULT, "root.default.state": "STOPPED"}, "root.adhoc"),
        ({**DEFAULT, **JSON, "mapping-rule-json": NONE}, None),
        ({**DEFAULT, "queue-mappings": "u:nobody-here:adhoc"}, "default"),
    ],
)
def test_a_queue_that_takes_a_job_in(tmp_path: Path, queues: dict[str, str], queue: str | None) -> None:
    (tmp_path / "capacity-scheduler.xml").write_text(
        write((PREFIX + name, value, False) for name, value in queues.items())
    )
    site = {"yarn.resourcemanager.scheduler.class": "capacity"}
    (tmp_path / "yarn-site.xml").write_text(write((name, value, False) for name, value in site.items()))
    assert queue_for_a_job(tmp_path, {}) == queue


def test_the_sample_takes_jobs_into_default() -> None:
    assert queue_for_a_job(ROOT / "conf", {}) == "default"


@pytest.mark.parametrize(
    "virtual, what", [(0, "job pi 4 100000 --queue root.etl"), (2, "yarn queue -list all")]
)
def test_no_job_is_suggested_where_no_program_runs(virtual: int, what: str) -> None:
    nodes = {"nm1": NodeRecord("nm1", "/r", virtual=virtual)}
    record = ClusterRecord("1", "127.0.0.1:1", "127.0.0.1:2", "capacity", nodes=nodes)
    assert hints_for(record, "root.etl") == ["status", "yarn node -list", what, "kill-node nm1"]
