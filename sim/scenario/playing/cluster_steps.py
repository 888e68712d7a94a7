"""The steps about the cluster: what NodeManagers, the administrator and the owners of reservations do."""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.rm.services.caller import Caller
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.resourcemanager import ADMINISTRATOR
from yarnbox.sim.scenario.playing.app_steps import AppSteps
from yarnbox.sim.scenario.playing.files import ScenarioFiles
from yarnbox.sim.scenario.playing.world import Booking, StepRefusedError, World
from yarnbox.sim.scenario.reading.requests import reservation_definition, resized
from yarnbox.sim.scenario.reading.steps import (
    AddLabels,
    AddNode,
    Decommission,
    DeleteReservation,
    Heartbeat,
    LabelNode,
    NodeQueue,
    NodeSpec,
    Recommission,
    Refresh,
    RemoveLabels,
    RemoveNode,
    Reserve,
    ResizeNode,
    Unhealthy,
    UpdateReservation,
)
from yarnbox.yarn.enums import AttributeMappingOperationType, DecommissionType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import (
    AddToClusterNodeLabelsRequest,
    NodesToAttributesMappingRequest,
    RefreshNodesRequest,
    RefreshQueuesRequest,
    RemoveFromClusterNodeLabelsRequest,
    ReplaceLabelsOnNodeRequest,
    UpdateNodeResourceRequest,
)
from yarnbox.yarn.records.basics import ResourceOption
from yarnbox.yarn.records.client import (
    ReservationDeleteRequest,
    ReservationSubmissionRequest,
    ReservationUpdateRequest,
)
from yarnbox.yarn.records.node import (
    NodeAttribute,
    NodeAttributeKey,
    NodeIdToLabels,
    NodeLabel,
    NodeResourceMap,
    NodeToAttributes,
)
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    OpportunisticContainersStatus,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource

EVERY_NODE_OF_HOST = 0
UNKNOWN_WAIT_MS = -1
ADMIN = Caller(user=ADMINISTRATOR)
NODE_MANAGER = Caller(user=ADMINISTRATOR)


