"""Calls of ApplicationClientProtocol."""

from __future__ import annotations

from yarnbox.yarn.enums import ApplicationsRequestScope, NodeState, YarnApplicationState
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, ReservationId
from yarnbox.yarn.limits import Name
from yarnbox.yarn.records.application import (
    ApplicationAttemptReport,
    ApplicationReport,
    ApplicationSubmissionContext,
    ApplicationUpdateTimeoutMap,
)
from yarnbox.yarn.records.basics import Record, ResourceProfiles, ResourceTypeInfo
from yarnbox.yarn.records.container import ContainerReport
from yarnbox.yarn.records.node import (
    AttributeToNodes,
    LabelsToNodeIds,
    NodeAttributeInfo,
    NodeAttributeKey,
    NodeIdToLabels,
    NodeLabel,
    NodeReport,
    NodeToAttributes,
    YarnClusterMetrics,
)
from yarnbox.yarn.records.queue import QueueInfo, QueueUserACLInfo
from yarnbox.yarn.records.reservation import ReservationAllocationState, ReservationDefinition
from yarnbox.yarn.resources.resource import Resource


class GetApplicationsRequest(Record, frozen=True, kw_only=True):
    """GetApplicationsRequestProto of yarn_service_protos.proto."""

    application_types: tuple[str, ...] = ()  # case-insensitive
    application_states: tuple[YarnApplicationState, ...] = ()
    users: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    limit: int | None = None  # absent: no limit
    start_begin: int | None = None  # inclusive, ms
    start_end: int | None = None  # inclusive
    finish_begin: int | None = None
    finish_end: int | None = None
    application_tags: tuple[str, ...] = ()  # any one matches
    scope: ApplicationsRequestScope = ApplicationsRequestScope.ALL
    name: str | None = None  # exact


class GetQueueInfoRequest(Record, frozen=True, kw_only=True):
    """GetQueueInfoRequestProto of yarn_service_protos.proto."""

    queue_name: str | None = None
    include_applications: bool | None = None
    include_child_queues: bool | None = None
    recursive: bool | None = None


class ReservationSubmissionRequest(Record, frozen=True, kw_only=True):
    """ReservationSubmissionRequestProto of yarn_service_protos.proto."""

    queue: str | None = None  # plan queue
    reservation_definition: ReservationDefinition | None = None
    reservation_id: ReservationId | None = None  # from getNewReservation


class ReservationListRequest(Record, frozen=True, kw_only=True):
    """ReservationListRequestProto of yarn_service_protos.proto."""

    queue: str | None = None
    reservation_id: str | None = None  # as text
    start_time: int | None = None
    end_time: int | None = None
    include_resource_allocations: bool | None = None


class GetNewApplicationResponse(Record, frozen=True, kw_only=True):
    """GetNewApplicationResponseProto of yarn_service_protos.proto."""

    # fresh id: id counts from 1 per RM start, cluster_timestamp is the RM start time
    application_id: ApplicationId | None = None
    maximum_capability: Resource | None = None  # largest container the scheduler will grant now


class GetApplicationReportRequest(Record, frozen=True, kw_only=True):
    """GetApplicationReportRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId | None = None


class GetApplicationReportResponse(Record, frozen=True, kw_only=True):
    """GetApplicationReportResponseProto of yarn_service_protos.proto."""

    application_report: ApplicationReport | None = None


class SubmitApplicationRequest(Record, frozen=True, kw_only=True):
    """SubmitApplicationRequestProto of yarn_service_protos.proto."""

    application_submission_context: ApplicationSubmissionContext | None = None


class FailApplicationAttemptRequest(Record, frozen=True, kw_only=True):
    """FailApplicationAttemptRequestProto of yarn_service_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None


class KillApplicationRequest(Record, frozen=True, kw_only=True):
    """KillApplicationRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId | None = None
    diagnostics: str | None = None  # appended to the application diagnostics


class KillApplicationResponse(Record, frozen=True, kw_only=True):
    """KillApplicationResponseProto of yarn_service_protos.proto."""

    is_kill_completed: bool = False  # false: repeat the call until true (client sleeps 200 ms)


class GetClusterMetricsResponse(Record, frozen=True, kw_only=True):
    """GetClusterMetricsResponseProto of yarn_service_protos.proto."""

    cluster_metrics: YarnClusterMetrics | None = None


class MoveApplicationAcrossQueuesRequest(Record, frozen=True, kw_only=True):
    """MoveApplicationAcrossQueuesRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId
    target_queue: Name


class GetApplicationsResponse(Record, frozen=True, kw_only=True):
    """GetApplicationsResponseProto of yarn_service_protos.proto."""

    applications: tuple[ApplicationReport, ...] = ()


