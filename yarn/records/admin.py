"""Calls of ResourceManagerAdministrationProtocol."""

from __future__ import annotations

from yarn.enums import AttributeMappingOperationType, DecommissionType
from yarn.ids import NodeId
from yarn.records.base import record
from yarn.records.node import NodeIdToLabels, NodeLabel, NodeResourceMap, NodeToAttributes


@record
class RefreshNodesRequest:
    """RefreshNodesRequestProto of yarn_server_resourcemanager_service_protos.proto."""

    decommission_type: DecommissionType = DecommissionType.NORMAL
    decommission_timeout: int | None = None  # seconds; absent: the configured default


@record
class AddToClusterNodeLabelsRequest:
    """AddToClusterNodeLabelsRequestProto of yarn_server_resourcemanager_service_protos.proto."""

    deprecated_node_labels: tuple[str, ...] = ()  # names only; from old clients
    node_labels: tuple[NodeLabel, ...] = ()


@record
class ReplaceLabelsOnNodeRequest:
    """ReplaceLabelsOnNodeRequestProto of yarn_server_resourcemanager_service_protos.proto."""

    node_to_labels: tuple[NodeIdToLabels, ...] = ()  # an empty label list clears the node
    fail_on_unknown_nodes: bool | None = None  # true: refuse unknown nodes


@record
class NodesToAttributesMappingRequest:
    """NodesToAttributesMappingRequestProto of yarn_server_resourcemanager_service_protos.proto."""

    operation: AttributeMappingOperationType = AttributeMappingOperationType.REPLACE
    node_to_attributes: tuple[NodeToAttributes, ...] = ()
    fail_on_unknown_nodes: bool | None = None


@record
class RefreshQueuesRequest:
    """RefreshQueuesRequestProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshSuperUserGroupsConfigurationRequest:
    """RefreshSuperUserGroupsConfigurationRequestProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshUserToGroupsMappingsRequest:
    """RefreshUserToGroupsMappingsRequestProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshAdminAclsRequest:
    """RefreshAdminAclsRequestProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshServiceAclsRequest:
    """RefreshServiceAclsRequestProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class GetGroupsForUserRequest:
    """GetGroupsForUserRequestProto of yarn_server_resourcemanager_service_protos.proto."""

    user: str


@record
class GetGroupsForUserResponse:
    """GetGroupsForUserResponseProto of yarn_server_resourcemanager_service_protos.proto."""

    groups: tuple[str, ...] = ()


@record
class UpdateNodeResourceRequest:
    """UpdateNodeResourceRequestProto of yarn_server_resourcemanager_service_protos.proto."""

    node_resource_map: tuple[NodeResourceMap, ...] = ()


@record
class RefreshNodesResourcesRequest:
    """RefreshNodesResourcesRequestProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RemoveFromClusterNodeLabelsRequest:
    """RemoveFromClusterNodeLabelsRequestProto of yarn_server_resourcemanager_service_protos.proto."""

    node_labels: tuple[str, ...] = ()


@record
class CheckForDecommissioningNodesRequest:
    """CheckForDecommissioningNodesRequestProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class CheckForDecommissioningNodesResponse:
    """CheckForDecommissioningNodesResponseProto of yarn_server_resourcemanager_service_protos.proto."""

    decommissioning_nodes: tuple[NodeId, ...] = ()


@record
class RefreshClusterMaxPriorityRequest:
    """RefreshClusterMaxPriorityRequestProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshQueuesResponse:
    """RefreshQueuesResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshNodesResponse:
    """RefreshNodesResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshSuperUserGroupsConfigurationResponse:
    """RefreshSuperUserGroupsConfigurationResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshUserToGroupsMappingsResponse:
    """RefreshUserToGroupsMappingsResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshAdminAclsResponse:
    """RefreshAdminAclsResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshServiceAclsResponse:
    """RefreshServiceAclsResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class UpdateNodeResourceResponse:
    """UpdateNodeResourceResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshNodesResourcesResponse:
    """RefreshNodesResourcesResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class AddToClusterNodeLabelsResponse:
    """AddToClusterNodeLabelsResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RemoveFromClusterNodeLabelsResponse:
    """RemoveFromClusterNodeLabelsResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class ReplaceLabelsOnNodeResponse:
    """ReplaceLabelsOnNodeResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class RefreshClusterMaxPriorityResponse:
    """RefreshClusterMaxPriorityResponseProto of yarn_server_resourcemanager_service_protos.proto."""


@record
class NodesToAttributesMappingResponse:
    """NodesToAttributesMappingResponseProto of yarn_server_resourcemanager_service_protos.proto."""
