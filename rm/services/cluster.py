"""ApplicationClientProtocol: the calls about the cluster: nodes, queues, labels, resource types.

Delegation tokens are refused while there is no service that issues them. Hadoop: the cluster half of
ClientRMService.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

from yarnbox.rm import reports
from yarnbox.rm.access import Access
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.services.filters import QueueFilter
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.records.basics import ResourceProfileEntry, ResourceProfiles
from yarnbox.yarn.records.client import (
    GetAllResourceProfilesRequest,
    GetAllResourceProfilesResponse,
    GetAllResourceTypeInfoRequest,
    GetAllResourceTypeInfoResponse,
    GetAttributesToNodesRequest,
    GetAttributesToNodesResponse,
    GetClusterMetricsRequest,
    GetClusterMetricsResponse,
    GetClusterNodeAttributesRequest,
    GetClusterNodeAttributesResponse,
    GetClusterNodeLabelsRequest,
    GetClusterNodeLabelsResponse,
    GetClusterNodesRequest,
    GetClusterNodesResponse,
    GetLabelsToNodesRequest,
    GetLabelsToNodesResponse,
    GetNewReservationRequest,
    GetNewReservationResponse,
    GetNodesToAttributesRequest,
    GetNodesToAttributesResponse,
    GetNodesToLabelsRequest,
    GetNodesToLabelsResponse,
    GetQueueInfoRequest,
    GetQueueInfoResponse,
    GetQueueUserAclsInfoRequest,
    GetQueueUserAclsInfoResponse,
    GetResourceProfileRequest,
    GetResourceProfileResponse,
    ReservationDeleteRequest,
    ReservationDeleteResponse,
    ReservationListRequest,
    ReservationListResponse,
    ReservationSubmissionRequest,
    ReservationSubmissionResponse,
    ReservationUpdateRequest,
    ReservationUpdateResponse,
)
from yarnbox.yarn.records.node import (
    AttributeToNodes,
    LabelsToNodeIds,
    NodeAttributeInfo,
    NodeIdToLabels,
    NodeToAttributes,
    NodeToAttributeValue,
)
from yarnbox.yarn.records.tokens import (
    CancelDelegationTokenRequest,
    GetDelegationTokenRequest,
    RenewDelegationTokenRequest,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext
    from yarnbox.rm.reservation.system import ReservationSystem

NO_RESERVATIONS = "Reservation is not enabled. Please enable & try again"
NO_DELEGATION_TOKENS = "Delegation Token can be issued only with kerberos authentication"
NO_PROFILES = (
    "Resource profile is not enabled, please enable resource profile feature before using its functions. "
    "(by setting yarn.resourcemanager.resource-profiles.enabled to true)"
)


class ClusterService:
    """One method per RPC that concerns no single application."""

    def __init__(self, context: RMContext, access: Access) -> None:
        self.reservations: ReservationSystem | None = None
        """Set by the core where reservations are on."""
        self._context = context
        self._access = access

    # Nodes and queues

    def get_cluster_metrics(
        self, request: GetClusterMetricsRequest, caller: Caller
    ) -> GetClusterMetricsResponse:
        """getClusterMetrics."""
        return GetClusterMetricsResponse(cluster_metrics=reports.cluster_metrics(self._context))

    def get_cluster_nodes(self, request: GetClusterNodesRequest, caller: Caller) -> GetClusterNodesResponse:
        """getClusterNodes: active ones first."""
        context = self._context
        states = request.node_states or tuple(NodeState)
        nodes = [*context.nodes.values(), *context.inactive_nodes.values()]
        return GetClusterNodesResponse(
            node_reports=tuple(reports.node_report(context, node) for node in nodes if node.state in states)
        )

    def get_queue_info(self, request: GetQueueInfoRequest, caller: Caller) -> GetQueueInfoResponse:
        """getQueueInfo: nothing for a queue that is not there."""
        context = self._context
        name = request.queue_name or ""
        try:
            info = context.scheduler.views.queue_info(
                name,
                include_children=bool(request.include_child_queues),
                recursive=bool(request.recursive),
            )
        except YarnError as refusal:
            context.log("info", "queue unknown", queue=name, why=refusal.message)
            return GetQueueInfoResponse()
        if request.include_applications:
            queue = QueueFilter(context, info.queue_path or name)
            apps = [app for app in context.apps.values() if queue.holds(app)]
            shown = tuple(
                reports.application_report(
                    context, app, caller.user, may_view=self._access.may_view(caller.user, app)
                )
                for app in apps
            )
            info = replace(info, applications=shown)
        return GetQueueInfoResponse(queue_info=info)

    def get_queue_user_acls(
        self, request: GetQueueUserAclsInfoRequest, caller: Caller
    ) -> GetQueueUserAclsInfoResponse:
        """getQueueUserAcls: of the caller."""
        return GetQueueUserAclsInfoResponse(
            queue_user_acls=tuple(self._context.scheduler.views.queue_acls(caller.user))
        )

    # Labels and attributes

    def get_node_to_labels(
        self, request: GetNodesToLabelsRequest, caller: Caller
    ) -> GetNodesToLabelsResponse:
        """getNodeToLabels: the nodes that carry one, and the hosts that give them one (port 0)."""
        carriers = self._context.labels.carriers(self._context.nodes)
        return GetNodesToLabelsResponse(
            node_to_labels=tuple(
                NodeIdToLabels(node_id=node_id, node_labels=(label,)) for node_id, label in carriers.items()
            )
        )

    def get_labels_to_nodes(
        self, request: GetLabelsToNodesRequest, caller: Caller
    ) -> GetLabelsToNodesResponse:
        """getLabelsToNodes: of the labels named, or of all; those that nobody carries are left out."""
        context = self._context
        names = request.node_labels or tuple(context.labels.labels)
        carriers = context.labels.carriers(context.nodes)
        found = {name: tuple(one for one, label in carriers.items() if label == name) for name in names}
        return GetLabelsToNodesResponse(
            labels_to_nodes=tuple(
                LabelsToNodeIds(node_labels=name, node_id=nodes) for name, nodes in found.items() if nodes
            )
        )

    def get_cluster_node_labels(
        self, request: GetClusterNodeLabelsRequest, caller: Caller
    ) -> GetClusterNodeLabelsResponse:
        """getClusterNodeLabels."""
        labels = self._context.labels.labels
        return GetClusterNodeLabelsResponse(
            deprecated_node_labels=tuple(labels), node_labels=tuple(labels.values())
        )

    def get_cluster_node_attributes(
        self, request: GetClusterNodeAttributesRequest, caller: Caller
    ) -> GetClusterNodeAttributesResponse:
        """getClusterNodeAttributes: every attribute that some host has."""
        types = self._context.attributes.types()
        return GetClusterNodeAttributesResponse(
            node_attributes=tuple(
                NodeAttributeInfo(attribute_key=key, attribute_type=kind) for key, kind in types.items()
            )
        )

    def get_attributes_to_nodes(
        self, request: GetAttributesToNodesRequest, caller: Caller
    ) -> GetAttributesToNodesResponse:
        """getAttributesToNodes: of the attributes named, or of all."""
        attributes = self._context.attributes
        wanted = request.node_attributes or tuple(attributes.types())
        hosts = sorted(attributes.by_host)
        found = (
            AttributeToNodes(
                node_attribute=key,
                node_value_map=tuple(
                    NodeToAttributeValue(hostname=host, attribute_value=one.attribute_value)
                    for host in hosts
                    if (one := attributes.by_host[host].get(key)) is not None
                ),
            )
            for key in wanted
        )
        return GetAttributesToNodesResponse(
            attributes_to_nodes=tuple(entry for entry in found if entry.node_value_map)
        )

    def get_nodes_to_attributes(
        self, request: GetNodesToAttributesRequest, caller: Caller
    ) -> GetNodesToAttributesResponse:
        """getNodesToAttributes: of the hosts named, or of all."""
        attributes = self._context.attributes
        hosts = request.hostnames or tuple(sorted(attributes.by_host))
        return GetNodesToAttributesResponse(
            nodes_to_attributes=tuple(
                NodeToAttributes(node=host, node_attributes=attributes.of_host(host))
                for host in hosts
                if host in attributes.by_host
            )
        )

    # Resource types

    def get_resource_type_info(
        self, request: GetAllResourceTypeInfoRequest, caller: Caller
    ) -> GetAllResourceTypeInfoResponse:
        """getResourceTypeInfo."""
        return GetAllResourceTypeInfoResponse(resource_type_info=self._context.resource_types.infos())

    def get_resource_profiles(
        self, request: GetAllResourceProfilesRequest, caller: Caller
    ) -> GetAllResourceProfilesResponse:
        """getResourceProfiles."""
        entries = tuple(
            ResourceProfileEntry(name=name, resources=resource) for name, resource in self._profiles().items()
        )
        return GetAllResourceProfilesResponse(
            resource_profiles=ResourceProfiles(resource_profiles_map=entries)
        )

    def get_resource_profile(
        self, request: GetResourceProfileRequest, caller: Caller
    ) -> GetResourceProfileResponse:
        """getResourceProfile."""
        profile = self._profiles().get(request.profile)
        if profile is None:
            raise YarnError(f"Resource profile '{request.profile}' not found")
        return GetResourceProfileResponse(resources=profile)

    def _profiles(self) -> dict[str, Resource]:
        settings = self._context.settings.allocation
        if not settings.resource_profiles_enabled:
            raise YarnError(NO_PROFILES)
        text = self._context.provider.read_text(settings.resource_profiles_file)
        return read_profiles(settings.resource_profiles_file, text, self._context.resource_types)

    # Plan reservations

    def get_new_reservation(
        self, request: GetNewReservationRequest, caller: Caller
    ) -> GetNewReservationResponse:
        """getNewReservation."""
        return GetNewReservationResponse(reservation_id=self._reservations().new_id())

    def submit_reservation(
        self, request: ReservationSubmissionRequest, caller: Caller
    ) -> ReservationSubmissionResponse:
        """submitReservation."""
        self._reservations().submit(request, caller.user)
        return ReservationSubmissionResponse()

    def update_reservation(
        self, request: ReservationUpdateRequest, caller: Caller
    ) -> ReservationUpdateResponse:
        """updateReservation."""
        self._reservations().update(request, caller.user)
        return ReservationUpdateResponse()

    def delete_reservation(
        self, request: ReservationDeleteRequest, caller: Caller
    ) -> ReservationDeleteResponse:
        """deleteReservation."""
        self._reservations().delete(request, caller.user)
        return ReservationDeleteResponse()

    def list_reservations(self, request: ReservationListRequest, caller: Caller) -> ReservationListResponse:
        """listReservations."""
        return ReservationListResponse(reservations=self._reservations().list(request, caller.user))

    def _reservations(self) -> ReservationSystem:
        if self.reservations is None:
            raise YarnError(NO_RESERVATIONS)
        return self.reservations

    # Delegation tokens

    def get_delegation_token(self, request: GetDelegationTokenRequest, caller: Caller) -> NoReturn:
        """getDelegationToken: for callers who have proved who they are; here nobody has."""
        raise YarnError(NO_DELEGATION_TOKENS)

    def renew_delegation_token(self, request: RenewDelegationTokenRequest, caller: Caller) -> NoReturn:
        """renewDelegationToken."""
        raise YarnError(NO_DELEGATION_TOKENS)

    def cancel_delegation_token(self, request: CancelDelegationTokenRequest, caller: Caller) -> NoReturn:
        """cancelDelegationToken."""
        raise YarnError(NO_DELEGATION_TOKENS)


MANDATORY = ("minimum", "maximum", "default")


def read_profiles(name: str, text: str | None, types: ResourceTypeRegistry) -> dict[str, Resource]:
    """`{"small": {"memory-mb": 1024, "vcores": 1}, ...}`; minimum, maximum and default must be among them."""
    try:
        given = json.loads(text or "{}")
        profiles = {
            profile: types.parse(",".join(f"{kind}={amount}" for kind, amount in amounts.items()))
            for profile, amounts in given.items()
        }
    except (ValueError, AttributeError) as error:
        raise YarnError(f"{name} is not a file of resource profiles: {error}") from error
    missing = [profile for profile in MANDATORY if profile not in profiles]
    if missing:
        raise YarnError(f"{name} has no resource profile {', '.join(missing)}")
    return profiles
