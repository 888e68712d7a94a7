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
from yarnbox.yarn.records.basics import ResourceProfiles, ResourceTypeInfo, record
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


@record
class GetApplicationsRequest:
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


@record
class GetQueueInfoRequest:
    """GetQueueInfoRequestProto of yarn_service_protos.proto."""

    queue_name: str | None = None
    include_applications: bool | None = None
    include_child_queues: bool | None = None
    recursive: bool | None = None


@record
class ReservationSubmissionRequest:
    """ReservationSubmissionRequestProto of yarn_service_protos.proto."""

    queue: str | None = None  # plan queue
    reservation_definition: ReservationDefinition | None = None
    reservation_id: ReservationId | None = None  # from getNewReservation


@record
class ReservationListRequest:
    """ReservationListRequestProto of yarn_service_protos.proto."""

    queue: str | None = None
    reservation_id: str | None = None  # as text
    start_time: int | None = None
    end_time: int | None = None
    include_resource_allocations: bool | None = None


@record
class GetNewApplicationResponse:
    """GetNewApplicationResponseProto of yarn_service_protos.proto."""

    # fresh id: id counts from 1 per RM start, cluster_timestamp is the RM start time
    application_id: ApplicationId | None = None
    maximum_capability: Resource | None = None  # largest container the scheduler will grant now


@record
class GetApplicationReportRequest:
    """GetApplicationReportRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId | None = None


@record
class GetApplicationReportResponse:
    """GetApplicationReportResponseProto of yarn_service_protos.proto."""

    application_report: ApplicationReport | None = None


@record
class SubmitApplicationRequest:
    """SubmitApplicationRequestProto of yarn_service_protos.proto."""

    application_submission_context: ApplicationSubmissionContext | None = None


@record
class FailApplicationAttemptRequest:
    """FailApplicationAttemptRequestProto of yarn_service_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None


@record
class KillApplicationRequest:
    """KillApplicationRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId | None = None
    diagnostics: str | None = None  # appended to the application diagnostics


@record
class KillApplicationResponse:
    """KillApplicationResponseProto of yarn_service_protos.proto."""

    is_kill_completed: bool = False  # false: repeat the call until true (client sleeps 200 ms)


@record
class GetClusterMetricsResponse:
    """GetClusterMetricsResponseProto of yarn_service_protos.proto."""

    cluster_metrics: YarnClusterMetrics | None = None


@record
class MoveApplicationAcrossQueuesRequest:
    """MoveApplicationAcrossQueuesRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId
    target_queue: Name


@record
class GetApplicationsResponse:
    """GetApplicationsResponseProto of yarn_service_protos.proto."""

    applications: tuple[ApplicationReport, ...] = ()


@record
class GetClusterNodesRequest:
    """GetClusterNodesRequestProto of yarn_service_protos.proto."""

    node_states: tuple[NodeState, ...] = ()  # empty: every state


@record
class GetClusterNodesResponse:
    """GetClusterNodesResponseProto of yarn_service_protos.proto."""

    node_reports: tuple[NodeReport, ...] = ()


@record
class GetQueueInfoResponse:
    """GetQueueInfoResponseProto of yarn_service_protos.proto."""

    queue_info: QueueInfo | None = None


@record
class GetQueueUserAclsInfoResponse:
    """GetQueueUserAclsInfoResponseProto of yarn_service_protos.proto."""

    queue_user_acls: tuple[QueueUserACLInfo, ...] = ()


@record
class GetNodesToLabelsResponse:
    """GetNodesToLabelsResponseProto of yarn_service_protos.proto."""

    node_to_labels: tuple[NodeIdToLabels, ...] = ()


@record
class GetLabelsToNodesRequest:
    """GetLabelsToNodesRequestProto of yarn_service_protos.proto."""

    node_labels: tuple[str, ...] = ()  # empty: all


@record
class GetLabelsToNodesResponse:
    """GetLabelsToNodesResponseProto of yarn_service_protos.proto."""

    labels_to_nodes: tuple[LabelsToNodeIds, ...] = ()


@record
class GetClusterNodeLabelsResponse:
    """GetClusterNodeLabelsResponseProto of yarn_service_protos.proto."""

    deprecated_node_labels: tuple[str, ...] = ()  # names only; for old clients
    node_labels: tuple[NodeLabel, ...] = ()


@record
class GetClusterNodeAttributesResponse:
    """GetClusterNodeAttributesResponseProto of yarn_service_protos.proto."""

    node_attributes: tuple[NodeAttributeInfo, ...] = ()


@record
class GetAttributesToNodesRequest:
    """GetAttributesToNodesRequestProto of yarn_service_protos.proto."""

    node_attributes: tuple[NodeAttributeKey, ...] = ()


@record
class GetAttributesToNodesResponse:
    """GetAttributesToNodesResponseProto of yarn_service_protos.proto."""

    attributes_to_nodes: tuple[AttributeToNodes, ...] = ()


@record
class GetNodesToAttributesRequest:
    """GetNodesToAttributesRequestProto of yarn_service_protos.proto."""

    hostnames: tuple[str, ...] = ()


@record
class GetNodesToAttributesResponse:
    """GetNodesToAttributesResponseProto of yarn_service_protos.proto."""

    nodes_to_attributes: tuple[NodeToAttributes, ...] = ()


