"""Calls of ResourceManagerAdministrationProtocol."""

from __future__ import annotations

from yarnbox.yarn.enums import AttributeMappingOperationType, DecommissionType
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel, NodeResourceMap, NodeToAttributes


class RefreshNodesRequest(Record, frozen=True, kw_only=True):
    """RefreshNodesRequestProto."""

    decommission_type: DecommissionType = DecommissionType.NORMAL
    decommission_timeout: int | None = None  # seconds; absent: the configured default


class AddToClusterNodeLabelsRequest(Record, frozen=True, kw_only=True):
    """AddToClusterNodeLabelsRequestProto."""

    deprecated_node_labels: tuple[str, ...] = ()  # names only; from old clients
    node_labels: tuple[NodeLabel, ...] = ()


class ReplaceLabelsOnNodeRequest(Record, frozen=True, kw_only=True):
    """ReplaceLabelsOnNodeRequestProto."""

    node_to_labels: tuple[NodeIdToLabels, ...] = ()  # an empty label list clears the node
    fail_on_unknown_nodes: bool | None = None  # true: refuse unknown nodes


class NodesToAttributesMappingRequest(Record, frozen=True, kw_only=True):
    """NodesToAttributesMappingRequestProto."""

    operation: AttributeMappingOperationType = AttributeMappingOperationType.REPLACE
    node_to_attributes: tuple[NodeToAttributes, ...] = ()
    fail_on_unknown_nodes: bool | None = None


class RefreshQueuesRequest(Record, frozen=True, kw_only=True):
    """RefreshQueuesRequestProto."""


class RefreshSuperUserGroupsConfigurationRequest(Record, frozen=True, kw_only=True):
    """RefreshSuperUserGroupsConfigurationRequestProto."""


class RefreshUserToGroupsMappingsRequest(Record, frozen=True, kw_only=True):
    """RefreshUserToGroupsMappingsRequestProto."""


class RefreshAdminAclsRequest(Record, frozen=True, kw_only=True):
    """RefreshAdminAclsRequestProto."""


class RefreshServiceAclsRequest(Record, frozen=True, kw_only=True):
    """RefreshServiceAclsRequestProto."""


class GetGroupsForUserRequest(Record, frozen=True, kw_only=True):
    """GetGroupsForUserRequestProto."""

    user: str


class GetGroupsForUserResponse(Record, frozen=True, kw_only=True):
    """GetGroupsForUserResponseProto."""

    groups: tuple[str, ...] = ()


class UpdateNodeResourceRequest(Record, frozen=True, kw_only=True):
    """UpdateNodeResourceRequestProto."""

    node_resource_map: tuple[NodeResourceMap, ...] = ()


class RefreshNodesResourcesRequest(Record, frozen=True, kw_only=True):
    """RefreshNodesResourcesRequestProto."""


class RemoveFromClusterNodeLabelsRequest(Record, frozen=True, kw_only=True):
    """RemoveFromClusterNodeLabelsRequestProto."""

    node_labels: tuple[str, ...] = ()


class CheckForDecommissioningNodesRequest(Record, frozen=True, kw_only=True):
    """CheckForDecommissioningNodesRequestProto."""


class CheckForDecommissioningNodesResponse(Record, frozen=True, kw_only=True):
    """CheckForDecommissioningNodesResponseProto."""

    decommissioning_nodes: tuple[NodeId, ...] = ()


class RefreshClusterMaxPriorityRequest(Record, frozen=True, kw_only=True):
    """RefreshClusterMaxPriorityRequestProto."""


class RefreshQueuesResponse(Record, frozen=True, kw_only=True):
    """RefreshQueuesResponseProto."""


class RefreshNodesResponse(Record, frozen=True, kw_only=True):
    """RefreshNodesResponseProto."""


class RefreshSuperUserGroupsConfigurationResponse(Record, frozen=True, kw_only=True):
    """RefreshSuperUserGroupsConfigurationResponseProto."""


class RefreshUserToGroupsMappingsResponse(Record, frozen=True, kw_only=True):
    """RefreshUserToGroupsMappingsResponseProto."""


class RefreshAdminAclsResponse(Record, frozen=True, kw_only=True):
    """RefreshAdminAclsResponseProto."""


class RefreshServiceAclsResponse(Record, frozen=True, kw_only=True):
    """RefreshServiceAclsResponseProto."""


class UpdateNodeResourceResponse(Record, frozen=True, kw_only=True):
    """UpdateNodeResourceResponseProto."""


class RefreshNodesResourcesResponse(Record, frozen=True, kw_only=True):
    """RefreshNodesResourcesResponseProto."""


class AddToClusterNodeLabelsResponse(Record, frozen=True, kw_only=True):
    """AddToClusterNodeLabelsResponseProto."""


class RemoveFromClusterNodeLabelsResponse(Record, frozen=True, kw_only=True):
    """RemoveFromClusterNodeLabelsResponseProto."""


class ReplaceLabelsOnNodeResponse(Record, frozen=True, kw_only=True):
    """ReplaceLabelsOnNodeResponseProto."""


class RefreshClusterMaxPriorityResponse(Record, frozen=True, kw_only=True):
    """RefreshClusterMaxPriorityResponseProto."""


class NodesToAttributesMappingResponse(Record, frozen=True, kw_only=True):
    """NodesToAttributesMappingResponseProto."""
