"""Reservations, delegation tokens, and who may use a queue. Hadoop: these parts of RMWebServices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from yarnbox.rm.edge.http.calls import Call, Reply, Route
from yarnbox.rm.edge.http.rest.bodies import Body
from yarnbox.rm.edge.http.rest.submission import read_resource
from yarnbox.rm.web.refusals import bad_request, forbidden, illegal_argument, io_error, text
from yarnbox.rm.web.values import Answer, without_nulls
from yarnbox.yarn.enums import QueueACL, ReservationRequestInterpreter
from yarnbox.yarn.errors import AccessControlError, YarnError
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.records.client import (
    GetNewReservationRequest,
    ReservationDeleteRequest,
    ReservationListRequest,
    ReservationSubmissionRequest,
    ReservationUpdateRequest,
)
from yarnbox.yarn.records.reservation import (
    ReservationAllocationState,
    ReservationDefinition,
    ReservationRequest,
    ReservationRequests,
)

_NO_TOKENS = (
    "Delegation token operations can only be carried out on a Kerberos authenticated channel. "
    "Expected auth type is kerberos, got type {}"
)
T = TypeVar("T")
_ACLS = {
    "SUBMIT_APPLICATIONS": QueueACL.SUBMIT_APPLICATIONS,
    "ADMINISTER_QUEUE": QueueACL.ADMINISTER_QUEUE,
}


def new_reservation(call: Call) -> Reply:
    """POST /reservation/new-reservation."""
    answer = call.client.get_new_reservation(GetNewReservationRequest(), call.caller)
    value = {"reservation-id": str(answer.reservation_id)}
    return Reply(root="new-reservation", is_mapped=True, value=value)


def submit(call: Call) -> Reply:
    """POST /reservation/submit."""
    call.body.check_sent()
    definition = _definition(call.body)
    request = ReservationSubmissionRequest(
        queue=call.body.string("queue"),
        reservation_definition=definition,
        reservation_id=_reservation_id(call.body),
    )
    _carry_out(lambda: call.client.submit_reservation(request, call.caller))
    return Reply(status=202)


def update(call: Call) -> Reply:
    """POST /reservation/update."""
    call.body.check_sent()
    definition = _definition(call.body)
    reservation_id = _reservation_id(call.body)
    if reservation_id is None:
        raise bad_request("Update operations must specify an existing ReservationId")
    request = ReservationUpdateRequest(reservation_definition=definition, reservation_id=reservation_id)
    _carry_out(lambda: call.client.update_reservation(request, call.caller))
    return Reply(root="reservation-update-response", shows_root=False, value={})


def delete(call: Call) -> Reply:
    """POST /reservation/delete."""
    call.body.check_sent()
    reservation_id = _reservation_id(call.body)
    if reservation_id is None:
        raise bad_request("Missing reservation id. Please try again by specifying a reservation id.")
    request = ReservationDeleteRequest(reservation_id=reservation_id)
    _carry_out(lambda: call.client.delete_reservation(request, call.caller))
    return Reply(root="reservation-delete-response", shows_root=False, value={})


def listing(call: Call) -> Reply:
    """GET /reservation/list."""
    shows_steps = (call.parameter("include-resource-allocations") or "").lower() == "true"
    queue, wanted = call.parameter("queue"), call.parameter("reservation-id")
    if wanted:
        _parsed(wanted)
    request = ReservationListRequest(
        queue="default" if queue is None else queue,
        reservation_id=wanted,
        start_time=_moment(call, "start-time", 0),
        end_time=_moment(call, "end-time", -1),
        include_resource_allocations=shows_steps,
    )
    answer = _carry_out(lambda: call.client.list_reservations(request, call.caller))
    shown = [_shown(call, one) for one in answer.reservations]
    return Reply(root="reservationListInfo", is_mapped=True, value={"reservations": shown}, empty="{}")


def _carry_out(change: Callable[[], T]) -> T:
    """A planner's no is a bad request, unknown reservations included."""
    try:
        return change()
    except AccessControlError:
        raise
    except YarnError as refusal:
        raise bad_request(refusal.message) from None


def _moment(call: Call, name: str, default: int) -> int:
    given = call.parameter(name)
    try:
        return int(given) if given else default
    except ValueError:
        raise bad_request(f'For input string: "{given}"', cause="java.lang.NumberFormatException") from None


def _reservation_id(body: Body) -> ReservationId | None:
    given = body.string("reservation-id")
    return _parsed(given) if given else None


def _parsed(text: str) -> ReservationId:
    try:
        return ReservationId.parse(text)
    except ValueError:
        raise io_error(f"The specified reservation id is invalid: {text}") from None


