"""Lives of jobs, told by their events."""

from __future__ import annotations

from tests.am.mapreduce.history.written import attempt, eventful
from tests.am.mapreduce.rig import JOB, Cluster, Rig
from yarnbox.am.mapreduce.app.events import JobKill
from yarnbox.am.mapreduce.history.parsed import completed_tasks, parse
from yarnbox.am.mapreduce.history.rest import report
from yarnbox.am.mapreduce.ids import TaskType
from yarnbox.am.mapreduce.speculation.settings import SpeculationSettings


def test_failures_and_lost_outputs_are_told() -> None:
    past = parse(eventful().history())
    states = {one.id: one.state for task in past.tasks.values() for one in task.attempts.values()}
    assert states[str(attempt(0))] == "FAILED"
    assert states[str(attempt(1))] == "SUCCEEDED"
    assert (states[str(attempt(0, of=1))], states[str(attempt(1, of=1))]) == ("KILLED", "SUCCEEDED")
    first = past.tasks[str(attempt(0).task_id)].attempts[str(attempt(0))]
    assert first.diagnostics == "Error: division <by> zero"
    assert (first.host, first.rack, first.locality) == ("first-host", "/r1", "NODE_LOCAL")
    assert (past.state, past.ended["finishedMaps"], past.ended["failedMaps"]) == ("SUCCEEDED", 2, 0)
    assert [task.state for task in past.tasks.values()] == ["SUCCEEDED"] * 3
    job_counters = past.total_counters["org.apache.hadoop.mapreduce.JobCounter"]
    assert job_counters["NUM_FAILED_MAPS"] == job_counters["NUM_KILLED_MAPS"] == 1
    assert past.map_counters == {"g": {"c": 2}}


def test_the_phases_of_a_reduce_are_told() -> None:
    rig = Rig(maps=1, reduces=1)
    rig.beat()
    rig.finish(attempt(0))
    rig.beat(5)
    reduce = attempt(0, type_=TaskType.REDUCE)
    rig.report(reduce, 0.4)
    shuffled_ms = rig.clock.now_ms()
    rig.beat(3)
    rig.finish(reduce)
    past = parse(rig.history()).tasks[str(reduce.task_id)].attempts[str(reduce)]
    assert past.shuffle_finish_ms == past.sort_finish_ms == shuffled_ms
    assert past.finish_ms == shuffled_ms + 3000


def test_second_attempts_are_marked() -> None:
    rig = Rig(maps=3, reduces=0, speculation=SpeculationSettings(retry_after_none_ms=100))
    rig.beat(10)
    rig.finish(attempt(0, of=1))
    rig.report(attempt(0), 0.1)
    rig.beat(2)
    rig.run()
    attempts = parse(rig.history()).tasks[str(attempt(0).task_id)].attempts
    assert [one.avataar for one in attempts.values()] == ["VIRGIN", "SPECULATIVE"]


def test_a_job_that_is_killed_says_why_and_what_it_had_done() -> None:
    rig = Rig(maps=2, reduces=1, cluster=Cluster(memory_mb=1024, nodes={"n1": "/r"}))
    rig.beat()
    rig.finish(attempt(0))
    rig.core.tell(JobKill(diagnostics="enough"))
    rig.perform_effects()
    rig.beat(2)
    past = parse(rig.history())
    assert (past.state, past.diagnostics, past.finish_ms > 0) == ("KILLED", "enough", True)
    assert past.ended["finishedMaps"] == 1
    told = report(past)["counters"]["org.apache.hadoop.mapreduce.JobCounter"]
    assert told["TOTAL_LAUNCHED_MAPS"] == 1


def test_attempts_that_never_ran_are_not_told() -> None:
    rig = Rig(maps=1, reduces=0, cluster=Cluster(nodes={}))
    rig.beat()
    rig.core.tell(JobKill())
    rig.perform_effects()
    rig.beat()
    past = parse(rig.history())
    assert past.state == "KILLED"
    assert [task.state for task in past.tasks.values()] == ["KILLED"]
    assert past.attempts("MAP") == []


def test_events_without_their_beginning_are_passed_over() -> None:
    events = [event for event in eventful().history() if not event[0].endswith("_STARTED")]
    past = parse(events)
    assert (past.id, past.tasks) == (str(JOB), {})
    assert completed_tasks(past) == []
