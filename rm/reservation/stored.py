"""Reservations in the state store of the ResourceManager.

An entry is a reservation as clients see it, its allocation in pieces; it comes back as it was, neither
checked nor planned once more. Hadoop: RMStateStore's reservations and ReservationSystemUtil.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from yarnbox.rm.reservation.plan import Reservation
from yarnbox.rm.reservation.profile import Piece, Profile
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.records.reservation import ReservationAllocationState, ResourceAllocationRequest
from yarnbox.yarn.resources.resource import NONE
from yarnbox.yarn.wire import Wire

RESERVATION = "reservation"


def key_of(plan: str, reservation_id: ReservationId) -> tuple[str, str, str]:
    """Where a reservation of that plan stands."""
    return (RESERVATION, plan, str(reservation_id))


def state_of(reservation: Reservation, *, with_pieces: bool) -> ReservationAllocationState:
    """The reservation as clients see it: when it holds something is told by its pieces."""
    pieces = reservation.allocation.pieces() if with_pieces else ()
    return ReservationAllocationState(
        reservation_definition=reservation.definition,
        allocation_requests=tuple(
            ResourceAllocationRequest(start_time=start_ms, end_time=end_ms, resource=amount)
            for start_ms, end_ms, amount in pieces
        ),
        user=reservation.user,
        acceptance_time=reservation.accepted_ms,
        reservation_id=reservation.reservation_id,
    )


def to_entry(reservation: Reservation, wire: Wire) -> str:
    """What is written."""
    state = replace(
        state_of(reservation, with_pieces=True),
        start_time=reservation.allocation.start_ms(),
        end_time=reservation.allocation.end_ms(),
    )
    return wire.to_text(state)


def reservations_in(
    entries: Mapping[tuple[str, ...], Any],
    wire: Wire,
    set_aside: Callable[[tuple[str, ...], Exception], None],
) -> Iterator[tuple[str, Reservation]]:
    """The path of the plan and the reservation, for each among the entries; what cannot be read is told to
    `set_aside`.
    """
    for key, value in entries.items():
        if key[0] != RESERVATION:
            continue
        try:
            found = key[1], _from_entry(value, wire)
        except (YarnError, ValueError, TypeError, IndexError) as error:
            set_aside(key, error)
        else:
            yield found


def _from_entry(entry: str, wire: Wire) -> Reservation:
    state = wire.from_text(ReservationAllocationState, entry)
    if state.reservation_id is None or state.reservation_definition is None:
        raise ValueError("a reservation without an id or a definition")
    return Reservation(
        reservation_id=state.reservation_id,
        definition=state.reservation_definition,
        user=state.user or "",
        allocation=Profile.of(
            Piece(one.start_time or 0, one.end_time or 0, one.resource or NONE)
            for one in state.allocation_requests
        ),
        accepted_ms=state.acceptance_time or 0,
    )
