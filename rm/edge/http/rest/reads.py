"""The calls that look and change nothing. Hadoop: the GET half of RMWebServices."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from typing import TypeVar

from yarnbox.rm.edge.http.calls import Call, Reply, Route
from yarnbox.rm.edge.http.rest.listings import application_states, deselects, list_apps, list_nodes
from yarnbox.rm.web import apps, cluster, nodes
from yarnbox.rm.web.queues import scheduler
from yarnbox.rm.web.refusals import bad_request, forbidden, not_found
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.client import (
    GetApplicationAttemptReportRequest,
    GetContainerReportRequest,
    GetContainersRequest,
)

T = TypeVar("T")


def info(call: Call) -> Reply:
    """GET /info."""
    return Reply(root="clusterInfo", value=cluster.cluster_info(call.context))


def metrics(call: Call) -> Reply:
    """GET /metrics."""
    return Reply(root="clusterMetrics", value=cluster.metrics(call.context, call.shapes))


def state_store(call: Call) -> Reply:
    """GET /state-store: our own."""
    return Reply(root="stateStore", value=cluster.kept_state(call.context))


def user_info(call: Call) -> Reply:
    """GET /userinfo."""
    value = {"rmLoginUser": getpass.getuser()}
    return Reply(root="clusterUserInfo", is_mapped=True, value={**value, "requestedUser": call.caller.user})


def scheduler_of(call: Call) -> Reply:
    """GET /scheduler."""
    value = {"schedulerInfo": scheduler.scheduler_info(call.context, call.shapes)}
    return Reply(root="scheduler", value=value)


def overview(call: Call) -> Reply:
    """GET /scheduler-overview."""
    return Reply(root="scheduler", is_mapped=True, value=cluster.overview(call.context, call.shapes))


def statistics(call: Call) -> Reply:
    """GET /appstatistics."""
    value = cluster.statistics(call.context, application_states(call), call.words_of("applicationTypes"))
    return Reply(root="appStatInfo", value=value)


# Applications


def application(call: Call) -> Reply:
    """GET /apps/{appid}."""
    app = call.app()
    may_view = call.access.may_view(call.caller.user, app)
    shown = apps.application(call.context, call.shapes, app, may_view=may_view, without=deselects(call))
    return Reply(root="app", value=shown)


def attempts(call: Call) -> Reply:
    """GET /apps/{appid}/appattempts."""
    app = call.app()
    may_view = call.access.may_view(call.caller.user, app)
    shown = [apps.attempt_in_list(call.context, one, may_view=may_view) for one in app.attempts.values()]
    return Reply(root="appAttempts", value={"appAttempt": shown} if shown else {})


def attempt(call: Call) -> Reply:
    """GET /apps/{appid}/appattempts/{attemptid}."""
    request = GetApplicationAttemptReportRequest(application_attempt_id=call.attempt_id())
    answer = _seen(lambda: call.client.get_application_attempt_report(request, call.caller))
    report = answer.application_attempt_report
    assert report is not None
    shown = apps.attempt_alone(report)
    return Reply(root="appAttempt", is_mapped=True, value=shown)


def containers(call: Call) -> Reply:
    """GET .../containers."""
    request = GetContainersRequest(application_attempt_id=call.attempt_id())
    answer = _seen(lambda: call.client.get_containers(request, call.caller))
    shown = [apps.container(call.context, report) for report in answer.containers]
    return Reply(root="containers", is_mapped=True, value={"container": shown}, empty="{}")


def container(call: Call) -> Reply:
    """GET .../containers/{containerid}."""
    request = GetContainerReportRequest(container_id=call.container_id())
    answer = _seen(lambda: call.client.get_container_report(request, call.caller))
    report = answer.container_report
    assert report is not None
    shown = apps.container(call.context, report)
    return Reply(root="container", is_mapped=True, value=shown)


def _seen(ask: Callable[[], T]) -> T:
    """What the client service answers; its refusals as WebServices wraps them."""
    try:
        return ask()
    except YarnError as error:
        if error.http_status == 404:
            raise not_found(error.message, cause=error.java_class) from None
        raise forbidden(error.message, cause=error.java_class) from None


def state(call: Call) -> Reply:
    """GET /apps/{appid}/state: by the RM's own name of it."""
    return Reply(root="appstate", is_mapped=True, value={"state": call.app().state.name})


def queue(call: Call) -> Reply:
    """GET /apps/{appid}/queue."""
    return Reply(
        root="appqueue", shows_root=False, value={"queue": apps.queue_path(call.context, call.app())}
    )


def priority(call: Call) -> Reply:
    """GET /apps/{appid}/priority."""
    value = {"priority": call.app().app_priority}
    return Reply(root="applicationpriority", shows_root=False, value=value)


def timeouts(call: Call) -> Reply:
    """GET /apps/{appid}/timeouts."""
    return Reply(root="timeouts", value={"timeout": [apps.timeout(call.context, call.app())]})


def timeout(call: Call) -> Reply:
    """GET /apps/{appid}/timeouts/LIFETIME."""
    app, kind = call.app(), call.words["type"].strip()
    if kind.upper() != "LIFETIME":
        raise bad_request(f"Invalid application-state {kind} specified. It should be one of [LIFETIME]")
    return Reply(root="timeout", value=apps.timeout(call.context, app))


# Nodes


def node(call: Call) -> Reply:
    """GET /nodes/{nodeid}."""
    node_id: NodeId = call.node_id()
    found = call.context.find_node(node_id)
    if found is None:
        raise not_found(f"nodeId, {call.words['nodeid']}, is not found")
    return Reply(root="node", value=nodes.node(call.context, call.shapes, found))


ROUTES: tuple[Route, ...] = (
    ("GET", "", info),
    ("GET", "/info", info),
    ("GET", "/metrics", metrics),
    ("GET", "/userinfo", user_info),
    ("GET", "/state-store", state_store),
    ("GET", "/scheduler", scheduler_of),
    ("GET", "/scheduler-overview", overview),
    ("GET", "/appstatistics", statistics),
    ("GET", "/apps", list_apps),
    ("GET", "/apps/{appid}", application),
    ("GET", "/apps/{appid}/appattempts", attempts),
    ("GET", "/apps/{appid}/appattempts/{attemptid}", attempt),
    ("GET", "/apps/{appid}/appattempts/{attemptid}/containers", containers),
    ("GET", "/apps/{appid}/appattempts/{attemptid}/containers/{containerid}", container),
    ("GET", "/apps/{appid}/state", state),
    ("GET", "/apps/{appid}/queue", queue),
    ("GET", "/apps/{appid}/priority", priority),
    ("GET", "/apps/{appid}/timeouts", timeouts),
    ("GET", "/apps/{appid}/timeouts/{type}", timeout),
    ("GET", "/nodes", list_nodes),
    ("GET", "/nodes/{nodeid}", node),
)
