"""Calls of ApplicationMasterProtocol."""

from __future__ import annotations

from yarnbox.yarn.enums import (
    AMCommand,
    ContainerUpdateType,
    ExecutionType,
    FinalApplicationStatus,
    SchedulerResourceTypes,
)
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.limits import Name, Port, Progress
from yarnbox.yarn.records.basics import Record, ResourceProfiles, ResourceTypeInfo
from yarnbox.yarn.records.container import ApplicationACLMap, Container, ContainerStatus
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.records.request import (
    PlacementConstraintMapEntry,
    PreemptionMessage,
    RejectedSchedulingRequest,
    ResourceBlacklistRequest,
    ResourceRequest,
    SchedulingRequest,
)
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource


class RegisterApplicationMasterRequest(Record, frozen=True, kw_only=True):
    """RegisterApplicationMasterRequestProto of yarn_service_protos.proto."""

    host: Name | None = None
    rpc_port: Port | None = None  # -1: none
    tracking_url: Name | None = None
    placement_constraints: tuple[PlacementConstraintMapEntry, ...] = ()  # per set of allocation tags


class RegisterApplicationMasterResponse(Record, frozen=True, kw_only=True):
    """RegisterApplicationMasterResponseProto of yarn_service_protos.proto."""

    maximum_capability: Resource | None = None
    client_to_am_token_master_key: bytes | None = None  # secure mode only
    application_acls: tuple[ApplicationACLMap, ...] = ()
    # live RUNNING containers of earlier attempts (keep-containers)
    containers_from_previous_attempts: tuple[Container, ...] = ()
    queue: str | None = None
    nm_tokens_from_previous_attempts: tuple[NMToken, ...] = ()  # NM tokens for their nodes
    # which types the scheduler looks at: MEMORY alone, or MEMORY and CPU
    scheduler_resource_types: tuple[SchedulerResourceTypes, ...] = ()
    resource_profiles: ResourceProfiles | None = None
    resource_types: tuple[ResourceTypeInfo, ...] = ()


class FinishApplicationMasterRequest(Record, frozen=True, kw_only=True):
    """FinishApplicationMasterRequestProto of yarn_service_protos.proto."""

    diagnostics: str | None = None
    tracking_url: Name | None = None  # final (history) URL
    final_application_status: FinalApplicationStatus | None = None


class UpdateContainerRequest(Record, frozen=True, kw_only=True):
    """UpdateContainerRequestProto of yarn_service_protos.proto."""

    container_version: int  # must equal the current version
    container_id: ContainerId
    update_type: ContainerUpdateType
    capability: Resource | None = None  # target, for the two resource types of update
    execution_type: ExecutionType | None = None  # target, for the other two


class UpdateContainerError(Record, frozen=True, kw_only=True):
    """UpdateContainerErrorProto of yarn_service_protos.proto."""

    # INVALID_CONTAINER_ID, INCORRECT_CONTAINER_VERSION_ERROR, UPDATE_OUTSTANDING_ERROR,
    # RESOURCE_OUTSIDE_ALLOWED_RANGE
    reason: str | None = None
    update_request: UpdateContainerRequest | None = None
    current_container_version: int | None = None  # -1 when the container is unknown


class AllocateRequest(Record, frozen=True, kw_only=True):
    """AllocateRequestProto of yarn_service_protos.proto."""

    ask: tuple[ResourceRequest, ...] = ()
    release: tuple[ContainerId, ...] = ()
    blacklist_request: ResourceBlacklistRequest | None = None
    response_id: int | None = None  # last one received; 0 in the first call after registration
    progress: Progress | None = None
    update_requests: tuple[UpdateContainerRequest, ...] = ()
    scheduling_requests: tuple[SchedulingRequest, ...] = ()  # placement-constraint requests
    tracking_url: Name | None = None  # new tracking URL, if changed


class AllocateResponse(Record, frozen=True, kw_only=True):
    """AllocateResponseProto of yarn_service_protos.proto."""

    a_m_command: AMCommand | None = None  # legacy; 3.x RMs throw instead (see lifecycle.md)
    response_id: int | None = None
    allocated_containers: tuple[Container, ...] = ()
    completed_container_statuses: tuple[ContainerStatus, ...] = ()
    limit: Resource | None = None  # headroom
    updated_nodes: tuple[NodeReport, ...] = ()  # nodes whose usability changed since the last call
    num_cluster_nodes: int | None = None
    preempt: PreemptionMessage | None = None
    nm_tokens: tuple[NMToken, ...] = ()  # only for nodes not yet covered
    am_rm_token: Token | None = None  # only after a key roll
    application_priority: int | None = None
    update_errors: tuple[UpdateContainerError, ...] = ()
    updated_containers: tuple[UpdatedContainer, ...] = ()
    containers_from_previous_attempts: tuple[Container, ...] = ()  # recovered after the AM registered
    rejected_scheduling_requests: tuple[RejectedSchedulingRequest, ...] = ()
    enhanced_headroom: EnhancedHeadroom | None = None


class FinishApplicationMasterResponse(Record, frozen=True, kw_only=True):
    """FinishApplicationMasterResponseProto of yarn_service_protos.proto."""

    is_unregistered: bool = False  # false: call again (client sleeps 100 ms)


class NMToken(Record, frozen=True, kw_only=True):
    """NMTokenProto of yarn_service_protos.proto."""

    node_id: NodeId | None = None
    token: Token | None = None  # sent once per (attempt, node)


class UpdatedContainer(Record, frozen=True, kw_only=True):
    """UpdatedContainerProto of yarn_service_protos.proto."""

    update_type: ContainerUpdateType
    container: Container


class EnhancedHeadroom(Record, frozen=True, kw_only=True):
    """EnhancedHeadroomProto of yarn_service_protos.proto."""

    total_pending_count: int | None = None  # pending containers in the cluster
    total_active_cores: int | None = None  # allocated + available vcores
