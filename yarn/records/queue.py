"""Queues as clients see them."""

from __future__ import annotations

from yarnbox.yarn.enums import QueueACL, QueueState
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.resources.resource import Resource


class QueueStatistics(Record, frozen=True, kw_only=True):
    """QueueStatisticsProto of yarn_protos.proto."""

    num_apps_submitted: int | None = None
    num_apps_running: int | None = None
    num_apps_pending: int | None = None
    num_apps_completed: int | None = None
    num_apps_killed: int | None = None
    num_apps_failed: int | None = None
    num_active_users: int | None = None
    available_memory_mb: int | None = None
    allocated_memory_mb: int | None = None
    pending_memory_mb: int | None = None
    reserved_memory_mb: int | None = None
    available_vcores: int | None = None
    allocated_vcores: int | None = None
    pending_vcores: int | None = None
    reserved_vcores: int | None = None
    allocated_containers: int | None = None
    pending_containers: int | None = None
    reserved_containers: int | None = None


class QueueInfo(Record, frozen=True, kw_only=True):
    """QueueInfoProto of yarn_protos.proto."""

    queue_name: str | None = None  # short name
    capacity: float | None = None  # 0.0 to 1.0 of the parent; FairScheduler: fraction of the cluster share
    maximum_capacity: float | None = None  # 0.0 to 1.0
    current_capacity: float | None = None  # used / capacity of the queue
    state: QueueState | None = None
    child_queues: tuple[QueueInfo, ...] = ()
    applications: tuple[ApplicationReport, ...] = ()
    accessible_node_labels: tuple[str, ...] = ()
    default_node_label_expression: str | None = None
    queue_statistics: QueueStatistics | None = None
    preemption_disabled: bool | None = None
    queue_configurations_map: tuple[QueueConfigurationsMap, ...] = ()  # per partition
    intra_queue_preemption_disabled: bool | None = None
    weight: float | None = None
    queue_path: str | None = None  # full path
    max_parallel_apps: int | None = None
    scheduler_type: str | None = None
    min_resource_vcore: int | None = None  # 18 to 25: FairScheduler
    min_resource_memory: int | None = None
    max_resource_vcore: int | None = None
    max_resource_memory: int | None = None
    reserved_resource_vcore: int | None = None
    reserved_resource_memory: int | None = None
    steady_fair_share_vcore: int | None = None
    steady_fair_share_memory: int | None = None
    max_running_app: int | None = None


class QueueConfigurations(Record, frozen=True, kw_only=True):
    """QueueConfigurationsProto of yarn_protos.proto."""

    capacity: float | None = None
    absolute_capacity: float | None = None
    max_capacity: float | None = None
    absolute_max_capacity: float | None = None
    max_ampercentage: float | None = None
    effective_min_capacity: Resource | None = None
    effective_max_capacity: Resource | None = None
    configured_min_capacity: Resource | None = None
    configured_max_capacity: Resource | None = None


class QueueConfigurationsMap(Record, frozen=True, kw_only=True):
    """QueueConfigurationsMapProto of yarn_protos.proto."""

    partition_name: str  # "" is the default partition
    queue_configurations: QueueConfigurations | None = None


class QueueUserACLInfo(Record, frozen=True, kw_only=True):
    """QueueUserACLInfoProto of yarn_protos.proto."""

    queue_name: str | None = None
    user_acls: tuple[QueueACL, ...] = ()