class GetClusterNodesRequest(Record, frozen=True, kw_only=True):
    """GetClusterNodesRequestProto of yarn_service_protos.proto."""

    node_states: tuple[NodeState, ...] = ()  # empty: every state


class GetClusterNodesResponse(Record, frozen=True, kw_only=True):
    """GetClusterNodesResponseProto of yarn_service_protos.proto."""

    node_reports: tuple[NodeReport, ...] = ()


class GetQueueInfoResponse(Record, frozen=True, kw_only=True):
    """GetQueueInfoResponseProto of yarn_service_protos.proto."""

    queue_info: QueueInfo | None = None


class GetQueueUserAclsInfoResponse(Record, frozen=True, kw_only=True):
    """GetQueueUserAclsInfoResponseProto of yarn_service_protos.proto."""

    queue_user_acls: tuple[QueueUserACLInfo, ...] = ()


class GetNodesToLabelsResponse(Record, frozen=True, kw_only=True):
    """GetNodesToLabelsResponseProto of yarn_service_protos.proto."""

    node_to_labels: tuple[NodeIdToLabels, ...] = ()


class GetLabelsToNodesRequest(Record, frozen=True, kw_only=True):
    """GetLabelsToNodesRequestProto of yarn_service_protos.proto."""

    node_labels: tuple[str, ...] = ()  # empty: all


class GetLabelsToNodesResponse(Record, frozen=True, kw_only=True):
    """GetLabelsToNodesResponseProto of yarn_service_protos.proto."""

    labels_to_nodes: tuple[LabelsToNodeIds, ...] = ()


class GetClusterNodeLabelsResponse(Record, frozen=True, kw_only=True):
    """GetClusterNodeLabelsResponseProto of yarn_service_protos.proto."""

    deprecated_node_labels: tuple[str, ...] = ()  # names only; for old clients
    node_labels: tuple[NodeLabel, ...] = ()


class GetClusterNodeAttributesResponse(Record, frozen=True, kw_only=True):
    """GetClusterNodeAttributesResponseProto of yarn_service_protos.proto."""

    node_attributes: tuple[NodeAttributeInfo, ...] = ()


class GetAttributesToNodesRequest(Record, frozen=True, kw_only=True):
    """GetAttributesToNodesRequestProto of yarn_service_protos.proto."""

    node_attributes: tuple[NodeAttributeKey, ...] = ()


class GetAttributesToNodesResponse(Record, frozen=True, kw_only=True):
    """GetAttributesToNodesResponseProto of yarn_service_protos.proto."""

    attributes_to_nodes: tuple[AttributeToNodes, ...] = ()


class GetNodesToAttributesRequest(Record, frozen=True, kw_only=True):
    """GetNodesToAttributesRequestProto of yarn_service_protos.proto."""

    hostnames: tuple[str, ...] = ()


class GetNodesToAttributesResponse(Record, frozen=True, kw_only=True):
    """GetNodesToAttributesResponseProto of yarn_service_protos.proto."""

    nodes_to_attributes: tuple[NodeToAttributes, ...] = ()


class UpdateApplicationPriorityRequest(Record, frozen=True, kw_only=True):
    """UpdateApplicationPriorityRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId
    application_priority: int


class UpdateApplicationPriorityResponse(Record, frozen=True, kw_only=True):
    """UpdateApplicationPriorityResponseProto of yarn_service_protos.proto."""

    application_priority: int | None = None  # the value in force (capped)


class UpdateApplicationTimeoutsRequest(Record, frozen=True, kw_only=True):
    """UpdateApplicationTimeoutsRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId
    application_timeouts: tuple[ApplicationUpdateTimeoutMap, ...] = ()


class UpdateApplicationTimeoutsResponse(Record, frozen=True, kw_only=True):
    """UpdateApplicationTimeoutsResponseProto of yarn_service_protos.proto."""

    application_timeouts: tuple[ApplicationUpdateTimeoutMap, ...] = ()


class GetAllResourceProfilesResponse(Record, frozen=True, kw_only=True):
    """GetAllResourceProfilesResponseProto of yarn_service_protos.proto."""

    resource_profiles: ResourceProfiles


class GetResourceProfileRequest(Record, frozen=True, kw_only=True):
    """GetResourceProfileRequestProto of yarn_service_protos.proto."""

    profile: str


class GetResourceProfileResponse(Record, frozen=True, kw_only=True):
    """GetResourceProfileResponseProto of yarn_service_protos.proto."""

    resources: Resource


class GetAllResourceTypeInfoResponse(Record, frozen=True, kw_only=True):
    """GetAllResourceTypeInfoResponseProto of yarn_service_protos.proto."""

    resource_type_info: tuple[ResourceTypeInfo, ...] = ()


