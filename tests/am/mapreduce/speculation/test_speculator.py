"""Whole jobs in virtual time: who gets a second attempt, when, and what becomes of the first."""

from __future__ import annotations

import pytest

from tests.am.mapreduce.rig import JOB, Cluster, Rig
from yarnbox.am.mapreduce.app.attempt import AttemptState
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.speculation.estimators import ESTIMATORS
from yarnbox.am.mapreduce.speculation.settings import SpeculationSettings


def attempt(task: int, number: int = 0, type_: TaskType = TaskType.MAP) -> TaskAttemptId:
    return TaskAttemptId(TaskId(JOB, type_, task), number)


def large_cluster() -> Cluster:
    return Cluster(memory_mb=1 << 20)


def straggling(maps: int = 4, **speculation: object) -> Rig:
    """All maps but the first are done after ten seconds; the first is at a tenth."""
    settings = SpeculationSettings(**speculation)  # type: ignore[arg-type]
    rig = Rig(maps=maps, reduces=0, cluster=large_cluster(), speculation=settings)
    rig.beat(10)
    for number in range(1, maps):
        rig.finish(attempt(number))
    rig.report(attempt(0), 0.1)
    return rig


def second_attempts(rig: Rig) -> list[TaskAttemptId]:
    return [one.id for task in rig.core.job.tasks for one in task.attempts.values() if one.is_speculative]


class TestTheSecondAttempt:
    def test_comes_beside_one_that_is_far_behind(self) -> None:
        rig = straggling()
        rig.beat(2)
        assert second_attempts(rig) == [attempt(0, 1)]
        assert list(rig.running) == [attempt(0), attempt(0, 1)]
        assert rig.log == [f"speculating {attempt(0).task_id}"]

    def test_that_is_done_first_ends_the_first_one(self) -> None:
        rig = straggling()
        rig.beat(2)
        rig.finish(attempt(0, 1))
        rig.beat()
        assert rig.state is JobState.SUCCEEDED
        loser = rig.core.job.attempt(attempt(0))
        assert loser.state is AttemptState.KILLED
        assert loser.diagnostics == [f"Speculation: {attempt(0, 1)} succeeded first!"]
        assert attempt(0) in rig.aborted
        assert not rig.cluster.live

    def test_that_is_done_second_is_killed_and_told_so(self) -> None:
        rig = straggling()
        rig.beat(2)
        rig.finish(attempt(0))
        assert not rig.report(attempt(0, 1), 0.9)
        rig.beat()
        assert rig.state is JobState.SUCCEEDED
        assert rig.core.job.attempt(attempt(0, 1)).state is AttemptState.KILLED

    def test_goes_on_alone_when_the_first_one_fails(self) -> None:
        rig = straggling()
        rig.beat(2)
        rig.finish(attempt(0), exit_status=1)
        rig.beat(3)
        assert list(rig.running) == [attempt(0, 1)]
        rig.finish(attempt(0, 1))
        assert rig.state is JobState.SUCCEEDED

    def test_is_not_made_where_it_is_switched_off(self) -> None:
        rig = straggling(map_speculative=False)
        rig.beat(30)
        assert second_attempts(rig) == []

    def test_is_not_made_before_a_task_is_done(self) -> None:
        rig = Rig(maps=3, reduces=0)
        rig.beat(10)
        rig.report(attempt(0), 0.01)
        rig.beat(5)
        assert second_attempts(rig) == []

    def test_is_not_made_while_a_map_waits_for_a_container(self) -> None:
        rig = Rig(maps=9, reduces=0, cluster=Cluster(memory_mb=1024, nodes={"n1": "/r1", "n2": "/r1"}))
        rig.beat(10)
        rig.finish(attempt(1))
        rig.report(attempt(0), 0.01)
        rig.beat(5)
        assert second_attempts(rig) == []

    def test_is_withdrawn_with_its_request_when_the_first_one_is_done(self) -> None:
        rig = Rig(maps=2, reduces=0, cluster=Cluster(memory_mb=2048, nodes={"n1": "/r1"}))
        rig.beat(10)
        rig.finish(attempt(1))
        rig.report(attempt(0), 0.1)
        rig.cluster.memory_mb = 1024
        rig.beat(2)
        assert rig.core.job.attempt(attempt(0, 1)).state is AttemptState.UNASSIGNED
        rig.finish(attempt(0))
        assert rig.state is JobState.SUCCEEDED
        assert rig.asks.asks() == []


class TestTheGain:
    @pytest.mark.parametrize(("others_s", "is_speculated"), [(60, True), (98, True), (100, False)])
    def test_is_what_decides(self, others_s: int, is_speculated: bool) -> None:
        """Half done after 100 s: another 100 s, against what the others took."""
        rig = Rig(maps=2, reduces=0, cluster=large_cluster())
        rig.beat(1 + others_s)
        rig.finish(attempt(1))
        rig.beat(100 - others_s)
        rig.report(attempt(0), 0.5)
        rig.beat()
        assert bool(second_attempts(rig)) is is_speculated

    def test_of_the_slowest_is_largest(self) -> None:
        rig = Rig(maps=5, reduces=0, cluster=large_cluster())
        rig.beat(10)
        rig.finish(attempt(4))
        for number, progress in enumerate([0.3, 0.1, 0.2, 0.9]):
            rig.report(attempt(number), progress)
        rig.beat(1)
        assert second_attempts(rig) == [attempt(1, 1)]


