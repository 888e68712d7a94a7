"""What the history server answers Hadoop's own MapReduce clients of jobs that ended: `mapred job -status`,
`-counter`, `-events`, `-list-attempt-ids`, `-history` and `-logs`.

Hadoop: HistoryClientService's HSClientProtocolHandler, and the reports of CompletedJob, CompletedTask and
CompletedTaskAttempt.
"""

from __future__ import annotations

from typing import Any, NoReturn

from yarnbox.am.mapreduce.client_protocol import (
    ClientProtocol,
    UnknownError,
    asked_for,
    attempt_of,
    attempt_record,
    counters_record,
    job_of,
    job_record,
    task_of,
    task_record,
    type_of,
)
from yarnbox.am.mapreduce.history.catalog import Catalog, UnknownJobError
from yarnbox.am.mapreduce.history.parsed import PastAM, PastAttempt, PastJob, PastTask
from yarnbox.am.mapreduce.ids import JobId, TaskAttemptId, TaskId
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId
from yarnbox.yarn.records import mapreduce as records

_NO_STATE = "Attempt state missing from History : marked as KILLED"


class CompletedError(YarnError):
    """A wish that comes too late."""

    java_class = "java.io.IOException"


class HistoryClientService(ClientProtocol):
    """Answers from the catalog. `server` is where its pages are."""

    def __init__(self, catalog: Catalog, server: str) -> None:
        self._catalog = catalog
        self._server = server

    # Questions.

    def get_job_report(self, request: records.GetJobReportRequest, _caller: Caller) -> Any:
        """getJobReport; of a job that is not known the answer is empty."""
        job_id = job_of(request.job_id)
        try:
            file = self._catalog.file(str(job_id))
        except UnknownJobError:
            return records.GetJobReportResponse()
        past = self._job(job_id)
        report = records.JobReport(
            job_id=job_record(job_id),
            job_state=records.JobState[past.state],
            map_progress=_progress(past, "Maps", past.total_maps),
            reduce_progress=_progress(past, "Reduces", past.total_reduces),
            start_time=past.launch_ms,
            finish_time=past.finish_ms,
            submit_time=past.submit_ms,
            user=past.user,
            job_name=past.name,
            tracking_url=f"{self._server}/jobhistory/job/{job_id}",
            diagnostics=past.diagnostics,
            job_file=str(file.conf),
            am_infos=tuple(map(_am_info, past.ams)),
            is_uber=past.uberized,
            history_file=str(file.path),
        )
        return records.GetJobReportResponse(job_report=report)

    def get_counters(self, request: records.GetCountersRequest, _caller: Caller) -> Any:
        """getCounters: of a job that did not succeed the history has no sums, and clients say so."""
        counters = self._job(job_of(request.job_id)).total_counters
        return records.GetCountersResponse(counters=counters_record(counters) if counters else None)

    def get_task_report(self, request: records.GetTaskReportRequest, _caller: Caller) -> Any:
        """getTaskReport."""
        return records.GetTaskReportResponse(task_report=_task_report(self._task(task_of(request.task_id))))

    def get_task_reports(self, request: records.GetTaskReportsRequest, _caller: Caller) -> Any:
        """getTaskReports: of all maps, or of all reduces."""
        wanted = type_of(request.task_type).name
        tasks = self._job(job_of(request.job_id)).tasks.values()
        found = tuple(_task_report(one) for one in tasks if one.type == wanted)
        return records.GetTaskReportsResponse(task_reports=found)

    def get_task_attempt_report(self, request: records.GetTaskAttemptReportRequest, _caller: Caller) -> Any:
        """getTaskAttemptReport."""
        attempt = self._attempt(request.task_attempt_id)
        return records.GetTaskAttemptReportResponse(task_attempt_report=_attempt_report(attempt))

    def get_task_attempt_completion_events(
        self, request: records.GetTaskAttemptCompletionEventsRequest, _caller: Caller
    ) -> Any:
        """getTaskAttemptCompletionEvents: of all attempts, in the order in which they ended."""
        tasks = self._job(job_of(request.job_id)).tasks.values()
        attempts = [one for task in tasks for one in task.attempts.values()]
        attempts.sort(key=lambda one: (not one.finish_ms, one.finish_ms or one.start_ms))
        events = tuple(_event(number, one) for number, one in asked_for(attempts, request))
        return records.GetTaskAttemptCompletionEventsResponse(completion_events=events)

    def get_diagnostics(self, request: records.GetDiagnosticsRequest, _caller: Caller) -> Any:
        """getDiagnostics: of an attempt."""
        attempt = self._attempt(request.task_attempt_id)
        return records.GetDiagnosticsResponse(diagnostics=_diagnostics(attempt))

    # Wishes.

    def kill_job(self, _request: records.KillJobRequest, _caller: Caller) -> NoReturn:
        """killJob."""
        raise CompletedError("Invalid operation on completed job")

    kill_task = kill_task_attempt = fail_task_attempt = kill_job

    # What is asked about.

    def _job(self, job_id: JobId) -> PastJob:
        try:
            return self._catalog.job(str(job_id))
        except UnknownJobError:
            raise UnknownError(f"Unknown Job {job_id}") from None

    def _task(self, task_id: TaskId) -> PastTask:
        found = self._job(task_id.job_id).tasks.get(str(task_id))
        if found is None:
            raise UnknownError(f"Unknown task {task_id}")
        return found

    def _attempt(self, asked: records.TaskAttemptId | None) -> PastAttempt:
        attempt_id = attempt_of(asked)
        found = self._task(attempt_id.task_id).attempts.get(str(attempt_id))
        if found is None:
            raise UnknownError(f"Unknown TaskAttempt {attempt_id}")
        return found