@record
class UpdateApplicationPriorityRequest:
    """UpdateApplicationPriorityRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId
    application_priority: int


@record
class UpdateApplicationPriorityResponse:
    """UpdateApplicationPriorityResponseProto of yarn_service_protos.proto."""

    application_priority: int | None = None  # the value in force (capped)


@record
class UpdateApplicationTimeoutsRequest:
    """UpdateApplicationTimeoutsRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId
    application_timeouts: tuple[ApplicationUpdateTimeoutMap, ...] = ()


@record
class UpdateApplicationTimeoutsResponse:
    """UpdateApplicationTimeoutsResponseProto of yarn_service_protos.proto."""

    application_timeouts: tuple[ApplicationUpdateTimeoutMap, ...] = ()


@record
class GetAllResourceProfilesResponse:
    """GetAllResourceProfilesResponseProto of yarn_service_protos.proto."""

    resource_profiles: ResourceProfiles


@record
class GetResourceProfileRequest:
    """GetResourceProfileRequestProto of yarn_service_protos.proto."""

    profile: str


@record
class GetResourceProfileResponse:
    """GetResourceProfileResponseProto of yarn_service_protos.proto."""

    resources: Resource


@record
class GetAllResourceTypeInfoResponse:
    """GetAllResourceTypeInfoResponseProto of yarn_service_protos.proto."""

    resource_type_info: tuple[ResourceTypeInfo, ...] = ()


@record
class GetApplicationAttemptReportRequest:
    """GetApplicationAttemptReportRequestProto of yarn_service_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None


@record
class GetApplicationAttemptReportResponse:
    """GetApplicationAttemptReportResponseProto of yarn_service_protos.proto."""

    application_attempt_report: ApplicationAttemptReport | None = None


@record
class GetApplicationAttemptsRequest:
    """GetApplicationAttemptsRequestProto of yarn_service_protos.proto."""

    application_id: ApplicationId | None = None


@record
class GetApplicationAttemptsResponse:
    """GetApplicationAttemptsResponseProto of yarn_service_protos.proto."""

    application_attempts: tuple[ApplicationAttemptReport, ...] = ()


@record
class GetContainerReportRequest:
    """GetContainerReportRequestProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None


@record
class GetContainerReportResponse:
    """GetContainerReportResponseProto of yarn_service_protos.proto."""

    container_report: ContainerReport | None = None


@record
class GetContainersRequest:
    """GetContainersRequestProto of yarn_service_protos.proto."""

    application_attempt_id: ApplicationAttemptId | None = None


@record
class GetContainersResponse:
    """GetContainersResponseProto of yarn_service_protos.proto."""

    containers: tuple[ContainerReport, ...] = ()


@record
class GetNewReservationResponse:
    """GetNewReservationResponseProto of yarn_service_protos.proto."""

    reservation_id: ReservationId | None = None


@record
class ReservationUpdateRequest:
    """ReservationUpdateRequestProto of yarn_service_protos.proto."""

    reservation_definition: ReservationDefinition | None = None
    reservation_id: ReservationId | None = None


@record
class ReservationDeleteRequest:
    """ReservationDeleteRequestProto of yarn_service_protos.proto."""

    reservation_id: ReservationId | None = None


@record
class ReservationListResponse:
    """ReservationListResponseProto of yarn_service_protos.proto."""

    reservations: tuple[ReservationAllocationState, ...] = ()


@record
class GetNewApplicationRequest:
    """GetNewApplicationRequestProto of yarn_service_protos.proto."""


@record
class SubmitApplicationResponse:
    """SubmitApplicationResponseProto of yarn_service_protos.proto."""


@record
class FailApplicationAttemptResponse:
    """FailApplicationAttemptResponseProto of yarn_service_protos.proto."""


@record
class GetClusterMetricsRequest:
    """GetClusterMetricsRequestProto of yarn_service_protos.proto."""


@record
class MoveApplicationAcrossQueuesResponse:
    """MoveApplicationAcrossQueuesResponseProto of yarn_service_protos.proto."""


@record
class GetQueueUserAclsInfoRequest:
    """GetQueueUserAclsInfoRequestProto of yarn_service_protos.proto."""


@record
class GetNodesToLabelsRequest:
    """GetNodesToLabelsRequestProto of yarn_service_protos.proto."""


@record
class GetClusterNodeLabelsRequest:
    """GetClusterNodeLabelsRequestProto of yarn_service_protos.proto."""


@record
class GetClusterNodeAttributesRequest:
    """GetClusterNodeAttributesRequestProto of yarn_service_protos.proto."""


@record
class GetAllResourceProfilesRequest:
    """GetAllResourceProfilesRequestProto of yarn_service_protos.proto."""


@record
class GetAllResourceTypeInfoRequest:
    """GetAllResourceTypeInfoRequestProto of yarn_service_protos.proto."""


@record
class GetNewReservationRequest:
    """GetNewReservationRequestProto of yarn_service_protos.proto."""


@record
class ReservationSubmissionResponse:
    """ReservationSubmissionResponseProto of yarn_service_protos.proto."""


@record
class ReservationUpdateResponse:
    """ReservationUpdateResponseProto of yarn_service_protos.proto."""


@record
class ReservationDeleteResponse:
    """ReservationDeleteResponseProto of yarn_service_protos.proto."""
