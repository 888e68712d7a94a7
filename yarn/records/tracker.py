"""Calls of ResourceTracker: registration and heartbeat of a NodeManager."""

from __future__ import annotations

from yarnbox.yarn.enums import ContainerState, ExecutionType, LogAggregationStatus, NodeAction
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.limits import Capacity, Moment, Name, Port
from yarnbox.yarn.records.basics import Record, ResourceUtilization
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.records.management import SignalContainerRequest
from yarnbox.yarn.records.node import NodeAttribute, NodeLabel
from yarnbox.yarn.resources.resource import Resource


class NodeStatus(Record, frozen=True, kw_only=True):
    """NodeStatusProto of yarn_server_common_protos.proto."""

    node_id: NodeId | None = None
    response_id: int | None = None  # last one received; 0 after registration
    # all not yet acknowledged: running ones every time, completed ones until sent once
    containers_statuses: tuple[ContainerStatus, ...] = ()
    node_health_status: NodeHealthStatus | None = None
    # finished applications whose tokens are still needed
    keep_alive_applications: tuple[ApplicationId, ...] = ()
    containers_utilization: ResourceUtilization | None = None
    node_utilization: ResourceUtilization | None = None
    increased_containers: tuple[Container, ...] = ()  # container updates now in force
    opportunistic_containers_status: OpportunisticContainersStatus | None = None


class OpportunisticContainersStatus(Record, frozen=True, kw_only=True):
    """OpportunisticContainersStatusProto of yarn_server_common_protos.proto."""

    running_opport_containers: int | None = None
    opport_memory_used: int | None = None
    opport_cores_used: int | None = None
    queued_opport_containers: int | None = None
    wait_queue_length: int | None = None
    estimated_queue_wait_time: int | None = None  # ms; -1 unknown
    opport_queue_capacity: int | None = None


class NodeHealthStatus(Record, frozen=True, kw_only=True):
    """NodeHealthStatusProto of yarn_server_common_protos.proto."""

    is_node_healthy: bool | None = None
    health_report: str | None = None
    last_health_report_time: Moment | None = None  # ms


class RegisterNodeManagerRequest(Record, frozen=True, kw_only=True):
    """RegisterNodeManagerRequestProto of yarn_server_common_service_protos.proto."""

    node_id: NodeId | None = None
    http_port: Port | None = None
    resource: Capacity | None = None  # capacity offered
    nm_version: Name | None = None
    container_statuses: tuple[NMContainerStatus, ...] = ()  # every container the NM knows, for recovery
    running_applications: tuple[ApplicationId, ...] = ()
    node_labels: NodeLabels | None = None  # distributed labels only; absent: no report
    physical_resource: Capacity | None = None
    log_aggregation_reports_for_apps: tuple[LogAggregationReport, ...] = ()
    node_attributes: NodeAttributes | None = None
    node_status: NodeStatus | None = None  # health at registration


class RegisterNodeManagerResponse(Record, frozen=True, kw_only=True):
    """RegisterNodeManagerResponseProto of yarn_server_common_service_protos.proto."""

    container_token_master_key: MasterKey | None = None
    nm_token_master_key: MasterKey | None = None
    node_action: NodeAction | None = None
    rm_identifier: int | None = None  # RM start time; container tokens must carry it
    diagnostics_message: str | None = None
    rm_version: str | None = None
    are_node_labels_accepted_by_rm: bool = False
    resource: Resource | None = None  # set when the RM overrides the capacity
    are_node_attributes_accepted_by_rm: bool = False


class NodeHeartbeatRequest(Record, frozen=True, kw_only=True):
    """NodeHeartbeatRequestProto of yarn_server_common_service_protos.proto."""

    node_status: NodeStatus | None = None
    # lets the RM send a key only when it rolled
    last_known_container_token_master_key: MasterKey | None = None
    last_known_nm_token_master_key: MasterKey | None = None
    node_labels: NodeLabels | None = None
    log_aggregation_reports_for_apps: tuple[LogAggregationReport, ...] = ()
    node_attributes: NodeAttributes | None = None
    token_sequence_no: int | None = None  # last seen; RM sends credentials only when it moved


