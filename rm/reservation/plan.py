"""What one plan queue has booked, and what its sharing policy lets a user book.

Hadoop: InMemoryPlan, NoOverCommitPolicy and CapacityOverTimePolicy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from yarnbox.rm.reservation.average import averages
from yarnbox.rm.reservation.definition import period_ms_of, refused
from yarnbox.rm.reservation.planning import Ground, Window, check_bookings
from yarnbox.rm.reservation.profile import Piece, Profile
from yarnbox.rm.scheduler.calculator import Calculator, float32, multiply
from yarnbox.rm.scheduler.plan_queues import PlanSettings
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.records.reservation import ReservationDefinition
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max


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
        return self.definition.arrival or 0

    @property
    def deadline_ms(self) -> int:
        """Where its window ends."""
        return self.definition.deadline or 0

    @property
    def period_ms(self) -> int:
        """After how long it comes again; 0 for once."""
        return period_ms_of(self.definition)

    def is_active(self, now_ms: int) -> bool:
        """Whether its window, or a repetition of it, is open."""
        if self.period_ms and now_ms >= self.arrival_ms:
            now_ms = self.arrival_ms + (now_ms - self.arrival_ms) % self.period_ms
        return self.arrival_ms <= now_ms < self.deadline_ms

    def between(self, start_ms: int, end_ms: int) -> Profile:
        """What it holds between the two moments, and perhaps beyond."""
        return self.allocation.repeated(self.period_ms, start_ms, end_ms)

    def at(self, now_ms: int) -> Resource:
        """What it holds at that moment."""
        return self.between(now_ms, now_ms + 1).at(now_ms)


Keep = Callable[["Plan", ReservationId], None]


class Plan:
    """The bookings of one plan queue. `keep` is told of every one that came, changed or went."""

    def __init__(self, settings: PlanSettings, calculator: Calculator, keep: Keep) -> None:
        self.settings = settings
        self.calculator = calculator
        self._keep = keep
        self.capacity = NONE
        """As the follower saw it last; nothing before its first look."""
        self.reservations: dict[ReservationId, Reservation] = {}

    def book(self, reservation: Reservation) -> None:
        """Takes in a reservation, or puts it in the place of the one that has its id."""
        self.reservations[reservation.reservation_id] = reservation
        self._keep(self, reservation.reservation_id)

    def drop(self, reservation_id: ReservationId) -> None:
        """Forgets a reservation."""
        del self.reservations[reservation_id]
        self._keep(self, reservation_id)

    def load(self, window: Window, without: ReservationId | None = None, user: str | None = None) -> Profile:
        """The sum of the bookings over the window, all but one of them, of all users or of one."""
        pieces: list[Piece] = []
        for reservation in self.reservations.values():
            if reservation.reservation_id != without and user in (None, reservation.user):
                pieces.extend(reservation.between(window.start_ms, window.end_ms).pieces())
        return Profile.of(pieces)

    def ground(
        self,
        candidate: Reservation,
        step_ms: int,
        max_period_ms: int,
        largest_container: Resource,
        *,
        is_early: bool,
        smoothness: int,
    ) -> Ground:
        """What the candidate can be planned on: in each of its repetitions no more than is free then."""
        window = Window(candidate.arrival_ms, candidate.deadline_ms)
        period_ms = candidate.period_ms
        load, own = Profile(), Profile()
        for number in range(max_period_ms // period_ms if period_ms else 1):
            by_ms = number * period_ms
            shifted = Window(window.start_ms + by_ms, window.end_ms + by_ms)
            for user in (None, candidate.user):
                there = self.load(shifted, candidate.reservation_id, user).moved(-by_ms)
                if user is None:
                    load = load.combined(there, componentwise_max)
                else:
                    own = own.combined(there, componentwise_max)
        whole = Profile.of([Piece(window.start_ms, window.end_ms, self.capacity)])
        room = whole.combined(load, lambda one, other: one - other)
        if self.settings.has_quotas:
            quota = _percent(self.capacity, self.settings.instantaneous_percent)
            bound = Profile.of([Piece(window.start_ms, window.end_ms, quota)])
            left = bound.combined(own, lambda one, other: one - other)
            room = room.combined(left, self._smaller)
        return Ground(
            room=room,
            booked=self._booked(load, candidate, window),
            load=load,
            capacity=self.capacity,
            largest_container=largest_container,
            step_ms=step_ms,
            is_early=is_early,
            smoothness=smoothness,
            calculator=self.calculator,
        )

    def admit(self, candidate: Reservation) -> None:
        """YarnError where the sharing policy does not let the candidate in. The plan is unchanged."""
        others = self.reservations.get(candidate.reservation_id)
        if others is not None and others.user != candidate.user:
            raise refused(
                "MismatchedUserException",
                f"Updating an existing reservation with mismatching user:{others.user} != {candidate.user}",
            )
        window = Window(candidate.arrival_ms, candidate.deadline_ms)
        load = self.load(window, candidate.reservation_id)
        try:
            check_bookings(self._booked(load, candidate, window), window, self.capacity)
        except YarnError:
            raise _overcommitted(candidate, window.start_ms) from None
        for piece in (load + candidate.allocation).within(window.start_ms, window.end_ms):
            if not piece.amount.fits_in(self.capacity):
                raise _overcommitted(candidate, piece.start_ms)
        if self.settings.has_quotas:
            self._check_quotas(candidate, window, load)

    def _booked(self, load: Profile, candidate: Reservation, window: Window) -> Profile:
        """The load of the others, and what the candidate holds until it is changed."""
        old = self.reservations.get(candidate.reservation_id)
        return load if old is None else load + old.between(window.start_ms, window.end_ms)

    def _smaller(self, one: Resource, two: Resource) -> Resource:
        """One of the two, whole."""
        return self.calculator.min_of(self.capacity, one, two)

    def _check_quotas(self, candidate: Reservation, window: Window, load: Profile) -> None:
        span_ms = self.settings.window_ms
        instant = _percent(self.capacity, self.settings.instantaneous_percent)
        others = self.load(window, candidate.reservation_id, candidate.user)
        bound = Profile.of([Piece(window.start_ms, window.end_ms, instant)])
        whole = Profile.of([Piece(window.start_ms, window.end_ms, self.capacity)])
        left = bound.combined(others, lambda one, other: one - other)
        free = whole.combined(load, lambda one, other: one - other).combined(left, self._smaller)
        for piece in free.combined(candidate.allocation, lambda one, other: one - other).within(*window):
            if piece.amount.is_negative():
                raise refused(
                    "PlanningQuotaException",
                    f"Instantaneous quota capacity {instant} would be passed at time {piece.start_ms} by "
                    f"accepting reservation: {candidate.reservation_id}",
                )
        around = Window(window.start_ms - span_ms, window.end_ms + span_ms)
        others = self.load(around, candidate.reservation_id, candidate.user)
        average = _percent(self.capacity, self.settings.average_percent)
        for amount in averages(others, candidate.allocation, around.start_ms, around.end_ms, span_ms):
            if not amount.fits_in(average):
                share = self.settings.average_percent / 100
                raise refused(
                    "PlanningQuotaException",
                    f"Integral (avg over time) quota capacity {share} over a window of "
                    f"{span_ms // 1000} seconds,  would be exceeded by accepting reservation: "
                    f"{candidate.reservation_id}",
                )


def _overcommitted(candidate: Reservation, moment_ms: int) -> YarnError:
    return refused(
        "ResourceOverCommitException",
        f"Resources at time {moment_ms} would be overcommitted by accepting reservation: "
        f"{candidate.reservation_id}",
    )


def _percent(amount: Resource, percent: float) -> Resource:
    return multiply(amount, float32(percent / 100))
