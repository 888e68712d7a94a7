"""Applications, their attempts and containers. Hadoop: AppInfo, AppAttemptInfo, ContainerInfo and
AppTimeoutInfo.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yarnbox.rm import reports
from yarnbox.rm.app import RMApp
from yarnbox.rm.asks import KeyAsks
from yarnbox.rm.attempt import NOT_AVAILABLE, RMAppAttempt
from yarnbox.rm.scheduler.constraint.text import text
from yarnbox.rm.web.queues.attempts import Held
from yarnbox.rm.web.values import Answer, Shapes, entries, java_float, without_nulls
from yarnbox.yarn.enums import ApplicationTimeoutType, ExecutionType, YarnApplicationState
from yarnbox.yarn.records.application import ApplicationAttemptReport
from yarnbox.yarn.records.container import ContainerReport
from yarnbox.yarn.records.request import SchedulingRequest
from yarnbox.yarn.resources.resource import NONE, total
from yarnbox.yarn.text.moments import iso8601

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

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
)
_BEFORE_ITS_PAGE = (
    YarnApplicationState.NEW,
    YarnApplicationState.NEW_SAVING,
    YarnApplicationState.SUBMITTED,
    YarnApplicationState.ACCEPTED,
)
_HIDDEN_SHARES = {"queueUsagePercentage": 0.0, "clusterUsagePercentage": 0.0}


def application(
    context: RMContext, shapes: Shapes, app: RMApp, *, may_view: bool, without: tuple[str, ...] = ()
) -> Answer:
    """An application; `without` are names of `deSelects`."""
    state = reports.application_state(app)
    attempt = app.current
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
        **_tracking(context, app, state),
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
        **_usage(context, app),
        "unmanagedApplication": app.is_unmanaged,
        "appNodeLabelExpression": None if "appnodelabelexpression" in without else label,
        "amNodeLabelExpression": None if "amnodelabelexpression" in without else am_label,
    }
    if "timeouts" not in without:
        shown["timeouts"] = {"timeout": [timeout(context, app)]}
    if (
        context.scheduler.name == "CapacityScheduler"
        and attempt is not None
        and "resourceinfo" not in without
    ):
        shown["resourceInfo"] = _by_partition(context, shapes, attempt)
    if not may_view:
        return without_nulls({**shown, **dict.fromkeys(_HIDDEN_NUMBERS, 0), **_HIDDEN_SHARES})
    shown["logAggregationStatus"] = app.logs.status().name
    if attempt is not None:
        shown |= _of_master(attempt)
        if "resourcerequests" not in without:
            shown["resourceRequests"] = list(open_requests(context, shapes, attempt)) or None
    return without_nulls(shown)


def tracking(app: RMApp, state: YarnApplicationState) -> str:
    """The tracking UI as YARN names it: "UNASSIGNED", "ApplicationMaster" or "History"."""
    if app.current is None or state in _BEFORE_ITS_PAGE:
        return "UNASSIGNED"
    return "History" if app.finish_ms else "ApplicationMaster"


def _tracking(context: RMContext, app: RMApp, state: YarnApplicationState) -> Answer:
    """The tracking UI and its URL."""
    what = tracking(app, state)
    if app.current is None or what == "UNASSIGNED":
        return {"trackingUI": what}
    url = reports.tracking_url(context, app, app.current)
    return {"trackingUI": what, "trackingUrl": None if url in ("", NOT_AVAILABLE) else url}


def _of_master(attempt: RMAppAttempt) -> Answer:
    master = attempt.master_container
    shown: Answer = {}
    if master is not None:
        address = master.node_http_address
        scheme = attempt.context.settings.tls.scheme
        shown["amContainerLogs"] = f"{scheme}://{address}/node/containerlogs/{master.id}/{attempt.app.user}"
        shown["amHostHttpAddress"] = address
        shown["masterNodeId"] = str(master.node_id)
    if attempt.host != NOT_AVAILABLE:
        shown["amRPCAddress"] = f"{attempt.host}:{attempt.rpc_port}"
    return shown


def _usage(context: RMContext, app: RMApp) -> Answer:
    """What it holds: -1 each where its attempt is not in the scheduler any more, 0 where it has none."""
    report = reports.usage_report(context, app, app.current)
    used, reserved, running = report.used_resources, report.reserved_resources, report.num_used_containers
    if app.current is None:
        used, reserved, running = NONE, NONE, 0
    assert used is not None
    assert reserved is not None
    seconds = report.application_resource_usage_map
    preempted = report.application_preempted_resource_usage_map
    lost = total(one.preempted_resource for one in app.attempts.values())
    return {
        "allocatedMB": used.memory_mb,
        "allocatedVCores": used.vcores,
        "reservedMB": reserved.memory_mb,
        "reservedVCores": reserved.vcores,
        "runningContainers": running,
        "memorySeconds": report.memory_seconds,
        "vcoreSeconds": report.vcore_seconds,
        "queueUsagePercentage": java_float(report.queue_usage_percentage or 0.0),
        "clusterUsagePercentage": java_float(report.cluster_usage_percentage or 0.0),
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
    queue = context.scheduler.views.queue_view(app.queue)
    return queue.path if queue is not None else app.queue


def _by_partition(context: RMContext, shapes: Shapes, attempt: RMAppAttempt) -> Answer | None:
    booked = context.scheduler.attempt(attempt.attempt_id)
    if booked is None or booked.is_stopped:
        return None
    view = context.scheduler.views.application_view(booked)
    partition, am_resource = view.am_partition, view.am_resource
    if partition is None:
        return None
    return {
        "resourceUsagesByPartition": [
            {
                "partitionName": name,
                "used": shapes.resource(amounts.used),
                "reserved": shapes.resource(amounts.reserved),
                "pending": shapes.resource(amounts.pending),
                "amUsed": shapes.resource(am_resource if name == partition else NONE),
                "amLimit": shapes.resource(NONE),
                "userAmLimit": shapes.resource(NONE),
            }
            for name, amounts in {partition: Held(), **booked.usage.by_partition}.items()
        ]
    }


def open_requests(context: RMContext, shapes: Shapes, attempt: RMAppAttempt) -> Iterator[Answer]:
    """The requests that are not fulfilled yet."""
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
    """The application's lifetime timeout."""
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


