"""The calls that change something about applications and nodes, by way of the services that RPC calls, too.

Hadoop: the PUT and POST half of RMWebServices.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from yarnbox.rm.app import RMApp
from yarnbox.rm.edge.http.calls import Call, Reply, Route, Waiting
from yarnbox.rm.edge.http.rest.bodies import Body
from yarnbox.rm.edge.http.rest.submission import read_resource, read_submission
from yarnbox.rm.web import apps
from yarnbox.rm.web.refusals import bad_request, not_found, text
from yarnbox.yarn.enums import ApplicationTimeoutType, SignalContainerCommand, YarnApplicationState
from yarnbox.yarn.errors import AccessControlError, YarnError
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.admin import UpdateNodeResourceRequest
from yarnbox.yarn.records.application import ApplicationUpdateTimeoutMap
from yarnbox.yarn.records.basics import ResourceOption
from yarnbox.yarn.records.client import (
    GetNewApplicationRequest,
    KillApplicationRequest,
    MoveApplicationAcrossQueuesRequest,
    SubmitApplicationRequest,
    UpdateApplicationPriorityRequest,
    UpdateApplicationTimeoutsRequest,
)
from yarnbox.yarn.records.management import SignalContainerRequest
from yarnbox.yarn.records.node import NodeResourceMap
from yarnbox.yarn.text.moments import parse_iso8601

KILLED = YarnApplicationState.KILLED
_YARN_EXCEPTIONS = "org.apache.hadoop.yarn.exceptions."


def new_application(call: Call) -> Reply:
    """POST /apps/new-application."""
    _check_submission_enabled(call)
    answer = call.client.get_new_application(GetNewApplicationRequest(), call.caller)
    value = {
        "application-id": str(answer.application_id),
        "maximum-resource-capability": call.shapes.resource(answer.maximum_capability),
    }
    return Reply(root="NewApplication", shows_root=False, value=value)


def submit(call: Call) -> Reply:
    """POST /apps."""
    _check_submission_enabled(call)
    submission = read_submission(call)
    request = SubmitApplicationRequest(application_submission_context=submission)
    try:
        call.client.submit_application(request, call.caller)
    except YarnError as error:
        is_own = error.java_class.startswith(_YARN_EXCEPTIONS)
        raise bad_request(error.message if is_own else f"{error.java_class}: {error.message}") from None
    where = f"{call.base}/ws/v1/cluster/apps/{submission.application_id}"
    return Reply(status=202, headers={"Location": where})


def _check_submission_enabled(call: Call) -> None:
    if not call.context.settings.web.app_submission_enabled:
        raise text(403, "App submission via REST is disabled.")


def set_state(call: Call) -> Reply | Waiting:
    """PUT /apps/{appid}/state: 202 until the kill is done, with the state that the kill has led to so far."""
    app = call.app()
    wanted = call.body.string("state")
    if wanted == app.state.name:
        return _state(app, 200)
    if wanted != KILLED.name:
        raise bad_request("Only 'KILLED' is allowed as a target state.")
    request = KillApplicationRequest(
        application_id=app.application_id, diagnostics=call.body.string("diagnostics")
    )
    with _permitted(call, f"kill appid {app.application_id}"):
        answer = call.client.force_kill_application(request, call.caller)
    status, headers = (200, {}) if answer.is_kill_completed else (202, {"Location": call.base + call.path})
    return Waiting(answer=lambda: _state(app, status, headers), give_up=lambda: None)


def _state(app: RMApp, status: int, headers: dict[str, str] | None = None) -> Reply:
    value = {"state": app.state.name}
    return Reply(root="appstate", is_mapped=True, value=value, status=status, headers=headers or {})


def set_queue(call: Call) -> Reply:
    """PUT /apps/{appid}/queue."""
    app, target = call.app(), call.body.string("queue")
    if not target:
        raise bad_request("Queue name is missing")
    if target != apps.queue_path(call.context, app):
        request = MoveApplicationAcrossQueuesRequest(application_id=app.application_id, target_queue=target)
        with _permitted(call, f"move appid {app.application_id}"):
            try:
                call.client.move_application_across_queues(request, call.caller)
            except YarnError as error:
                raise _plainly(error, "state cannot be moved.") from None
    return Reply(root="appqueue", shows_root=False, value={"queue": apps.queue_path(call.context, app)})


def set_priority(call: Call) -> Reply:
    """PUT /apps/{appid}/priority."""
    app, wanted = call.app(), call.body.number("priority")
    if wanted is None:
        raise bad_request("Priority is missing")
    if wanted != app.app_priority:
        request = UpdateApplicationPriorityRequest(
            application_id=app.application_id, application_priority=max(-(2**31), min(wanted, 2**31 - 1))
        )
        with _permitted(call, f"change priority of appid {app.application_id}"):
            try:
                call.client.update_application_priority(request, call.caller)
            except YarnError as error:
                raise _plainly(error, "state cannot update priority.") from None
    value = {"priority": app.app_priority}
    return Reply(root="applicationpriority", shows_root=False, value=value)


def set_timeout(call: Call) -> Reply:
    """PUT /apps/{appid}/timeout."""
    app = call.app()
    body: Body = call.body if call.body.is_xml else call.body.inner("timeout") or Body({})
    kind, expiry = body.string("type"), body.string("expiryTime")
    if kind != ApplicationTimeoutType.LIFETIME.name or not expiry:
        raise text(400, "Timeout type or ExpiryTime is null.")
    try:
        parse_iso8601(expiry)
    except ValueError as error:
        raise bad_request(str(error)) from None
    change = ApplicationUpdateTimeoutMap(
        application_timeout_type=ApplicationTimeoutType.LIFETIME, expire_time=expiry
    )
    request = UpdateApplicationTimeoutsRequest(
        application_id=app.application_id, application_timeouts=(change,)
    )
    with _permitted(call, f"change timeout of app {app.application_id}"):
        call.client.update_application_timeouts(request, call.caller)
    return Reply(root="timeout", value=apps.timeout(call.context, app))


@contextmanager
def _permitted(call: Call, deed: str) -> Iterator[None]:
    """A refusal for missing rights, with the message of Hadoop's web services."""
    try:
        yield
    except AccessControlError:
        raise text(403, f"Unauthorized attempt to {deed} by remote user {call.caller.user}") from None