class LogAggregationReport(Record, frozen=True, kw_only=True):
    """LogAggregationReportProto of yarn_server_common_service_protos.proto."""

    application_id: ApplicationId | None = None
    log_aggregation_status: LogAggregationStatus | None = None
    diagnostics: str = "N/A"


class NodeHeartbeatResponse(Record, frozen=True, kw_only=True):
    """NodeHeartbeatResponseProto of yarn_server_common_service_protos.proto."""

    response_id: int | None = None
    container_token_master_key: MasterKey | None = None  # on a roll only
    nm_token_master_key: MasterKey | None = None
    node_action: NodeAction | None = None
    containers_to_cleanup: tuple[ContainerId, ...] = ()  # kill these
    # finished: kill the rest, clean up, aggregate logs
    applications_to_cleanup: tuple[ApplicationId, ...] = ()
    next_heart_beat_interval: int | None = None  # ms
    diagnostics_message: str | None = None
    # completions that the AM has taken: forget them
    containers_to_be_removed_from_nm: tuple[ContainerId, ...] = ()
    system_credentials_for_apps: tuple[SystemCredentialsForApps, ...] = ()
    are_node_labels_accepted_by_rm: bool = False
    containers_to_decrease: tuple[Container, ...] = ()  # legacy twin of 17 for decreases
    containers_to_signal: tuple[SignalContainerRequest, ...] = ()
    resource: Resource | None = None  # new capacity, when an administrator changed it
    container_queuing_limit: ContainerQueuingLimit | None = None
    containers_to_update: tuple[Container, ...] = ()
    are_node_attributes_accepted_by_rm: bool = False
    token_sequence_no: int | None = None


class NMContainerStatus(Record, frozen=True, kw_only=True):
    """NMContainerStatusProto of yarn_server_common_service_protos.proto."""

    container_id: ContainerId
    container_state: ContainerState | None = None
    resource: Capacity | None = None
    priority: int | None = None
    diagnostics: str = "N/A"
    container_exit_status: int | None = None
    creation_time: Moment | None = None  # ms
    node_label_expression: Name | None = None
    version: int | None = None
    execution_type: ExecutionType = ExecutionType.GUARANTEED
    allocation_request_id: int = -1
    allocation_tags: tuple[Name, ...] = ()


class MasterKey(Record, frozen=True, kw_only=True):
    """MasterKeyProto of yarn_server_common_protos.proto."""

    key_id: int | None = None
    bytes_: bytes | None = None  # HMAC key


class NodeLabels(Record, frozen=True, kw_only=True):
    """NodeLabelsProto of yarn_server_common_service_protos.proto."""

    node_labels: tuple[NodeLabel, ...] = ()


class NodeAttributes(Record, frozen=True, kw_only=True):
    """NodeAttributesProto of yarn_server_common_service_protos.proto."""

    node_attributes: tuple[NodeAttribute, ...] = ()


class UnRegisterNodeManagerRequest(Record, frozen=True, kw_only=True):
    """UnRegisterNodeManagerRequestProto of yarn_server_common_service_protos.proto."""

    node_id: NodeId | None = None


class ContainerQueuingLimit(Record, frozen=True, kw_only=True):
    """ContainerQueuingLimitProto of yarn_server_common_service_protos.proto."""

    max_queue_length: int | None = None
    max_queue_wait_time_in_ms: int | None = None


class SystemCredentialsForApps(Record, frozen=True, kw_only=True):
    """SystemCredentialsForAppsProto of yarn_server_common_service_protos.proto."""

    app_id: ApplicationId | None = None
    credentials_for_app: bytes | None = None


class UnRegisterNodeManagerResponse(Record, frozen=True, kw_only=True):
    """UnRegisterNodeManagerResponseProto of yarn_server_common_service_protos.proto."""