class ClusterSteps:
    """Carries out one step each, completely: a method returns when all its events are handled."""

    def __init__(
        self, world: World, files: ScenarioFiles, apps: AppSteps, look: Callable[[], None] = lambda: None
    ) -> None:
        self._world = world
        self._rm = world.rm
        self._files = files
        self._apps = apps
        self._look = look
        """Called after each heartbeat of a step, for whoever watches."""

    # ---- nodes

    def add_node(self, step: AddNode) -> None:
        """NodeManagers register, one after the other."""
        for spec in step.nodes:
            self.register(spec)

    def register(self, spec: NodeSpec) -> None:
        """One NodeManager registers; the labels it comes with are given to its host before."""
        node = SimNode(NodeId(spec.host, spec.port), spec.rack, Resource.of(spec.resource))
        self._rm.racks[spec.host] = spec.rack
        if spec.labels is not None:
            port = EVERY_NODE_OF_HOST if spec.labels_of_host else spec.port
            self._replace_labels({NodeId(spec.host, port): spec.labels})
        if spec.attributes:
            self._add_attributes(spec)
        self._world.take_node(spec.name, node)
        self._let_register(node)

    def heartbeat(self, step: Heartbeat) -> None:
        """NodeManagers heartbeat, one after the other."""
        for name in step.nodes:
            for _ in range(step.times):
                self._heartbeat(self._world.live_node(name))
                self._look()

    def heartbeat_all(self) -> None:
        """Every live NodeManager heartbeats, in the order of registration."""
        for node in list(self._world.nodes.values()):
            if node.is_live:
                self._heartbeat(node)

    def remove_node(self, step: RemoveNode) -> None:
        """The machine is gone, and the RM hears of it at once."""
        node = self._world.live_node(step.node)
        node.vanish()
        self._rm.lose_node(node.node_id)

    def decommission(self, step: Decommission) -> None:
        """The host is excluded: out at once, or when it has drained."""
        node = self._world.live_node(step.node)
        self._files.exclude(node.node_id.host)
        if step.graceful_ms is None:
            self._refresh_nodes(DecommissionType.NORMAL)
            node.vanish()
        else:
            self._refresh_nodes(DecommissionType.GRACEFUL, -(-step.graceful_ms // 1000))

    def recommission(self, step: Recommission) -> None:
        """The host is wanted again; a NodeManager that is out already registers anew."""
        node = self._world.node(step.node)
        self._files.include(node.node_id.host)
        self._refresh_nodes(DecommissionType.GRACEFUL)
        if not node.is_live:
            self._let_register(node)

    def unhealthy(self, step: Unhealthy) -> None:
        """From its next heartbeat on the NodeManager says what is wrong with it."""
        self._world.live_node(step.node).health_report = step.report

    def node_queue(self, step: NodeQueue) -> None:
        """From their next heartbeats on NodeManagers say that much waits there."""
        for name in step.nodes:
            self._world.live_node(name).queue = OpportunisticContainersStatus(
                queued_opport_containers=step.length,
                wait_queue_length=step.length,
                estimated_queue_wait_time=UNKNOWN_WAIT_MS if step.wait_ms is None else step.wait_ms,
                opport_queue_capacity=step.capacity,
            )

    def resize_node(self, step: ResizeNode) -> None:
        """The administrator gives the node another capacity."""
        node = self._world.node(step.node)
        capacity = resized(node.resource, step.resource)
        option = ResourceOption(resource=capacity, over_commit_timeout=step.overcommit_timeout_ms)
        request = UpdateNodeResourceRequest(
            node_resource_map=(NodeResourceMap(node_id=node.node_id, resource_option=option),)
        )
        self._rm.call(self._rm.core.admin.update_node_resource, request, ADMIN)
        node.resize(capacity)

    # ---- labels and files

    def add_labels(self, step: AddLabels) -> None:
        """The administrator adds labels to the cluster."""
        labels = tuple(NodeLabel(name=name, is_exclusive=flag) for name, flag in step.exclusive.items())
        request = AddToClusterNodeLabelsRequest(node_labels=labels)
        self._rm.call(self._rm.core.admin.add_to_cluster_node_labels, request, ADMIN)

    def remove_labels(self, step: RemoveLabels) -> None:
        """The administrator removes labels from the cluster."""
        request = RemoveFromClusterNodeLabelsRequest(node_labels=step.labels)
        self._rm.call(self._rm.core.admin.remove_from_cluster_node_labels, request, ADMIN)

    def label_node(self, step: LabelNode) -> None:
        """The administrator replaces the labels of hosts, or of single NodeManagers."""
        labels = {}
        for name, names in step.labels.items():
            host, _, port = name.partition(":")
            labels[NodeId(host, int(port) if port else EVERY_NODE_OF_HOST)] = names
        self._replace_labels(labels)

    def refresh(self, step: Refresh) -> None:
        """The administrator writes the new file and refreshes the queues."""
        before = self._files.replace(step.capacity_scheduler, step.fair_scheduler)
        try:
            self._rm.call(self._rm.core.admin.refresh_queues, RefreshQueuesRequest(), ADMIN)
        except YarnError:
            self._files.restore(before)
            raise

    # ---- plan reservations

    def reserve(self, step: Reserve) -> None:
        """A user asks for a plan reservation."""
        reservation_id = self._rm.new_reservation_id(step.user)
        request = ReservationSubmissionRequest(
            queue=step.queue,
            reservation_definition=reservation_definition(step, self._rm.start_ms),
            reservation_id=reservation_id,
        )
        owner = Caller(user=step.user)
        self._rm.call(self._rm.core.client.submit_reservation, request, owner)
        self._world.reservations[step.name] = Booking(reservation_id, step.queue, step.user)

    def update_reservation(self, step: UpdateReservation) -> None:
        """The user replaces a reservation's definition."""
        request = ReservationUpdateRequest(
            reservation_definition=reservation_definition(step, self._rm.start_ms),
            reservation_id=self._world.reservation(step.name).reservation_id,
        )
        self._rm.call(self._rm.core.client.update_reservation, request, Caller(user=step.user))

    def delete_reservation(self, step: DeleteReservation) -> None:
        """The owner deletes a reservation."""
        booking = self._world.reservation(step.name)
        request = ReservationDeleteRequest(reservation_id=booking.reservation_id)
        owner = Caller(user=booking.owner)
        self._rm.call(self._rm.core.client.delete_reservation, request, owner)

    # ---- inside

    def _let_register(self, node: SimNode) -> None:
        refusal = node.register(self._call_register)
        self._world.take_recovered()
        if refusal:
            raise StepRefusedError(refusal)

    def _heartbeat(self, node: SimNode) -> None:
        # What the RM wants gone is killed and reported in this one heartbeat, not in the next.
        node.obey(*self._rm.wanted_gone(node.node_id))
        reported = tuple(node.running)
        node.heartbeat(self._call_heartbeat, self._rm.clock.now_ms())
        if node.must_resync:
            node.register(self._call_register, keep=True)
            self._world.take_recovered()
        self._apps.register_started_ams([each for each in reported if each in node.running])

    def _call_register(self, request: RegisterNodeManagerRequest) -> RegisterNodeManagerResponse:
        return self._rm.call(self._rm.core.tracker.register_node_manager, request, NODE_MANAGER)

    def _call_heartbeat(self, request: NodeHeartbeatRequest) -> NodeHeartbeatResponse:
        return self._rm.call(self._rm.core.tracker.node_heartbeat, request, NODE_MANAGER)

    def _refresh_nodes(self, kind: DecommissionType, timeout_s: int | None = None) -> None:
        request = RefreshNodesRequest(decommission_type=kind, decommission_timeout=timeout_s)
        self._rm.call(self._rm.core.admin.refresh_nodes, request, ADMIN)

    def _replace_labels(self, labels: dict[NodeId, tuple[str, ...]]) -> None:
        request = ReplaceLabelsOnNodeRequest(
            node_to_labels=tuple(
                NodeIdToLabels(node_id=node_id, node_labels=names) for node_id, names in labels.items()
            ),
            fail_on_unknown_nodes=False,
        )
        self._rm.call(self._rm.core.admin.replace_labels_on_nodes, request, ADMIN)

    def _add_attributes(self, spec: NodeSpec) -> None:
        attributes = tuple(
            NodeAttribute(attribute_key=NodeAttributeKey(attribute_name=name), attribute_value=value)
            for name, value in spec.attributes.items()
        )
        request = NodesToAttributesMappingRequest(
            operation=AttributeMappingOperationType.ADD,
            node_to_attributes=(NodeToAttributes(node=spec.host, node_attributes=attributes),),
            fail_on_unknown_nodes=False,
        )
        self._rm.call(self._rm.core.admin.map_attributes_to_nodes, request, ADMIN)
