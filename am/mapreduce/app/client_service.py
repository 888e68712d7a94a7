"""What a job answers Hadoop's own MapReduce clients: `mapred job -status`, `-counter`, `-kill` and their kin.

Reads the core between turns; the calls that end something are turns. Hadoop: MRClientService's
MRClientProtocolHandler and the reports of JobImpl, TaskImpl and TaskAttemptImpl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from yarnbox.am.client_service import client_of
from yarnbox.am.mapreduce.app.attempt import Attempt, AttemptState
from yarnbox.am.mapreduce.app.core import Core
from yarnbox.am.mapreduce.app.events import AttemptKill, JobKill, TaskKill
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.app.report import AMInfo, Pages
from yarnbox.am.mapreduce.app.task import Task
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
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskType
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.records import mapreduce as records
from yarnbox.yarn.records.basics import Record

_ENDS = {
    JobState.SUCCEEDED: records.JobState.SUCCEEDED,
    JobState.FAILED: records.JobState.FAILED,
    JobState.KILLED: records.JobState.KILLED,
}


class JobClientService(ClientProtocol):
    """Answers the clients of one job."""

    def __init__(
        self,
        core: Core,
        settings: JobSettings,
        user: str,
        pages: Pages,
        am: AMInfo,
        job_file: str,
        perform_effects: Callable[[], None],
    ) -> None:
        self._core = core
        self._settings = settings
        self._user = user
        self._pages = pages
        self._am = am
        self._job_file = job_file
        self._perform_effects = perform_effects
        self.tracking_url = ""
        self.has_unregistered = False
        """Whether the RM knows how the job ended: before, clients are not told either."""
        self.was_asked = False
        """Whether a client has come: it may come again for the end."""

    def handle(self, rpc: str, request: Record, caller: Caller) -> Any:
        self.was_asked = True
        try:
            return super().handle(rpc, request, caller)
        finally:
            self._perform_effects()

    # Questions.

    def get_job_report(self, request: records.GetJobReportRequest, _caller: Caller) -> Any:
        """getJobReport."""
        self._check(request.job_id)
        job = self._core.job
        report = records.JobReport(
            job_id=job_record(job.id),
            job_state=self._job_state(),
            map_progress=job.progress(TaskType.MAP),
            reduce_progress=job.progress(TaskType.REDUCE),
            setup_progress=0.0 if job.state in (JobState.NEW, JobState.SETUP) else 1.0,
            cleanup_progress=1.0 if job.has_ended else 0.0,
            start_time=job.started_ms,
            finish_time=job.finished_ms,
            submit_time=self._am.submit_ms,
            user=self._user,
            job_name=self._settings.name,
            tracking_url=self.tracking_url,
            diagnostics="".join(f"{line}\n" for line in job.diagnostics),
            job_file=self._job_file,
            am_infos=(self._am_info(),),
            job_priority=self._settings.priority,
        )
        return records.GetJobReportResponse(job_report=report)

    def _job_state(self) -> records.JobState:
        state = self._core.job.state
        if state is JobState.NEW:
            return records.JobState.NEW
        end = _ENDS.get(state) if self.has_unregistered else None
        return end or records.JobState.RUNNING

    def _am_info(self) -> records.AMInfo:
        am = self._am
        return records.AMInfo(
            application_attempt_id=ApplicationAttemptId(self._core.job.id.application_id, am.number),
            start_time=am.start_ms,
            container_id=am.container_id,
            node_manager_host=am.node_id.host,
            node_manager_port=am.node_id.port,
            node_manager_http_port=am.http_port,
        )

    def get_counters(self, request: records.GetCountersRequest, _caller: Caller) -> Any:
        """getCounters."""
        self._check(request.job_id)
        return records.GetCountersResponse(counters=counters_record(self._pages.counters()))

    def get_task_report(self, request: records.GetTaskReportRequest, _caller: Caller) -> Any:
        """getTaskReport."""
        return records.GetTaskReportResponse(task_report=_task_report(self._task(request.task_id)))

    def get_task_reports(self, request: records.GetTaskReportsRequest, _caller: Caller) -> Any:
        """getTaskReports: of all maps, or of all reduces."""
        self._check(request.job_id)
        job = self._core.job
        tasks = job.maps if type_of(request.task_type) is TaskType.MAP else job.reduces
        return records.GetTaskReportsResponse(task_reports=tuple(map(_task_report, tasks)))

    def get_task_attempt_report(self, request: records.GetTaskAttemptReportRequest, _caller: Caller) -> Any:
        """getTaskAttemptReport."""
        attempt = self._attempt(request.task_attempt_id)
        return records.GetTaskAttemptReportResponse(task_attempt_report=_attempt_report(attempt))

    def get_task_attempt_completion_events(
        self, request: records.GetTaskAttemptCompletionEventsRequest, _caller: Caller
    ) -> Any:
        """getTaskAttemptCompletionEvents: of the maps, which is what reduces are told of."""
        self._check(request.job_id)
        events = tuple(
            records.TaskAttemptCompletionEvent(
                attempt_id=attempt_record(one.attempt_id),
                status=records.TaskAttemptCompletionEventStatus[one.status],
                map_output_server_address=f"http://{one.host}:{one.shuffle_port}",
                attempt_run_time=self._run_time(one.attempt_id),
                event_id=number,
            )
            for number, one in asked_for(self._core.job.completion_events, request)
        )
        return records.GetTaskAttemptCompletionEventsResponse(completion_events=events)

    def _run_time(self, attempt_id: TaskAttemptId) -> int:
        attempt = self._core.job.attempt(attempt_id)
        return max(attempt.finished_ms - attempt.launched_ms, 0) if attempt.launched_ms else 0

    def get_diagnostics(self, request: records.GetDiagnosticsRequest, _caller: Caller) -> Any:
        """getDiagnostics: of an attempt."""
        attempt = self._attempt(request.task_attempt_id)
        return records.GetDiagnosticsResponse(diagnostics=tuple(attempt.diagnostics))

    # Wishes.

    def kill_job(self, request: records.KillJobRequest, caller: Caller) -> Any:
        """killJob."""
        self._check(request.job_id)
        self._core.tell(JobKill(diagnostics=f"Kill job {self._core.job.id} received from {_who(caller)}"))
        return records.KillJobResponse()

    def kill_task(self, request: records.KillTaskRequest, _caller: Caller) -> Any:
        """killTask."""
        self._core.tell(TaskKill(task_id=self._task(request.task_id).id))
        return records.KillTaskResponse()

    def kill_task_attempt(self, request: records.KillTaskAttemptRequest, caller: Caller) -> Any:
        """killTaskAttempt: it is tried again, and that is not counted."""
        attempt = self._attempt(request.task_attempt_id)
        said = f"Kill task attempt {attempt.id} received from {_who(caller)}"
        self._core.tell(AttemptKill(attempt_id=attempt.id, diagnostics=said))
        return records.KillTaskAttemptResponse()

    def fail_task_attempt(self, request: records.FailTaskAttemptRequest, caller: Caller) -> Any:
        """failTaskAttempt: it is tried again, and that is counted."""
        attempt = self._attempt(request.task_attempt_id)
        self._core.failed(attempt.id, f"Fail task attempt {attempt.id} received from {_who(caller)}")
        return records.FailTaskAttemptResponse()

    # What is asked about.

    def _check(self, job_id: records.JobId | None) -> None:
        asked = job_of(job_id)
        if asked != self._core.job.id:
            raise UnknownError(f"Unknown job {asked}")

    def _task(self, task_id: records.TaskId | None) -> Task:
        asked = task_of(task_id)
        self._check(job_record(asked.job_id))
        task = self._core.job.find_task(asked)
        if task is None:
            raise UnknownError(f"Unknown task {asked}")
        return task

    def _attempt(self, attempt_id: records.TaskAttemptId | None) -> Attempt:
        asked = attempt_of(attempt_id)
        attempt = self._task(task_record(asked.task_id)).attempts.get(asked)
        if attempt is None:
            raise UnknownError(f"Unknown TaskAttempt {asked}")
        return attempt


def _who(caller: Caller) -> str:
    """The caller as UserGroupInformation prints it."""
    how = "SIMPLE" if caller.token is None else "TOKEN"
    return f"{client_of(caller)} (auth:{how}) at {caller.host}"


# Reports


def _task_report(task: Task) -> records.TaskReport:
    best = task.attempts.get(task.successful_attempt) if task.successful_attempt else None
    return records.TaskReport(
        task_id=task_record(task.id),
        task_state=records.TaskState[task.state.told],
        progress=task.progress,
        start_time=task.scheduled_ms,
        finish_time=task.finished_ms,
        counters=counters_record(best.counters if best is not None else {}),
        running_attempts=tuple(attempt_record(one) for one in _running(task)),
        successful_attempt=attempt_record(best.id) if best is not None else None,
        diagnostics=tuple(line for one in task.attempts.values() for line in one.diagnostics),
    )


def _running(task: Task) -> Iterable[TaskAttemptId]:
    return (one.id for one in task.attempts.values() if one.state is AttemptState.RUNNING)


def _attempt_report(attempt: Attempt) -> records.TaskAttemptReport:
    return records.TaskAttemptReport(
        task_attempt_id=attempt_record(attempt.id),
        task_attempt_state=records.TaskAttemptState[attempt.state.told],
        progress=attempt.progress,
        start_time=attempt.launched_ms,
        finish_time=attempt.finished_ms,
        counters=counters_record(attempt.counters),
        diagnostic_info="\n".join(attempt.diagnostics),
        state_string=attempt.phase,
        phase=records.Phase[attempt.phase],
        node_manager_host=attempt.node_id.host if attempt.node_id is not None else None,
        node_manager_port=attempt.node_id.port if attempt.node_id is not None else None,
        container_id=attempt.container.id if attempt.container is not None else None,
    )
