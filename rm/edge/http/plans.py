"""Reservations, delegation tokens, and who may use a queue. Answers for these parts of RMWebServices."""

from __future__ import annotations

from rm.edge.http.bodies import Body
from rm.edge.http.calls import Call, Reply, Route
from rm.edge.http.submission import read_resource
from rm.web.refusals import bad_request, text
from rm.web.values import Answer, without_nulls
from yarn.enums import QueueACL, ReservationRequestInterpreter
from yarn.ids import ReservationId
from yarn.records.client import (
    GetNewReservationRequest,
    ReservationDeleteRequest,
    ReservationListRequest,
    ReservationSubmissionRequest,
    ReservationUpdateRequest,
)
from yarn.records.reservation import (
    ReservationAllocationState,
    ReservationDefinition,
    ReservationRequest,
    ReservationRequests,
)

_NO_TOKENS = "Delegation token operations can only be carried out on a Kerberos authenticated channel."
_ACLS = {
    "SUBMIT_APPLICATIONS": QueueACL.SUBMIT_APPLICATIONS,
    "ADMINISTER_QUEUE": QueueACL.ADMINISTER_QUEUE,
}


def new_reservation(call: Call) -> Reply:
    """POST /reservation/new-reservation."""
    answer = call.core.client.get_new_reservation(GetNewReservationRequest(), call.caller)
    value = {"reservation-id": str(answer.reservation_id)}
    return Reply(root="new-reservation", is_mapped=True, value=value)


def submit(call: Call) -> Reply:
    """POST /reservation/submit."""
    request = ReservationSubmissionRequest(
        queue=call.body.string("queue"),
        reservation_definition=_definition(call.body),
        reservation_id=_reservation_id(call.body),
    )
    call.core.client.submit_reservation(request, call.caller)
    return Reply(status=202)


def update(call: Call) -> Reply:
    """POST /reservation/update."""
    request = ReservationUpdateRequest(
        reservation_definition=_definition(call.body), reservation_id=_reservation_id(call.body)
    )
    call.core.client.update_reservation(request, call.caller)
    return Reply(root="reservation-update", shows_root=False, value={})


def delete(call: Call) -> Reply:
    """POST /reservation/delete."""
    request = ReservationDeleteRequest(reservation_id=_reservation_id(call.body))
    call.core.client.delete_reservation(request, call.caller)
    return Reply(root="reservation-delete", shows_root=False, value={})


def listing(call: Call) -> Reply:
    """GET /reservation/list."""
    shows_steps = call.parameter("include-resource-allocations") == "true"
    request = ReservationListRequest(
        queue=call.parameter("queue") or "default",
        reservation_id=call.parameter("reservation-id"),
        start_time=_moment(call, "start-time", 0),
        end_time=_moment(call, "end-time", -1),
        include_resource_allocations=shows_steps,
    )
    answer = call.core.client.list_reservations(request, call.caller)
    shown = [_shown(call, one) for one in answer.reservations]
    return Reply(root="reservationListInfo", is_mapped=True, value={"reservations": shown})


def _moment(call: Call, name: str, default: int) -> int:
    given = call.parameter(name)
    try:
        return int(given) if given else default
    except ValueError:
        raise bad_request(f'For input string: "{given}"', cause="java.lang.NumberFormatException") from None


def _reservation_id(body: Body) -> ReservationId:
    given = body.string("reservation-id")
    if not given:
        raise bad_request("ReservationId is missing")
    try:
        return ReservationId.parse(given)
    except ValueError:
        raise bad_request(f"Invalid ReservationId: {given}") from None


def _definition(body: Body) -> ReservationDefinition:
    found = body.inner("reservation-definition")
    if found is None:
        raise bad_request("Reservation definition is missing")
    inner = found.inner("reservation-requests")
    if inner is None:
        raise bad_request("Reservation requests are missing")
    number = inner.number("reservation-request-interpreter") or 0
    try:
        interpreter = ReservationRequestInterpreter(number)
    except ValueError:
        raise bad_request(f"there is no interpreter {number}") from None
    wanted = tuple(
        ReservationRequest(
            capability=read_resource(one.inner("capability")),
            num_containers=one.number("num-containers") or 0,
            concurrency=one.number("min-concurrency") or 1,
            duration=one.number("duration") or 0,
        )
        for one in inner.bodies("reservation-request")
    )
    return ReservationDefinition(
        reservation_requests=ReservationRequests(reservation_resources=wanted, interpreter=interpreter),
        arrival=found.number("arrival"),
        deadline=found.number("deadline"),
        reservation_name=found.string("reservation-name"),
        recurrence_expression=found.string("recurrence-expression") or "0",
        priority=found.number("priority"),
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
                    "reservation-name": definition.reservation_name,
                    "priority": definition.priority,
                    "recurrence-expression": definition.recurrence_expression,
                    "reservation-requests": {
                        "reservation-request-interpreter": inner.interpreter.value,
                        "reservation-request": requests,
                    },
                }
            ),
        }
    )


def no_tokens(call: Call) -> Reply:
    """POST and DELETE /delegation-token: refused, for nobody has proved who they are."""
    raise text(403, _NO_TOKENS)


def access(call: Call) -> Reply:
    """GET /queues/{queue}/access."""
    queue, scheduler = call.words["queue"], call.context.scheduler
    kind = _ACLS.get(call.parameter("queue-acl-type") or "")
    if kind is None:
        raise text(400, "Specified queueAclType is not valid; one of SUBMIT_APPLICATIONS, ADMINISTER_QUEUE")
    if scheduler.queue_view(queue) is None:
        raise bad_request(f"Unknown queue: {queue}")
    caller = call.caller.user
    may = call.access.is_admin(caller) or scheduler.has_access(caller, QueueACL.ADMINISTER_QUEUE, queue)
    if call.access.is_enabled and not may:
        raise text(403, f"User {caller} does not administer the queue {queue}")
    user = call.parameter("user") or caller
    allowed = not call.access.is_enabled or scheduler.has_access(user, kind, queue)
    why = "" if allowed else f"User={user} doesn't have access to queue={queue} with acl-type={kind.name}"
    value = {"allowed": allowed, "user": user, "diagnostics": why}
    return Reply(root="rmQueueAclInfo", is_mapped=True, value=value)


ROUTES: tuple[Route, ...] = (
    ("POST", "/reservation/new-reservation", new_reservation),
    ("POST", "/reservation/submit", submit),
    ("POST", "/reservation/update", update),
    ("POST", "/reservation/delete", delete),
    ("GET", "/reservation/list", listing),
    ("POST", "/delegation-token", no_tokens),
    ("DELETE", "/delegation-token", no_tokens),
    ("POST", "/delegation-token/expiration", no_tokens),
    ("GET", "/queues/{queue}/access", access),
)
