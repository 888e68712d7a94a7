"""What a job answers Hadoop's own MapReduce clients."""

from __future__ import annotations

from typing import Any

import pytest

from tests.am.mapreduce.rig import ATTEMPT, JOB, Rig
from yarnbox.am.mapreduce.app.client_service import JobClientService
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.app.report import AMInfo, Pages
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records import mapreduce as records
from yarnbox.yarn.wire import from_bytes, to_bytes

JOB_ID = records.JobId(app_id=JOB.application_id, id=1)
ANN = Caller(user="ann", host="127.0.0.1")


def service(rig: Rig) -> JobClientService:
    settings = JobSettings()
    am = AMInfo(1, ContainerId(ATTEMPT, 1), NodeId("n1", 1), 500, 100, 8042)
    pages = Pages(rig.core, settings, "me", am)
    return JobClientService(rig.core, settings, "me", pages, am, "job.xml", rig.perform_effects)


def ask(rig: Rig, rpc: str, request: Any, *, asked: JobClientService | None = None) -> Any:
    answer = (asked or service(rig)).handle(rpc, request, ANN)
    assert from_bytes(type(answer), to_bytes(answer)) == answer
    return answer


def task_id(number: int, kind: records.TaskType = records.TaskType.MAP) -> records.TaskId:
    return records.TaskId(job_id=JOB_ID, task_type=kind, id=number)


def attempt_id(number: int, attempt: int = 0) -> records.TaskAttemptId:
    return records.TaskAttemptId(task_id=task_id(number), id=attempt)


def half_done() -> Rig:
    """A map of two is done, the other and a reduce are on their way."""
    rig = Rig(maps=2, reduces=1, hosts=("n1",))
    rig.beat()
    rig.finish(rig.attempts(maps=True)[0])
    return rig


def test_the_report_of_a_job() -> None:
    rig = half_done()
    report = ask(rig, "getJobReport", records.GetJobReportRequest(job_id=JOB_ID)).job_report
    assert (report.job_id, report.job_state, report.user) == (JOB_ID, records.JobState.RUNNING, "me")
    assert (report.map_progress, report.reduce_progress, report.setup_progress) == (0.5, 0.0, 1.0)
    assert (report.submit_time, report.job_file, report.is_uber) == (100, "job.xml", False)
    (am,) = report.am_infos
    assert (am.application_attempt_id, am.node_manager_host, am.node_manager_http_port) == (
        ATTEMPT,
        "n1",
        8042,
    )


def test_clients_hear_of_the_end_when_the_rm_has() -> None:
    rig = Rig(maps=1, reduces=0)
    rig.beat()
    rig.finish(rig.attempts(maps=True)[0])
    rig.beat()
    assert rig.state is JobState.SUCCEEDED
    asked = service(rig)
    request = records.GetJobReportRequest(job_id=JOB_ID)
    assert not asked.was_asked
    assert ask(rig, "getJobReport", request, asked=asked).job_report.job_state is records.JobState.RUNNING
    asked.has_unregistered = True
    assert ask(rig, "getJobReport", request, asked=asked).job_report.job_state is records.JobState.SUCCEEDED
    assert asked.was_asked


def test_tasks_and_attempts() -> None:
    rig = half_done()
    maps = records.GetTaskReportsRequest(job_id=JOB_ID, task_type=records.TaskType.MAP)
    done, running = ask(rig, "getTaskReports", maps).task_reports
    assert (done.task_state, done.progress) == (records.TaskState.SUCCEEDED, 1.0)
    assert (done.successful_attempt, done.running_attempts) == (attempt_id(0), ())
    assert (running.task_state, running.running_attempts) == (records.TaskState.RUNNING, (attempt_id(1),))
    one = ask(rig, "getTaskReport", records.GetTaskReportRequest(task_id=task_id(0)))
    assert one.task_report == done
    request = records.GetTaskAttemptReportRequest(task_attempt_id=attempt_id(0))
    report = ask(rig, "getTaskAttemptReport", request).task_attempt_report
    assert report.task_attempt_state is records.TaskAttemptState.SUCCEEDED
    assert (report.phase, report.node_manager_host) == (records.Phase.MAP, "n1")


