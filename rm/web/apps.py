"""Applications, their attempts and containers. Answers for AppInfo, AppAttemptInfo, ContainerInfo and
AppTimeoutInfo.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rm import reports
from rm.app import RMApp
from rm.attempt import NOT_AVAILABLE, RMAppAttempt
from rm.container import RMContainer
from rm.scheduler.asks import KeyAsks
from rm.scheduler.constraint.text import text
from rm.web.values import Answer, Shapes, entries, java_float, without_nulls
from yarn.enums import ApplicationTimeoutType, ExecutionType
from yarn.ids import ContainerId
from yarn.moments import iso8601
from yarn.records.request import SchedulingRequest
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.context import RMContext

NOTHING_HELD = -1
_HIDDEN_NUMBERS = (
    "startedTime",
    "launchTime",
    "finishedTime",
    "elapsedTime",
    "allocatedMB",
    "allocatedVCores",
    "reservedMB",
    "reservedVCores",
    "runningContainers",
    "queueUsagePercentage",
    "clusterUsagePercentage",
)


def application(
    context: RMContext, shapes: Shapes, app: RMApp, *, may_view: bool, without: tuple[str, ...] = ()
) -> Answer:
    """An application; `without` are names of `deSelects`."""
    state = reports.application_state(app)
    attempt = app.current
    is_over = app.is_final_state_stored
    label = app.submission.node_label_expression
    am_label = app.am_requests[0].node_label_expression if app.am_requests else None
    finish_ms = app.finish_ms
    shown: Answer = {
        "id": str(app.application_id),
        "user": app.user,
        "name": app.name,
        "queue": queue_path(context, app),
        "state": state.name,
        "finalStatus": app.final_status.name.removeprefix("APP_"),
        "progress": java_float((attempt.progress if attempt is not None else 0.0) * 100),
        "trackingUI": _tracking(app),
        "trackingUrl": _tracking_url(context, app),
        "diagnostics": app.shown_diagnostics(),
        "clusterId": app.application_id.cluster_timestamp,
        "applicationType": app.submission.application_type,
        "applicationTags": ",".join(app.submission.application_tags),
        "priority": app.app_priority,
        "startedTime": app.start_ms,
        "launchTime": app.launch_ms,
        "finishedTime": finish_ms,
        "elapsedTime": (finish_ms or context.now_ms) - app.start_ms,
        "masterNodeId": "",
        **_usage(context, app, is_over=is_over),
        "unmanagedApplication": app.is_unmanaged,
        "appNodeLabelExpression": None if "appnodelabelexpression" in without else label,
        "amNodeLabelExpression": None if "amnodelabelexpression" in without else am_label,
    }
    if "timeouts" not in without:
        shown["timeouts"] = {"timeout": [timeout(context, app)]}
    if not may_view:
        return without_nulls({**shown, **dict.fromkeys(_HIDDEN_NUMBERS, 0)})
    shown["logAggregationStatus"] = app.logs.status().name
    if attempt is not None:
        shown |= _of_master(attempt)
        if "resourcerequests" not in without:
            shown["resourceRequests"] = list(open_requests(context, shapes, attempt)) or None
        if context.scheduler.name == "CapacityScheduler" and "resourceinfo" not in without:
            shown["resourceInfo"] = _by_partition(context, shapes, attempt)
    return without_nulls(shown)


def _tracking(app: RMApp) -> str:
    attempt = app.current
    if app.is_in_final_state:
        return "History"
    if attempt is None or attempt.original_tracking_url in ("", NOT_AVAILABLE):
        return "UNASSIGNED"
    return "ApplicationMaster"


def _tracking_url(context: RMContext, app: RMApp) -> str | None:
    if app.current is None or app.launch_ms == 0:
        return None
    url = reports.tracking_url(context, app, app.current)
    return None if url in ("", NOT_AVAILABLE) else url


def _of_master(attempt: RMAppAttempt) -> Answer:
    master = attempt.master_container
    shown: Answer = {}
    if master is not None:
        address = master.node_http_address
        shown["amContainerLogs"] = f"http://{address}/node/containerlogs/{master.id}/{attempt.app.user}"
        shown["amHostHttpAddress"] = address
        shown["masterNodeId"] = str(master.node_id)
    if attempt.host != NOT_AVAILABLE:
        shown["amRPCAddress"] = f"{attempt.host}:{attempt.rpc_port}"
    return shown


def _usage(context: RMContext, app: RMApp, *, is_over: bool) -> Answer:
    report = reports.usage_report(context, app, app.current)
    used, reserved = report.used_resources or Resource(-1, -1), report.reserved_resources or Resource(-1, -1)
    running = report.num_used_containers
    if is_over:
        used = reserved = Resource(NOTHING_HELD, NOTHING_HELD)
        running = NOTHING_HELD
    elif running == NOTHING_HELD:
        used, reserved, running = Resource(0, 0), Resource(0, 0), 0
    seconds = report.application_resource_usage_map
    preempted = report.application_preempted_resource_usage_map
    lost = sum((one.preempted_resource for one in app.attempts.values()), NONE)
    return {
        "allocatedMB": used.memory_mb,
        "allocatedVCores": used.vcores,
        "reservedMB": reserved.memory_mb,
        "reservedVCores": reserved.vcores,
        "runningContainers": running,
        "memorySeconds": report.memory_seconds,
        "vcoreSeconds": report.vcore_seconds,
        "queueUsagePercentage": 0.0 if is_over else java_float(report.queue_usage_percentage or 0.0),
        "clusterUsagePercentage": 0.0 if is_over else java_float(report.cluster_usage_percentage or 0.0),
        "resourceSecondsMap": entries(seconds),
        "preemptedResourceMB": lost.memory_mb,
        "preemptedResourceVCores": lost.vcores,
        "numNonAMContainerPreempted": sum(one.preempted_count for one in app.attempts.values()),
        "numAMContainerPreempted": sum(one.is_preempted for one in app.attempts.values()),
        "preemptedMemorySeconds": report.preempted_memory_seconds,
        "preemptedVcoreSeconds": report.preempted_vcore_seconds,
        "preemptedResourceSecondsMap": entries(preempted),
    }


ROOT = "root."


def queue_path(context: RMContext, app: RMApp) -> str:
    """Its queue from root, where the scheduler has a tree; a client may have named the leaf alone."""
    if app.queue.startswith(ROOT):
        return app.queue
    queue = context.scheduler.queue_view(app.queue)
    return queue.path if queue is not None else app.queue


def _by_partition(context: RMContext, shapes: Shapes, attempt: RMAppAttempt) -> Answer | None:
    booked = context.scheduler.attempt(attempt.attempt_id)
    if booked is None or booked.is_stopped:
        return None
    return {
        "resourceUsagesByPartition": [
            {
                "partitionName": name,
                "used": shapes.resource(amounts.used),
                "reserved": shapes.resource(amounts.reserved),
                "pending": shapes.resource(amounts.pending),
                "amUsed": shapes.resource(amounts.am_used),
            }
            for name, amounts in booked.usage.by_partition.items()
        ]
    }


def open_requests(context: RMContext, shapes: Shapes, attempt: RMAppAttempt) -> Iterator[Answer]:
    """What it has asked for and not got."""
    booked = context.scheduler.attempt(attempt.attempt_id)
    if booked is None or booked.is_stopped:
        return
    for key_asks in booked.asks.all_keys():
        if key_asks.constrained is not None:
            if key_asks.outstanding:
                yield _scheduling_request(shapes, key_asks, key_asks.constrained.request)
            continue
        for asked in key_asks.by_location.values():
            if asked.count:
                yield {
                    "priority": key_asks.key.request_priority,
                    "allocationRequestId": key_asks.key.allocation_request_id,
                    "resourceName": asked.location,
                    "capability": shapes.resource(asked.capability),
                    "numContainers": asked.count,
                    "relaxLocality": asked.relax_locality,
                    "nodeLabelExpression": asked.label,
                    "executionTypeRequest": {
                        "executionType": asked.execution_type.name,
                        "enforceExecutionType": False,
                    },
                }


def _scheduling_request(shapes: Shapes, key_asks: KeyAsks, request: SchedulingRequest) -> Answer:
    """A request with a placement constraint has no place of its own."""
    assert key_asks.any is not None
    shown: Answer = {
        "priority": key_asks.key.request_priority,
        "allocationRequestId": key_asks.key.allocation_request_id,
        "capability": shapes.resource(key_asks.any.capability),
        "numContainers": key_asks.outstanding,
        "relaxLocality": False,
        "executionTypeRequest": {
            "executionType": ExecutionType.GUARANTEED.name,
            "enforceExecutionType": request.execution_type is not None
            and request.execution_type.enforce_execution_type,
        },
        "allocationTags": list(request.allocation_tags),
    }
    if request.placement_constraint is not None:
        shown["placementConstraint"] = text(request.placement_constraint)
    return shown


def timeout(context: RMContext, app: RMApp) -> Answer:
    """The end of its life."""
    end_ms = app.lifetime_end_ms
    left_s = -1
    if end_ms is not None:
        left_s = 0 if app.is_final_state_stored else max(0, (end_ms - context.now_ms) // 1000)
    return {
        "type": ApplicationTimeoutType.LIFETIME.name.removeprefix("APP_TIMEOUT_"),
        "expiryTime": reports.UNLIMITED if end_ms is None else iso8601(end_ms),
        "remainingTimeInSeconds": left_s,
    }


# Attempts


def attempt_in_list(context: RMContext, attempt: RMAppAttempt) -> Answer:
    """An attempt as the list shows it: with the RM's own name of its state."""
    master = attempt.master_container
    booked = context.scheduler.attempt(attempt.attempt_id)
    if booked is not None and booked.attempt_id != attempt.attempt_id:
        booked = None
    address = master.node_http_address if master is not None else ""
    logs = f"http://{address}/node/containerlogs/{master.id}/{attempt.app.user}" if master else ""
    return {
        "id": attempt.attempt_id.attempt_id,
        "startTime": attempt.start_ms,
        "finishedTime": attempt.finish_ms,
        "containerId": str(master.id) if master is not None else "",
        "nodeHttpAddress": address,
        "nodeId": str(master.node_id) if master is not None else "",
        "logsLink": logs,
        "blacklistedNodes": ",".join(booked.blacklist) if booked is not None else "",
        "nodesBlacklistedBySystem": ",".join(booked.am_blacklist) if booked is not None else "",
        "appAttemptId": str(attempt.attempt_id),
        "exportPorts": "",
        "appAttemptState": attempt.state.name,
    }


