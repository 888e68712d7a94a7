"""What a job's clients ask its AM, and are answered: calls of MRClientProtocol.

The ids are messages here; the jobs that run in this process have ids of their own (am.mapreduce.ids).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import field

from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.basics import Record


class TaskType(Enum):
    """TaskTypeProto on the wire."""

    MAP = 1
    REDUCE = 2


class TaskState(Enum):
    """TaskStateProto on the wire."""

    NEW = 1
    SCHEDULED = 2
    RUNNING = 3
    SUCCEEDED = 4
    FAILED = 5
    KILLED = 6


class Phase(Enum):
    """PhaseProto on the wire."""

    STARTING = 1
    MAP = 2
    SHUFFLE = 3
    SORT = 4
    REDUCE = 5
    CLEANUP = 6


class TaskAttemptState(Enum):
    """TaskAttemptStateProto on the wire."""

    NEW = 1
    STARTING = 2
    RUNNING = 3
    COMMIT_PENDING = 4
    SUCCEEDED = 5
    FAILED = 6
    KILLED = 7


class JobState(Enum):
    """JobStateProto on the wire."""

    NEW = 1
    INITED = 2
    RUNNING = 3
    SUCCEEDED = 4
    FAILED = 5
    KILLED = 6
    ERROR = 7


class TaskAttemptCompletionEventStatus(Enum):
    """TaskAttemptCompletionEventStatusProto on the wire."""

    FAILED = 1
    KILLED = 2
    SUCCEEDED = 3
    OBSOLETE = 4
    TIPFAILED = 5


class JobId(Record, frozen=True, kw_only=True):
    """JobIdProto of mr_protos.proto."""

    app_id: ApplicationId | None = None
    id: int | None = None


class TaskId(Record, frozen=True, kw_only=True):
    """TaskIdProto of mr_protos.proto."""

    job_id: JobId | None = None
    task_type: TaskType | None = None
    id: int | None = None


class TaskAttemptId(Record, frozen=True, kw_only=True):
    """TaskAttemptIdProto of mr_protos.proto."""

    task_id: TaskId | None = None
    id: int | None = None


class Counter(Record, frozen=True, kw_only=True):
    """CounterProto of mr_protos.proto."""

    name: str | None = None
    display_name: str | None = None
    value: int | None = None


class CounterGroup(Record, frozen=True, kw_only=True):
    """CounterGroupProto of mr_protos.proto."""

    name: str | None = None
    display_name: str | None = None
    counters: Mapping[str, Counter] = field(default_factory=dict)


class Counters(Record, frozen=True, kw_only=True):
    """CountersProto of mr_protos.proto."""

    counter_groups: Mapping[str, CounterGroup] = field(default_factory=dict)


class TaskReport(Record, frozen=True, kw_only=True):
    """TaskReportProto of mr_protos.proto."""

    task_id: TaskId | None = None
    task_state: TaskState | None = None
    progress: float | None = None
    start_time: int | None = None
    finish_time: int | None = None
    counters: Counters | None = None
    running_attempts: tuple[TaskAttemptId, ...] = ()
    successful_attempt: TaskAttemptId | None = None
    diagnostics: tuple[str, ...] = ()


class TaskAttemptReport(Record, frozen=True, kw_only=True):
    """TaskAttemptReportProto of mr_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None
    task_attempt_state: TaskAttemptState | None = None
    progress: float | None = None
    start_time: int | None = None
    finish_time: int | None = None
    counters: Counters | None = None
    diagnostic_info: str | None = None
    state_string: str | None = None
    phase: Phase | None = None
    shuffle_finish_time: int | None = None
    sort_finish_time: int | None = None
    node_manager_host: str | None = None
    node_manager_port: int | None = None
    node_manager_http_port: int | None = None
    container_id: ContainerId | None = None


