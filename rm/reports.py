"""The reports of applications, attempts, containers and nodes for clients and AMs.

Hadoop: RMAppImpl.createAndGetApplicationReport and its kin, RMServerUtils and BuilderUtils.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from yarnbox.rm.app import RMApp, RMAppState
from yarnbox.rm.attempt import NO_PORT, NOT_AVAILABLE, RMAppAttempt, RMAppAttemptState
from yarnbox.rm.attempt.entity import AttemptOwner
from yarnbox.rm.container import RMContainer
from yarnbox.rm.node import RMNode
from yarnbox.yarn.enums import (
    ApplicationTimeoutType,
    ContainerState,
    NodeState,
    NodeUpdateType,
    YarnApplicationAttemptState,
    YarnApplicationState,
)
from yarnbox.yarn.ids import NO_ATTEMPT, ApplicationAttemptId
from yarnbox.yarn.records.application import (
    ApplicationAttemptReport,
    ApplicationReport,
    ApplicationResourceUsageReport,
    ApplicationTimeout,
    AppTimeoutsMap,
)
from yarnbox.yarn.records.container import ContainerReport
from yarnbox.yarn.records.node import SHOWN_DEFAULT_PARTITION, NodeReport, YarnClusterMetrics
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import MEMORY_MB, NONE, VCORES, Resource
from yarnbox.yarn.text.moments import iso8601

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

NOT_SET = "<Not set>"
UNLIMITED = "UNLIMITED"


# Applications


def application_state(app: RMApp) -> YarnApplicationState:
    """The state that clients see: while a final state is saved or a kill is under way, the one before."""
    state = app.state
    if state is RMAppState.FINAL_SAVING:
        state = app.state_before_saving or state
    if state is RMAppState.KILLING:
        state = app.state_before_killing or state
    if state is RMAppState.FINISHING:
        state = RMAppState.FINISHED
    return YarnApplicationState[state.name]


def application_report(context: RMContext, app: RMApp, user: str, *, may_view: bool) -> ApplicationReport:
    """The report of an application; users who may not view it get the public fields only."""
    attempt = app.current if may_view else None
    shown_id = (
        attempt.attempt_id if attempt is not None else ApplicationAttemptId(app.application_id, NO_ATTEMPT)
    )
    am_label = app.am_requests[0].node_label_expression if app.am_requests else None
    return ApplicationReport(
        application_id=app.application_id,
        user=app.user,
        queue=app.queue,
        name=app.name,
        host=attempt.host if attempt is not None else NOT_AVAILABLE,
        rpc_port=attempt.rpc_port if attempt is not None else NO_PORT,
        client_to_am_token=(
            context.tokens.client_token(attempt.attempt_id, user) if attempt is not None else None
        ),
        yarn_application_state=application_state(app),
        tracking_url=tracking_url(context, app, attempt) if may_view else NOT_AVAILABLE,
        diagnostics=app.shown_diagnostics() if may_view else NOT_AVAILABLE,
        start_time=app.start_ms,
        finish_time=app.finish_ms,
        final_application_status=app.final_status,
        app_resource_usage=usage_report(context, app, attempt),
        original_tracking_url=attempt.original_tracking_url if attempt is not None else NOT_AVAILABLE,
        current_application_attempt_id=shown_id,
        progress=attempt.progress if attempt is not None else 0.0,
        application_type=app.submission.application_type,
        am_rm_token=_unmanaged_token(app, attempt, user),
        application_tags=app.submission.application_tags,
        log_aggregation_status=app.logs.status() if attempt is not None else None,
        unmanaged_application=app.is_unmanaged,
        priority=app.app_priority,
        app_node_label_expression=shown_label(app.submission.node_label_expression),
        am_node_label_expression=None if app.is_unmanaged else shown_label(am_label),
        app_timeouts=(_timeout(context, app),),
        launch_time=app.launch_ms,
        submit_time=app.submit_ms,
    )


def tracking_url(context: RMContext, app: AttemptOwner, attempt: RMAppAttempt | None) -> str:
    """Where to look: by way of the proxy; an unmanaged AM's page itself; of one that was killed or failed,
    the RM's.
    """
    if attempt is None:
        return context.pages.proxy(app.application_id)
    original = attempt.original_tracking_url
    if app.is_unmanaged or original == context.pages.application(app.application_id):
        return original
    return context.pages.proxy(app.application_id)


def shown_label(label: str | None) -> str:
    """A label expression for people."""
    if label is None:
        return NOT_SET
    return label or SHOWN_DEFAULT_PARTITION


def _unmanaged_token(app: RMApp, attempt: RMAppAttempt | None, user: str) -> Token | None:
    if attempt is None or attempt.state is not RMAppAttemptState.LAUNCHED:
        return None
    return attempt.am_rm_token if app.is_unmanaged and app.user == user else None


def _timeout(context: RMContext, app: RMApp) -> AppTimeoutsMap:
    kind = ApplicationTimeoutType.LIFETIME
    end_ms = app.lifetime_end_ms
    if end_ms is None:
        timeout = ApplicationTimeout(application_timeout_type=kind, expire_time=UNLIMITED, remaining_time=-1)
    else:
        left_s = 0 if app.is_final_state_stored else max(0, (end_ms - context.now_ms) // 1000)
        timeout = ApplicationTimeout(
            application_timeout_type=kind, expire_time=iso8601(end_ms), remaining_time=left_s
        )
    return AppTimeoutsMap(application_timeout_type=kind, application_timeout=timeout)


def usage_report(
    context: RMContext, app: RMApp, attempt: RMAppAttempt | None
) -> ApplicationResourceUsageReport:
    """What it uses now, and what it has used in all."""
    seconds, preempted = resource_seconds(context, app)
    totals = ApplicationResourceUsageReport(
        num_used_containers=-1,
        num_reserved_containers=-1,
        used_resources=Resource(-1, -1),
        reserved_resources=Resource(-1, -1),
        needed_resources=Resource(-1, -1),
        memory_seconds=seconds.get(MEMORY_MB, 0),
        vcore_seconds=seconds.get(VCORES, 0),
        queue_usage_percentage=0.0,
        cluster_usage_percentage=0.0,
        preempted_memory_seconds=preempted.get(MEMORY_MB, 0),
        preempted_vcore_seconds=preempted.get(VCORES, 0),
        application_resource_usage_map=seconds,
        application_preempted_resource_usage_map=preempted,
    )
    booked = context.scheduler.attempt(attempt.attempt_id) if attempt is not None else None
    if attempt is None or booked is None or booked.is_stopped:
        return totals
    reserved = booked.usage.total_reserved()
    used = booked.usage.total_used()
    total = context.scheduler.cluster_resource()
    return replace(
        totals,
        num_used_containers=len(booked.live) + len(booked.shrinking) + len(booked.demoting),
        num_reserved_containers=len(booked.reserved),
        used_resources=used,
        reserved_resources=reserved,
        needed_resources=used + reserved,
        queue_usage_percentage=100 * context.scheduler.views.queue_usage(booked, used),
        cluster_usage_percentage=100 * context.scheduler.resource_calculator.divide(total, used, total),
    )


def resource_seconds(context: RMContext, app: RMApp) -> tuple[dict[str, int], dict[str, int]]:
    """What all its attempts have used, and how much of that was preempted; by resource type."""
    seconds: dict[str, int] = {}
    preempted: dict[str, int] = {}
    for attempt in app.attempts.values():
        _add(seconds, attempt.resource_seconds)
        _add(preempted, attempt.preempted_resource_seconds)
    booked = context.scheduler.attempt(app.current.attempt_id) if app.current is not None else None
    if booked is not None and not booked.is_stopped:
        for kind in context.resource_types:
            seconds.setdefault(kind.name, 0)
        for container in context.scheduler.live_containers(booked.attempt_id):
            _add(seconds, container.resource_seconds())
    return seconds, preempted


def _add(total: dict[str, int], more: Mapping[str, int]) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


# Attempts


def attempt_state(attempt: RMAppAttempt) -> YarnApplicationAttemptState:
    """The state that clients see."""
    state = attempt.state
    if state is RMAppAttemptState.FINAL_SAVING:
        state = attempt.state_before_saving or state
    if state is RMAppAttemptState.LAUNCHED_UNMANAGED_SAVING:
        state = RMAppAttemptState.ALLOCATED_SAVING
    return YarnApplicationAttemptState[state.name]


def attempt_report(context: RMContext, attempt: RMAppAttempt) -> ApplicationAttemptReport:
    """An attempt."""
    return ApplicationAttemptReport(
        application_attempt_id=attempt.attempt_id,
        host=attempt.host,
        rpc_port=attempt.rpc_port,
        tracking_url=tracking_url(context, attempt.app, attempt),
        diagnostics=attempt.shown_diagnostics(),
        yarn_application_attempt_state=attempt_state(attempt),
        am_container_id=attempt.master_container_id,
        original_tracking_url=attempt.original_tracking_url,
        start_time=attempt.start_ms,
        finish_time=attempt.finish_ms,
    )


# Containers


def container_report(context: RMContext, container: RMContainer) -> ContainerReport:
    """A container: running as long as it has not ended."""
    address = container.node.http_address
    scheme = context.settings.tls.scheme
    log_url = f"{scheme}://{address}/node/containerlogs/{container.container_id}/{container.user}"
    return ContainerReport(
        container_id=container.container_id,
        resource=container.resource,
        node_id=container.node_id,
        priority=container.key.request_priority,
        creation_time=container.creation_ms,
        finish_time=container.finish_ms,
        diagnostics_info=container.diagnostics if container.is_finished else None,
        log_url=log_url,
        container_exit_status=container.exit_status if container.is_finished else 0,
        container_state=ContainerState.COMPLETE if container.is_finished else ContainerState.RUNNING,
        node_http_address=f"{scheme}://{address}",
        execution_type=container.execution_type,
    )


# Nodes


def node_report(context: RMContext, node: RMNode, update_type: NodeUpdateType | None = None) -> NodeReport:
    """A node, active or not; `update_type` when it is news for an AM."""
    booked = context.scheduler.tracker.nodes.get(node.node_id)
    label = context.labels.partition_of(node.node_id)
    timeout_ms = node.decommission_timeout_ms
    return NodeReport(
        node_id=node.node_id,
        http_address=node.http_address,
        rack_name=node.rack,
        used=booked.allocated if booked is not None else NONE,
        capability=node.capability,
        num_containers=booked.count_guaranteed() if booked is not None else 0,
        node_state=node.state,
        health_report=node.health_report,
        last_health_report_time=node.last_health_report_ms,
        node_labels=(label,) if label else (),
        containers_utilization=node.containers_utilization,
        node_utilization=node.node_utilization,
        # The last one that was set, draining or not: a node that is wanted again goes on showing it.
        decommissioning_timeout=None if timeout_ms is None else timeout_ms // 1000,
        node_update_type=update_type,
        node_attributes=context.attributes.of_host(node.node_id.host) if update_type is None else (),
    )


def cluster_metrics(context: RMContext) -> YarnClusterMetrics:
    """How many nodes are in each state."""
    nodes = (*context.nodes.values(), *context.inactive_nodes.values())
    states = [node.state for node in nodes]
    running = NodeState.RUNNING
    others = [state for state in states if state is not running]
    return YarnClusterMetrics(
        num_node_managers=len(context.nodes),
        num_decommissioned_nms=others.count(NodeState.DECOMMISSIONED),
        num_active_nms=len(states) - len(others),
        num_lost_nms=others.count(NodeState.LOST),
        num_unhealthy_nms=others.count(NodeState.UNHEALTHY),
        num_rebooted_nms=others.count(NodeState.REBOOTED),
        num_decommissioning_nms=others.count(NodeState.DECOMMISSIONING),
        num_shutdown_nms=others.count(NodeState.SHUTDOWN),
    )
