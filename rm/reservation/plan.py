"""What one plan queue has booked, and what its sharing policy lets a user book.

Hadoop: InMemoryPlan, NoOverCommitPolicy and CapacityOverTimePolicy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from yarnbox.rm.reservation.average import averages
from yarnbox.rm.reservation.definition import Window, period_ms_of, refused, window_of
from yarnbox.rm.reservation.planning import Ground, difference
from yarnbox.rm.reservation.profile import Piece, Profile
from yarnbox.rm.reservation.timeline import FIRST, LAST, Join, Recurring, Timeline
from yarnbox.rm.scheduler.calculator import Calculator, float32, multiply
from yarnbox.rm.scheduler.plan_queues import PlanSettings
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.records.reservation import ReservationDefinition
from yarnbox.yarn.resources.resource import NONE, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A booking that was accepted."""

    reservation_id: ReservationId
    definition: ReservationDefinition
    user: str
    allocation: Profile
    accepted_ms: int

    @property
    def arrival_ms(self) -> int:
        """Where its window begins."""
        return window_of(self.definition).start_ms

    @property
    def deadline_ms(self) -> int:
        """Where its window ends."""
        return window_of(self.definition).end_ms

    @property
    def period_ms(self) -> int:
        """After how long it comes again; 0 for once."""
        return period_ms_of(self.definition)

    def is_active(self, now_ms: int) -> bool:
        """Whether its window, or a repetition of it, is open."""
        return self.overlaps(now_ms, now_ms)

    def overlaps(self, start_ms: int, end_ms: int) -> bool:
        """Whether its window, or a repetition of it, lies within the span or reaches into it."""
        begun_ms = self.arrival_ms
        if self.period_ms and begun_ms <= end_ms:
            begun_ms += (end_ms - begun_ms) // self.period_ms * self.period_ms
        return begun_ms <= end_ms and start_ms < begun_ms + self.deadline_ms - self.arrival_ms

    def between(self, start_ms: int, end_ms: int) -> Profile:
        """What it holds between the two moments, and perhaps beyond."""
        return self.allocation.repeated(self.period_ms, start_ms, end_ms)

    def at(self, now_ms: int) -> Resource:
        """What it holds at that moment."""
        return self.between(now_ms, now_ms + 1).at(now_ms)

    def timeline(self, window: Window) -> Timeline:
        """What its plan holds for it over the window: what comes again also before it has come first."""
        if self.period_ms:
            return self.recurring(self.period_ms).between(*window)
        return Timeline.of(self.allocation.pieces()).between(*window)

    def recurring(self, span_ms: int) -> Recurring:
        """What comes again, over a span of so many of its periods."""
        period_ms, pieces = self.period_ms, list(self._pieces_of_a_period())
        return Recurring.of(
            span_ms,
            (
                Piece(start_ms + by_ms, end_ms + by_ms, amount)
                for by_ms in range(0, span_ms, period_ms)
                for start_ms, end_ms, amount in pieces
            ),
        )

    def _pieces_of_a_period(self) -> Iterator[Piece]:
        """By the time modulo the period; what passes the end of one is in two pieces."""
        period_ms = self.period_ms
        for start_ms, end_ms, amount in self.allocation.pieces():
            first_ms = start_ms % period_ms
            last_ms = first_ms + end_ms - start_ms
            yield Piece(first_ms, min(last_ms, period_ms), amount)
            if last_ms > period_ms:
                yield Piece(0, last_ms - period_ms, amount)


Keep = Callable[["Plan", ReservationId], None]


