"""Walks: a few of them, the same from the same seed, and able to notice what is broken."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Self, cast

import pytest

from tests.mutants import check_table
from tests.testing.walk.mutants import MUTANTS
from yarnbox.rm.context import RMContext
from yarnbox.rm.effects import StoreState
from yarnbox.testing.walk.command import main
from yarnbox.testing.walk.journey import Step, draw, shorten, walk
from yarnbox.testing.walk.model import Model, Promised
from yarnbox.testing.walk.reports import NodeReports
from yarnbox.testing.walk.world import WalkCluster
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.container import ContainerStatus

SHORT = 14


KNOWN = {
    "an am that its node begins again gives nothing back of its life before": (49500056, "fair"),
    "a node manager that is killed as it wakes is dead": (49601131, "fifo"),
    "a call with the token before the last may come late": (49602030, "capacity"),
    "an am that asks again whether it may go has no longer for that": (49602944, "fair"),
    "a machine may have lost that it was to stop a container": (49615627, "fifo"),
    "a node that registers again has reported what ended there": (49603148, "fair"),
    "what an am has released may end when the next resourcemanager hears of it": (49700012, "fair"),
    "a machine that lost the end of a container may not tell of it again": (49701165, "capacity"),
    "a machine that lost the stop of a container may have begun it again": (49704037, "fifo"),
    "a container that begins after its release may be kept by its node": (49703357, "fair"),
    "an am that begins too late is not one attempt more": (49707992, "fair"),
    "an am that is too large while all nodes must leave is submitted later": (49707855, "capacity"),
    "a machine that lost an end it has told of is not told again": (49708104, "capacity"),
    "a node that drained as the resourcemanager died gets its size back": (49709229, "capacity"),
    "what a dead resourcemanager had granted need not be missed by the next": (49706056, "fifo"),
    "an end that a draining node tells of while it is ill is missed later": (49720140, "capacity"),
}
"""Walks that found something once, by what holds since."""


@pytest.fixture(autouse=True)
def _quiet_log() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_a_walk_keeps_every_promise() -> None:
    outcome = walk(216, "capacity", draw(216)[:SHORT])
    assert not outcome.fault


def test_one_seed_is_one_walk() -> None:
    first, second = (walk(11, "fifo", draw(11, SHORT)) for _ in range(2))
    assert (first.digest, first.events, first.fault) == (second.digest, second.events, "")
    assert first.events > 20


def test_a_submission_that_is_answered_and_not_stored_is_noticed_and_the_walk_made_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def store(self: RMContext, key: Any, value: Any, acknowledgement: Any) -> None:
        if key[0] != "application":
            self.order(StoreState(key=key, value=value(), acknowledgement=acknowledgement))
        elif acknowledgement is not None:
            self.post(acknowledgement)

    monkeypatch.setattr(RMContext, "store", store)
    steps = [
        Step(1000, "weather", (0, 0, 0, 0)),
        Step(1000, "submit", (3, 0, 29, 1)),
        Step(5000, "part", (100, 0, 0, 0)),
    ]  # when all is calm another ResourceManager begins
    outcome = walk(1, "fifo", steps)
    assert "was answered, and is not stored" in outcome.fault
    assert [step.verb for step in shorten(1, "fifo", steps, outcome.kind)] == ["submit"]


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yarnbox.testing.walk.journey.STEPS", 3)
    assert main(["--seeds", "2", "--seed", "5", "-v"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("walk: seeds from 5\nseed 5 fair: ")
    assert "walk: 2 walks, " in out
    with pytest.raises(SystemExit):
        main(["--seeds", "0"])
    assert "'0' is not a whole number of at least 1" in capsys.readouterr().err


def test_an_am_that_is_ended_before_it_began_does_not_run() -> None:
    steps = (
        Step(10_426, "submit", (219, 589, 499, 361)),
        Step(1628, "pause-rm", (261, 6, 179, 608)),
        Step(3386, "kill", (276, 379, 877, 934)),
    )
    assert walk(48000404, "fair", steps).fault == ""


@pytest.mark.long
@pytest.mark.parametrize(("seed", "scheduler"), KNOWN.values(), ids=KNOWN)
def test_what_walks_have_found_holds(seed: int, scheduler: str) -> None:
    assert walk(seed, scheduler).fault == ""


@pytest.mark.long
def test_ams_that_hold_the_whole_cluster_are_for_an_operator_to_end() -> None:
    outcome = walk(49705188, "capacity")
    assert outcome.fault == ""
    assert outcome.coverage["held by masters"] == 1


def test_an_am_that_hears_no_answer_and_repeats_its_call_is_not_given_up() -> None:
    steps = [Step(1000, "submit", (2, 0, 10, 1)), Step(15_000, "deafen", (0, 990, 0, 0))]
    steps += [Step(12_000, "look", (0, 0, 0, 0))] * 12
    outcome = walk(5, "fifo", steps)
    assert outcome.fault == ""
    assert outcome.coverage["no answer heard"] > 50


def test_a_failure_is_written_down_and_can_be_replayed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    steps = [Step(1000, "submit", (3, 0, 29, 1))]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("yarnbox.testing.walk.command.draw", lambda seed: steps)
    monkeypatch.setattr("yarnbox.testing.walk.journey.draw", lambda seed: steps)
    numbers = count()
    monkeypatch.setattr(WalkCluster, "removals", lambda self: next(numbers))
    assert main(["--seed", "3", "--scheduler", "fifo"]) == 1
    told = capsys.readouterr().err
    assert "a node was lost, though all was calm" in told
    assert "again: yarnbox walk --replay walk-3.json" in told
    assert main(["--replay", "walk-3.json"]) == 1
    monkeypatch.undo()
    assert main(["--replay", str(tmp_path / "walk-3.json")]) == 0
    (tmp_path / "walk-3.json").write_text('{"seed": 3}')
    assert main(["--replay", str(tmp_path / "walk-3.json")]) == 2


def test_an_am_that_begins_after_its_last_failure_was_heard_is_noticed() -> None:
    model = Model()
    promised = Promised(failures=2, max_attempts=1)
    app_id = ApplicationId(1, 1)
    model.begun[app_id] = promised
    first, second = (ContainerId(ApplicationAttemptId(app_id, number), 1) for number in (1, 2))
    model.note_master(promised, first)
    promised.failing[first] = None
    assert model.fault is None
    model.note_ends([ContainerStatus(container_id=first, state=ContainerState.COMPLETE, exit_status=1)])
    model.note_master(promised, second)
    assert "1 attempts before it have failed" in str(model.fault)


class _Cluster:
    """One machine."""

    def __init__(self) -> None:
        self.model = Model()
        self.stopped: dict[ContainerId, None] = {}

    def executor_of(self, host: str) -> Self:
        return self


def _report_of(container_id: ContainerId, exit_status: int) -> ContainerStatus:
    return ContainerStatus(container_id=container_id, state=ContainerState.COMPLETE, exit_status=exit_status)


@pytest.mark.parametrize("told", [154, -100])
def test_another_exit_status_than_that_of_the_process_is_noticed(told: int) -> None:
    container_id = ContainerId(ApplicationAttemptId(ApplicationId(1, 1), 1), 2)
    cluster = _Cluster()
    reports = NodeReports(cast(Any, cluster))
    reports.note_end("nm1", container_id, 0)
    reports.look_at_statuses("nm1", [(container_id, ContainerState.COMPLETE, 0)])
    reports.look_at_ends([_report_of(container_id, 0)])
    assert cluster.model.fault is None
    reports.look_at_ends([_report_of(container_id, told)])
    assert f"exited with 0, and its AM is told {told}" in str(cluster.model.fault)


def test_what_was_stopped_or_lost_may_end_otherwise() -> None:
    container_id = ContainerId(ApplicationAttemptId(ApplicationId(1, 1), 1), 2)
    cluster = _Cluster()
    reports = NodeReports(cast(Any, cluster))
    reports.note_end("nm1", container_id, 0)
    reports.note_loss("nm1")
    reports.look_at_ends([_report_of(container_id, 154)])
    cluster.stopped[container_id] = None
    reports.note_end("nm1", container_id, 143)
    reports.look_at_ends([_report_of(container_id, -106)])
    assert cluster.model.fault is None


def test_the_table_of_faults_fits_the_code() -> None:
    assert len(MUTANTS) >= 30
    check_table(MUTANTS)