def _definition(body: Body) -> ReservationDefinition:
    found = body.inner("reservation-definition")
    if found is None:
        raise bad_request("Input ReservationDefinition should not be null")
    inner = found.inner("reservation-requests")
    stages = inner.bodies("reservation-request") if inner is not None else []
    if inner is None or not stages:
        raise bad_request("The ReservationDefinition should contain at least one ReservationRequest")
    if any(one.inner("capability") is None for one in stages):
        raise bad_request("A ReservationRequest has to say the capability of its containers")
    number = inner.integer("reservation-request-interpreter") or 0
    try:
        interpreter = ReservationRequestInterpreter(number)
    except ValueError:
        raise bad_request(f"there is no reservation-request-interpreter {number}") from None
    wanted = tuple(
        ReservationRequest(
            capability=read_resource(one.inner("capability")),
            num_containers=one.integer("num-containers") or 0,
            concurrency=one.integer("min-concurrency") or 1,
            duration=one.number("duration") or 0,
        )
        for one in stages
    )
    return ReservationDefinition(
        reservation_requests=ReservationRequests(reservation_resources=wanted, interpreter=interpreter),
        arrival=found.number("arrival"),
        deadline=found.number("deadline"),
        reservation_name=found.string("reservation-name"),
        recurrence_expression=found.string("recurrence-expression") or "0",
        priority=found.integer("priority"),
    )


def _shown(call: Call, state: ReservationAllocationState) -> Answer:
    definition = state.reservation_definition or ReservationDefinition()
    inner = definition.reservation_requests or ReservationRequests()
    requests = [
        {
            "duration": one.duration,
            "num-containers": one.num_containers,
            "min-concurrency": one.concurrency,
            "capability": call.shapes.resource(one.capability),
        }
        for one in inner.reservation_resources
    ]
    steps = [
        {
            "resource": call.shapes.resource(one.resource),
            "startTime": one.start_time,
            "endTime": one.end_time,
        }
        for one in state.allocation_requests
    ]
    return without_nulls(
        {
            "acceptance-time": state.acceptance_time,
            "user": state.user,
            "resource-allocations": steps or None,
            "reservation-id": str(state.reservation_id),
            "reservation-definition": without_nulls(
                {
                    "arrival": definition.arrival,
                    "deadline": definition.deadline,
                    "reservation-requests": {
                        "reservation-request-interpreter": inner.interpreter.value,
                        "reservation-request": requests,
                    },
                    "reservation-name": definition.reservation_name,
                    "priority": definition.priority,
                    "recurrence-expression": definition.recurrence_expression,
                }
            ),
        }
    )


def no_tokens(call: Call) -> Reply:
    """POST and DELETE /delegation-token: refused, for nobody has proved who they are."""
    raise text(403, _NO_TOKENS.format("SIMPLE" if call.parameter("user.name") else "null"))


def new_token(call: Call) -> Reply:
    """POST /delegation-token."""
    call.body.check_sent()
    return no_tokens(call)


def access(call: Call) -> Reply:
    """GET /queues/{queue}/access: only who administers the queue may ask for others."""
    queue, caller = call.words["queue"], call.caller.user
    user, given = call.parameter("user"), call.parameter("queue-acl-type")
    if not call.access.may_in_queue(caller, QueueACL.ADMINISTER_QUEUE, queue):
        raise forbidden(
            f"User={caller} doesn't haven access to queue={queue} so it cannot check ACLs for other users."
        )
    if not user:
        raise illegal_argument("Null user")
    kind = QueueACL.SUBMIT_APPLICATIONS if given is None else _ACLS.get(given)
    if kind is None:
        raise bad_request(
            f"Specified queueAclType={given} is not a valid type, valid queue acl types="
            "{SUBMIT_APPLICATIONS/ADMINISTER_QUEUE}"
        )
    allowed = call.access.may_in_queue(user, kind, queue)
    why = "" if allowed else f"User={user} doesn't have access to queue={queue} with acl-type={kind.name}"
    value = {"allowed": allowed, "user": user, "diagnostics": why}
    return Reply(root="rmQueueAclInfo", is_mapped=True, value=value)


ROUTES: tuple[Route, ...] = (
    ("POST", "/reservation/new-reservation", new_reservation),
    ("POST", "/reservation/submit", submit),
    ("POST", "/reservation/update", update),
    ("POST", "/reservation/delete", delete),
    ("GET", "/reservation/list", listing),
    ("POST", "/delegation-token", new_token),
    ("DELETE", "/delegation-token", no_tokens),
    ("POST", "/delegation-token/expiration", no_tokens),
    ("GET", "/queues/{queue}/access", access),
)
