"""Whole jobs against a cluster of records: failures, lost nodes, preemption, recovery."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.am.mapreduce.rig import ATTEMPT, JOB, Cluster, Rig
from yarnbox.am.mapreduce.app.events import AttemptKill, ContainerAttemptFailed, JobKill, TaskRecover
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.history.parsed import completed_tasks, parse
from yarnbox.am.mapreduce.ids import JobId, TaskAttemptId, TaskId, TaskType
from yarnbox.yarn.ids import ContainerId, NodeId


def map_attempt(task: int, attempt: int = 0) -> TaskAttemptId:
    return TaskAttemptId(TaskId(JOB, TaskType.MAP, task), attempt)


class TestRuns:
    def test_a_job_runs_to_its_end(self) -> None:
        rig = Rig(maps=5, reduces=2)
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert rig.commits == 1
        assert rig.core.progress == 1.0
        rig.beat(2)
        assert not rig.cluster.live
        assert rig.asks.asks() == []

    def test_a_job_without_tasks_commits_at_once(self) -> None:
        rig = Rig(maps=0, reduces=0)
        assert rig.state is JobState.SUCCEEDED

    def test_a_job_without_reduces(self) -> None:
        rig = Rig(maps=2, reduces=0)
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_maps_run_where_their_input_is(self) -> None:
        rig = Rig(maps=4, hosts=("n3",))
        rig.beat()
        assert {rig.node_of(attempt) for attempt in rig.attempts(maps=True)} == {"n3"}

    def test_reduces_wait_for_the_share_of_maps_that_slowstart_says(self) -> None:
        rig = Rig(maps=4, reduces=1, slowstart=0.5)
        rig.beat()
        maps = rig.attempts(maps=True)
        rig.finish(maps[0])
        rig.beat(2)
        assert rig.attempts(maps=False) == []
        rig.finish(maps[1])
        rig.beat(2)
        assert len(rig.attempts(maps=False)) == 1

    def test_two_lives_of_one_job_are_the_same_to_the_letter(self) -> None:
        stories = []
        for _ in range(2):
            rig = Rig(maps=4, reduces=2)
            rig.beat()
            rig.cluster.lose("n1")
            rig.run()
            stories.append([(record.type, dict(record.fields)) for record in rig.records])
        assert stories[0] == stories[1]


class TestFailures:
    def test_a_failed_map_is_tried_again_before_the_others(self) -> None:
        rig = Rig(maps=2)
        rig.beat()
        rig.finish(rig.attempts(maps=True)[0], exit_status=1)
        rig.core.heartbeat(rig.cluster.allocate(rig.request()))
        assert [ask.priority for ask in rig.asks.asks()] == [5]
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert rig.core.job.task(TaskId(JOB, TaskType.MAP, 0)).successful_attempt == map_attempt(0, 1)

    def test_the_fourth_failure_fails_the_job(self) -> None:
        rig = Rig(maps=2, is_blacklisting=False)
        for number in range(4):
            rig.beat(2)
            assert rig.state is JobState.RUNNING
            rig.finish(map_attempt(0, number), exit_status=1)
        rig.run()
        assert rig.state is JobState.FAILED
        assert rig.aborts == 1
        assert "Task failed task_1_0001_m_000000" in rig.core.job.diagnostics
        rig.beat(2)
        assert not rig.cluster.live

    def test_some_maps_may_fail_when_the_job_says_so(self) -> None:
        rig = Rig(maps=2, reduces=0, map_attempts=1, map_failures_percent=50)
        rig.beat()
        rig.finish(map_attempt(0), exit_status=1)
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_what_a_task_says_of_its_failure_is_told(self) -> None:
        rig = Rig(maps=1, map_attempts=1)
        rig.beat()
        rig.core.failed(map_attempt(0), "division by zero")
        rig.perform_effects()
        rig.run()
        assert rig.state is JobState.FAILED
        assert "Error: division by zero" in rig.core.job.diagnostics

    def test_a_silent_task_is_stopped_and_tried_again(self) -> None:
        rig = Rig(maps=1, task_timeout_ms=5000)
        rig.beat(8)
        assert list(rig.running) == [map_attempt(0, 1)]
        assert not rig.core.is_wanted(map_attempt(0))
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_a_task_that_only_says_that_it_is_there_is_stopped_too(self) -> None:
        rig = Rig(maps=2, task_timeout_ms=5000)
        rig.beat()
        for _ in range(8):
            for number, is_alive in enumerate((True, False)):
                rig.core.status_update(map_attempt(number), 0.5, "MAP", {}, is_alive=is_alive)
            rig.beat()
        assert map_attempt(0) in rig.running
        assert map_attempt(1, 1) in rig.running
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_a_task_that_has_not_said_a_word_may_be_given_less_time(self) -> None:
        rig = Rig(maps=2, task_timeout_ms=0, stuck_timeout_ms=5000)
        rig.beat()
        assert rig.report(map_attempt(0), 0.5)
        rig.beat(8)
        assert list(rig.running) == [map_attempt(0), map_attempt(1, 1)]
        (told,) = rig.core.job.attempt(map_attempt(1)).diagnostics
        assert told == (
            "It said nothing since it was launched for 5 s (mapreduce.task.stuck.timeout-ms).\n"
            f"AttemptID:{map_attempt(1)} task timeout set: 0s, taskTimedOut: false;"
            " task stuck timeout set: 5s, taskStuck: true"
        )

    def test_an_am_that_stood_still_stops_nobody_for_silence(self) -> None:
        rig = Rig(maps=1, task_timeout_ms=5000)
        rig.beat()
        rig.clock.move_to(rig.clock.now_ms() + 9000)
        rig.core.after_pause()
        rig.beat(4)
        assert list(rig.running) == [map_attempt(0)]
        rig.beat(4)
        assert list(rig.running) == [map_attempt(0, 1)]

    def test_a_host_where_too_much_fails_is_avoided(self) -> None:
        cluster = Cluster(nodes={f"n{number}": "/r1" for number in range(1, 5)})
        rig = Rig(maps=3, cluster=cluster, hosts=("n1",), host_failures=3, map_attempts=4)
        rig.beat()
        for number in range(3):
            rig.finish(map_attempt(number), exit_status=1)
        rig.beat(2)
        assert list(rig.cluster.blacklist) == ["n1"]
        assert "n1" not in [rig.node_of(attempt) for attempt in rig.attempts(maps=True)]
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_no_host_is_avoided_when_that_would_be_a_third_of_the_cluster(self) -> None:
        rig = Rig(maps=3, hosts=("n1",), host_failures=3)
        rig.beat()
        for number in range(3):
            rig.finish(map_attempt(number), exit_status=1)
        rig.beat(2)
        assert not rig.cluster.blacklist

    def test_a_kill_ends_everything(self) -> None:
        rig = Rig(maps=3)
        rig.beat()
        rig.finish(map_attempt(0))
        rig.core.tell(JobKill(diagnostics="enough"))
        rig.perform_effects()
        rig.beat(2)
        assert rig.state is JobState.KILLED
        assert not rig.cluster.live
        assert rig.aborts == 1


class TestLostNodes:
    def test_running_maps_of_a_lost_node_run_again_and_no_failure_is_counted(self) -> None:
        rig = Rig(maps=3, hosts=("n1",), map_attempts=1)
        rig.beat()
        rig.cluster.lose("n1")
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert all(not task.failed_attempts for task in rig.core.job.maps)

    def test_done_maps_of_a_lost_node_run_again_while_reduces_need_them(self) -> None:
        rig = Rig(maps=2, reduces=1, hosts=("n1",), map_attempts=1)
        rig.beat()
        for attempt in rig.attempts(maps=True):
            rig.finish(attempt)
        rig.beat(2)
        assert len(rig.attempts(maps=False)) == 1
        rig.cluster.lose("n1")
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        statuses = [(str(event.attempt_id)[-10:], event.status) for event in rig.core.completion_events(0)]
        assert ("m_000000_0", "OBSOLETE") in statuses
        assert ("m_000000_1", "SUCCEEDED") in statuses

    def test_done_maps_do_not_run_again_when_no_reduce_needs_them(self) -> None:
        for reduces in (0, 1):
            rig = Rig(maps=2, reduces=reduces, hosts=("n1",))
            rig.beat()
            rig.finish(map_attempt(0))
            if reduces:
                rig.finish(map_attempt(1))
                rig.beat(2)
                (reduce,) = rig.attempts(maps=False)
                rig.finish(reduce)
                assert rig.state is JobState.SUCCEEDED
            rig.cluster.lose("n1")
            rig.run()
            assert rig.state is JobState.SUCCEEDED
            tasks = {task.id: task for task in rig.core.job.tasks}
            assert tasks[TaskId(JOB, TaskType.MAP, 0)].successful_attempt == map_attempt(0)

    def test_outputs_that_reduces_complain_of_are_made_again(self) -> None:
        rig = Rig(maps=1, reduces=2)
        rig.beat()
        rig.finish(map_attempt(0))
        rig.beat(3)
        one, two = rig.attempts(maps=False)
        for reduce in (one, one, two):
            assert rig.state is JobState.RUNNING
            assert rig.core.status_update(reduce, 0.1, "SHUFFLE", {}, [map_attempt(0)])
            rig.perform_effects()
        rig.beat(2)
        assert rig.attempts(maps=True) == [map_attempt(0, 1)]
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_two_complaints_are_not_enough(self) -> None:
        rig = Rig(maps=1, reduces=1)
        rig.beat()
        rig.finish(map_attempt(0))
        rig.beat(2)
        (reduce,) = rig.attempts(maps=False)
        for _ in range(2):
            rig.core.status_update(reduce, 0.1, "SHUFFLE", {}, [map_attempt(0)])
        rig.perform_effects()
        rig.beat()
        assert rig.attempts(maps=True) == []

    def test_reduces_make_room_for_a_map_that_has_to_run_again(self) -> None:
        cluster = Cluster(memory_mb=1024, nodes={"n1": "/r1", "n2": "/r1", "n3": "/r1"})
        rig = Rig(maps=1, reduces=3, cluster=cluster, slowstart=1.0)
        rig.beat()
        rig.finish(map_attempt(0))
        rig.beat(3)
        assert len(rig.attempts(maps=False)) == 3
        lost = rig.node_of(map_attempt(0))
        rig.cluster.lose(lost)
        rig.run()
        assert rig.state is JobState.SUCCEEDED


class TestAvoidedHosts:
    @pytest.mark.parametrize(
        ("failing", "nodes", "are_avoided"),
        [(1, 1, False), (1, 3, False), (2, 4, False), (3, 9, False), (1, 4, True), (3, 10, True)],
    )
    def test_a_third_of_the_nodes_is_too_much(self, failing: int, nodes: int, are_avoided: bool) -> None:
        rig = Rig(maps=1, host_failures=1, cluster=Cluster(nodes={f"n{one}": "/r1" for one in range(nodes)}))
        rig.beat()
        for number in range(failing):
            rig.core.tell(ContainerAttemptFailed(host=f"n{number}"))
        rig.beat(2)
        expected = [f"n{number}" for number in range(failing)] if are_avoided else []
        assert list(rig.cluster.blacklist) == expected

    def test_they_are_avoided_again_when_there_are_more_nodes(self) -> None:
        rig = Rig(maps=1, host_failures=1, cluster=Cluster(nodes={"n1": "/r1", "n2": "/r1"}))
        rig.beat()
        rig.core.tell(ContainerAttemptFailed(host="n1"))
        rig.beat(2)
        assert not rig.cluster.blacklist
        rig.cluster.nodes.update({"n3": "/r1", "n4": "/r1"})
        rig.beat(2)
        assert list(rig.cluster.blacklist) == ["n1"]
        del rig.cluster.nodes["n4"]
        rig.beat(2)
        assert not rig.cluster.blacklist


class TestLimits:
    def test_no_more_tasks_run_than_may(self) -> None:
        rig = Rig(maps=5, reduces=3, most_running_maps=2, most_running_reduces=1, slowstart=1.0)
        rig.beat(2)
        assert len(rig.attempts(maps=True)) == 2
        rig.finish(map_attempt(0))
        rig.beat(2)
        assert rig.attempts(maps=True) == [map_attempt(1), map_attempt(2)]
        rig.run(3, to_the_end=False)
        rig.beat(2)
        assert len(rig.attempts(maps=False)) == 1
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_maps_that_run_again_are_killed_when_all_reduces_are_done(self) -> None:
        rig = Rig(maps=1, reduces=1, hosts=("n1",))
        rig.beat()
        rig.finish(map_attempt(0))
        rig.beat(2)
        (reduce,) = rig.attempts(maps=False)
        rig.core.status_update(reduce, 0.5, "REDUCE", {})
        rig.core.tell(AttemptKill(attempt_id=map_attempt(0), diagnostics="a test"))
        rig.beat(2)
        assert rig.core.job.count(TaskType.MAP, "SUCCEEDED") == 0
        rig.finish(reduce)
        rig.beat()
        assert rig.state is JobState.SUCCEEDED
        assert rig.core.job.count(TaskType.MAP, "KILLED") == 1


class TestStarvingMaps:
    """A reduce holds all there is, and a map has to run again."""

    def starving(self, memory_mb: int = 1024, **over: Any) -> tuple[Rig, TaskAttemptId]:
        cluster = Cluster(memory_mb=memory_mb, nodes={"n1": "/r1"})
        rig = Rig(maps=1, reduces=1, cluster=cluster, slowstart=1.0, **over)
        rig.beat()
        rig.finish(map_attempt(0))
        rig.beat(3)
        (reduce,) = rig.attempts(maps=False)
        for _ in range(3):
            rig.core.status_update(reduce, 0.1, "SHUFFLE", {}, [map_attempt(0)])
        rig.perform_effects()
        return rig, reduce

    def test_the_reduce_goes_at_once(self) -> None:
        rig, reduce = self.starving()
        rig.beat(2)
        assert not rig.core.is_wanted(reduce)
        assert rig.core.job.attempt(reduce).diagnostics == [
            "Reducer preempted to make room for pending map attempts"
        ]
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_or_when_the_map_has_waited_long_enough(self) -> None:
        rig, reduce = self.starving(reducer_preempt_delay_s=3)
        rig.beat(3)
        assert rig.core.is_wanted(reduce)
        rig.beat()
        assert not rig.core.is_wanted(reduce)

    def test_or_never(self) -> None:
        rig, reduce = self.starving(reducer_preempt_delay_s=-1, unconditional_preempt_delay_s=-1)
        rig.beat(400)
        assert rig.core.is_wanted(reduce)

    def test_after_some_time_it_goes_though_there_seems_to_be_room(self) -> None:
        rig, reduce = self.starving(memory_mb=2048, unconditional_preempt_delay_s=5)
        rig.cluster.blacklist["n1"] = None  # nothing is granted there
        rig.beat(5)
        assert rig.core.is_wanted(reduce)
        rig.beat()
        assert not rig.core.is_wanted(reduce)


class TestPreemption:
    def reducing(self) -> Rig:
        rig = Rig(maps=4, reduces=2, slowstart=0.25, map_attempts=1, reduce_attempts=1)
        rig.beat()
        rig.finish(map_attempt(0))
        rig.beat(3)
        assert len(rig.attempts(maps=True)) == 3
        assert len(rig.attempts(maps=False)) == 2
        return rig

    def test_reduces_go_before_maps_until_the_amount_is_reached(self) -> None:
        rig = self.reducing()
        maps, reduces = rig.attempts(maps=True), rig.attempts(maps=False)
        rig.name_for_preemption(maps[0], *reduces, containers_wanted=2)
        rig.beat()
        assert [attempt for attempt in maps + reduces if not rig.core.is_wanted(attempt)] == reduces
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_all_that_is_named_goes_when_the_amount_asks_for_it(self) -> None:
        rig = self.reducing()
        maps, reduces = rig.attempts(maps=True), rig.attempts(maps=False)
        rig.name_for_preemption(maps[0], *reduces, containers_wanted=3)
        rig.beat()
        gone = [attempt for attempt in maps + reduces if not rig.core.is_wanted(attempt)]
        assert gone == [maps[0], *reduces]
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_a_strict_contract_is_followed_to_the_letter(self) -> None:
        rig = self.reducing()
        victim = rig.attempts(maps=True)[1]
        rig.name_for_preemption(victim, strict=True)
        rig.beat()
        assert not rig.core.is_wanted(victim)
        rig.run()
        assert rig.state is JobState.SUCCEEDED

    def test_preempted_containers_are_neither_failed_attempts_nor_failed_tasks(self) -> None:
        rig = self.reducing()  # one failure would fail the job
        for attempt in (*rig.attempts(maps=True), *rig.attempts(maps=False)):
            rig.finish(attempt, exit_status=-102)
        rig.run()
        assert rig.state is JobState.SUCCEEDED
        assert not any(task.failed_attempts for task in rig.core.job.tasks)


class TestRecovery:
    def test_a_next_am_runs_only_what_is_left(self) -> None:
        first = Rig(maps=3, reduces=1)
        first.beat()
        first.finish(map_attempt(0))
        first.finish(map_attempt(2))
        recovered = completed_tasks(parse(first.history()))
        assert [str(one.task_id)[-8:] for one in recovered] == ["m_000000", "m_000002"]
        second = Rig(maps=3, reduces=1, app_attempt=2, recovered=tuple(recovered))
        second.beat()
        assert second.attempts(maps=True) == [map_attempt(1, 1000)]
        second.run()
        assert second.state is JobState.SUCCEEDED
        events = second.core.completion_events(0)
        assert [event.shuffle_port for event in events if event.attempt_id == map_attempt(0)] == [13562]

    def test_what_was_recovered_can_be_recovered_once_more(self) -> None:
        recovered = TaskRecover(
            task_id=TaskId(JOB, TaskType.MAP, 0),
            attempt_id=map_attempt(0),
            node_id=NodeId("n1", 1),
            shuffle_port=1,
            counters={"g": {"c": 2}},
            started_ms=5,
            finished_ms=9,
            container_id=ContainerId(ATTEMPT, 7),
            http_port=8042,
        )
        rig = Rig(maps=2, app_attempt=2, recovered=(recovered,))
        assert completed_tasks(parse(rig.history())) == [recovered]

    def test_an_output_that_was_lost_later_is_not_recovered(self) -> None:
        rig = Rig(maps=2, reduces=1, hosts=("n1",))
        rig.beat()
        rig.finish(map_attempt(0))
        rig.cluster.lose("n1")
        rig.beat()
        assert completed_tasks(parse(rig.history())) == []


@st.composite
def troubles(draw: st.DrawFn) -> list[tuple[str, int]]:
    verbs = st.sampled_from(["beat", "finish", "fail", "lose", "preempt", "complain", "release"])
    return draw(st.lists(st.tuples(verbs, st.integers(0, 20)), max_size=40))


@settings(max_examples=120)
@given(st.integers(1, 6), st.integers(0, 3), troubles())
def test_whatever_happens_the_job_ends_and_nothing_is_left(
    maps: int, reduces: int, story: list[tuple[str, int]]
) -> None:
    """Failures stop before they fail the job; nodes go but for the last one; then all goes well."""
    cluster = Cluster(memory_mb=3072, nodes={f"n{number}": f"/r{number % 2}" for number in range(4)})
    rig = Rig(maps, reduces, cluster=cluster, map_attempts=100, reduce_attempts=100, hosts=("n1", "n2"))
    for verb, number in story:
        running = list(rig.running)
        chosen = running[number % len(running)] if running else None
        if verb == "beat" or rig.core.job.has_ended:
            rig.beat()
        elif verb == "lose" and len(cluster.nodes) > 1:
            cluster.lose(list(cluster.nodes)[number % len(cluster.nodes)])
        elif chosen is None:
            continue
        elif verb == "finish" and (chosen.is_map or rig.can_fetch()):
            if rig.core.is_wanted(chosen):
                rig.finish(chosen)
        elif verb == "fail":
            rig.finish(chosen, exit_status=1)
        elif verb == "preempt":
            rig.name_for_preemption(chosen, containers_wanted=1)
        elif verb == "complain" and not chosen.is_map:
            done = [event.attempt_id for event in rig.core.completion_events(0)]
            rig.core.status_update(chosen, 0.1, "SHUFFLE", {}, done[: number + 1])
            rig.perform_effects()
    rig.run(200)
    assert rig.state is JobState.SUCCEEDED
    assert rig.commits == 1
    rig.beat(3)
    assert not cluster.live, "a container was leaked"
    assert rig.asks.asks() == [], "something is still asked for"
    for task in rig.core.job.tasks:
        assert task.successful_attempt is not None
        assert not task.live


def test_ids_are_read_as_they_are_printed() -> None:
    attempt_id = TaskAttemptId(TaskId(JobId(1700000000000, 12), TaskType.REDUCE, 3), 1001)
    assert str(attempt_id) == "attempt_1700000000000_0012_r_000003_1001"
    assert TaskAttemptId.parse(str(attempt_id)) == attempt_id
    assert TaskId.parse(str(attempt_id.task_id)) == attempt_id.task_id
    assert JobId.parse(str(attempt_id.task_id.job_id)) == attempt_id.task_id.job_id
    for text in ("", "attempt_1_2_x_3_4", "task_1_0001_m_000000", "attempt_1_0001_m_000000_x"):
        with pytest.raises(ValueError, match="Invalid"):
            TaskAttemptId.parse(text)