def attempt_in_list(context: RMContext, attempt: RMAppAttempt, *, may_view: bool) -> Answer:
    """An attempt as the list shows it: with the RM's own name of its state."""
    shown: Answer = {
        "id": attempt.attempt_id.attempt_id,
        "startTime": attempt.start_ms,
        "finishedTime": attempt.finish_ms,
        "containerId": "",
        "nodeHttpAddress": "",
        "nodeId": "",
        "logsLink": "",
        "blacklistedNodes": "",
        "appAttemptId": str(attempt.attempt_id),
        "exportPorts": "",
        "appAttemptState": attempt.state.name,
    }
    master = attempt.master_container
    if master is None or not may_view:
        return shown
    booked = context.scheduler.attempt(attempt.attempt_id)
    if booked is not None and booked.attempt_id != attempt.attempt_id:
        booked = None
    address = master.node_http_address
    return {
        **shown,
        "containerId": str(master.id),
        "nodeHttpAddress": address,
        "nodeId": str(master.node_id),
        "logsLink": f"{attempt.context.settings.tls.scheme}://{address}/node/containerlogs/{master.id}/{attempt.app.user}",
        "blacklistedNodes": ", ".join(booked.blacklist) if booked is not None else "",
        "nodesBlacklistedBySystem": ", ".join(booked.am_blacklist) if booked is not None else "",
        "exportPorts": "null",
    }


def attempt_alone(report: ApplicationAttemptReport) -> Answer:
    """An attempt by itself."""
    state = report.yarn_application_attempt_state
    return without_nulls(
        {
            "appAttemptId": str(report.application_attempt_id),
            "host": report.host,
            "rpcPort": report.rpc_port,
            "trackingUrl": report.tracking_url,
            "originalTrackingUrl": report.original_tracking_url,
            "diagnosticsInfo": report.diagnostics,
            "appAttemptState": state.name if state is not None else None,
            "amContainerId": str(report.am_container_id) if report.am_container_id is not None else None,
            "startedTime": report.start_time,
            "finishedTime": report.finish_time,
        }
    )


def container(context: RMContext, report: ContainerReport) -> Answer:
    """A container."""
    held = report.resource or NONE
    state = report.container_state
    return without_nulls(
        {
            "containerId": str(report.container_id),
            "allocatedMB": held.memory_mb,
            "allocatedVCores": held.vcores,
            "assignedNodeId": str(report.node_id),
            "priority": report.priority,
            "startedTime": report.creation_time,
            "finishedTime": report.finish_time,
            "elapsedTime": (report.finish_time or context.now_ms) - (report.creation_time or 0),
            "diagnosticsInfo": report.diagnostics_info,
            "logUrl": report.log_url,
            "containerExitStatus": report.container_exit_status,
            "containerState": state.name if state is not None else None,
            "nodeHttpAddress": report.node_http_address,
            "nodeId": str(report.node_id),
            "allocatedResources": entries(dict(held.items())),
            "exposedPorts": "",
        }
    )
