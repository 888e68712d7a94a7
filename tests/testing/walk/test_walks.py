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
    assert "0 is not a number above 0" in capsys.readouterr().err


def test_an_am_that_is_ended_before_it_began_does_not_run() -> None:
    steps = (
        Step(10_426, "submit", (219, 589, 499, 361)),
        Step(1628, "pause-rm", (261, 6, 179, 608)),
        Step(3386, "kill", (276, 379, 877, 934)),
    )
    assert walk(48000404, "fair", steps).fault == ""


def test_an_am_that_its_node_begins_again_gives_nothing_back_of_its_life_before() -> None:
    assert walk(49500056, "fair").fault == ""


def test_a_node_manager_that_is_killed_as_it_wakes_is_dead() -> None:
    assert walk(49601131, "fifo").fault == ""


def test_a_call_with_the_token_before_the_last_may_come_late() -> None:
    assert walk(49602030, "capacity").fault == ""


def test_an_am_that_asks_again_whether_it_may_go_has_no_longer_for_that() -> None:
    assert walk(49602944, "fair").fault == ""


def test_a_machine_may_have_lost_that_it_was_to_stop_a_container() -> None:
    assert walk(49615627, "fifo").fault == ""


def test_a_node_that_registers_again_has_reported_what_ended_there() -> None:
    assert walk(49603148, "fair").fault == ""


def test_what_an_am_has_released_may_end_when_the_next_resourcemanager_hears_of_it() -> None:
    assert walk(49700012, "fair").fault == ""


def test_a_machine_that_lost_the_end_of_a_container_may_not_tell_of_it_again() -> None:
    assert walk(49701165, "capacity").fault == ""


def test_a_machine_that_lost_the_stop_of_a_container_may_have_begun_it_again() -> None:
    assert walk(49704037, "fifo").fault == ""


def test_a_container_that_begins_after_its_release_may_be_kept_by_its_node() -> None:
    assert walk(49703357, "fair").fault == ""


def test_an_am_that_begins_too_late_is_not_one_attempt_more() -> None:
    assert walk(49707992, "fair").fault == ""


def test_an_am_that_is_too_large_while_all_nodes_must_leave_is_submitted_later() -> None:
    assert walk(49707855, "capacity").fault == ""


def test_a_machine_that_lost_an_end_it_has_told_of_is_not_told_again() -> None:
    assert walk(49708104, "capacity").fault == ""


def test_ams_that_hold_the_whole_cluster_are_for_an_operator_to_end() -> None:
    outcome = walk(49705188, "capacity")
    assert outcome.fault == ""
    assert outcome.coverage["held by masters"] == 1


def test_a_node_that_drained_as_the_resourcemanager_died_gets_its_size_back() -> None:
    assert walk(49709229, "capacity").fault == ""


def test_what_a_dead_resourcemanager_had_granted_need_not_be_missed_by_the_next() -> None:
    assert walk(49706056, "fifo").fault == ""


def test_an_end_that_a_draining_node_tells_of_while_it_is_ill_is_missed_later() -> None:
    assert walk(49720140, "capacity").fault == ""


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