class Plan:
    """The bookings of one plan queue. `keep` is told of every one that came, changed or went."""

    def __init__(
        self, settings: PlanSettings, calculator: Calculator, keep: Keep, max_period_ms: int
    ) -> None:
        self.settings = settings
        self.calculator = calculator
        self._keep = keep
        self._max_period_ms = max_period_ms
        self.capacity = NONE
        """As the follower saw it last; nothing before its first look."""
        self.reservations: dict[ReservationId, Reservation] = {}
        self._held = Timeline()
        """By all reservations that do not come again."""
        self._held_by: dict[str, Timeline] = {}
        """The same by user."""
        self._recurring = Recurring(max_period_ms)
        """By those that come again."""
        self._recurring_by: dict[str, Recurring] = {}
        """The same by user."""

    def book(self, reservation: Reservation) -> None:
        """Takes in a reservation, or puts it in the place of the one that has its id."""
        old = self.reservations.get(reservation.reservation_id)
        if old is not None:
            self._count(old, Resource.__sub__)
        self.reservations[reservation.reservation_id] = reservation
        self._count(reservation, Resource.__add__)
        self._keep(self, reservation.reservation_id)

    def drop(self, reservation_id: ReservationId) -> None:
        """Forgets a reservation."""
        self._count(self.reservations.pop(reservation_id), Resource.__sub__)
        self._keep(self, reservation_id)

    def _count(self, reservation: Reservation, join: Join) -> None:
        if reservation.period_ms:
            self._count_recurring(reservation, join)
            return
        own = self._held_by.get(reservation.user, Timeline())
        for piece in reservation.allocation.pieces():
            self._held, own = self._held.changed(piece, join), own.changed(piece, join)
        self._held_by[reservation.user] = own
        if own.is_nothing():
            del self._held_by[reservation.user]

    def _count_recurring(self, reservation: Reservation, join: Join) -> None:
        change = reservation.recurring(self._max_period_ms)
        self._recurring = self._recurring.joined(change, join)
        own = self._recurring_by.get(reservation.user, Recurring(self._max_period_ms)).joined(change, join)
        self._recurring_by[reservation.user] = own
        if own.once.is_nothing():
            del self._recurring_by[reservation.user]

    # What is held

    def held(self, window: Window) -> Timeline:
        """The sum of the bookings over the window."""
        return self._held.between(*window).plus(self._recurring.between(*window), *window)

    def held_at(self, moment_ms: int) -> Resource:
        """The sum of the bookings at that moment."""
        return (self._held.at(moment_ms) or NONE) + self._recurring.at(moment_ms)

    def last_end_ms(self) -> int:
        """Where the last of those ends that do not come again. Hadoop: InMemoryPlan.getLastEndTime."""
        return self._held.last_known_ms()

    def _consumption(self, candidate: Reservation, window: Window) -> Timeline:
        """What the candidate's user holds without it."""
        own = self._held_by.get(candidate.user, Timeline()).between(*window)
        recurring = self._recurring_by.get(candidate.user)
        if recurring is not None:
            own = own.plus(recurring.between(*window), *window)
        old = self.reservations.get(candidate.reservation_id)
        return own if old is None else own.minus(old.timeline(window), *window)

    def _available(self, candidate: Reservation, window: Window) -> Timeline:
        """What the candidate can get: in each of its repetitions no more than is available then."""
        period_ms = candidate.period_ms
        found = self._available_once(candidate, window)
        last = Timeline()
        for number in range(1, self._max_period_ms // period_ms if period_ms else 1):
            by_ms = number * period_ms
            there = self._available_once(candidate, Window(window.start_ms + by_ms, window.end_ms + by_ms))
            there = there.moved(-by_ms)
            if (there.points, there.values) != (last.points, last.values):
                found, last = found.joined(there, self._smaller, *window), there
        return found

    def _available_once(self, candidate: Reservation, window: Window) -> Timeline:
        """What is free, and no more than the share of the candidate's user. YarnError where more is held than
        the plan has, as after a node was lost: there nothing can be planned.
        """
        found = Timeline.since(window.start_ms, self.capacity)
        found = found.joined(self._held, difference, *window)
        found = found.joined(self._recurring.between(*window), difference, *window)
        old = self.reservations.get(candidate.reservation_id)
        if old is not None:
            found = found.plus(old.timeline(window), *window)
        if self.settings.has_quotas:
            quota = _percent(self.capacity, self.settings.instantaneous_percent)
            left = Timeline.since(window.start_ms, quota)
            left = left.minus(self._consumption(candidate, window), *window)
            found = found.joined(left, self._smaller, *window)
        return found

    def _smaller(self, one: Resource, two: Resource) -> Resource:
        """One of the two, whole."""
        return self.calculator.min_of(self.capacity, one, two)

    # What comes in

    def ground(
        self,
        candidate: Reservation,
        step_ms: int,
        largest_container: Resource,
        *,
        is_early: bool,
        smoothness: int,
    ) -> Ground:
        """What the candidate can be planned on, as long as the plan does not change."""
        old = self.reservations.get(candidate.reservation_id)

        def load(window: Window) -> Timeline:
            held = self.held(window)
            return held if old is None else held.minus(old.timeline(window), *window)

        return Ground(
            available=cache(partial(self._available, candidate)),
            load=load,
            capacity=self.capacity,
            largest_container=largest_container,
            step_ms=step_ms,
            is_early=is_early,
            smoothness=smoothness,
            calculator=self.calculator,
        )

    def admit(self, candidate: Reservation, ground: Ground) -> None:
        """YarnError where the sharing policy does not let the candidate in, which was planned on that ground.
        The plan is unchanged.

        An update has to be let in twice, as in Hadoop: beside what it replaces, and once that is gone.
        """
        self._check(candidate, ground.available)
        if candidate.reservation_id in self.reservations:
            try:
                without = self._without(candidate.reservation_id)
                without._check(candidate, partial(without._available, candidate))
            except YarnError:
                raise YarnError(f"Unable to update reservation: {candidate.reservation_id}") from None

    def _without(self, reservation_id: ReservationId) -> Plan:
        """The plan as it would be without one of its reservations."""
        found = Plan(self.settings, self.calculator, lambda plan, which: None, self._max_period_ms)
        found.capacity, found.reservations = self.capacity, dict(self.reservations)
        found._held, found._held_by = self._held, dict(self._held_by)
        found._recurring, found._recurring_by = self._recurring, dict(self._recurring_by)
        found.drop(reservation_id)
        return found

    def _check(self, candidate: Reservation, available: Callable[[Window], Timeline]) -> None:
        others = self.reservations.get(candidate.reservation_id)
        if others is not None and others.user != candidate.user:
            raise refused(
                "MismatchedUserException",
                f"Updating an existing reservation with mismatching user:{others.user} != {candidate.user}",
            )
        # See tests/scenarios/reservation/what-recurs-is-admitted-in-every-window.yaml.
        window = Window(candidate.arrival_ms, candidate.deadline_ms)
        left = available(window)
        try:
            left.joined(candidate.timeline(window), difference, *window)
        except YarnError:
            raise self._overcommitted(candidate) from None
        if self.settings.has_quotas:
            self._check_average(candidate, window)

    def _check_average(self, candidate: Reservation, window: Window) -> None:
        span_ms = self.settings.window_ms
        around = Window(window.start_ms - span_ms, window.end_ms + span_ms)
        held = self._consumption(candidate, around).plus(candidate.timeline(around), FIRST, LAST)
        average = _percent(self.capacity, self.settings.average_percent)
        limit = Timeline.since(held.points[0] - span_ms, average)
        try:
            limit.joined(averages(held, span_ms), difference, *around)
        except YarnError:
            share = self.settings.average_percent / 100
            raise refused(
                "PlanningQuotaException",
                f"Integral (avg over time) quota capacity {share} over a window of "
                f"{span_ms // 1000} seconds,  would be exceeded by accepting reservation: "
                f"{candidate.reservation_id}",
            ) from None

    def _overcommitted(self, candidate: Reservation) -> YarnError:
        error = refused(
            "ResourceOverCommitException",
            f"Resources at time {candidate.arrival_ms} would be overcommitted by accepting reservation: "
            f"{candidate.reservation_id}",
        )
        return refused("PlanningQuotaException", error.message) if self.settings.has_quotas else error


def _percent(amount: Resource, percent: float) -> Resource:
    return multiply(amount, float32(percent / 100))
