"""The hooks of a node's table: registration, heartbeats, decommissioning, loss, and reconnection."""

from __future__ import annotations

from yarnbox.rm.events.node import (
    NodeCleanupApp,
    NodeCleanupContainer,
    NodeEvent,
    NodeFinishedContainersPulledByAM,
    NodeGracefulDecommission,
    NodeRecommission,
    NodeReconnected,
    NodeResourceUpdate,
    NodeSignalContainer,
    NodesListNodeDecommissioning,
    NodesListNodeUnusable,
    NodesListNodeUsable,
    NodeStarted,
    NodeStatusUpdate,
    NodeUpdateContainer,
)
from yarnbox.rm.events.scheduler import (
    SchedulerNodeAdded,
    SchedulerNodeRemoved,
    SchedulerNodeResourceUpdate,
)
from yarnbox.rm.node.entity import RMNode
from yarnbox.yarn.enums import ContainerState, NodeState
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.tracker import (
    NMContainerStatus,
)

NEW, RUNNING, UNHEALTHY = NodeState.NEW, NodeState.RUNNING, NodeState.UNHEALTHY
DECOMMISSIONING, DECOMMISSIONED = NodeState.DECOMMISSIONING, NodeState.DECOMMISSIONED
LOST, REBOOTED, SHUTDOWN = NodeState.LOST, NodeState.REBOOTED, NodeState.SHUTDOWN


def join(node: RMNode, event: NodeStarted) -> NodeState:
    """STARTED: the registration of a node that is not active."""
    context = node.context
    previous = context.inactive_nodes.pop(node.node_id, None)
    containers = event.container_statuses if previous is None else ()
    for report in containers:
        if report.container_state is not ContainerState.COMPLETE:
            node.launched.add(report.container_id)
    for application_id in event.running_applications:
        node.handle_running_app(application_id)
    is_healthy = event.status is None or node.update_health(event.status)
    node.handle_log_aggregation(event.log_aggregation_reports)
    if not is_healthy:
        # The scheduler does not have it, but looks at its limits anew.
        context.post(SchedulerNodeRemoved(node_id=node.node_id))
        _report_unusable(node)
        return UNHEALTHY
    context.post(SchedulerNodeAdded(node_id=node.node_id, container_statuses=containers))
    context.post(NodesListNodeUsable(node_id=node.node_id))
    return RUNNING


def reconnect(node: RMNode, event: NodeReconnected) -> None:
    """A second registration of an active node."""
    context = node.context
    if not event.running_applications:
        # It began anew: what the RM knew there is lost.
        node.forget_updates()
        node.launched.take_all()
        node.completed.take_all()
        context.post(SchedulerNodeRemoved(node_id=node.node_id))
        node.http_port = event.http_port
        node.capability = event.capability
        return
    node.http_port = event.http_port
    node.capability = event.capability
    node.handle_statuses(tuple(_as_status(report) for report in event.container_statuses))
    are_there = (
        one for one in event.container_statuses if one.container_state is not ContainerState.COMPLETE
    )
    node.order_again(one.container_id for one in are_there)
    for application_id in event.running_applications:
        node.handle_running_app(application_id)


def reconnect_running(node: RMNode, event: NodeReconnected) -> None:
    """RECONNECTED in RUNNING."""
    is_resized = node.capability != event.capability
    reconnect(node, event)
    if not event.running_applications:
        node.context.post(SchedulerNodeAdded(node_id=node.node_id))
    elif is_resized:
        node.context.post(SchedulerNodeResourceUpdate(node_id=node.node_id, capability=event.capability))


def reconnect_decommissioning(node: RMNode, event: NodeReconnected) -> NodeState:
    """RECONNECTED in DECOMMISSIONING: one without applications is done."""
    if not event.running_applications:
        deactivate(node, event)
        return DECOMMISSIONED
    reconnect(node, event)
    return DECOMMISSIONING


def _as_status(report: NMContainerStatus) -> ContainerStatus:
    return ContainerStatus(
        container_id=report.container_id,
        state=report.container_state,
        diagnostics=report.diagnostics,
        exit_status=report.container_exit_status or 0,
        execution_type=report.execution_type,
    )


# Heartbeats


def update_running(node: RMNode, event: NodeStatusUpdate) -> NodeState:
    """STATUS_UPDATE in RUNNING."""
    node.opportunistic = event.status.opportunistic_containers_status
    if not node.update_health(event.status):
        node.context.post(SchedulerNodeRemoved(node_id=node.node_id))
        _report_unusable(node)
        return UNHEALTHY
    _take_report(node, event)
    return RUNNING