class AMInfo(Record, frozen=True, kw_only=True):
    """AMInfoProto of mr_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None
    start_time: int | None = None
    container_id: ContainerId | None = None
    node_manager_host: str | None = None
    node_manager_port: int | None = None
    node_manager_http_port: int | None = None


class JobReport(Record, frozen=True, kw_only=True):
    """JobReportProto of mr_protos.proto."""

    job_id: JobId | None = None
    job_state: JobState | None = None
    map_progress: float | None = None
    reduce_progress: float | None = None
    cleanup_progress: float | None = None
    setup_progress: float | None = None
    start_time: int | None = None
    finish_time: int | None = None
    user: str | None = None
    job_name: str | None = None
    tracking_url: str | None = None
    diagnostics: str | None = None
    job_file: str | None = None
    am_infos: tuple[AMInfo, ...] = ()
    submit_time: int | None = None
    is_uber: bool = False
    job_priority: int | None = None
    history_file: str | None = None


class TaskAttemptCompletionEvent(Record, frozen=True, kw_only=True):
    """TaskAttemptCompletionEventProto of mr_protos.proto."""

    attempt_id: TaskAttemptId | None = None
    status: TaskAttemptCompletionEventStatus | None = None
    map_output_server_address: str | None = None
    attempt_run_time: int | None = None
    event_id: int | None = None


class GetJobReportRequest(Record, frozen=True, kw_only=True):
    """GetJobReportRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None


class GetJobReportResponse(Record, frozen=True, kw_only=True):
    """GetJobReportResponseProto of mr_service_protos.proto."""

    job_report: JobReport | None = None


class GetTaskReportRequest(Record, frozen=True, kw_only=True):
    """GetTaskReportRequestProto of mr_service_protos.proto."""

    task_id: TaskId | None = None


class GetTaskReportResponse(Record, frozen=True, kw_only=True):
    """GetTaskReportResponseProto of mr_service_protos.proto."""

    task_report: TaskReport | None = None


class GetTaskAttemptReportRequest(Record, frozen=True, kw_only=True):
    """GetTaskAttemptReportRequestProto of mr_service_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None


class GetTaskAttemptReportResponse(Record, frozen=True, kw_only=True):
    """GetTaskAttemptReportResponseProto of mr_service_protos.proto."""

    task_attempt_report: TaskAttemptReport | None = None


class GetCountersRequest(Record, frozen=True, kw_only=True):
    """GetCountersRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None


class GetCountersResponse(Record, frozen=True, kw_only=True):
    """GetCountersResponseProto of mr_service_protos.proto."""

    counters: Counters | None = None


class GetTaskAttemptCompletionEventsRequest(Record, frozen=True, kw_only=True):
    """GetTaskAttemptCompletionEventsRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None
    from_event_id: int | None = None
    max_events: int | None = None


class GetTaskAttemptCompletionEventsResponse(Record, frozen=True, kw_only=True):
    """GetTaskAttemptCompletionEventsResponseProto of mr_service_protos.proto."""

    completion_events: tuple[TaskAttemptCompletionEvent, ...] = ()


class GetTaskReportsRequest(Record, frozen=True, kw_only=True):
    """GetTaskReportsRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None
    task_type: TaskType | None = None


class GetTaskReportsResponse(Record, frozen=True, kw_only=True):
    """GetTaskReportsResponseProto of mr_service_protos.proto."""

    task_reports: tuple[TaskReport, ...] = ()


class GetDiagnosticsRequest(Record, frozen=True, kw_only=True):
    """GetDiagnosticsRequestProto of mr_service_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None


class GetDiagnosticsResponse(Record, frozen=True, kw_only=True):
    """GetDiagnosticsResponseProto of mr_service_protos.proto."""

    diagnostics: tuple[str, ...] = ()


class KillJobRequest(Record, frozen=True, kw_only=True):
    """KillJobRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None


class KillJobResponse(Record, frozen=True, kw_only=True):
    """KillJobResponseProto of mr_service_protos.proto."""


class KillTaskRequest(Record, frozen=True, kw_only=True):
    """KillTaskRequestProto of mr_service_protos.proto."""

    task_id: TaskId | None = None


class KillTaskResponse(Record, frozen=True, kw_only=True):
    """KillTaskResponseProto of mr_service_protos.proto."""


class KillTaskAttemptRequest(Record, frozen=True, kw_only=True):
    """KillTaskAttemptRequestProto of mr_service_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None


class KillTaskAttemptResponse(Record, frozen=True, kw_only=True):
    """KillTaskAttemptResponseProto of mr_service_protos.proto."""


class FailTaskAttemptRequest(Record, frozen=True, kw_only=True):
    """FailTaskAttemptRequestProto of mr_service_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None


class FailTaskAttemptResponse(Record, frozen=True, kw_only=True):
    """FailTaskAttemptResponseProto of mr_service_protos.proto."""
