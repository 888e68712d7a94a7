"""Real jobs on real clusters: right answers, and right answers although nodes die under them.

Where a job must not be over too soon, its maps wait for a file; nothing here waits for luck.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from am.asks import ContainerRequest
from am.connection import CLIENT_SERVICE, Connection, configuration_of
from am.mapreduce.ids import JobId
from am.submit import Submitter, has_succeeded
from am.unmanaged import launch_unmanaged
from cluster.cluster import wait_until
from tests.processes.conftest import ROOT, Desk
from yarn.enums import FinalApplicationStatus
from yarn.ids import ApplicationId
from yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarn.records.container import ContainerLaunchContext
from yarn.resource import Resource
from yarn.rpc import BlockingStub

pytestmark = [pytest.mark.xdist_group("processes"), pytest.mark.timeout(180)]

GATED = """
import pathlib, time
OPEN = pathlib.Path(__file__).with_name("open")
def mapper(offset, line):
    word, how = line.split()
    while how == "waits" and not OPEN.exists():
        time.sleep(0.05)
    yield word, 1
def reducer(word, counts):
    yield word, sum(counts)
"""
PATIENCE_S = 60


def output(directory: Path) -> dict[bytes, int]:
    assert (directory / "_SUCCESS").exists()
    found: dict[bytes, int] = {}
    for part in directory.glob("part-r-*"):
        for line in part.read_bytes().splitlines():
            word, _, count = line.rpartition(b"\t")
            assert word not in found
            found[word] = int(count)
    return found


def test_jobs_have_the_right_answers(desk: Desk, tmp_path: Path) -> None:
    sources = Path(os.__file__).parent / "json"
    desk.up("--scheduler", "fifo", "--racks", "2")
    said = desk.yarnbox(
        "job", "wordcount", str(sources), str(tmp_path / "out"), "-D", "mapreduce.job.reduces=2"
    )
    words: Counter[bytes] = Counter()
    for path in sources.rglob("*"):
        if path.is_file():
            words.update(path.read_bytes().split())
    assert output(tmp_path / "out") == words
    assert " map 100% reduce 100%" in said
    assert "completed successfully" in said
    assert "Estimated value of Pi is 3.14800000000000000000" in desk.yarnbox("job", "pi", "10", "100")
    numbers = tmp_path / "numbers"
    numbers.mkdir()
    desk.yarnbox(
        "job", "shell", "--containers", "3", "--shell-env", f"WHERE={numbers}", "--",
        "touch $WHERE/$YARN_SHELL_ID",
    )  # fmt: skip
    assert sorted(path.name for path in numbers.iterdir()) == ["1", "2", "3"]
    assert "did not succeed" in desk.yarnbox("job", "shell", "--", "exit 3", status=1)


def test_an_am_of_ones_own_inside_the_cluster_and_outside(desk: Desk) -> None:
    desk.up("--scheduler", "fifo", "--nodes", "1")
    environment = {**desk.environment(), "YARN_CONF_DIR": str(desk.directory)}
    program = ROOT / "examples" / "minimal_am" / "minimal_am.py"
    said = subprocess.run(
        [sys.executable, program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert "FinalApplicationStatus.SUCCEEDED" in said.stdout
    connection = Connection.of(configuration_of(environment))
    with connection.client_stub("tester") as stub:
        submitter = Submitter(stub)
        attempt = launch_unmanaged(submitter, ApplicationSubmissionContext(application_name="unmanaged"))
        rm = connection.blocking_rm_client(attempt.token)
        nm = connection.blocking_nm_client(rm)
        rm.register("nowhere in particular")
        request = ContainerRequest(capability=Resource(1024, 1), priority=1, nodes=("nm1",))
        rm.asks.add(request)
        exits: list[int] = []

        def has_ended() -> bool:
            answer = rm.allocate(0.5)
            for container in answer.allocated_containers:
                rm.asks.remove(request)
                nm.start(container, ContainerLaunchContext(command=("exit 7",)))
            exits.extend(status.exit_status for status in answer.completed_container_statuses)
            return bool(exits)

        assert wait_until(has_ended, PATIENCE_S)
        assert exits == [7]
        rm.finish(FinalApplicationStatus.SUCCEEDED)
        assert has_succeeded(submitter.report(attempt.application_id))
        nm.close()


class Gated:
    """A job of six maps on three nodes, two on each: three end at once, three wait for the gate."""

    def __init__(self, desk: Desk, root: Path) -> None:
        self.desk = desk
        self.root = root
        (root / "input").mkdir()
        for number in range(6):
            how = "waits" if number % 2 else "runs"
            (root / "input" / str(number)).write_text(f"w{number} {how}\n")
        (root / "gated.py").write_text(GATED)
        desk.up("--scheduler", "fifo")
        self.process: subprocess.Popen[str] = desk.start(
            "job", "mapreduce", "--mapper", "gated.mapper", "--reducer", "gated.reducer", "--path", str(root),
            "-D", "mapreduce.input.fileinputformat.split.maxsize=10",
            "-D", "mapreduce.map.memory.mb=3072", "-D", "mapreduce.job.reduce.slowstart.completedmaps=1.0",
            str(root / "input"), str(root / "out"),
        )  # fmt: skip
        self.stub = BlockingStub(desk.run.load().rm_address, CLIENT_SERVICE, user="tester")
        self.submitter = Submitter(self.stub)
        self.application_id = self._wait_for_application()

    def _wait_for_application(self) -> ApplicationId:
        assert self.process.stdout is not None
        words = self.process.stdout.readline().split()
        return ApplicationId.parse(words[2].rstrip(":"))

    def report(self) -> ApplicationReport:
        return self.submitter.report(self.application_id)

    def attempts(self) -> list[dict[str, Any]]:
        """Every task attempt, as the AM tells; nothing while there is no AM."""
        url = self.report().original_tracking_url or ""
        if not url.startswith("http"):
            return []
        found: list[dict[str, Any]] = []
        try:
            for task in _get(f"{url}/tasks")["tasks"]["task"]:
                found += _get(f"{url}/tasks/{task['id']}/attempts")["taskAttempts"]["taskAttempt"]
        except OSError:
            return []
        return found

    def wait_until_half_is_done(self) -> list[dict[str, Any]]:
        """The attempts when three maps have succeeded and three run."""

        def is_half_done() -> bool:
            states = Counter(one["state"] for one in self.attempts())
            return states["SUCCEEDED"] == 3 and states["RUNNING"] == 3

        self.wait(is_half_done)
        return self.attempts()

    def wait(self, condition: Callable[[], bool]) -> None:
        assert wait_until(condition, PATIENCE_S), (self.report(), self.attempts())

    def finish(self) -> dict[str, Any]:
        """Opens the gate; the job's own report when it has succeeded."""
        (self.root / "open").touch()
        out, err = self.process.communicate(timeout=PATIENCE_S)
        self.stub.close()
        assert self.process.returncode == 0, out + err
        assert output(self.root / "out") == {f"w{number}".encode(): 1 for number in range(6)}
        history = self.desk.directory / "history" / f"{JobId.of(self.application_id)}.json"
        report: dict[str, Any] = json.loads(history.read_text())
        return report


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


