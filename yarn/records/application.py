"""Applications and attempts: the submission context and the reports."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from yarnbox.yarn.enums import (
    ApplicationTimeoutType,
    FinalApplicationStatus,
    LogAggregationStatus,
    YarnApplicationAttemptState,
    YarnApplicationState,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, ReservationId
from yarnbox.yarn.limits import Name
from yarnbox.yarn.records.basics import LogAggregationContext, Record
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource


class ApplicationResourceUsageReport(Record, frozen=True, kw_only=True):
    """ApplicationResourceUsageReportProto of yarn_protos.proto."""

    num_used_containers: int | None = None  # -1 when unknown
    num_reserved_containers: int | None = None
    used_resources: Resource | None = None
    reserved_resources: Resource | None = None
    needed_resources: Resource | None = None  # used + reserved
    memory_seconds: int | None = None  # MiB x s, summed over finished and live containers
    vcore_seconds: int | None = None
    queue_usage_percentage: float | None = None
    cluster_usage_percentage: float | None = None
    preempted_memory_seconds: int | None = None  # share of it lost to preemption
    preempted_vcore_seconds: int | None = None
    # the same per resource type
    application_resource_usage_map: Mapping[str, int] = field(default_factory=dict)
    application_preempted_resource_usage_map: Mapping[str, int] = field(default_factory=dict)


class ApplicationReport(Record, frozen=True, kw_only=True):
    """ApplicationReportProto of yarn_protos.proto."""

    application_id: ApplicationId | None = None
    user: str | None = None
    queue: str | None = None
    name: str | None = None
    host: str | None = None  # AM host; "N/A" before registration and after a failed or killed attempt
    rpc_port: int | None = None  # AM port; -1 likewise
    client_to_am_token: Token | None = None  # only in secure mode
    yarn_application_state: YarnApplicationState | None = None
    tracking_url: str | None = None  # proxied URL (unmanaged AM: the original one)
    diagnostics: str = "N/A"
    start_time: int | None = None  # ms; time the RM created the application
    finish_time: int | None = None  # ms; 0 while it runs
    # APP_UNDEFINED until the AM or the RM decides
    final_application_status: FinalApplicationStatus | None = None
    app_resource_usage: ApplicationResourceUsageReport | None = None
    original_tracking_url: str | None = None  # URL that the AM gave
    current_application_attempt_id: ApplicationAttemptId | None = None  # attempt -1 when none exists yet
    progress: float | None = None  # 0.0 to 1.0
    application_type: str | None = None
    am_rm_token: Token | None = None  # only for an unmanaged AM in state LAUNCHED and only to its owner
    application_tags: tuple[str, ...] = ()
    log_aggregation_status: LogAggregationStatus | None = None
    unmanaged_application: bool = False
    priority: int | None = None
    app_node_label_expression: str | None = None  # "<Not set>" or "<DEFAULT_PARTITION>" for null and empty
    am_node_label_expression: str | None = None  # same; unset for an unmanaged AM
    app_timeouts: tuple[AppTimeoutsMap, ...] = ()
    launch_time: int | None = None  # ms; first LAUNCHED of any attempt
    submit_time: int | None = None  # ms


class ApplicationTimeout(Record, frozen=True, kw_only=True):
    """ApplicationTimeoutProto of yarn_protos.proto."""

    application_timeout_type: ApplicationTimeoutType
    expire_time: str | None = None  # ISO 8601 or "UNLIMITED"
    remaining_time: int | None = None  # seconds; -1 unlimited; 0 once completed


class ApplicationAttemptReport(Record, frozen=True, kw_only=True):
    """ApplicationAttemptReportProto of yarn_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None
    host: str | None = None
    rpc_port: int | None = None
    tracking_url: str | None = None  # proxied
    diagnostics: str = "N/A"
    yarn_application_attempt_state: YarnApplicationAttemptState | None = None
    am_container_id: ContainerId | None = None
    original_tracking_url: str | None = None
    start_time: int | None = None  # ms
    finish_time: int | None = None  # ms


class ApplicationSubmissionContext(Record, frozen=True, kw_only=True):
    """ApplicationSubmissionContextProto of yarn_protos.proto."""

    application_id: ApplicationId | None = None  # must come from getNewApplication
    application_name: Name = "N/A"
    queue: Name = "default"
    priority: int | None = None  # application priority: a LARGER number is more important
    am_container_spec: ContainerLaunchContext | None = None
    cancel_tokens_when_complete: bool = True
    unmanaged_am: bool = False
    max_app_attempts: int = 0  # 0: use the RM default
    resource: Resource | None = None  # AM container, used if 17 is empty
    application_type: Name = "YARN"  # cut to 20 characters
    keep_containers_across_application_attempts: bool = False
    application_tags: tuple[Name, ...] = ()  # at most 10, each at most 100 ASCII characters
    attempt_failures_validity_interval: int = -1  # ms; <= 0: count failures for ever
    log_aggregation_context: LogAggregationContext | None = None
    reservation_id: ReservationId | None = None
    node_label_expression: Name | None = None  # default label of the application
    # AM requests; exactly one must name "*"; the others take its capability
    am_container_resource_request: tuple[ResourceRequest, ...] = ()
    application_timeouts: tuple[ApplicationTimeoutMap, ...] = ()
    # scheduling hints (placement allocator class and so on)
    application_scheduling_properties: Mapping[str, str] = field(default_factory=dict)


class AppTimeoutsMap(Record, frozen=True, kw_only=True):
    """AppTimeoutsMapProto of yarn_protos.proto."""

    application_timeout_type: ApplicationTimeoutType | None = None
    application_timeout: ApplicationTimeout | None = None


class ApplicationTimeoutMap(Record, frozen=True, kw_only=True):
    """ApplicationTimeoutMapProto of yarn_protos.proto."""

    application_timeout_type: ApplicationTimeoutType | None = None
    timeout: int | None = None  # seconds from submission; must be > 0


class ApplicationUpdateTimeoutMap(Record, frozen=True, kw_only=True):
    """ApplicationUpdateTimeoutMapProto of yarn_protos.proto."""

    application_timeout_type: ApplicationTimeoutType | None = None
    expire_time: str | None = None  # yyyy-MM-dd'T'HH:mm:ss.SSSZ, not in the past