def update_unhealthy(node: RMNode, event: NodeStatusUpdate) -> NodeState:
    """STATUS_UPDATE in UNHEALTHY."""
    if not node.update_health(event.status):
        return UNHEALTHY
    node.context.post(SchedulerNodeAdded(node_id=node.node_id))
    node.context.post(NodesListNodeUsable(node_id=node.node_id))
    return RUNNING


def update_decommissioning(node: RMNode, event: NodeStatusUpdate) -> NodeState:
    """STATUS_UPDATE in DECOMMISSIONING: decommissioned when nothing runs there, healthy or not."""
    node.opportunistic = event.status.opportunistic_containers_status
    is_healthy = node.update_health(event.status)
    if not node.running_apps and not event.status.keep_alive_applications and not _has_am_container(node):
        deactivate(node, event)
        return DECOMMISSIONED
    if is_healthy:
        _take_report(node, event)
    return DECOMMISSIONING


def _has_am_container(node: RMNode) -> bool:
    """Whether the scheduler has an AM there that the node has not reported yet."""
    return node.context.has_am_container(node.node_id)


def _take_report(node: RMNode, event: NodeStatusUpdate) -> None:
    node.handle_statuses(event.status.containers_statuses)
    node.handle_increased_containers(event.status.increased_containers)
    node.handle_log_aggregation(event.log_aggregation_reports)
    node.tell_scheduler()


# Leaving


def deactivate(node: RMNode, event: NodeEvent) -> None:
    """It leaves the scheduler and the active register."""
    node.context.post(SchedulerNodeRemoved(node_id=node.node_id))
    deactivate_removed(node, event)


def deactivate_removed(node: RMNode, event: NodeEvent) -> None:
    """It leaves the active register; the scheduler has removed it already."""
    context = node.context
    _report_unusable(node)
    context.nodes.pop(node.node_id, None)
    context.inactive_nodes[node.node_id] = node


def _report_unusable(node: RMNode) -> None:
    node.forget_updates()
    node.context.post(NodesListNodeUnusable(node_id=node.node_id))


def begin_decommissioning(node: RMNode, event: NodeGracefulDecommission) -> None:
    """GRACEFUL_DECOMMISSION: begins to decommission the node."""
    node.decommission_timeout_ms = event.timeout_ms
    node.context.post(NodesListNodeDecommissioning(node_id=node.node_id))
    if node.original_capability is None:
        node.original_capability = node.capability


def change_timeout(node: RMNode, event: NodeGracefulDecommission) -> None:
    """A repeated GRACEFUL_DECOMMISSION: sets another timeout."""
    node.decommission_timeout_ms = event.timeout_ms


def recommission(node: RMNode, event: NodeRecommission) -> None:
    """RECOMMISSION: it runs again, with its former capacity."""
    context = node.context
    if node.original_capability is not None:
        node.capability = node.original_capability
        node.original_capability = None
        node.has_new_capability = True
    context.post(
        SchedulerNodeResourceUpdate(node_id=node.node_id, capability=node.capability, overcommit_timeout_ms=0)
    )
    context.post(NodesListNodeUsable(node_id=node.node_id))


# Changes, and what goes out with the next answer


def resize(node: RMNode, event: NodeResourceUpdate) -> None:
    """RESOURCE_UPDATE of a node that the scheduler has."""
    record_size(node, event)
    node.context.post(
        SchedulerNodeResourceUpdate(
            node_id=node.node_id,
            capability=event.capability,
            overcommit_timeout_ms=event.overcommit_timeout_ms,
        )
    )


def record_size(node: RMNode, event: NodeResourceUpdate) -> None:
    """RESOURCE_UPDATE of a node that the scheduler does not have."""
    node.capability = event.capability
    node.has_new_capability = True


def clean_container(node: RMNode, event: NodeCleanupContainer) -> None:
    """CLEANUP_CONTAINER."""
    node.containers_to_clean.add(event.container_id)


def clean_app(node: RMNode, event: NodeCleanupApp) -> None:
    """CLEANUP_APP."""
    node.finished_apps.add(event.application_id)
    node.running_apps.discard(event.application_id)


def signal_container(node: RMNode, event: NodeSignalContainer) -> None:
    """SIGNAL_CONTAINER."""
    node.containers_to_signal.append(event.request)


def update_container(node: RMNode, event: NodeUpdateContainer) -> None:
    """UPDATE_CONTAINER."""
    node.containers_to_update.put(event.container)
    if event.is_decrease:
        node.containers_to_decrease.put(event.container)


def forget_containers(node: RMNode, event: NodeFinishedContainersPulledByAM) -> None:
    """FINISHED_CONTAINERS_PULLED_BY_AM."""
    node.containers_to_forget.update(event.container_ids)
