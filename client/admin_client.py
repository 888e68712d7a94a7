"""AdminClient: the calls of an administrator of the ResourceManager, one method each.

Knows no command line: `yarn rmadmin` and `yarn nodeattributes` stand above it. Hadoop: the protocol proxy
of RMAdminCLI.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from yarnbox.client.yarn_client import Rpc
from yarnbox.yarn.enums import AttributeMappingOperationType, DecommissionType
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records import admin as calls
from yarnbox.yarn.records.basics import ResourceOption
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel, NodeResourceMap, NodeToAttributes
from yarnbox.yarn.resources.resource import Resource

SERVICE = "ResourceManagerAdministrationProtocolService"


class AdminClient:
    """An administrator's side of one ResourceManager."""

    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc

    def refresh_queues(self) -> None:
        """Has the scheduler read its file again."""
        self._rpc.call("refreshQueues", calls.RefreshQueuesRequest())

    def refresh_nodes(
        self, kind: DecommissionType = DecommissionType.NORMAL, timeout_s: int | None = None
    ) -> None:
        """Has the include and exclude lists read again; excluded nodes leave in the manner of `kind`."""
        request = calls.RefreshNodesRequest(decommission_type=kind, decommission_timeout=timeout_s)
        self._rpc.call("refreshNodes", request)

    def decommissioning_nodes(self) -> tuple[NodeId, ...]:
        """The nodes that are still on their way out."""
        response = self._rpc.call("checkForDecommissioningNodes", calls.CheckForDecommissioningNodesRequest())
        nodes: tuple[NodeId, ...] = response.decommissioning_nodes
        return nodes

    def refresh_nodes_resources(self) -> None:
        """Reloads dynamic-resources.xml."""
        self._rpc.call("refreshNodesResources", calls.RefreshNodesResourcesRequest())

    def refresh_super_user_groups(self) -> None:
        """Reloads the rules for proxy users."""
        self._rpc.call(
            "refreshSuperUserGroupsConfiguration", calls.RefreshSuperUserGroupsConfigurationRequest()
        )

    def refresh_user_to_groups(self) -> None:
        """Looks up the groups of users again."""
        self._rpc.call("refreshUserToGroupsMappings", calls.RefreshUserToGroupsMappingsRequest())

    def refresh_admin_acls(self) -> None:
        """Has yarn.admin.acl read again."""
        self._rpc.call("refreshAdminAcls", calls.RefreshAdminAclsRequest())

    def refresh_service_acls(self) -> None:
        """Reloads the service authorization policy."""
        self._rpc.call("refreshServiceAcls", calls.RefreshServiceAclsRequest())

    def refresh_cluster_max_priority(self) -> None:
        """Has the cluster's maximum application priority read again."""
        self._rpc.call("refreshClusterMaxPriority", calls.RefreshClusterMaxPriorityRequest())

    def groups(self, user: str) -> tuple[str, ...]:
        """The groups of a user, as the RM sees them."""
        groups: tuple[str, ...] = self._rpc.call(
            "getGroupsForUser", calls.GetGroupsForUserRequest(user=user)
        ).groups
        return groups

    def update_node_resource(self, node_id: NodeId, resource: Resource, timeout_ms: int) -> None:
        """Changes what a node offers; running containers beyond it get `timeout_ms` (-1: without limit)."""
        option = ResourceOption(resource=resource, over_commit_timeout=timeout_ms)
        change = NodeResourceMap(node_id=node_id, resource_option=option)
        self._rpc.call("updateNodeResource", calls.UpdateNodeResourceRequest(node_resource_map=(change,)))

    def add_labels(self, labels: Iterable[NodeLabel]) -> None:
        """Adds labels to the cluster."""
        labels = tuple(labels)
        request = calls.AddToClusterNodeLabelsRequest(
            deprecated_node_labels=tuple(label.name or "" for label in labels), node_labels=labels
        )
        self._rpc.call("addToClusterNodeLabels", request)

    def remove_labels(self, labels: Iterable[str]) -> None:
        """Takes labels from the cluster."""
        request = calls.RemoveFromClusterNodeLabelsRequest(node_labels=tuple(labels))
        self._rpc.call("removeFromClusterNodeLabels", request)

    def replace_labels(
        self, labels: Mapping[NodeId, tuple[str, ...]], *, fail_on_unknown_nodes: bool = False
    ) -> None:
        """Sets the label of each node; an empty tuple clears it, port 0 means every node of the host."""
        mapping = tuple(NodeIdToLabels(node_id=node, node_labels=names) for node, names in labels.items())
        request = calls.ReplaceLabelsOnNodeRequest(
            node_to_labels=mapping, fail_on_unknown_nodes=fail_on_unknown_nodes
        )
        self._rpc.call("replaceLabelsOnNodes", request)

    def map_attributes(
        self,
        operation: AttributeMappingOperationType,
        mapping: Iterable[NodeToAttributes],
        *,
        fail_on_unknown_nodes: bool = False,
    ) -> None:
        """Adds, removes or replaces attributes of nodes."""
        request = calls.NodesToAttributesMappingRequest(
            operation=operation,
            node_to_attributes=tuple(mapping),
            fail_on_unknown_nodes=fail_on_unknown_nodes,
        )
        self._rpc.call("mapAttributesToNodes", request)