def test_counters_keep_their_groups() -> None:
    counters = ask(half_done(), "getCounters", records.GetCountersRequest(job_id=JOB_ID)).counters
    group = counters.counter_groups["org.apache.hadoop.mapreduce.JobCounter"]
    assert group.display_name == "JobCounter"
    assert group.counters["TOTAL_LAUNCHED_MAPS"].value == 2


def test_completions_from_a_number_on() -> None:
    rig = half_done()
    rig.finish(rig.attempts(maps=True)[0])

    def numbers(start: int, most: int) -> list[int]:
        request = records.GetTaskAttemptCompletionEventsRequest(
            job_id=JOB_ID, from_event_id=start, max_events=most
        )
        found = ask(rig, "getTaskAttemptCompletionEvents", request).completion_events
        assert all(one.status is records.TaskAttemptCompletionEventStatus.SUCCEEDED for one in found)
        return [one.event_id for one in found]

    assert (numbers(0, 10), numbers(1, 10), numbers(0, 1), numbers(-1, -1)) == ([0, 1], [1], [0], [])


def test_an_attempt_is_killed_or_failed_and_says_by_whom() -> None:
    rig = half_done()
    ask(rig, "killTaskAttempt", records.KillTaskAttemptRequest(task_attempt_id=attempt_id(1)))
    rig.beat()
    asked = records.GetDiagnosticsRequest(task_attempt_id=attempt_id(1))
    (said,) = ask(rig, "getDiagnostics", asked).diagnostics
    assert said == "Kill task attempt attempt_1_0001_m_000001_0 received from ann (auth:SIMPLE) at 127.0.0.1"
    ask(rig, "failTaskAttempt", records.FailTaskAttemptRequest(task_attempt_id=attempt_id(1, 1)))
    request = records.GetTaskAttemptReportRequest(task_attempt_id=attempt_id(1, 1))
    report = ask(rig, "getTaskAttemptReport", request).task_attempt_report
    assert report.task_attempt_state is records.TaskAttemptState.FAILED
    assert "Fail task attempt attempt_1_0001_m_000001_1 received from ann" in report.diagnostic_info


def test_a_task_and_a_job_are_killed() -> None:
    rig = half_done()
    ask(rig, "killTask", records.KillTaskRequest(task_id=task_id(1)))
    report = ask(rig, "getTaskReport", records.GetTaskReportRequest(task_id=task_id(1))).task_report
    assert report.task_state is records.TaskState.KILLED
    other = half_done()
    ask(other, "killJob", records.KillJobRequest(job_id=JOB_ID))
    other.beat()
    other.beat()
    assert other.state is JobState.KILLED
    assert other.core.job.diagnostics[0].startswith("Kill job job_1_0001 received from ann (auth:SIMPLE)")


@pytest.mark.parametrize(
    "rpc, request_, java_class",
    [
        ("getJobReport", records.GetJobReportRequest(), "java.io.IOException"),
        ("getTaskReport", records.GetTaskReportRequest(task_id=task_id(7)), "java.io.IOException"),
        (
            "getDiagnostics",
            records.GetDiagnosticsRequest(task_attempt_id=attempt_id(0, 9)),
            "java.io.IOException",
        ),
        ("getDiagnostics", records.GetDiagnosticsRequest(), "java.io.IOException"),
        ("getDelegationToken", None, "java.lang.UnsupportedOperationException"),
    ],
)
def test_what_is_not_answered(rpc: str, request_: Any, java_class: str) -> None:
    with pytest.raises(YarnError) as refusal:
        service(half_done()).handle(rpc, request_, ANN)
    assert refusal.value.java_class == java_class
