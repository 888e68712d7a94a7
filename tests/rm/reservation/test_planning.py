"""Placing in time, on plans of a few units: packed, spread, in turn; and what policies admit."""

from __future__ import annotations

from typing import Any

import pytest

from yarnbox.rm.reservation.definition import Window, check
from yarnbox.rm.reservation.plan import Plan, Reservation
from yarnbox.rm.reservation.planning import Ground, place
from yarnbox.rm.reservation.profile import Piece, Profile
from yarnbox.rm.scheduler.calculator import DEFAULT_CALCULATOR
from yarnbox.rm.scheduler.plan_queues import PlanSettings
from yarnbox.yarn.enums import ReservationRequestInterpreter as Kind
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.records.reservation import ReservationDefinition, ReservationRequest, ReservationRequests
from yarnbox.yarn.resources.resource import NONE, Resource

STEP = 1_000
S = 1_000


def definition(
    arrival_s: int, deadline_s: int, *stages: tuple[int, int, float], kind: Kind = Kind.ALL, period_s: int = 0
) -> ReservationDefinition:
    """Stages are (containers of one unit, gang size, seconds)."""
    return ReservationDefinition(
        arrival=arrival_s * S,
        deadline=deadline_s * S,
        reservation_requests=ReservationRequests(
            reservation_resources=tuple(
                ReservationRequest(
                    capability=Resource(1, 0),
                    num_containers=count,
                    concurrency=gang,
                    duration=int(seconds * S),
                )
                for count, gang, seconds in stages
            ),
            interpreter=kind,
        ),
        recurrence_expression=str(period_s * S),
    )


def plan(capacity: int = 100, **settings: Any) -> Plan:
    settings_of_plan = PlanSettings(path="root.p", **settings)
    made = Plan(settings_of_plan, DEFAULT_CALCULATOR, lambda plan, changed: None, 86_400_000)
    made.capacity = Resource(capacity, 0)
    return made


def candidate(number: int, wanted: ReservationDefinition, user: str, allocation: Profile) -> Reservation:
    return Reservation(
        reservation_id=ReservationId(0, number),
        definition=wanted,
        user=user,
        allocation=allocation,
        accepted_ms=number,
    )


def ground_of(made: Plan, reservation: Reservation, *, is_early: bool = True) -> Ground:
    return made.ground(reservation, STEP, Resource(1000, 1000), is_early=is_early, smoothness=10)


