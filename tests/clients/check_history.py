"""Hadoop's own `mapred job` on jobs that ended: it reads their histories, and asks the history server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.am.mapreduce.history.written import attempt, eventful, published
from tests.am.mapreduce.rig import JOB
from tests.clients.jvm import MAPRED_JOB, Commands, Programs, Said, environment
from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster


def test_a_history_is_shown(programs: Programs, tmp_path: Path) -> None:
    """With all attempts; for a page of them Hadoop wants names of hosts that have eight letters at least."""
    file = published(tmp_path, eventful()).find(JOB)
    assert file is not None
    said = programs.run(tmp_path, MAPRED_JOB, "-history", "all", str(file.path))
    assert said.status == 0, str(said)
    for line in ("Hadoop job: job_1_0001", "User: ann", "JobName: a-job of mine", "Status: SUCCEEDED"):
        assert line in said.out
    for one in (attempt(0), attempt(1), attempt(0, of=1), attempt(1, of=1)):
        assert str(one) in said.out
    assert "division <by> zero" in said.out


class Ended(NamedTuple):
    """Two jobs of ours, by the numbers in their ids."""

    succeeded: str
    failed: str


@pytest.fixture(scope="module")
def ended(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A word count, and a job of two maps of which one fails for good."""
    directory = tmp_path_factory.mktemp("jobs")
    text = directory / "text.txt"
    text.write_text("to be or not to be\n")
    good = run_job(cluster, "wordcount", str(text), str(directory / "counted"))
    words = ["-input", str(text), "-output", str(directory / "none"), "-mapper", "false"]
    bad = run_job(cluster, "streaming", *words, "-D", "mapreduce.map.maxattempts=2")
    assert (good.status, bad.status) == (0, 1), f"{good}{bad}"
    (one,), (two,) = (set(re.findall(r"application_(\d+_\d+)", said.out)) for said in (good, bad))
    return Ended(one, two)


def run_job(cluster: Cluster, *words: str) -> Said:
    """Ours, to its end; `out` is all that it said."""
    line = [sys.executable, "-m", "yarnbox.cluster.main", "job", *words]
    known = environment(YARNBOX_DIR=str(cluster.run.path))
    pipe = subprocess.PIPE
    done = subprocess.run(
        line, cwd=ROOT, env=known, stdout=pipe, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S
    )
    return Said(done.returncode, done.stdout, "")


def test_the_status_of_a_job_that_has_succeeded(hadoop: Commands, cluster: Cluster, ended: Ended) -> None:
    said = hadoop("job", "-status", f"job_{ended.succeeded}")
    assert said.status == 0, str(said)
    history = cluster.run.load().history_address
    for line in (
        f"Job Tracking URL : http://{history}/jobhistory/job/job_{ended.succeeded}",
        "Number of maps: 1",
        "map() completion: 1.0",
        "reduce() completion: 1.0",
        "Job state: SUCCEEDED",
        "Launched map tasks=1",
        "Map output records=4",
        "Reduce output records=4",
    ):
        assert line in said.out, str(said)
    (conf,) = re.findall("Job File: (.*)", said.out)
    assert "<name>mapreduce.job.name</name>" in Path(conf).read_text(encoding="utf-8")


def test_the_status_of_a_job_that_has_failed(hadoop: Commands, ended: Ended) -> None:
    """Hadoop's history has no sums of such a job, and its client says what it says of them."""
    said = hadoop("job", "-status", f"job_{ended.failed}")
    assert said.status == 0, str(said)
    assert "Job state: FAILED" in said.out
    assert f"reason for failure:  task {ended.failed}_m_000000 failed 3 times" in said.out
    assert "Counters not available. Job is retired." in said.out


def test_counters_events_attempts_and_histories(hadoop: Commands, ended: Ended) -> None:
    good, bad = f"job_{ended.succeeded}", f"job_{ended.failed}"
    counter = hadoop("job", "-counter", good, "org.apache.hadoop.mapreduce.TaskCounter", "MAP_INPUT_RECORDS")
    assert (counter.status, counter.out) == (0, "1\n")
    tried = [f"attempt_{ended.failed}_m_000000_{number}" for number in range(2)]
    events = hadoop("job", "-events", bad, "0", "10")
    assert re.findall(r"^FAILED (\S+) 127\.0\.1\.\d+:\d+/", events.out, re.MULTILINE) == tried, str(events)
    done = hadoop("job", "-list-attempt-ids", good, "REDUCE", "completed")
    assert done.out == f"attempt_{ended.succeeded}_r_000000_0\n", str(done)
    history = hadoop("job", "-history", bad)
    assert history.status == 0, str(history)
    for line in (f"Hadoop job: {bad}", "Status: FAILED", "subprocess failed with code 1: false"):
        assert line in history.out, str(history)


def test_all_jobs_are_listed_and_none_of_these_can_be_killed(hadoop: Commands, ended: Ended) -> None:
    listed = hadoop("job", "-list", "all")
    for number, state in ((ended.succeeded, "SUCCEEDED"), (ended.failed, "FAILED")):
        assert re.search(rf"job_{number}\s.*\s{state}\s", listed.out), str(listed)
    killed = hadoop("job", "-kill", f"job_{ended.succeeded}")
    assert "it has already succeeded" in killed.out, str(killed)


def test_logs_of_the_master_and_of_an_attempt_are_shown(hadoop: Commands, ended: Ended) -> None:
    """Whose file of collected logs it is the history server says; Hadoop's client reads it itself."""
    master = hadoop("job", "-logs", f"job_{ended.succeeded}")
    assert (master.status, "LogType:stderr" in master.out) == (0, True), str(master)
    attempt = f"attempt_{ended.failed}_m_000000_1"
    failed = hadoop("job", "-logs", f"job_{ended.failed}", attempt)
    assert failed.status == 0, str(failed)
    assert "subprocess failed with code 1: false" in failed.out, str(failed)
