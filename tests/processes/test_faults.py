"""Jobs that survive what is done to their cluster: AMs that lose one node after another, a node that hangs
and comes back, an RM that is killed; what jobs leave that do not survive; and the end of all of it.
"""

from __future__ import annotations

from pathlib import Path
from signal import SIGCONT, SIGINT, SIGKILL, SIGSTOP

import pytest

from tests.processes.conftest import Desk, wait_until
from tests.processes.gated import Gated, ended_jobs, told
from tests.processes.test_capacity import held_gb
from tests.waiting import PATIENCE_S
from yarnbox.am.job_command.command import OUTPUT
from yarnbox.am.mapreduce.app import master
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.cluster.processes import containers_of
from yarnbox.yarn.storage.event_log import MILESTONES, RECOVERED, STARTED

MASTER = master.__name__


def attempt_number(job: Gated) -> int:
    attempt_id = job.report().current_application_attempt_id
    return 0 if attempt_id is None else attempt_id.attempt_id


def wait_for_attempt(job: Gated, number: int) -> None:
    """Waits until that AM tells of its tasks."""
    job.wait(lambda: attempt_number(job) == number and bool(job.attempts()))


@pytest.mark.long
def test_an_am_that_loses_its_node_twice_has_not_failed_twice(desk: Desk, tmp_path: Path) -> None:
    """Two failures are one too many by default; lost nodes are none."""
    job = Gated(desk, tmp_path)
    job.wait_until_half_is_done()
    for number in (2, 3):
        host = job.report().host
        assert host is not None
        desk.cluster.kill_node(host)
        desk.cluster.add_node()
        wait_for_attempt(job, number)
    job.finish()


def is_left_clean(job: Gated) -> bool:
    """Whether nothing half-written is there, nor anything that the job was started with."""
    staged = job.desk.directory / "staging"
    return not [*job.root.glob("out/_temporary"), *staged.glob("*/.staging/*")]


@pytest.mark.long
def test_a_job_that_is_killed_leaves_its_history(desk: Desk, tmp_path: Path) -> None:
    """Its client is gone, so its AM has to, in the little time that its node gives it."""
    job = Gated(desk, tmp_path)
    job.wait_until_half_is_done()
    job.process.kill()
    desk.here("yarn", "application", "-kill", str(job.application_id))
    job_id = JobId.of(job.application_id)
    assert wait_until(lambda: job_id in ended_jobs(desk) and is_left_clean(job), PATIENCE_S)
    past = told(desk, job_id)
    assert (past["job"]["state"], past["job"]["mapsCompleted"]) == ("KILLED", 3)
    assert "killed" in past["job"]["diagnostics"]
    job.stub.close()


@pytest.mark.long
def test_a_job_whose_ams_are_all_killed_leaves_its_history(desk: Desk, tmp_path: Path) -> None:
    """They cannot, so its client does."""
    job = Gated(desk, tmp_path)
    job.wait_until_half_is_done()
    for number in (1, 2):
        wait_for_attempt(job, number)
        (am,) = (one for one in desk.running(MASTER) if one.name() != "bash")
        am.kill()
    out, err = job.process.communicate(timeout=PATIENCE_S)
    assert job.process.returncode == 1, out + err
    assert "Counters:" in out
    past = told(desk, JobId.of(job.application_id))
    assert (past["job"]["state"], past["job"]["mapsCompleted"]) == ("FAILED", 3)
    assert "failed 2 times" in past["job"]["diagnostics"]
    assert is_left_clean(job)
    job.stub.close()


def test_a_client_that_is_interrupted_before_there_is_an_am_leaves_nothing(desk: Desk) -> None:
    desk.up()
    output = desk.directory / "out"
    with desk.start("job", "pi", "4", "1000", "-D", f"{OUTPUT}={output}") as client:
        assert client.stdout is not None
        for line in client.stdout:
            if line.startswith("Submitted application"):
                break
        client.send_signal(SIGINT)
        out, err = client.communicate(timeout=PATIENCE_S)
    assert client.returncode == 128 + SIGINT, out + err
    assert "yarnbox: killing application_" in err
    assert [*(desk.directory / "staging").glob("*/.staging/*")] == []
    assert not output.exists()


def test_a_node_that_hangs_is_lost_and_rejoins_without_what_it_ran(desk: Desk, tmp_path: Path) -> None:
    job = Gated(desk, tmp_path)
    attempts = job.wait_until_half_is_done()
    am_host = job.report().host
    host = next(
        one["nodeHost"] for one in attempts if one["state"] == "RUNNING" and one["nodeHost"] != am_host
    )
    stale = containers_of(desk.run.node(host))
    assert stale
    desk.cluster.kill_node(host, SIGSTOP)
    desk.wait_for(host, "LOST")
    job.wait(lambda: all(one["state"] == "KILLED" for one in job.attempts() if one["nodeHost"] == host))
    desk.cluster.kill_node(host, SIGCONT)
    desk.wait_for(host, "RUNNING")
    # It may have been given others meanwhile.
    assert wait_until(lambda: not any(one.is_alive() for one in stale), PATIENCE_S), (
        "its stale containers are stopped"
    )
    assert attempt_number(job) == 1
    job.finish()


def test_an_rm_that_is_killed_finds_its_applications_again(desk: Desk, tmp_path: Path) -> None:
    job = Gated(desk, tmp_path)
    before = {one["id"] for one in job.wait_until_half_is_done()}
    desk.cluster.restart_rm(SIGKILL)
    desk.cluster.wait_until_ready()
    job.wait(lambda: {one["id"] for one in job.attempts()} == before)  # once its AM is back
    assert attempt_number(job) == 1
    job.finish()
    assert wait_until(lambda: not any(held_gb(desk.events())[-1].values()), PATIENCE_S), "all has come back"
    lives = [(one.type, one.subject) for one in desk.events() if one.type in MILESTONES]
    assert lives == [(STARTED, "epoch 0"), (STARTED, "epoch 1"), (RECOVERED, "epoch 1")]


def test_down_takes_running_containers_with_it(desk: Desk, tmp_path: Path) -> None:
    job = Gated(desk, tmp_path)
    job.wait_until_half_is_done()
    desk.here("down")
    assert desk.leftovers() == []
    job.stub.close()
