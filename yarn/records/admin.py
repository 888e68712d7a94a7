"""Calls of ResourceManagerAdministrationProtocol."""

from __future__ import annotations

from yarnbox.yarn.enums import AttributeMappingOperationType, DecommissionType
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.basics import record
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel, NodeResourceMap, NodeToAttributes


@record
class RefreshNodesRequest:
    """RefreshNodesRequestProto."""

    decommission_type: DecommissionType = DecommissionType.NORMAL
    decommission_timeout: int | None = None  # seconds; absent: the configured default


@record
class AddToClusterNodeLabelsRequest:
    """AddToClusterNodeLabelsRequestProto."""

    deprecated_node_labels: tuple[str, ...] = ()  # names only; from old clients
    node_labels: tuple[NodeLabel, ...] = ()


@record
class ReplaceLabelsOnNodeRequest:
    """ReplaceLabelsOnNodeRequestProto."""

    node_to_labels: tuple[NodeIdToLabels, ...] = ()  # an empty label list clears the node
    fail_on_unknown_nodes: bool | None = None  # true: refuse unknown nodes


@record
class NodesToAttributesMappingRequest:
    """NodesToAttributesMappingRequestProto."""

    operation: AttributeMappingOperationType = AttributeMappingOperationType.REPLACE
    node_to_attributes: tuple[NodeToAttributes, ...] = ()
    fail_on_unknown_nodes: bool | None = None


@record
class RefreshQueuesRequest:
    """RefreshQueuesRequestProto."""


@record
class RefreshSuperUserGroupsConfigurationRequest:
    """RefreshSuperUserGroupsConfigurationRequestProto."""


@record
class RefreshUserToGroupsMappingsRequest:
    """RefreshUserToGroupsMappingsRequestProto."""


@record
class RefreshAdminAclsRequest:
    """RefreshAdminAclsRequestProto."""


@record
class RefreshServiceAclsRequest:
    """RefreshServiceAclsRequestProto."""


@record
class GetGroupsForUserRequest:
    """GetGroupsForUserRequestProto."""

    user: str


@record
class GetGroupsForUserResponse:
    """GetGroupsForUserResponseProto."""

    groups: tuple[str, ...] = ()


@record
class UpdateNodeResourceRequest:
    """UpdateNodeResourceRequestProto."""

    node_resource_map: tuple[NodeResourceMap, ...] = ()


@record
class RefreshNodesResourcesRequest:
    """RefreshNodesResourcesRequestProto."""


@record
class RemoveFromClusterNodeLabelsRequest:
    """RemoveFromClusterNodeLabelsRequestProto."""

    node_labels: tuple[str, ...] = ()


@record
class CheckForDecommissioningNodesRequest:
    """CheckForDecommissioningNodesRequestProto."""


@record
class CheckForDecommissioningNodesResponse:
    """CheckForDecommissioningNodesResponseProto."""

    decommissioning_nodes: tuple[NodeId, ...] = ()


@record
class RefreshClusterMaxPriorityRequest:
    """RefreshClusterMaxPriorityRequestProto."""


@record
class RefreshQueuesResponse:
    """RefreshQueuesResponseProto."""


@record
class RefreshNodesResponse:
    """RefreshNodesResponseProto."""


@record
class RefreshSuperUserGroupsConfigurationResponse:
    """RefreshSuperUserGroupsConfigurationResponseProto."""


@record
class RefreshUserToGroupsMappingsResponse:
    """RefreshUserToGroupsMappingsResponseProto."""


@record
class RefreshAdminAclsResponse:
    """RefreshAdminAclsResponseProto."""


@record
class RefreshServiceAclsResponse:
    """RefreshServiceAclsResponseProto."""


@record
class UpdateNodeResourceResponse:
    """UpdateNodeResourceResponseProto."""


@record
class RefreshNodesResourcesResponse:
    """RefreshNodesResourcesResponseProto."""


@record
class AddToClusterNodeLabelsResponse:
    """AddToClusterNodeLabelsResponseProto."""


@record
class RemoveFromClusterNodeLabelsResponse:
    """RemoveFromClusterNodeLabelsResponseProto."""


@record
class ReplaceLabelsOnNodeResponse:
    """ReplaceLabelsOnNodeResponseProto."""


@record
class RefreshClusterMaxPriorityResponse:
    """RefreshClusterMaxPriorityResponseProto."""


@record
class NodesToAttributesMappingResponse:
    """NodesToAttributesMappingResponseProto."""