class TestHowMany:
    def test_one_in_fifteen_seconds(self) -> None:
        rig = Rig(maps=6, reduces=0, cluster=large_cluster())
        rig.beat(10)
        rig.finish(attempt(5))
        for number in range(5):
            rig.report(attempt(number), 0.1)
        rig.beat(14)
        assert len(second_attempts(rig)) == 1
        rig.beat(3)
        assert len(second_attempts(rig)) == 2

    def test_ten_of_a_small_job(self) -> None:
        rig = self._all_slow(maps=40)
        assert len(second_attempts(rig)) == 10

    def test_a_tenth_of_what_runs_in_a_large_one(self) -> None:
        rig = self._all_slow(maps=220)
        assert len(second_attempts(rig)) == 20

    def _all_slow(self, maps: int) -> Rig:
        """A twentieth of the maps is done soon; the others stand at a tenth."""
        settings = SpeculationSettings(retry_after_some_ms=1000)
        rig = Rig(maps=maps, reduces=0, cluster=large_cluster(), speculation=settings)
        rig.beat(10)
        done = -(-maps // 20)
        for number in range(done):
            rig.finish(attempt(number))
        for _ in range(60):
            for running in [*rig.running]:
                rig.report(running, 0.1)
            rig.beat()
        return rig


class TestSilence:
    def test_of_more_than_nine_seconds_is_a_standstill(self) -> None:
        """One report at half, then nothing: it seems to end soon until silence makes it late."""
        rig = Rig(maps=2, reduces=0, cluster=large_cluster())
        rig.beat(11)
        rig.report(attempt(0), 0.5)
        rig.finish(attempt(1))
        rig.beat(9)
        assert second_attempts(rig) == []
        rig.beat(5)
        assert second_attempts(rig) == [attempt(0, 1)]


class TestCommit:
    def test_the_first_of_two_to_ask_commits(self) -> None:
        rig = straggling()
        rig.beat(2)
        assert rig.core.commit_pending(attempt(0))
        assert not rig.core.commit_pending(attempt(0, 1))
        rig.perform_effects()
        assert rig.core.job.attempt(attempt(0, 1)).diagnostics == [
            f"Speculation: {attempt(0)} committed first!"
        ]
        assert not rig.core.is_wanted(attempt(0, 1))
        rig.finish(attempt(0))
        rig.beat()
        assert rig.state is JobState.SUCCEEDED

    def test_the_right_is_free_again_when_its_owner_dies(self) -> None:
        rig = straggling()
        rig.beat(2)
        assert rig.core.commit_pending(attempt(0))
        rig.finish(attempt(0), exit_status=1)
        rig.beat()
        assert rig.core.commit_pending(attempt(0, 1))


class TestReduces:
    def test_have_second_attempts_too(self) -> None:
        rig = Rig(maps=1, reduces=3, cluster=large_cluster())
        rig.beat(1)
        rig.finish(attempt(0))
        rig.beat(10)
        for number in (1, 2):
            rig.finish(attempt(number, 0, TaskType.REDUCE))
        rig.report(attempt(0, 0, TaskType.REDUCE), 0.1)
        rig.beat(2)
        assert second_attempts(rig) == [attempt(0, 1, TaskType.REDUCE)]


class TestEveryEstimator:
    @pytest.mark.parametrize("name", [*ESTIMATORS])
    def test_finds_the_slow_ones_among_many(self, name: str) -> None:
        """Every fortieth first attempt takes 600 s; the others, and second ones, 150 to 250 s."""
        settings = SpeculationSettings(
            estimator=name, minimum_allowed=5, retry_after_none_ms=500, retry_after_some_ms=5000
        )
        rig = Rig(maps=120, reduces=0, cluster=large_cluster(), speculation=settings)
        launched: dict[TaskAttemptId, int] = {}
        while not rig.core.job.has_ended:
            rig.beat(3)
            for one in [*rig.running]:
                if one not in rig.running:
                    continue
                start = launched.setdefault(one, rig.clock.now_ms())
                number = one.task_id.number
                is_slow = one.id == 0 and number % 40 == 0
                needed_ms = 600_000 if is_slow else (200_000, 150_000, 200_000, 250_000)[number % 4]
                progress = (rig.clock.now_ms() - start) / needed_ms
                if progress >= 1:
                    rig.finish(one)
                else:
                    rig.report(one, progress)
        won = {
            task.id.number
            for task in rig.core.job.maps
            if task.successful_attempt is not None and task.successful_attempt.id
        }
        assert won >= {0, 40, 80}
        assert rig.clock.now_ms() < 590_000
        assert not rig.cluster.live