def planned(
    made: Plan,
    wanted: ReservationDefinition,
    *,
    number: int = 1,
    user: str = "u",
    is_aligned: bool = False,
    is_early: bool = True,
) -> list[tuple[int, int, int]]:
    """Books it; what it got as (from, to, units), in seconds."""
    ground = ground_of(made, candidate(number, wanted, user, Profile()), is_early=is_early)
    booked = candidate(number, wanted, user, place(wanted, ground, is_aligned=is_aligned))
    made.admit(booked, ground)
    made.book(booked)
    return [
        (piece.start_ms // S, piece.end_ms // S, piece.amount.memory_mb)
        for piece in booked.allocation.pieces()
    ]


def test_greedy_begins_everything_at_the_beginning_or_ends_it_at_the_end() -> None:
    assert planned(plan(), definition(10, 60, (10, 1, 10))) == [(10, 20, 10)]
    assert planned(plan(), definition(10, 60, (10, 1, 10)), is_early=False) == [(50, 60, 10)]


def test_aligned_spreads_evenly_over_the_window() -> None:
    assert planned(plan(), definition(0, 50, (10, 1, 10)), is_aligned=True) == [(0, 50, 2)]


def test_what_does_not_fit_at_once_follows_later() -> None:
    assert planned(plan(4), definition(0, 30, (10, 1, 10))) == [(0, 20, 4), (20, 30, 2)]
    with pytest.raises(YarnError, match="cannot be satisfied"):
        planned(plan(4), definition(0, 29, (10, 1, 10)))


def test_others_are_planned_around() -> None:
    made = plan(10)
    assert planned(made, definition(10, 20, (8, 1, 10))) == [(10, 20, 8)]
    assert planned(made, definition(0, 40, (6, 1, 10)), number=2) == [(0, 10, 6)]
    assert planned(made, definition(5, 40, (6, 1, 10)), number=3) == [
        (5, 20, 2),
        (20, 25, 4),
        (25, 30, 2),
    ]


def test_a_gang_is_never_split() -> None:
    assert planned(plan(5), definition(0, 30, (6, 3, 10))) == [(0, 20, 3)]


def test_any_is_met_by_the_first_stage_that_fits() -> None:
    wanted = definition(0, 10, (30, 30, 10), (5, 1, 10), (4, 1, 10), kind=Kind.ANY)
    assert planned(plan(10), wanted) == [(0, 10, 5)]
    assert planned(plan(10), wanted, is_early=False) == [(0, 10, 4)]


def test_ordered_stages_follow_one_another() -> None:
    wanted = definition(0, 40, (2, 1, 10), (3, 1, 10), kind=Kind.ORDER)
    assert planned(plan(), wanted) == [(0, 10, 2), (10, 20, 3)]
    assert planned(plan(), wanted, is_early=False) == [(20, 30, 2), (30, 40, 3)]


def test_ordered_stages_divide_the_window_by_the_durations_that_were_asked_for() -> None:
    wanted = definition(0, 10, (10, 1, 1), (4, 1, 2.5), kind=Kind.ORDER)
    assert planned(plan(), wanted, is_aligned=True) == [(0, 2, 3), (2, 10, 2)]


def test_an_update_is_planned_as_if_the_old_allocation_were_not_there() -> None:
    made = plan(10, average_percent=50.0, window_ms=20 * S)
    planned(made, definition(0, 10, (8, 1, 10)))
    assert planned(made, definition(0, 20, (9, 1, 10))) == [(0, 10, 9)]
    made.drop(ReservationId(0, 1))
    assert not list(made.held(Window(0, 20 * S)).profile().pieces())


def test_a_gap_between_ordered_stages_may_be_refused() -> None:
    made = plan(10)
    planned(made, definition(10, 20, (10, 1, 10)))
    assert planned(made, definition(0, 40, (5, 1, 10), (5, 1, 10), kind=Kind.ORDER), number=2) == [
        (0, 10, 5),
        (20, 30, 5),
    ]
    with pytest.raises(YarnError, match="ORDER_NO_GAP"):
        planned(made, definition(0, 40, (5, 1, 10), (5, 1, 10), kind=Kind.ORDER_NO_GAP), number=3)


def test_a_recurring_reservation_leaves_room_in_each_of_its_repetitions() -> None:
    made = plan(10)
    planned(made, definition(0, 10, (6, 1, 10), period_s=3_600))
    held = made.reservations[ReservationId(0, 1)]
    assert [held.at(second * S).memory_mb for second in (0, 10, 3_600, 3_605, 3_610, 36_000)] == [
        6,
        0,
        6,
        6,
        0,
        6,
    ]
    assert held.is_active(7_205 * S)
    assert not held.is_active(7_215 * S)
    with pytest.raises(YarnError, match="cannot be satisfied"):
        planned(made, definition(7_200, 7_210, (5, 1, 10)), number=2)
    assert planned(made, definition(7_200, 7_220, (5, 1, 10)), number=3) == [
        (7_200, 7_210, 4),
        (7_210, 7_220, 1),
    ]


def test_a_user_has_no_more_than_the_quota_at_any_instant() -> None:
    made = plan(10, instantaneous_percent=50.0)
    assert planned(made, definition(0, 20, (10, 1, 10))) == [(0, 20, 5)]
    assert planned(made, definition(0, 10, (5, 1, 10)), number=2, user="other") == [(0, 10, 5)]


def test_a_user_has_no_more_than_the_quota_on_average() -> None:
    made = plan(10, average_percent=50.0, window_ms=20 * S)
    assert planned(made, definition(0, 10, (10, 1, 10))) == [(0, 10, 10)]
    with pytest.raises(YarnError, match="Integral"):
        planned(made, definition(15, 20, (10, 1, 5)), number=2)
    assert planned(made, definition(15, 20, (10, 1, 5)), number=3, user="other") == [(15, 20, 10)]
    # What was held before the change at 10 s counts whole until the window is over: so in Hadoop.
    with pytest.raises(YarnError, match="Integral"):
        planned(made, definition(20, 25, (10, 1, 5)), number=4)
    assert planned(made, definition(30, 35, (10, 1, 5)), number=5) == [(30, 35, 10)]


def test_without_quotas_only_the_sum_counts() -> None:
    made = plan(10, policy="org.apache.NoOverCommitPolicy", average_percent=1.0)
    assert planned(made, definition(0, 10, (10, 1, 10))) == [(0, 10, 10)]
    overfull = candidate(2, definition(0, 5, (1, 1, 5)), "u", Profile.of([Piece(0, 5 * S, Resource(1, 0))]))
    with pytest.raises(YarnError, match="overcommitted"):
        made.admit(overfull, ground_of(made, overfull))


STAGES = {
    (0, 1, 10): "Num containers should be > 0",
    (4, 0, 10): "Gang Size should be >= 1",
    (5, 2, 10): "exact multiple of gang size",
}


@pytest.mark.parametrize(("stage", "reason"), STAGES.items(), ids=range(len(STAGES)))
def test_a_stage_that_makes_no_sense(stage: tuple[int, int, int], reason: str) -> None:
    with pytest.raises(YarnError, match=reason):
        planned(plan(), definition(0, 40, stage))


REFUSED = {
    "is the past": definition(0, 5, (1, 1, 1)),
    "No resources have been specified": definition(0, 20),
    "minimum resource duration": definition(10, 20, (1, 1, 6), (1, 1, 6), kind=Kind.ORDER),
    "largest gang": definition(10, 20, (200, 200, 5)),
    "greater than the recurrence": definition(10, 50, (1, 1, 5), period_s=20),
    "must be divisible": definition(10, 15, (1, 1, 5), period_s=7),
    "Negative Period": definition(10, 15, (1, 1, 5), period_s=-7),
}


@pytest.mark.parametrize(("reason", "wanted"), REFUSED.items(), ids=REFUSED)
def test_a_definition_that_makes_no_sense(reason: str, wanted: ReservationDefinition) -> None:
    with pytest.raises(YarnError, match=reason):
        check(wanted, Resource(100, 0), 5 * S, 86_400_000)


def test_profiles_add_up_and_are_nothing_outside() -> None:
    one = Profile.of(
        [Piece(0, 10, Resource(1, 1)), Piece(5, 20, Resource(2, 0)), Piece(20, 20, Resource(9, 9))]
    )
    assert list(one.pieces()) == [(0, 5, Resource(1, 1)), (5, 10, Resource(3, 1)), (10, 20, Resource(2, 0))]
    assert (one.at(-1), one.at(20)) == (NONE, NONE)
    assert list(one.mirrored().mirrored().pieces()) == list(one.pieces())
    assert [piece.amount.memory_mb for piece in one.within(-5, 25)] == [0, 1, 3, 2, 0]
    assert one.repeated(100, 205, 301).at(206) == Resource(3, 1)


@pytest.mark.parametrize(
    ("start_s", "end_s", "once", "again"),
    [
        (0, 9, False, False),
        (0, 10, True, True),
        (19, 30, True, True),
        (20, 69, False, False),
        (20, 70, False, True),
        (79, 80, False, True),
        (80, 129, False, False),
        (80, 500, False, True),
    ],
)
def test_what_recurs_overlaps_a_span_with_each_of_its_windows(
    start_s: int, end_s: int, once: bool, again: bool
) -> None:
    for period_s, expected in ((0, once), (60, again)):
        wanted = definition(10, 20, (1, 1, 1), period_s=period_s)
        found = candidate(1, wanted, "ann", Profile()).overlaps(start_s * S, end_s * S)
        assert found is expected
