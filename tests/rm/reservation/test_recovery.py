"""Reservations over a restart of the RM: what was accepted is there again, and its applications with it."""

from __future__ import annotations

import pytest

from tests.rig import Rig
from yarnbox.rm.app import RMAppState
from yarnbox.rm.reservation.plan import Plan
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.ids import ApplicationId, ReservationId
from yarnbox.yarn.records.client import (
    GetNewReservationRequest,
    ReservationDeleteRequest,
    ReservationSubmissionRequest,
)
from yarnbox.yarn.records.reservation import ReservationDefinition, ReservationRequest, ReservationRequests
from yarnbox.yarn.resources.resource import Resource

S = 1_000
ALICE = Caller(user="alice")
CAPACITY = "yarn.scheduler.capacity.root."
PROPERTIES = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.resourcemanager.recovery.enabled": "true",
    "yarn.resourcemanager.reservation-system.enable": "true",
    f"{CAPACITY}queues": "default,p",
    f"{CAPACITY}default.capacity": "50",
    f"{CAPACITY}p.capacity": "50",
    f"{CAPACITY}p.reservable": "true",
    f"{CAPACITY}p.reservation-window": "1000",
}


def definition(arrival_ms: int, deadline_ms: int) -> ReservationDefinition:
    stage = ReservationRequest(
        capability=Resource(1024, 1), num_containers=4, concurrency=1, duration=deadline_ms - arrival_ms
    )
    return ReservationDefinition(
        reservation_requests=ReservationRequests(reservation_resources=(stage,)),
        arrival=arrival_ms,
        deadline=deadline_ms,
    )


def booked(rig: Rig, from_s: int, to_s: int) -> ReservationId:
    """A reservation of alice's that was accepted."""
    client = rig.core.client
    made = rig.turn(lambda: client.get_new_reservation(GetNewReservationRequest(), ALICE)).reservation_id
    assert made is not None
    request = ReservationSubmissionRequest(
        queue="p",
        reservation_id=made,
        reservation_definition=definition(rig.clock.now_ms() + from_s * S, rig.clock.now_ms() + to_s * S),
    )
    rig.turn(lambda: client.submit_reservation(request, ALICE))
    return made


def a_cluster(**properties: str) -> Rig:
    rig = Rig({**PROPERTIES, **properties})
    rig.add_node("n1")
    rig.add_node("n2")
    rig.advance(11 * S)
    return rig


def restarted(rig: Rig, after_s: int = 1) -> Rig:
    """Another RM over what the first one stored, without a node yet."""
    now_ms = rig.clock.now_ms()
    return Rig(rig.files.properties, start_ms=now_ms + after_s * S, stored=rig.stored, epoch=1)


def plan(rig: Rig) -> Plan:
    system = rig.core.client.reservations
    assert system is not None
    return system.plans["root.p"]


def running_in(rig: Rig, reservation_id: ReservationId) -> ApplicationId:
    application_id = rig.submit(
        user="alice", queue="root.p", reservation_id=reservation_id, unmanaged_am=True
    )
    assert rig.app(application_id).state is RMAppState.ACCEPTED
    return application_id


def test_what_was_accepted_is_there_again_as_it_was() -> None:
    old = a_cluster()
    first, second = booked(old, 10, 40), booked(old, 50, 80)
    dropped = booked(old, 10, 40)
    delete = ReservationDeleteRequest(reservation_id=dropped)
    old.turn(lambda: old.core.client.delete_reservation(delete, ALICE))
    rig = restarted(old)
    assert list(plan(rig).reservations) == [first, second]
    for reservation_id in (first, second):
        before, after = plan(old).reservations[reservation_id], plan(rig).reservations[reservation_id]
        assert (after.definition, after.user, after.accepted_ms) == (
            before.definition,
            before.user,
            before.accepted_ms,
        )
        assert list(after.allocation.pieces()) == list(before.allocation.pieces())


def test_nothing_is_dropped_while_nodes_come_back() -> None:
    old = a_cluster()
    reservation_id = booked(old, 2, 60)
    rig = restarted(old)
    rig.add_node("n1", 1024, 1)
    rig.advance(5 * S)
    assert reservation_id in plan(rig).reservations, "the other nodes may be on their way"
    rig.advance(20 * S)
    assert reservation_id not in plan(rig).reservations, "they are not: so much cannot be held"
    assert not any(key[0] == "reservation" for key in rig.stored)


def test_an_application_is_in_its_reservation_again() -> None:
    old = a_cluster()
    reservation_id = booked(old, 2, 60)
    old.advance(4 * S)
    application_id = running_in(old, reservation_id)
    rig = restarted(old)
    assert rig.context.scheduler.applications[application_id].queue.path == f"root.p.{reservation_id}"


@pytest.mark.parametrize("moves, state", [("true", "ACCEPTED"), ("false", "KILLED")])
def test_its_reservation_may_have_ended_meanwhile(moves: str, state: str) -> None:
    old = a_cluster(**{f"{CAPACITY}p.reservation-move-on-expiry": moves})
    reservation_id = booked(old, 2, 30)
    old.advance(4 * S)
    application_id = running_in(old, reservation_id)
    rig = restarted(old, after_s=100)
    assert rig.app(application_id).state.name == state
    if state == "ACCEPTED":
        assert rig.context.scheduler.applications[application_id].queue.path == "root.p.p-default"
    assert reservation_id not in plan(rig).reservations


def test_a_reservation_that_cannot_be_read_is_set_aside() -> None:
    old = a_cluster()
    broken, sound = booked(old, 10, 20), booked(old, 30, 40)
    (key,) = [key for key in old.stored if key[-1] == str(broken)]
    old.stored[key] = "AAAA"
    rig = Rig(old.files.properties, start_ms=old.clock.now_ms(), stored=old.stored, epoch=1)
    reservations = rig.core.client.reservations
    assert reservations is not None
    assert [list(plan.reservations) for plan in reservations.plans.values()] == [[sound]]
    assert list(rig.set_aside) == [key]
