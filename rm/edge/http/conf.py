"""The scheduler's configuration, and why applications wait.

Answers for the scheduler-conf and activities parts of RMWebServices.
"""

from __future__ import annotations

from collections.abc import Mapping

from rm.edge.http.bodies import Body
from rm.edge.http.calls import Call, Reply, Route
from rm.scheduler.capacity import mutation
from rm.scheduler.capacity.mutation import ConfigurationChange, MutableConfiguration
from rm.scheduler.capacity.scheduler import CapacityScheduler
from rm.web.refusals import bad_request, text
from rm.web.values import Answer, java_date
from yarn.errors import YarnError
from yarn.ids import ApplicationId

_IMMUTABLE = "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler"


def get_configuration(call: Call) -> Reply:
    """GET /scheduler-conf."""
    call.check_admin()
    return _properties(_mutable(call).properties)


def get_version(call: Call) -> Reply:
    """GET /scheduler-conf/version."""
    call.check_admin()
    value = {"versionID": _mutable(call).version}
    return Reply(root="configversion", is_mapped=True, value=value)


def change(call: Call) -> Reply:
    """PUT /scheduler-conf."""
    scheduler = _scheduler(call)
    wanted = _read(call.body)
    try:
        mutation.mutate(scheduler, wanted, call.caller.user)
    except YarnError as refusal:
        raise text(400, refusal.message) from None
    return Reply(value="Configuration change successfully applied.")


def validate(call: Call) -> Reply:
    """POST /scheduler-conf/validate."""
    call.check_admin()
    scheduler = _scheduler(call)
    wanted = _read(call.body)
    try:
        return _properties(mutation.validate(scheduler, wanted, call.caller.user))
    except YarnError as refusal:
        beginning = "CapacityScheduler configuration validation failed:"
        message = refusal.message
        raise text(400, message if message.startswith(beginning) else f"{beginning} {message}") from None


def format_store(call: Call) -> Reply:
    """GET /scheduler-conf/format."""
    call.check_admin()
    scheduler = _scheduler(call)
    try:
        mutation.format_store(scheduler)
    except YarnError as refusal:
        raise text(400, refusal.message) from None
    return Reply(value="Configuration under store successfully formatted.")


def _scheduler(call: Call) -> CapacityScheduler:
    scheduler = call.context.scheduler
    if not isinstance(scheduler, CapacityScheduler):
        raise text(400, "Configuration change only supported by MutableConfScheduler.")
    return scheduler


def _mutable(call: Call) -> MutableConfiguration:
    scheduler = call.context.scheduler
    if not isinstance(scheduler, CapacityScheduler) or scheduler.mutable is None:
        raise text(400, f"{_IMMUTABLE}, underlying scheduler is not an instance of MutableConfScheduler")
    return scheduler.mutable


def _properties(properties: Mapping[str, str]) -> Reply:
    shown = [{"name": name, "value": value} for name, value in sorted(properties.items())]
    return Reply(root="configuration", is_mapped=True, value={"property": shown})


def _read(body: Body) -> ConfigurationChange:
    """SchedConfUpdateInfo."""
    return ConfigurationChange(
        remove=body.strings("remove-queue"),
        add=tuple(_queue(one) for one in body.bodies("add-queue")),
        update=tuple(_queue(one) for one in body.bodies("update-queue")),
        global_updates=_texts(body.entries("global-updates")),
    )


def _queue(body: Body) -> tuple[str, Mapping[str, str]]:
    name = body.string("queue-name")
    if not name:
        raise bad_request("queue-name is missing")
    return name, _texts(body.entries("params"))


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in values.items()}


# Why not


def app_activities(call: Call) -> Reply:
    """GET /scheduler/app-activities/{appid}: what keeps each request from its container, looked up now."""
    now_ms = call.context.now_ms
    shown: Answer = {"applicationId": call.words["appid"]}
    moment: Answer = {"timestamp": now_ms, "dateTime": java_date(now_ms)}
    scheduler, application_id = call.context.scheduler, _application_id(call)
    application = scheduler.applications.get(application_id) if application_id is not None else None
    if not isinstance(scheduler, CapacityScheduler):
        shown["diagnostic"] = "Not Capacity Scheduler"
    elif application is None or application_id is None:
        shown["diagnostic"] = "Cannot find application with given appId"
    elif found := _allocation(scheduler, application_id):
        shown["allocations"] = [
            {
                "nodeId": "",
                **moment,
                "queueName": application.queue.path,
                "appPriority": application.app_priority,
                "allocationState": "SKIPPED",
                "children": found,
            }
        ]
    else:
        shown["diagnostic"] = "waiting for display"
    return Reply(root="appActivities", value={**shown, **moment})


def _application_id(call: Call) -> ApplicationId | None:
    try:
        return ApplicationId.parse(call.words["appid"])
    except ValueError:
        return None


def _allocation(scheduler: CapacityScheduler, application_id: ApplicationId) -> list[Answer]:
    found: list[Answer] = []
    for one in scheduler.explain(application_id):
        entry: Answer = {"allocationState": "SKIPPED", "diagnostic": str(one)}
        if one.key is not None:
            entry = {
                "requestPriority": one.key.request_priority,
                "allocationRequestId": one.key.allocation_request_id,
                "count": one.nodes,
                **entry,
            }
        found.append(entry)
    return found


def activities(call: Call) -> Reply:
    """GET /scheduler/activities: for each application that waits, why."""
    return Reply(root="activities", value=_activities(call))


def bulk_activities(call: Call) -> Reply:
    """GET /scheduler/bulk-activities: one look, whatever number was asked for."""
    count = call.parameter("activitiesCount") or "10"
    if not count.isdigit() or not 1 <= int(count) <= 500:
        raise bad_request("activitiesCount has to be a number from 1 to 500")
    return Reply(root="bulkActivities", value={"activities": [_activities(call)]})


def _activities(call: Call) -> Answer:
    scheduler, now_ms = call.context.scheduler, call.context.now_ms
    shown: Answer = {"nodeId": call.parameter("nodeId") or ""}
    moment = {"timestamp": now_ms, "dateTime": java_date(now_ms)}
    if not isinstance(scheduler, CapacityScheduler):
        return {**shown, **moment, "diagnostic": "Not Capacity Scheduler"}
    if not call.context.nodes:
        return {**shown, **moment, "diagnostic": "No node manager running in the cluster"}
    waiting = []
    for application_id in scheduler.applications:
        reasons = _allocation(scheduler, application_id)
        if reasons:
            waiting.append({"name": str(application_id), "allocationState": "SKIPPED", "children": reasons})
    if not waiting:
        return {**shown, **moment, "diagnostic": "waiting for the next allocation"}
    root = {"name": "root", "allocationState": "SKIPPED", "children": waiting}
    allocation = {
        "partition": "",
        "updatedContainerId": "Container-Id-Not-Assigned",
        "finalAllocationState": "SKIPPED",
        "root": root,
    }
    return {**shown, **moment, "allocations": [allocation]}


ROUTES: tuple[Route, ...] = (
    ("GET", "/scheduler-conf", get_configuration),
    ("PUT", "/scheduler-conf", change),
    ("POST", "/scheduler-conf/validate", validate),
    ("GET", "/scheduler-conf/format", format_store),
    ("GET", "/scheduler-conf/version", get_version),
    ("GET", "/scheduler/activities", activities),
    ("GET", "/scheduler/bulk-activities", bulk_activities),
    ("GET", "/scheduler/app-activities/{appid}", app_activities),
)
