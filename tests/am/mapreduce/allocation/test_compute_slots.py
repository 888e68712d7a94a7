"""Copy-compute splitting on a cluster of records: who holds how much, and who computes when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.am.mapreduce.rig import JOB, Cluster, Rig
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.settings import SplitSettings

ADMISSION = SplitSettings(split="admission", copy_limit=0.5)


def attempt(type_: TaskType, task: int, number: int = 0) -> TaskAttemptId:
    return TaskAttemptId(TaskId(JOB, type_, task), number)


def sizes(rig: Rig) -> list[int]:
    """Memory of the containers that reduces hold."""
    found = []
    for attempt_id in rig.attempts(maps=False):
        container_id = rig.running[attempt_id].id
        found.append(rig.cluster.live[container_id][1])
    return found


def copying(reduces: int = 4, nodes: int = 1, memory_mb: int = 4096, **over: Any) -> Rig:
    """A job with one map of two done, whose reduces copy."""
    cluster = Cluster(memory_mb=memory_mb, nodes={f"n{number}": "/r1" for number in range(nodes)})
    split = replace(ADMISSION, **over)
    rig = Rig(maps=2, reduces=reduces, cluster=cluster, split=split)
    rig.beat()
    rig.finish(attempt(TaskType.MAP, 0))
    rig.beat(3)
    return rig


class TestCopying:
    def test_reduces_hold_a_quarter_while_maps_run(self) -> None:
        assert sizes(copying()) == [256] * 4

    def test_without_splitting_they_hold_all(self) -> None:
        assert sizes(copying(split="off")) == [1024] * 3

    def test_no_more_copy_than_a_share_of_the_memory_allows(self) -> None:
        assert sizes(copying(reduces=8, copy_limit=0.25)) == [256] * 4
        assert sizes(copying(reduces=8, copy_limit=0.0)) == [256]

    def test_who_comes_when_all_maps_are_done_gets_the_full_size(self) -> None:
        rig = copying(reduces=3, copy_limit=0.0)
        rig.finish(attempt(TaskType.MAP, 1))
        rig.beat(3)
        assert sizes(rig) == [256, 1024, 1024]
        rig.run()
        assert rig.state is JobState.SUCCEEDED


class TestComputing:
    def copied(self, **over: Any) -> tuple[Rig, list[TaskAttemptId]]:
        rig = copying(**over)
        rig.finish(attempt(TaskType.MAP, 1))
        rig.beat()
        return rig, rig.attempts(maps=False)

    def test_a_container_grows_when_its_reduce_computes(self) -> None:
        rig, reduces = self.copied(reduces=2)
        assert not rig.core.compute_pending(reduces[0])
        rig.beat()
        assert rig.core.compute_pending(reduces[0])
        assert sizes(rig) == [1024, 256]
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_one_computes_after_the_other_where_there_is_one_slot(self) -> None:
        rig, (one, two) = self.copied(reduces=2, most_computing_per_node=1)
        for _ in range(3):
            rig.core.compute_pending(two)
            rig.core.compute_pending(one)
            rig.beat()
        assert rig.core.compute_pending(two)
        assert not rig.core.compute_pending(one)
        assert sizes(rig) == [256, 1024]
        rig.finish(two)
        rig.beat(2)
        assert rig.core.compute_pending(one)

    def test_the_job_has_a_limit_too(self) -> None:
        rig, reduces = self.copied(reduces=3, nodes=3, most_computing=2)
        for _ in range(3):
            granted = [rig.core.compute_pending(one) for one in reduces]
            rig.beat()
        assert granted == [True, True, False]

    def test_copies_that_block_one_another_make_room(self) -> None:
        rig, reduces = self.copied(reduces=4, memory_mb=1024, copy_limit=1.0)
        assert sizes(rig) == [256] * 4
        for one in reduces:
            assert not rig.core.compute_pending(one)
        rig.beat(9)
        assert sizes(rig) == [256] * 4
        rig.run(200)
        assert rig.state is JobState.SUCCEEDED
        assert all(not task.failed_attempts for task in rig.core.job.reduces)

    def test_who_waits_is_not_overtaken_by_a_second_attempt(self) -> None:
        rig, reduces = self.copied(reduces=3, most_computing=1)
        for one in reduces:
            rig.core.compute_pending(one)
        rig.beat(2)
        rig.finish(reduces[0])
        rig.beat(60)
        attempts = [len(task.attempts) for task in rig.core.job.reduces]
        assert attempts == [1, 2, 1]  # the second computes, and stands still

    def test_a_lost_node_takes_its_slots_along(self) -> None:
        rig, reduces = self.copied(reduces=4, nodes=2)
        for one in reduces:
            rig.core.compute_pending(one)
        rig.beat()
        rig.cluster.lose("n0")
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        rig.beat(2)
        assert not rig.cluster.live
        assert rig.asks.asks() == []