# Reports


def _progress(past: PastJob, kind: str, total: int) -> float:
    """The share of tasks that have ended, however they did."""
    ends = (past.ended.get(f"{how}{kind}", 0) for how in ("finished", "failed", "killed"))
    return sum(max(count, 0) for count in ends) / total if total else 1.0


def _am_info(am: PastAM) -> records.AMInfo:
    return records.AMInfo(
        application_attempt_id=ApplicationAttemptId.parse(am.attempt_id),
        start_time=am.start_ms,
        container_id=ContainerId.parse(am.container_id),
        node_manager_host=am.host,
        node_manager_port=am.port,
        node_manager_http_port=am.http_port,
    )


def _task_report(task: PastTask) -> records.TaskReport:
    attempts = task.attempts.values()
    done = next((one.id for one in attempts if one.state == "SUCCEEDED"), None)
    return records.TaskReport(
        task_id=task_record(TaskId.parse(task.id)),
        task_state=records.TaskState[_ended(task.state)],
        progress=1.0,
        start_time=min((one.start_ms for one in attempts), default=-1),
        finish_time=task.finish_ms,
        counters=counters_record(task.counters),
        running_attempts=tuple(attempt_record(TaskAttemptId.parse(one.id)) for one in attempts),
        successful_attempt=attempt_record(TaskAttemptId.parse(done)) if done is not None else None,
        diagnostics=tuple(line for one in attempts for line in _diagnostics(one)),
    )


def _attempt_report(attempt: PastAttempt) -> records.TaskAttemptReport:
    return records.TaskAttemptReport(
        task_attempt_id=attempt_record(TaskAttemptId.parse(attempt.id)),
        task_attempt_state=records.TaskAttemptState[_ended(attempt.state)],
        progress=1.0,
        start_time=attempt.start_ms,
        finish_time=attempt.finish_ms,
        shuffle_finish_time=attempt.shuffle_finish_ms,
        sort_finish_time=attempt.sort_finish_ms,
        counters=counters_record(attempt.counters),
        diagnostic_info=", ".join(_diagnostics(attempt)),
        node_manager_host=attempt.host,
        node_manager_port=attempt.port,
        node_manager_http_port=attempt.http_port,
        container_id=ContainerId.parse(attempt.container_id) if attempt.container_id else None,
    )


def _event(number: int, attempt: PastAttempt) -> records.TaskAttemptCompletionEvent:
    return records.TaskAttemptCompletionEvent(
        attempt_id=attempt_record(TaskAttemptId.parse(attempt.id)),
        status=records.TaskAttemptCompletionEventStatus[_ended(attempt.state)],
        map_output_server_address=f"{attempt.host}:{attempt.port}",
        attempt_run_time=attempt.finish_ms - attempt.start_ms if attempt.finish_ms else -1,
        event_id=number,
    )


def _diagnostics(attempt: PastAttempt) -> tuple[str, ...]:
    lacking = [_NO_STATE] if _ended(attempt.state) != attempt.state else []
    return tuple(line for line in (*lacking, attempt.diagnostics) if line)


def _ended(state: str) -> str:
    """Of what had not ended when the job did the history tells no state."""
    return "KILLED" if state == "RUNNING" else state