def attempt_alone(context: RMContext, attempt: RMAppAttempt) -> Answer:
    """An attempt by itself."""
    report = reports.attempt_report(context, attempt)
    return without_nulls(
        {
            "appAttemptId": str(attempt.attempt_id),
            "host": report.host,
            "rpcPort": report.rpc_port,
            "trackingUrl": report.tracking_url,
            "originalTrackingUrl": report.original_tracking_url,
            "diagnosticsInfo": report.diagnostics,
            "appAttemptState": reports.attempt_state(attempt).name.removeprefix("APP_ATTEMPT_"),
            "amContainerId": str(report.am_container_id) if report.am_container_id is not None else None,
            "startedTime": report.start_time,
            "finishedTime": report.finish_time,
        }
    )


def containers(context: RMContext, attempt: RMAppAttempt) -> list[Answer]:
    """The containers that the RM still holds for it."""
    live = context.scheduler.live_containers(attempt.attempt_id)
    return [container(context, one) for one in live]


def container(context: RMContext, held: RMContainer) -> Answer:
    """A container."""
    report = reports.container_report(context, held)
    return {
        "containerId": str(held.container_id),
        "allocatedMB": held.resource.memory_mb,
        "allocatedVCores": held.resource.vcores,
        "assignedNodeId": str(held.node_id),
        "priority": held.key.request_priority,
        "startedTime": held.creation_ms,
        "finishedTime": held.finish_ms,
        "elapsedTime": (held.finish_ms or context.now_ms) - held.creation_ms,
        "diagnosticsInfo": held.diagnostics,
        "logUrl": report.log_url,
        "containerExitStatus": report.container_exit_status,
        "containerState": report.container_state.name if report.container_state is not None else "NEW",
        "nodeHttpAddress": report.node_http_address,
        "nodeId": str(held.node_id),
        "allocatedResources": entries(dict(held.resource.items())),
        "exposedPorts": "",
    }


def find_container(context: RMContext, attempt: RMAppAttempt, container_id: ContainerId) -> Any:
    """A container that the RM holds for this attempt; None if it holds no such one."""
    for one in context.scheduler.live_containers(attempt.attempt_id):
        if one.container_id == container_id:
            return one
    return None
