"""What the scheduler thought, for who asks: the first call begins to record, a later one shows.

Also what keeps an application waiting, looked up at once. Hadoop: the activities part of RMWebServices.
"""

from __future__ import annotations

import re

from yarnbox.rm.edge.http.calls import Call, Reply, Route, Waiting
from yarnbox.rm.scheduler.activities import ActivityRecords
from yarnbox.rm.web import activities as shown
from yarnbox.rm.web.refusals import RestError, bad_request
from yarnbox.rm.web.values import Answer
from yarnbox.rm.web.why import preemption_marks
from yarnbox.rm.web.why import shown as shown_why
from yarnbox.yarn.ids import ApplicationId, NodeId

_NOT_CAPACITY = "Not Capacity Scheduler"
_NO_NODES = "No node manager running in the cluster"
_NO_APPLICATION = "Cannot find application with given appId"
_SPAN_S = 3.0
_MOST = 500
_ACTIONS = ("REFRESH", "GET")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_SECONDS = re.compile(r"[+-]?([0-9]{1,9}(\.[0-9]*)?|\.[0-9]+)")


class _RefusedError(Exception):
    """A refusal that is answered as a diagnostic, with status 200."""


def activities(call: Call) -> Reply:
    """GET /scheduler/activities."""
    node_id = call.parameter("nodeId")
    try:
        found = _activities(call)
        is_grouped = _is_grouped(call)
        wanted = _node_id(call, node_id)
    except _RefusedError as refused:
        return Reply(root="activities", value=shown.refusal(str(refused), node_id))
    found.record_node(wanted)
    name = str(wanted) if wanted is not None else None
    value = shown.of_node(found.of_node(wanted), name, is_grouped=is_grouped)
    return Reply(root="activities", value=value)


def bulk_activities(call: Call) -> Waiting:
    """GET /scheduler/bulk-activities: answers when so many passes were recorded."""
    try:
        found = _activities(call)
        is_grouped = _is_grouped(call)
        _node_id(call, None)
        count = _integer(call.parameter("activitiesCount") or "10", "activitiesCount must be integer!")
    except _RefusedError as refused:
        raise bad_request(str(refused)) from None
    bulk = found.record_many(min(count, _MOST) if count > 0 else 10)

    def answer() -> Reply | None:
        if not bulk.is_complete:
            return None
        value = [shown.of_node(walks, str(node_id), is_grouped=is_grouped) for node_id, walks in bulk.passes]
        return Reply(root="bulkActivities", value={"activities": value})

    return Waiting(answer=answer, give_up=lambda: found.forget_many(bulk))


def app_activities(call: Call) -> Reply:
    """GET /scheduler/app-activities/{appid}."""
    try:
        value = _app_activities(call)
    except _RefusedError as refused:
        value = shown.app_refusal(str(refused), call.words["appid"], call.context.now_ms)
    return Reply(root="appActivities", value=value)


def _app_activities(call: Call) -> Answer:
    found = _activities(call)
    is_grouped = _is_grouped(call)
    actions = _actions(call)
    priorities = _integers(call, "requestPriorities", "request priorities must be integers!")
    request_ids = _integers(call, "allocationRequestIds", "allocation request Ids must be integers!")
    limit = call.parameter("limit")
    most = _integer(limit, "limit must be integer!") if limit is not None else None
    if most is not None and most <= 0:
        raise _RefusedError("limit must be greater than 0!")
    span_ms = _span_ms(call)
    application_id = _application_id(call)
    if application_id is None:
        raise _RefusedError(_NO_APPLICATION)
    if "REFRESH" in actions:
        found.record_application(application_id, span_ms)
    if "GET" not in actions:
        raise _RefusedError(f"Successfully received action: {','.join(call.words_of('actions'))}")
    if not found.is_living(application_id):
        raise _RefusedError("fail to get application activities after finished")
    looks = found.of_application(application_id)
    if looks is not None:
        looks = shown.chosen(looks, priorities, request_ids)
        if (call.parameter("summarize") or "").lower() == "true":
            looks = shown.summary(looks, span_ms)
        looks = looks[-most:] if most is not None else looks
    return shown.of_application(str(application_id), looks, call.context.now_ms, is_grouped=is_grouped)


def why(call: Call) -> Reply:
    """GET /ui/why/{appid}: what keeps each request from its container, looked up now; ours alone."""
    value: Answer = {"applicationId": call.words["appid"]}
    return Reply(root="why", value={**value, **why_of(call, _application_id(call))})


def why_of(call: Call, application_id: ApplicationId | None) -> Answer:
    """The same of an application, for its page."""
    scheduler = call.context.scheduler
    value: Answer = {}
    application = scheduler.applications.get(application_id) if application_id is not None else None
    if application is None or application_id is None:
        value["diagnostic"] = _NO_APPLICATION
    else:
        value |= {
            "queue": str(application.queue),
            **shown_why(scheduler.views.all_checks(application_id)),
            "reasons": [line for one in scheduler.views.request_checks(application_id) for line in one.lines],
        }
    attempt = application.attempt if application is not None else None
    if attempt is not None:
        value["missedHeartbeats"] = attempt.missed_heartbeats
        if marks := preemption_marks(attempt):
            value["preemption"] = marks
    return value


# What callers say


def _activities(call: Call) -> ActivityRecords:
    found = call.context.scheduler.views.activity_records
    if found is None:
        raise _RefusedError(_NOT_CAPACITY)
    return found


def _is_grouped(call: Call) -> bool:
    wanted = call.parameter("groupBy")
    if wanted is not None and wanted.upper() != "DIAGNOSTIC":
        raise _RefusedError(f"Got invalid groupBy: {wanted}, valid groupBy types: [DIAGNOSTIC]")
    return wanted is not None


def _node_id(call: Call, wanted: str | None) -> NodeId | None:
    """The node of that address, or the first of that host."""
    nodes = call.context.scheduler.tracker.nodes
    if not nodes:
        raise _RefusedError(_NO_NODES)
    if wanted is None:
        return None
    for node_id in nodes:
        if wanted in (str(node_id), node_id.host, f"{node_id.host}:"):
            return node_id
    raise _RefusedError("Cannot find node manager with given node id")


def _actions(call: Call) -> tuple[str, ...]:
    wanted = call.words_of("actions")
    for action in wanted:
        if action.upper() not in _ACTIONS:
            raise _RefusedError(f"Got invalid action: {action}, valid actions: [{', '.join(_ACTIONS)}]")
    return tuple(action.upper() for action in wanted) or _ACTIONS


def _integers(call: Call, name: str, refusal: str) -> list[int]:
    return [_integer(word, refusal) for word in call.words_of(name)]


def _integer(text: str, refusal: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise _RefusedError(refusal)
    return int(text)


def _span_ms(call: Call) -> int:
    text = call.parameter("maxTime")
    if not text:
        return int(_SPAN_S * 1_000)
    if not _SECONDS.fullmatch(text):
        read = text if "." in text else f"{text}.0"
        raise RestError(400, "java.lang.NumberFormatException", f'For input string: "{read}"')
    return int(float(text) * 1_000)


def _application_id(call: Call) -> ApplicationId | None:
    try:
        return ApplicationId.parse(call.words["appid"])
    except ValueError:
        return None


ROUTES: tuple[Route, ...] = (
    ("GET", "/scheduler/activities", activities),
    ("GET", "/scheduler/bulk-activities", bulk_activities),
    ("GET", "/scheduler/app-activities/{appid}", app_activities),
    ("GET", "/ui/why/{appid}", why),
)
