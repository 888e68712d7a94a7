"""Real jobs on real clusters: right answers, and right answers although nodes die under them.

Where a job must not be over too soon, its maps wait for a file; nothing here waits for luck.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from am.asks import ContainerRequest
from am.connection import Connection, configuration_of
from am.submit import Submitter, has_succeeded
from am.unmanaged import launch_unmanaged
from tests.processes.conftest import ROOT, Desk, wait_until
from tests.processes.gated import PATIENCE_S, Gated, output
from yarn.enums import FinalApplicationStatus
from yarn.records.application import ApplicationSubmissionContext
from yarn.records.container import ContainerLaunchContext
from yarn.resource import Resource

pytestmark = pytest.mark.timeout(180)


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
    desk.here("kill-node", victim)
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
    desk.here("kill-node", first.host)

    def has_next_am() -> bool:
        attempt_id = job.report().current_application_attempt_id
        return attempt_id is not None and attempt_id.attempt_id == 2 and bool(job.attempts())

    job.wait(has_next_am)
    states = tried(job.finish())
    for name in kept:
        assert states[name] == "SUCCEEDED", "what was done on a node that lives is not done again"
    assert any(name.endswith("_1000") for name in states)