def tried(report: dict[str, Any]) -> dict[str, str]:
    """State by attempt id."""
    return {one["id"]: one["state"] for task in report["tasks"] for one in task["attempts"]}


def test_a_node_dies_and_its_maps_run_again_the_done_ones_included(desk: Desk, tmp_path: Path) -> None:
    job = Gated(desk, tmp_path)
    attempts = job.wait_until_half_is_done()
    am_host = job.report().host
    victim = next(
        one["nodeHost"] for one in attempts if one["state"] == "SUCCEEDED" and one["nodeHost"] != am_host
    )
    lost = [one for one in attempts if one["nodeHost"] == victim]
    desk.yarnbox("kill-node", victim)
    job.wait(lambda: all(one["state"] == "KILLED" for one in job.attempts() if one["nodeHost"] == victim))
    states = tried(job.finish())
    for one in lost:
        assert states[one["id"]] == "KILLED"
        assert any(state == "SUCCEEDED" for name, state in states.items() if name == one["id"][:-1] + "1")
    assert "FAILED" not in states.values(), "a lost node is nobody's failure"


def test_the_ams_own_node_dies_and_the_next_am_goes_on(desk: Desk, tmp_path: Path) -> None:
    job = Gated(desk, tmp_path)
    attempts = job.wait_until_half_is_done()
    first = job.report()
    assert first.host is not None
    kept = [one["id"] for one in attempts if one["state"] == "SUCCEEDED" and one["nodeHost"] != first.host]
    desk.yarnbox("kill-node", first.host)

    def has_next_am() -> bool:
        attempt_id = job.report().current_application_attempt_id
        return attempt_id is not None and attempt_id.attempt_id == 2 and bool(job.attempts())

    job.wait(has_next_am)
    states = tried(job.finish())
    for name in kept:
        assert states[name] == "SUCCEEDED", "what was done on a node that lives is not done again"
    assert any(name.endswith("_1000") for name in states)