def _plainly(error: YarnError, ending: str) -> Exception:
    """Answers a refusal because of the application's state in plain text; raises others unchanged."""
    is_plain = error.message.startswith("App") and error.message.endswith(ending)
    return text(400, error.message) if is_plain else error


def signal(call: Call) -> Reply:
    """POST /containers/{containerid}/signal/{command}."""
    try:
        container_id = ContainerId.parse(call.words["containerid"])
    except ValueError as error:
        raise text(500, str(error)) from None
    name = call.words["command"].upper()
    command = SignalContainerCommand.__members__.get(name)
    if command is None:
        valid = ", ".join(SignalContainerCommand.__members__)
        raise text(400, f"Invalid command: {name}, valid commands are: [{valid}]")
    request = SignalContainerRequest(container_id=container_id, command=command)
    try:
        call.client.signal_to_container(request, call.caller)
    except AccessControlError:
        raise
    except YarnError as error:
        raise text(500, error.message) from None
    return Reply()


def resize_node(call: Call) -> Reply:
    """POST /nodes/{nodeid}/resource: for administrators."""
    node_id = call.node_id()
    node = call.context.nodes.get(node_id)
    if node is None:
        raise not_found(f"nodeId, {call.words['nodeid']}, is not found")
    call.body.check_sent()
    wanted = call.body.inner("resource")
    if wanted is None:
        raise bad_request("the new resource is missing")
    timeout_ms = call.body.integer("overCommitTimeout")
    resource = read_resource(wanted)
    option = ResourceOption(resource=resource, over_commit_timeout=-1 if timeout_ms is None else timeout_ms)
    change = NodeResourceMap(node_id=node_id, resource_option=option)
    try:
        call.admin.update_node_resource(UpdateNodeResourceRequest(node_resource_map=(change,)), call.caller)
    except AccessControlError as refusal:
        raise text(403, refusal.message) from None
    return Reply(root="resourceInfo", value=call.shapes.resource(resource))


ROUTES: tuple[Route, ...] = (
    ("POST", "/apps/new-application", new_application),
    ("POST", "/apps", submit),
    ("PUT", "/apps/{appid}/state", set_state),
    ("PUT", "/apps/{appid}/queue", set_queue),
    ("PUT", "/apps/{appid}/priority", set_priority),
    ("PUT", "/apps/{appid}/timeout", set_timeout),
    ("POST", "/containers/{containerid}/signal/{command}", signal),
    ("POST", "/nodes/{nodeid}/resource", resize_node),
)
