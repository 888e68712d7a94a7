"""Containers that run one task after another on a cluster of records: who follows whom, and who does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.am.mapreduce.rig import JOB, Cluster, Rig
from yarnbox.am.mapreduce.app.events import AttemptTooManyFetchFailures, TaskAddSpeculativeAttempt
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.settings import SplitSettings
from yarnbox.yarn.enums import NodeState


def map_attempt(task: int, attempt: int = 0) -> TaskAttemptId:
    return TaskAttemptId(TaskId(JOB, TaskType.MAP, task), attempt)


def one_at_a_time(maps: int = 3, tasks_per_container: int = -1, task_timeout_ms: int = 600_000) -> Rig:
    """A job whose cluster has room for a single map."""
    cluster = Cluster(memory_mb=1024, nodes={"n1": "/r1"})
    rig = Rig(
        maps, 0, cluster=cluster, tasks_per_container=tasks_per_container, task_timeout_ms=task_timeout_ms
    )
    rig.beat()
    return rig


def states(rig: Rig) -> dict[str, str]:
    """How each attempt has ended, by the number of its task and its own."""
    return {
        f"{one.task_id.number}.{one.id}": attempt.state.told
        for task in rig.core.job.maps
        for one, attempt in task.attempts.items()
    }


class TestFollowing:
    @pytest.mark.parametrize(("most", "containers"), [(0, 6), (1, 6), (2, 3), (4, 2), (-1, 1)])
    def test_a_container_runs_so_many_tasks(self, most: int, containers: int) -> None:
        rig = one_at_a_time(maps=6, tasks_per_container=most)
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert rig.cluster.granted == containers
        assert not rig.cluster.live
        assert rig.asks.asks() == []

    def test_the_next_one_runs_at_once_and_its_request_is_withdrawn(self) -> None:
        rig = one_at_a_time()
        container = rig.running[map_attempt(0)]
        rig.finish(map_attempt(0))
        assert rig.running == {map_attempt(1): container}
        assert [ask.num_containers for ask in rig.asks.asks()] == [1]
        assert states(rig) == {"0.0": "SUCCEEDED", "1.0": "RUNNING", "2.0": "STARTING"}

    def test_asked_twice_the_answer_is_the_same(self) -> None:
        rig = one_at_a_time()
        rig.finish(map_attempt(0))
        assert rig.core.next_task(map_attempt(0)) == map_attempt(1)
        assert list(rig.running) == [map_attempt(1)]

    def test_who_has_not_succeeded_has_no_follower(self) -> None:
        rig = one_at_a_time()
        assert rig.core.next_task(map_attempt(0)) is None
        assert rig.core.next_task(map_attempt(7)) is None
        rig.core.failed(map_attempt(0), "why")
        assert rig.core.next_task(map_attempt(0)) is None

    def test_reduces_follow_reduces_only(self) -> None:
        cluster = Cluster(memory_mb=1024, nodes={"n1": "/r1"})
        rig = Rig(maps=2, reduces=3, cluster=cluster, slowstart=1.0, tasks_per_container=-1)
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert rig.cluster.granted == 2

    def test_the_limit_of_running_maps_holds(self) -> None:
        rig = Rig(maps=8, reduces=0, most_running_maps=2, tasks_per_container=-1)
        for _ in range(4):
            rig.beat()
            assert len(rig.running) == 2
            for attempt_id in list(rig.running):
                rig.finish(attempt_id)
        rig.beat(2)
        assert rig.state is JobState.SUCCEEDED
        assert rig.cluster.granted == 2

    def test_history_and_counters_tell_each_attempt(self) -> None:
        rig = one_at_a_time(maps=2)
        rig.beat(2)
        rig.finish(map_attempt(0))
        rig.beat(3)
        rig.run()
        started = [record.fields for record in rig.records if record.type == "MAP_ATTEMPT_STARTED"]
        first, second = started
        assert first["containerId"] == second["containerId"]
        assert second["startTime"] == first["startTime"] + 2000
        assert second["shufflePort"] == first["shufflePort"]
        ended = [record.fields["finishTime"] for record in rig.records if "ATTEMPT_FINISHED" in record.type]
        assert ended == [first["startTime"] + 2000, first["startTime"] + 6000]


class TestPlaces:
    def cluster(self) -> Cluster:
        return Cluster(memory_mb=1024, nodes={"n1": "/r1", "n2": "/r1", "n3": "/r2"})

    def test_a_map_whose_input_is_on_another_rack_waits_for_a_container_there(self) -> None:
        """All want n3; the container that came on n1 is not kept for them."""
        rig = Rig(maps=4, reduces=0, hosts=("n3",), cluster=self.cluster(), tasks_per_container=-1)
        rig.beat()
        on = {rig.node_of(attempt_id): attempt_id for attempt_id in rig.running}
        assert rig.core.next_task(on["n1"]) is None
        rig.finish(on["n1"])
        assert len(rig.running) == 2
        rig.finish(on["n3"])
        assert [rig.node_of(attempt_id) for attempt_id in rig.running] == ["n2", "n3"]
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_one_whose_input_is_on_the_rack_does(self) -> None:
        rig = Rig(maps=4, reduces=0, hosts=("n1",), cluster=self.cluster(), tasks_per_container=-1)
        rig.beat()
        (there,) = [one for one in rig.running if rig.node_of(one) == "n2"]
        rig.finish(there)
        assert [rig.node_of(attempt_id) for attempt_id in rig.running].count("n2") == 1

    def test_a_map_that_has_failed_is_tried_in_a_container_of_its_own(self) -> None:
        rig = one_at_a_time(maps=3)
        rig.finish(map_attempt(0))
        rig.finish(map_attempt(1), exit_status=1)
        assert states(rig)["0.0"] == "SUCCEEDED"
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert states(rig) == {"0.0": "SUCCEEDED", "1.0": "FAILED", "1.1": "SUCCEEDED", "2.0": "SUCCEEDED"}
        container_ids = [rig.core.job.attempt(map_attempt(1, number)).container for number in (0, 1)]
        assert container_ids[0] != container_ids[1]
        assert rig.aborted == [map_attempt(1)]

    def test_nor_does_one_go_on_where_too_much_has_failed(self) -> None:
        rig = Rig(
            maps=3, reduces=0, hosts=("n1",), tasks_per_container=-1, host_failures=1,
            blacklisting_ceiling_percent=-1, most_running_maps=2,
        )  # fmt: skip
        rig.beat()
        rig.finish(map_attempt(0), exit_status=1)
        rig.beat()
        rig.finish(map_attempt(1))
        assert not [one for one in rig.running if rig.node_of(one) == "n1"]
        rig.run()
        assert rig.state is JobState.SUCCEEDED


class TestEnds:
    def test_an_idle_process_that_dies_harms_nobody(self) -> None:
        rig = one_at_a_time(maps=2)
        container = rig.running.pop(map_attempt(0))
        rig.core.done(map_attempt(0), {})
        rig.cluster.end(container.id, 137)
        rig.run()
        assert states(rig) == {"0.0": "SUCCEEDED", "1.0": "SUCCEEDED"}

    def test_a_container_that_is_killed_takes_one_attempt_along(self) -> None:
        rig = one_at_a_time()
        rig.finish(map_attempt(0))
        rig.finish(map_attempt(1), exit_status=-104)
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert states(rig) == {"0.0": "SUCCEEDED", "1.0": "FAILED", "1.1": "SUCCEEDED", "2.0": "SUCCEEDED"}

    def test_a_preempted_one_fails_nobody(self) -> None:
        rig = one_at_a_time()
        rig.finish(map_attempt(0))
        rig.finish(map_attempt(1), exit_status=-102)
        rig.run()
        assert states(rig) == {"0.0": "SUCCEEDED", "1.0": "KILLED", "1.1": "SUCCEEDED", "2.0": "SUCCEEDED"}

    def test_a_node_that_is_being_drained_gets_no_further_task(self) -> None:
        rig = one_at_a_time()
        rig.cluster.changed["n1"] = NodeState.DECOMMISSIONING
        rig.beat()
        rig.finish(map_attempt(0))
        assert not rig.running
        rig.cluster.changed["n1"] = NodeState.RUNNING
        rig.beat(2)
        (second,) = rig.running
        rig.finish(second)
        assert len(rig.running) == 1

    def test_a_lost_node_takes_all_that_ran_in_its_container(self) -> None:
        rig = Rig(maps=6, reduces=1, most_running_maps=1, tasks_per_container=-1)
        rig.beat()
        for number in range(3):
            rig.finish(map_attempt(number))
        rig.cluster.lose(rig.node_of(map_attempt(0)))
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        first = {name: state for name, state in states(rig).items() if name.endswith(".0")}
        assert [first[f"{number}.0"] for number in range(4)] == ["KILLED"] * 4
        assert "FAILED" not in states(rig).values()

    def test_lost_output_does_not_stop_the_follower(self) -> None:
        rig = one_at_a_time(maps=2)
        rig.finish(map_attempt(0))
        rig.core.tell(AttemptTooManyFetchFailures(attempt_id=map_attempt(0)))
        rig.perform_effects()
        assert list(rig.running) == [map_attempt(1)]
        assert rig.cluster.live

    def test_a_silent_follower_times_out_by_its_own_clock(self) -> None:
        rig = one_at_a_time(maps=2, task_timeout_ms=5000)
        rig.beat(4)
        rig.report(map_attempt(0), 0.5)
        rig.finish(map_attempt(0))
        rig.beat(4)
        assert list(rig.running) == [map_attempt(1)]
        rig.beat(3)
        assert states(rig)["0.0"] == "SUCCEEDED"
        assert states(rig)["1.0"] == "FAILED"

    def test_the_winner_of_two_goes_on_and_the_loser_is_stopped(self) -> None:
        rig = Rig(maps=3, reduces=0, most_running_maps=2, tasks_per_container=-1)
        rig.beat()
        rig.finish(map_attempt(1))
        rig.core.tell(TaskAddSpeculativeAttempt(task_id=map_attempt(0).task_id))
        rig.finish(map_attempt(2))
        assert set(rig.running) == {map_attempt(0), map_attempt(0, 1)}
        rig.finish(map_attempt(0, 1))
        assert not rig.running
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert states(rig)["0.0"] == "KILLED"

    def test_containers_that_grow_are_not_used_again(self) -> None:
        cluster = Cluster(memory_mb=2048, nodes={"n1": "/r1"})
        split = SplitSettings(split="admission", copy_limit=0.5)
        rig = Rig(maps=2, reduces=4, cluster=cluster, split=split, tasks_per_container=-1)
        rig.run(200)
        assert rig.state is JobState.SUCCEEDED
        used = [attempt.container for task in rig.core.job.reduces for attempt in task.attempts.values()]
        assert len({one.id for one in used if one is not None}) == 4


@settings(max_examples=60, deadline=None)
@given(
    most=st.integers(-1, 3),
    maps=st.integers(1, 12),
    reduces=st.integers(0, 3),
    limit=st.integers(0, 3),
    faults=st.lists(st.tuples(st.integers(0, 10), st.sampled_from([1, -100, -102])), max_size=4),
    loses=st.booleans(),
)
def test_whatever_happens_the_job_ends_and_leaves_nothing(
    most: int, maps: int, reduces: int, limit: int, faults: list[tuple[int, int]], loses: bool
) -> None:
    rig = Rig(
        maps=maps, reduces=reduces, hosts=("n2", "n3"), tasks_per_container=most, most_running_maps=limit,
        is_blacklisting=False,
    )  # fmt: skip
    for number, exit_status in faults:
        rig.beat()
        running = list(rig.running)
        for attempt_id in running[number % (len(running) + 1) :]:
            if attempt_id.is_map:
                rig.finish(attempt_id)
        if rig.running:
            rig.finish(list(rig.running)[number % len(rig.running)], exit_status=exit_status)
    if loses and not rig.core.job.has_ended:
        rig.cluster.lose("n2")
    rig.run(200)
    assert rig.state is JobState.SUCCEEDED
    rig.beat(2)
    assert not rig.cluster.live
    assert rig.asks.asks() == []
