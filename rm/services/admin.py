"""ResourceManagerAdministrationProtocol: what administrators change while the RM runs.

Every call is for administrators alone. A file that is read anew takes effect whole or not at all. Hadoop:
AdminService.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.access import Access
from yarnbox.rm.events.node import NodeResourceUpdate
from yarnbox.rm.labels.administration import LabelAdministration
from yarnbox.rm.monitoring.nodes import NodesListManager
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.services.tracker import TrackerService
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import (
    AddToClusterNodeLabelsRequest,
    AddToClusterNodeLabelsResponse,
    CheckForDecommissioningNodesRequest,
    CheckForDecommissioningNodesResponse,
    GetGroupsForUserRequest,
    GetGroupsForUserResponse,
    NodesToAttributesMappingRequest,
    NodesToAttributesMappingResponse,
    RefreshAdminAclsRequest,
    RefreshAdminAclsResponse,
    RefreshClusterMaxPriorityRequest,
    RefreshClusterMaxPriorityResponse,
    RefreshNodesRequest,
    RefreshNodesResourcesRequest,
    RefreshNodesResourcesResponse,
    RefreshNodesResponse,
    RefreshQueuesRequest,
    RefreshQueuesResponse,
    RefreshServiceAclsRequest,
    RefreshServiceAclsResponse,
    RefreshSuperUserGroupsConfigurationRequest,
    RefreshSuperUserGroupsConfigurationResponse,
    RefreshUserToGroupsMappingsRequest,
    RefreshUserToGroupsMappingsResponse,
    RemoveFromClusterNodeLabelsRequest,
    RemoveFromClusterNodeLabelsResponse,
    ReplaceLabelsOnNodeRequest,
    ReplaceLabelsOnNodeResponse,
    UpdateNodeResourceRequest,
    UpdateNodeResourceResponse,
)
from yarnbox.yarn.records.node import NodeLabel
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.acl import AccessControlList
from yarnbox.yarn.security.impersonation import ProxyUsers

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

CORE_FILE = "core-site.xml"
SITE_FILE = "yarn-site.xml"
NEVER_KILL = -1


class AdminService:
    """One method per RPC of ResourceManagerAdministrationProtocol."""

    def __init__(
        self,
        context: RMContext,
        access: Access,
        nodes_list: NodesListManager,
        tracker: TrackerService,
        labels: LabelAdministration,
    ) -> None:
        self._labels = labels
        self._context = context
        self._access = access
        self._nodes_list = nodes_list
        self._tracker = tracker

    # Queues and nodes

    def refresh_queues(self, request: RefreshQueuesRequest, caller: Caller) -> RefreshQueuesResponse:
        """refreshQueues: the scheduler's file anew."""
        self._access.check_admin(caller.user, "refreshQueues")
        self._context.scheduler.refresh()
        self._context.mark("queues refreshed", f"by {caller.user}")
        return RefreshQueuesResponse()

    def refresh_nodes(self, request: RefreshNodesRequest, caller: Caller) -> RefreshNodesResponse:
        """refreshNodes: the host files anew."""
        self._access.check_admin(caller.user, "refreshNodes")
        self._nodes_list.refresh(request.decommission_type, request.decommission_timeout)
        return RefreshNodesResponse()

    def check_for_decommissioning_nodes(
        self, request: CheckForDecommissioningNodesRequest, caller: Caller
    ) -> CheckForDecommissioningNodesResponse:
        """checkForDecommissioningNodes: those that still drain."""
        self._access.check_admin(caller.user, "checkForDecommissioningNodes")
        draining = (node.node_id for node in self._context.nodes.values() if node.is_decommissioning)
        return CheckForDecommissioningNodesResponse(decommissioning_nodes=tuple(draining))

    def update_node_resource(
        self, request: UpdateNodeResourceRequest, caller: Caller
    ) -> UpdateNodeResourceResponse:
        """updateNodeResource: all nodes named, or none of them."""
        self._access.check_admin(caller.user, "updateNodeResource")
        changes = []
        for entry in request.node_resource_map:
            option, node_id = entry.resource_option, entry.node_id
            if node_id is None or node_id not in self._context.nodes:
                raise YarnError(
                    "Resource update get failed on all nodes due to change resource on an unrecognized node: "
                    f"{node_id}"
                )
            if option is None or option.resource is None or option.resource.is_negative():
                raise YarnError(f"the new capacity of {node_id} is missing or negative")
            timeout_ms = option.over_commit_timeout
            changes.append((node_id, option.resource, NEVER_KILL if timeout_ms is None else timeout_ms))
        for node_id, capability, timeout_ms in changes:
            self._resize(node_id, capability, timeout_ms)
        return UpdateNodeResourceResponse()

    def refresh_nodes_resources(
        self, request: RefreshNodesResourcesRequest, caller: Caller
    ) -> RefreshNodesResourcesResponse:
        """refreshNodesResources: dynamic-resources.xml anew, for nodes that are there and for later ones."""
        self._access.check_admin(caller.user, "refreshNodesResources")
        for node_id, capability in self._tracker.load_overrides().items():
            node = self._context.nodes.get(node_id)
            if node is not None and node.capability != capability:
                self._resize(node_id, capability, NEVER_KILL)
        return RefreshNodesResourcesResponse()

    def _resize(self, node_id: NodeId, capability: Resource, overcommit_timeout_ms: int) -> None:
        self._context.post(
            NodeResourceUpdate(
                node_id=node_id, capability=capability, overcommit_timeout_ms=overcommit_timeout_ms
            )
        )

    # Who may do what

    def refresh_admin_acls(
        self, request: RefreshAdminAclsRequest, caller: Caller
    ) -> RefreshAdminAclsResponse:
        """refreshAdminAcls: yarn.admin.acl anew."""
        self._access.check_admin(caller.user, "refreshAdminAcls")
        text = self._context.provider.load(SITE_FILE).untrimmed("yarn.admin.acl")
        self._context.admins = AccessControlList.parse("*" if text is None else text)
        return RefreshAdminAclsResponse()

    def refresh_service_acls(
        self, request: RefreshServiceAclsRequest, caller: Caller
    ) -> RefreshServiceAclsResponse:
        """refreshServiceAcls: refused, as in Hadoop, while service authorization is off."""
        self._access.check_admin(caller.user, "refreshServiceAcls")
        raise YarnError("Service Authorization (hadoop.security.authorization) not enabled.")

    def refresh_super_user_groups_configuration(
        self, request: RefreshSuperUserGroupsConfigurationRequest, caller: Caller
    ) -> RefreshSuperUserGroupsConfigurationResponse:
        """refreshSuperUserGroupsConfiguration: hadoop.proxyuser... anew."""
        self._access.check_admin(caller.user, "refreshSuperUserGroupsConfiguration")
        self._access.proxy_users = ProxyUsers(self._context.provider.load(CORE_FILE, SITE_FILE))
        return RefreshSuperUserGroupsConfigurationResponse()

    def refresh_user_to_groups_mappings(
        self, request: RefreshUserToGroupsMappingsRequest, caller: Caller
    ) -> RefreshUserToGroupsMappingsResponse:
        """refreshUserToGroupsMappings: groups are asked anew each time anyway."""
        self._access.check_admin(caller.user, "refreshUserToGroupsMappings")
        return RefreshUserToGroupsMappingsResponse()

    def get_groups_for_user(
        self, request: GetGroupsForUserRequest, caller: Caller
    ) -> GetGroupsForUserResponse:
        """getGroupsForUser."""
        return GetGroupsForUserResponse(groups=self._context.groups.groups_of(request.user))

    def refresh_cluster_max_priority(
        self, request: RefreshClusterMaxPriorityRequest, caller: Caller
    ) -> RefreshClusterMaxPriorityResponse:
        """refreshClusterMaxPriority: yarn.cluster.max-application-priority anew."""
        self._access.check_admin(caller.user, "refreshClusterMaxPriority")
        configuration = self._context.provider.load(SITE_FILE)
        limit = configuration.integer("yarn.cluster.max-application-priority", 0)
        self._context.scheduler.set_max_application_priority(limit)
        return RefreshClusterMaxPriorityResponse()

    # Labels and attributes

    def add_to_cluster_node_labels(
        self, request: AddToClusterNodeLabelsRequest, caller: Caller
    ) -> AddToClusterNodeLabelsResponse:
        """addToClusterNodeLabels; old clients give names alone."""
        self._access.check_admin(caller.user, "addToClusterNodeLabels")
        labels = request.node_labels or tuple(NodeLabel(name=name) for name in request.deprecated_node_labels)
        self._labels.add(labels)
        return AddToClusterNodeLabelsResponse()

    def remove_from_cluster_node_labels(
        self, request: RemoveFromClusterNodeLabelsRequest, caller: Caller
    ) -> RemoveFromClusterNodeLabelsResponse:
        """removeFromClusterNodeLabels."""
        self._access.check_admin(caller.user, "removeFromClusterNodeLabels")
        self._labels.remove(request.node_labels)
        return RemoveFromClusterNodeLabelsResponse()

    def replace_labels_on_nodes(
        self, request: ReplaceLabelsOnNodeRequest, caller: Caller
    ) -> ReplaceLabelsOnNodeResponse:
        """replaceLabelsOnNodes: port 0 names the host."""
        self._access.check_admin(caller.user, "replaceLabelsOnNodes")
        labels_of = {
            entry.node_id: entry.node_labels for entry in request.node_to_labels if entry.node_id is not None
        }
        self._labels.replace(labels_of, fails_on_unknown=bool(request.fail_on_unknown_nodes))
        return ReplaceLabelsOnNodeResponse()

    def map_attributes_to_nodes(
        self, request: NodesToAttributesMappingRequest, caller: Caller
    ) -> NodesToAttributesMappingResponse:
        """mapAttributesToNodes."""
        self._access.check_admin(caller.user, "mapAttributesToNodes")
        attributes_of = {
            entry.node: entry.node_attributes for entry in request.node_to_attributes if entry.node
        }
        self._labels.change_attributes(
            request.operation, attributes_of, fails_on_unknown=bool(request.fail_on_unknown_nodes)
        )
        return NodesToAttributesMappingResponse()