class GetApplicationAttemptReportRequest(Record, frozen=True, kw_only=True):
    """GetApplicationAttemptReportRequestProto of yarn_service_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None


class GetApplicationAttemptReportResponse(Record, frozen=True, kw_only=True):
    """GetApplicationAttemptReportResponseProto of yarn_service_protos.proto."""

    application_attempt_report: ApplicationAttemptReport | None = None


class GetApplicationAttemptsRequest(Record, frozen=True, kw_only=True):
    """GetApplicationAttemptsRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId | None = None


class GetApplicationAttemptsResponse(Record, frozen=True, kw_only=True):
    """GetApplicationAttemptsResponseProto of yarn_service_protos.proto."""

    application_attempts: tuple[ApplicationAttemptReport, ...] = ()


class GetContainerReportRequest(Record, frozen=True, kw_only=True):
    """GetContainerReportRequestProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None


class GetContainerReportResponse(Record, frozen=True, kw_only=True):
    """GetContainerReportResponseProto of yarn_service_protos.proto."""

    container_report: ContainerReport | None = None


class GetContainersRequest(Record, frozen=True, kw_only=True):
    """GetContainersRequestProto of yarn_service_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None


class GetContainersResponse(Record, frozen=True, kw_only=True):
    """GetContainersResponseProto of yarn_service_protos.proto."""

    containers: tuple[ContainerReport, ...] = ()


class GetNewReservationResponse(Record, frozen=True, kw_only=True):
    """GetNewReservationResponseProto of yarn_service_protos.proto."""

    reservation_id: ReservationId | None = None


class ReservationUpdateRequest(Record, frozen=True, kw_only=True):
    """ReservationUpdateRequestProto of yarn_service_protos.proto."""

    reservation_definition: ReservationDefinition | None = None
    reservation_id: ReservationId | None = None


class ReservationDeleteRequest(Record, frozen=True, kw_only=True):
    """ReservationDeleteRequestProto of yarn_service_protos.proto."""

    reservation_id: ReservationId | None = None


class ReservationListResponse(Record, frozen=True, kw_only=True):
    """ReservationListResponseProto of yarn_service_protos.proto."""

    reservations: tuple[ReservationAllocationState, ...] = ()


class GetNewApplicationRequest(Record, frozen=True, kw_only=True):
    """GetNewApplicationRequestProto of yarn_service_protos.proto."""


class SubmitApplicationResponse(Record, frozen=True, kw_only=True):
    """SubmitApplicationResponseProto of yarn_service_protos.proto."""


class FailApplicationAttemptResponse(Record, frozen=True, kw_only=True):
    """FailApplicationAttemptResponseProto of yarn_service_protos.proto."""


class GetClusterMetricsRequest(Record, frozen=True, kw_only=True):
    """GetClusterMetricsRequestProto of yarn_service_protos.proto."""


class MoveApplicationAcrossQueuesResponse(Record, frozen=True, kw_only=True):
    """MoveApplicationAcrossQueuesResponseProto of yarn_service_protos.proto."""


class GetQueueUserAclsInfoRequest(Record, frozen=True, kw_only=True):
    """GetQueueUserAclsInfoRequestProto of yarn_service_protos.proto."""


class GetNodesToLabelsRequest(Record, frozen=True, kw_only=True):
    """GetNodesToLabelsRequestProto of yarn_service_protos.proto."""


class GetClusterNodeLabelsRequest(Record, frozen=True, kw_only=True):
    """GetClusterNodeLabelsRequestProto of yarn_service_protos.proto."""


class GetClusterNodeAttributesRequest(Record, frozen=True, kw_only=True):
    """GetClusterNodeAttributesRequestProto of yarn_service_protos.proto."""


class GetAllResourceProfilesRequest(Record, frozen=True, kw_only=True):
    """GetAllResourceProfilesRequestProto of yarn_service_protos.proto."""


class GetAllResourceTypeInfoRequest(Record, frozen=True, kw_only=True):
    """GetAllResourceTypeInfoRequestProto of yarn_service_protos.proto."""


class GetNewReservationRequest(Record, frozen=True, kw_only=True):
    """GetNewReservationRequestProto of yarn_service_protos.proto."""


class ReservationSubmissionResponse(Record, frozen=True, kw_only=True):
    """ReservationSubmissionResponseProto of yarn_service_protos.proto."""


class ReservationUpdateResponse(Record, frozen=True, kw_only=True):
    """ReservationUpdateResponseProto of yarn_service_protos.proto."""


class ReservationDeleteResponse(Record, frozen=True, kw_only=True):
    """ReservationDeleteResponseProto of yarn_service_protos.proto."""
