"""What a job's clients ask its AM, and are answered: calls of MRClientProtocol.

The ids are messages here; the jobs that run in this process have ids of their own (am.mapreduce.ids).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.basics import record


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


@record
class JobId:
    """JobIdProto of mr_protos.proto."""

    app_id: ApplicationId | None = None
    id: int | None = None


@record
class TaskId:
    """TaskIdProto of mr_protos.proto."""

    job_id: JobId | None = None
    task_type: TaskType | None = None
    id: int | None = None


@record
class TaskAttemptId:
    """TaskAttemptIdProto of mr_protos.proto."""

    task_id: TaskId | None = None
    id: int | None = None


@record
class Counter:
    """CounterProto of mr_protos.proto."""

    name: str | None = None
    display_name: str | None = None
    value: int | None = None


@record
class CounterGroup:
    """CounterGroupProto of mr_protos.proto."""

    name: str | None = None
    display_name: str | None = None
    counters: Mapping[str, Counter] = field(default_factory=dict)


@record
class Counters:
    """CountersProto of mr_protos.proto."""

    counter_groups: Mapping[str, CounterGroup] = field(default_factory=dict)


@record
class TaskReport:
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


@record
class TaskAttemptReport:
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


@record
class AMInfo:
    """AMInfoProto of mr_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None
    start_time: int | None = None
    container_id: ContainerId | None = None
    node_manager_host: str | None = None
    node_manager_port: int | None = None
    node_manager_http_port: int | None = None


@record
class JobReport:
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


@record
class TaskAttemptCompletionEvent:
    """TaskAttemptCompletionEventProto of mr_protos.proto."""

    attempt_id: TaskAttemptId | None = None
    status: TaskAttemptCompletionEventStatus | None = None
    map_output_server_address: str | None = None
    attempt_run_time: int | None = None
    event_id: int | None = None


@record
class GetJobReportRequest:
    """GetJobReportRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None


@record
class GetJobReportResponse:
    """GetJobReportResponseProto of mr_service_protos.proto."""

    job_report: JobReport | None = None


@record
class GetTaskReportRequest:
    """GetTaskReportRequestProto of mr_service_protos.proto."""

    task_id: TaskId | None = None


@record
class GetTaskReportResponse:
    """GetTaskReportResponseProto of mr_service_protos.proto."""

    task_report: TaskReport | None = None


@record
class GetTaskAttemptReportRequest:
    """GetTaskAttemptReportRequestProto of mr_service_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None


@record
class GetTaskAttemptReportResponse:
    """GetTaskAttemptReportResponseProto of mr_service_protos.proto."""

    task_attempt_report: TaskAttemptReport | None = None


@record
class GetCountersRequest:
    """GetCountersRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None


@record
class GetCountersResponse:
    """GetCountersResponseProto of mr_service_protos.proto."""

    counters: Counters | None = None


@record
class GetTaskAttemptCompletionEventsRequest:
    """GetTaskAttemptCompletionEventsRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None
    from_event_id: int | None = None
    max_events: int | None = None


@record
class GetTaskAttemptCompletionEventsResponse:
    """GetTaskAttemptCompletionEventsResponseProto of mr_service_protos.proto."""

    completion_events: tuple[TaskAttemptCompletionEvent, ...] = ()


@record
class GetTaskReportsRequest:
    """GetTaskReportsRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None
    task_type: TaskType | None = None


@record
class GetTaskReportsResponse:
    """GetTaskReportsResponseProto of mr_service_protos.proto."""

    task_reports: tuple[TaskReport, ...] = ()


@record
class GetDiagnosticsRequest:
    """GetDiagnosticsRequestProto of mr_service_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None


@record
class GetDiagnosticsResponse:
    """GetDiagnosticsResponseProto of mr_service_protos.proto."""

    diagnostics: tuple[str, ...] = ()


@record
class KillJobRequest:
    """KillJobRequestProto of mr_service_protos.proto."""

    job_id: JobId | None = None


@record
class KillJobResponse:
    """KillJobResponseProto of mr_service_protos.proto."""


@record
class KillTaskRequest:
    """KillTaskRequestProto of mr_service_protos.proto."""

    task_id: TaskId | None = None


@record
class KillTaskResponse:
    """KillTaskResponseProto of mr_service_protos.proto."""


@record
class KillTaskAttemptRequest:
    """KillTaskAttemptRequestProto of mr_service_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None


@record
class KillTaskAttemptResponse:
    """KillTaskAttemptResponseProto of mr_service_protos.proto."""


@record
class FailTaskAttemptRequest:
    """FailTaskAttemptRequestProto of mr_service_protos.proto."""

    task_attempt_id: TaskAttemptId | None = None


@record
class FailTaskAttemptResponse:
    """FailTaskAttemptResponseProto of mr_service_protos.proto."""
