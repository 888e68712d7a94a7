"""ResourceTracker: registration, heartbeat and unregistration of NodeManagers.

The answer to a node has what earlier turns noted for it; what the node reports is handled after the answer.
The edge resolves its host name and adds the keys with which it checks tokens. Hadoop: ResourceTrackerService.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from yarnbox.rm.events.node import (
    NodeDecommission,
    NodeRebooting,
    NodeReconnected,
    NodeShutdown,
    NodeStarted,
    NodeStatusUpdate,
)
from yarnbox.rm.labels.administration import LabelAdministration
from yarnbox.rm.monitoring.decommissioning import DecommissioningWatcher
from yarnbox.rm.monitoring.nodes import NodesListManager
from yarnbox.rm.node import RMNode
from yarnbox.rm.scheduler.containers.opportunistic import OpportunisticAllocator
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.enums import NodeAction, NodeState
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    NodeStatus,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
    UnRegisterNodeManagerRequest,
    UnRegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.version import HADOOP_VERSION

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

RESPONSE_ID_MASK: Final = 0x7FFFFFFF
DYNAMIC_RESOURCES_FILE = "dynamic-resources.xml"
_DYNAMIC = "yarn.resource.dynamic"


def next_response_id(response_id: int) -> int:
    """The id after this one; after the largest comes 0."""
    return (response_id + 1) & RESPONSE_ID_MASK


class _Report(NamedTuple):
    """The outcome of the labels and attributes that a node reported."""

    labels_accepted: bool
    attributes_accepted: bool
    diagnostics: str | None


class TrackerService:
    """One method per RPC of ResourceTracker."""

    def __init__(
        self,
        context: RMContext,
        nodes_list: NodesListManager,
        watcher: DecommissioningWatcher,
        opportunistic: OpportunisticAllocator | None,
        labels: LabelAdministration,
    ) -> None:
        self._labels = labels
        self._opportunistic = opportunistic
        self._context = context
        self._nodes_list = nodes_list
        self._watcher = watcher
        self._overrides: dict[NodeId, Resource] = {}

    def load_overrides(self) -> dict[NodeId, Resource]:
        """Reads the capacities in dynamic-resources.xml, which replace what nodes offer."""
        configuration = self._context.provider.load(DYNAMIC_RESOURCES_FILE)
        overrides = {}
        for name in configuration.strings(f"{_DYNAMIC}.nodes"):
            node_id = NodeId.parse(name)
            overrides[node_id] = Resource(
                configuration.integer(f"{_DYNAMIC}.{name}.memory", 0),
                configuration.integer(f"{_DYNAMIC}.{name}.vcores", 0),
            )
        self._overrides = overrides
        return overrides

    # Registration

    def register_node_manager(
        self, request: RegisterNodeManagerRequest, caller: Caller
    ) -> RegisterNodeManagerResponse:
        """registerNodeManager: a refusal is an answer, and changes nothing."""
        node_id = request.node_id
        if node_id is None or request.resource is None:
            raise IllegalArgumentError("the registration has no node id or no resource")
        context = self._context
        capability = self._overrides.get(node_id, request.resource)
        refusal = self._refusal(node_id, request.nm_version or "", capability, caller)
        if refusal is not None:
            context.log("warning", "node refused", node=node_id, why=refusal)
            return RegisterNodeManagerResponse(node_action=NodeAction.SHUTDOWN, diagnostics_message=refusal)
        active = context.nodes.get(node_id)
        if active is None:
            self._join(node_id, request, capability)
        else:
            context.monitors.node.unregister(node_id)  # of those that a look finds it comes last from now on
            self._reconnect(active, request, capability)
        report = self._take_reports(node_id, request)
        self._labels.add_registered_node(node_id)
        context.tokens.forget_node(node_id)
        context.monitors.node.register(node_id, context.now_ms)
        return RegisterNodeManagerResponse(
            node_action=NodeAction.NORMAL,
            rm_identifier=context.start_ms,
            rm_version=HADOOP_VERSION,
            diagnostics_message=report.diagnostics,
            are_node_labels_accepted_by_rm=report.labels_accepted,
            are_node_attributes_accepted_by_rm=report.attributes_accepted,
            resource=capability if capability != request.resource else None,
        )

    def _take_reports(
        self, node_id: NodeId, request: RegisterNodeManagerRequest | NodeHeartbeatRequest
    ) -> _Report:
        """The labels and attributes that a node reports. Labels are ignored where their configuration is not
        distributed.
        """
        labels, attributes = request.node_labels, request.node_attributes
        counts = labels is not None and self._labels.takes_reports
        labels_refused = attributes_refused = None
        if labels is not None and counts:
            labels_refused = self._labels.take_labels(node_id, labels.node_labels)
        if attributes is not None:
            attributes_refused = self._labels.take_attributes(node_id, attributes.node_attributes)
        return _Report(
            counts and labels_refused is None,
            attributes is not None and attributes_refused is None,
            "\n".join(filter(None, (labels_refused, attributes_refused))) or None,
        )

    def _refusal(self, node_id: NodeId, version: str, capability: Resource, caller: Caller) -> str | None:
        context = self._context
        minimum_version = context.settings.minimum_node_version
        if minimum_version != "NONE":
            needed = HADOOP_VERSION if minimum_version == "EqualToRM" else minimum_version
            if is_older(version, needed):
                return (
                    f"Disallowed NodeManager Version {version}, is less than the minimum version {needed} "
                    "sending SHUTDOWN signal to NodeManager."
                )
        if context.settings.check_node_host and not caller.has_known_host:
            return f"hostname cannot be resolved (ip={caller.host or 'unknown'}, hostname={node_id.host})"
        if not self._nodes_list.is_allowed(node_id.host) and not self._is_draining(node_id):
            return f"Disallowed NodeManager from  {node_id.host}, Sending SHUTDOWN signal to the NodeManager."
        minimum = context.scheduler.minimum_allocation
        if capability.memory_mb < minimum.memory_mb or capability.vcores < minimum.vcores:
            return (
                f"NodeManager from  {node_id.host} doesn't satisfy minimum allocations, Sending SHUTDOWN "
                f"signal to the NodeManager. Node capabilities are {capability}; minimums are "
                f"{minimum.memory_mb} MB and {minimum.vcores} vcores"
            )
        return None

    def _is_draining(self, node_id: NodeId) -> bool:
        node = self._context.nodes.get(node_id)
        return node is not None and node.is_decommissioning

    def _join(self, node_id: NodeId, request: RegisterNodeManagerRequest, capability: Resource) -> None:
        context = self._context
        node = RMNode(
            context,
            node_id,
            request.http_port or 0,
            capability,
            request.nm_version or "",
            request.physical_resource,
        )
        context.nodes[node_id] = node
        context.post(
            NodeStarted(
                node_id=node_id,
                container_statuses=request.container_statuses,
                running_applications=request.running_applications,
                status=request.node_status,
                log_aggregation_reports=request.log_aggregation_reports_for_apps,
            )
        )

    def _reconnect(self, node: RMNode, request: RegisterNodeManagerRequest, capability: Resource) -> None:
        node.response = replace(node.response, response_id=0)
        node.version = request.nm_version or ""
        self._context.post(
            NodeReconnected(
                node_id=node.node_id,
                capability=capability,
                http_port=request.http_port or 0,
                container_statuses=request.container_statuses,
                running_applications=request.running_applications,
            )
        )

    # Heartbeat

    def node_heartbeat(self, request: NodeHeartbeatRequest, caller: Caller) -> NodeHeartbeatResponse:
        """nodeHeartbeat: the answer is what earlier turns left for the node."""
        status = request.node_status
        node_id = status.node_id if status is not None else None
        if status is None or node_id is None:
            raise IllegalArgumentError("the heartbeat has no node id")
        context = self._context
        if not self._nodes_list.is_allowed(node_id.host) and not self._is_draining(node_id):
            return _shutdown(f"Disallowed NodeManager nodeId: {node_id} hostname: {node_id.host}")
        node = context.nodes.get(node_id)
        if node is None:
            return _resync(f"Node not found resyncing {node_id}")
        context.monitors.node.ping(node_id, context.now_ms)
        self._watcher.record_heartbeat(node, status)
        last = node.response.response_id or 0
        asked = status.response_id or 0
        if next_response_id(asked) == last:
            return node.response
        if asked != last:
            context.post(NodeRebooting(node_id=node_id))
            return _resync(f"Too far behind rm response id:{last} nm response id:{asked}")
        if self._watcher.is_done(node):
            context.post(NodeDecommission(node_id=node_id))
            context.monitors.node.unregister(node_id)
            return _shutdown(f"DECOMMISSIONING  {node_id} is ready to be decommissioned")
        response = self._answer(node, status, next_response_id(last))
        if request.node_labels is not None or request.node_attributes is not None:
            report = self._take_reports(node_id, request)
            response = node.response = replace(
                response,
                diagnostics_message=report.diagnostics,
                are_node_labels_accepted_by_rm=report.labels_accepted,
                are_node_attributes_accepted_by_rm=report.attributes_accepted,
            )
        context.post(
            NodeStatusUpdate(
                node_id=node_id,
                status=status,
                log_aggregation_reports=request.log_aggregation_reports_for_apps,
            )
        )
        return response

    def _answer(self, node: RMNode, status: NodeStatus, response_id: int) -> NodeHeartbeatResponse:
        for container_id in node.containers_to_forget:
            node.completed.discard(container_id)
        to_signal, node.containers_to_signal = tuple(node.containers_to_signal), []
        has_new_capability, node.has_new_capability = node.has_new_capability, False
        node.response = NodeHeartbeatResponse(
            response_id=response_id,
            node_action=NodeAction.NORMAL,
            containers_to_cleanup=tuple(node.containers_to_clean.take_all()),
            applications_to_cleanup=tuple(node.finished_apps.take_all()),
            containers_to_be_removed_from_nm=tuple(node.containers_to_forget.take_all()),
            containers_to_signal=to_signal,
            containers_to_update=node.containers_to_update.take_all(),
            containers_to_decrease=node.containers_to_decrease.take_all(),
            resource=node.capability if has_new_capability else None,
            next_heart_beat_interval=self._interval_ms(node),
            container_queuing_limit=self._opportunistic.loads.queuing_limit()
            if self._opportunistic
            else None,
        )
        return node.response

    def _interval_ms(self, node: RMNode) -> int:
        """The time to the next heartbeat: longer for nodes busier than the cluster, shorter for others."""
        settings = self._context.settings
        base_ms = settings.heartbeat_interval_ms
        if not settings.heartbeat_scaling_enabled or node.node_utilization is None or node.physical is None:
            return base_ms
        mine = _share(node.node_utilization.cpu or 0.0, node.physical.vcores)
        all_of_us = self._cluster_utilization()
        if mine > all_of_us:
            scaled = base_ms * (1.0 + (mine - all_of_us) * settings.heartbeat_slowdown_factor)
        else:
            scaled = base_ms * (1.0 - (all_of_us - mine) * settings.heartbeat_speedup_factor)
        return min(settings.heartbeat_maximum_ms, max(settings.heartbeat_minimum_ms, int(scaled)))

    def _cluster_utilization(self) -> float:
        nodes = [node for node in self._context.nodes.values() if node.state is NodeState.RUNNING]
        used = sum(node.node_utilization.cpu or 0.0 for node in nodes if node.node_utilization is not None)
        return _share(used, sum((node.physical or NONE).vcores for node in nodes))

    # Farewell

    def un_register_node_manager(
        self, request: UnRegisterNodeManagerRequest, caller: Caller
    ) -> UnRegisterNodeManagerResponse:
        """unRegisterNodeManager: a clean stop."""
        context = self._context
        if request.node_id is not None and request.node_id in context.nodes:
            context.monitors.node.unregister(request.node_id)
            context.post(NodeShutdown(node_id=request.node_id))
        return UnRegisterNodeManagerResponse()


def _share(used: float, capacity: int) -> float:
    return min(1.0, max(0.0, used / max(1, capacity)))


def _shutdown(diagnostics: str) -> NodeHeartbeatResponse:
    return NodeHeartbeatResponse(node_action=NodeAction.SHUTDOWN, diagnostics_message=diagnostics)


def _resync(diagnostics: str) -> NodeHeartbeatResponse:
    return NodeHeartbeatResponse(node_action=NodeAction.RESYNC, diagnostics_message=diagnostics)


_PART = re.compile(r"\d+|[a-z]+")


def is_older(version: str, than: str) -> bool:
    """Whether the version is older: numbers decide; letters come before none. Hadoop: VersionUtil."""
    return _key(version) < _key(than)


def _key(version: str) -> list[tuple[int, int, str]]:
    parts = _PART.findall(version.lower())
    key = [(2, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]
    while key and key[-1] == (2, 0, ""):
        key.pop()
    return [*key, (1, 0, "")]
