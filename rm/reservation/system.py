"""What users ask of the ReservationSystem: a new id, submit, update, delete and list.

A reservation enters its plan whole or not at all. Hadoop: the reservation calls of ClientRMService,
AbstractReservationSystem and ReservationsACLsManager.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yarnbox.rm.reservation.classes import complaints
from yarnbox.rm.reservation.definition import check
from yarnbox.rm.reservation.follower import PlanFollower
from yarnbox.rm.reservation.plan import Plan, Reservation
from yarnbox.rm.reservation.planning import Ground, place
from yarnbox.rm.reservation.profile import Profile
from yarnbox.rm.reservation.stored import key_of, reservations_in, state_of, to_entry
from yarnbox.rm.scheduler.plan_queues import PlanQueues, PlanSettings
from yarnbox.yarn.errors import AccessControlError, ReservationNotFoundError, YarnError
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.records.client import (
    ReservationDeleteRequest,
    ReservationListRequest,
    ReservationSubmissionRequest,
    ReservationUpdateRequest,
)
from yarnbox.yarn.records.reservation import (
    ReservationAllocationState,
    ReservationDefinition,
)
from yarnbox.yarn.security.acl import AccessControlList

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

FOLLOWER = "plan follower"
_AGAIN = "Please try again with a valid reservable queue."


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """How reservations are planned, the same in all plans."""

    step_ms: int
    max_period_ms: int = 86_400_000
    is_early: bool = True
    smoothness: int = 10


class ReservationSystem:
    """The plans of one RM."""

    def __init__(self, context: RMContext, queues: PlanQueues, planning: Planning) -> None:
        self._context = context
        self._queues = queues
        self._planning = planning
        self._sequence = 0
        self.plans: dict[str, Plan] = {}
        self._refused: dict[str, PlanSettings] = {}
        """Plan queues whose classes there are not, once that was said."""
        self.follower = PlanFollower(context, queues, self.plans, planning.step_ms)

    def follow(self) -> None:
        """A step of the plan follower; plan queues may have come and gone with a refresh."""
        known = {settings.path: settings for settings in self._queues.plans()}
        for path in [path for path in self.plans if path not in known]:
            gone = self.plans.pop(path)
            for reservation_id in list(gone.reservations):
                gone.drop(reservation_id)
        for path, settings in known.items():
            if path in self.plans:
                self.plans[path].settings = settings
            elif self._has_its_classes(settings):
                self.plans[path] = Plan(
                    settings, self._queues.calculator, self._keep, self._planning.max_period_ms
                )
        self.follower.run()

    def _has_its_classes(self, settings: PlanSettings) -> bool:
        """Whether a plan that came with a refresh can be made; without its classes it is none."""
        faults = list(complaints(settings))
        if faults and self._refused.get(settings.path) != settings:
            self._refused[settings.path] = settings
            self._context.log("error", "no plan is made", plan=settings.path, reason="; ".join(faults))
        return not faults

    def recover(self, entries: Mapping[tuple[str, ...], object]) -> None:
        """Takes up the reservations of an earlier RM, and makes the queues of those that are active. None is
        dropped: no node has registered yet.

        See tests/scenarios/restart/plans-wait-for-nodes.yaml, and reservations-alone-delay-nothing.yaml.
        """
        context = self._context
        for path, reservation in reservations_in(entries, context.wire, context.set_entry_aside):
            plan = self.plans.get(path)
            if plan is None:
                which = reservation.reservation_id
                self._context.log("warning", "reservation without its plan", reservation=which, plan=path)
                continue
            plan.book(reservation)
        for plan in self.plans.values():
            self.follower.synchronise(plan, may_replan=False)

    def _keep(self, plan: Plan, reservation_id: ReservationId) -> None:
        """Writes to the state store what a plan has now under that id."""
        found = plan.reservations.get(reservation_id)
        key = key_of(plan.settings.path, reservation_id)
        context = self._context
        context.store(key, lambda: None if found is None else to_entry(found, context.wire), None)

    # Calls

    def new_id(self) -> ReservationId:
        """createReservation."""
        self._sequence += 1
        return ReservationId(self._context.start_ms, self._sequence)

    def submit(self, request: ReservationSubmissionRequest, user: str) -> None:
        """submitReservation; the same one again is no new one."""
        if request.reservation_id is None:
            raise YarnError(
                "Reservation id cannot be null. Please try again specifying  a valid reservation id by "
                "creating a new reservation id."
            )
        plan = self._plan_of_queue(request.queue)
        definition = self._checked(request.reservation_definition, plan)
        known = plan.reservations.get(request.reservation_id)
        if known is not None:
            if known.definition == definition:
                return
            raise YarnError(
                f"Reservation allocation already exists with the reservation id {request.reservation_id}"
            )
        self._check_access(plan, plan.settings.submitters, user, "SUBMIT_RESERVATIONS")
        self._book(plan, request.reservation_id, definition, user)

    def update(self, request: ReservationUpdateRequest, user: str) -> None:
        """updateReservation; where the new one does not fit the old one stays."""
        plan, known = self._find(request.reservation_id)
        definition = self._checked(request.reservation_definition, plan)
        self._check_change(plan, known, user)
        self._book(plan, known.reservation_id, definition, known.user)

    def delete(self, request: ReservationDeleteRequest, user: str) -> None:
        """deleteReservation; its queue goes with the follower's next step."""
        plan, known = self._find(request.reservation_id)
        self._check_change(plan, known, user)
        plan.drop(known.reservation_id)

    def list(self, request: ReservationListRequest, user: str) -> tuple[ReservationAllocationState, ...]:
        """listReservations: one by its id, or all whose windows overlap a span of time."""
        start_ms, end_ms = request.start_time or 0, request.end_time
        if end_ms is None or end_ms < 0:
            end_ms = (1 << 63) - 1
        if end_ms < start_ms:
            raise YarnError("The specified end time must be greater than the specified start time.")
        plan = self._plan_of_queue(request.queue)
        wanted = request.reservation_id

        def is_asked_for(one: Reservation) -> bool:
            return str(one.reservation_id) == wanted if wanted else one.overlaps(start_ms, end_ms)

        found = [one for one in plan.reservations.values() if is_asked_for(one)]
        found.sort(key=lambda one: (one.accepted_ms, one.reservation_id), reverse=True)
        if not (wanted and all(one.user == user for one in found)):
            self._check_access(plan, plan.settings.listers, user, "LIST_RESERVATIONS")
        with_pieces = bool(request.include_resource_allocations)
        return tuple(state_of(one, with_pieces=with_pieces) for one in found)

    # Inside

    def _check_change(self, plan: Plan, known: Reservation, user: str) -> None:
        """Its owner may change a reservation, and whoever administers those of the plan."""
        if user != known.user:
            self._check_access(plan, plan.settings.administrators, user, "ADMINISTER_RESERVATIONS")

    def _check_access(self, plan: Plan, allowed: AccessControlList, user: str, what: str) -> None:
        addresses = self._context.settings.addresses
        if not (addresses.acl_enabled and addresses.reservation_acl_enabled):
            return
        groups = self._context.groups.groups_of(user)
        if not (allowed.allows(user, groups) or plan.settings.administrators.allows(user, groups)):
            raise AccessControlError(
                f"User {user} does not have privileges to perform {what} on queue {plan.settings.path}"
            )

    def _plan_of_queue(self, queue: str | None) -> Plan:
        if not queue:
            raise YarnError(f"The queue is not specified. {_AGAIN}")
        path = self._queues.path_of_plan(queue)
        if path is None or path not in self.plans:
            raise YarnError(f"The specified queue: {queue} is not managed by reservation system. {_AGAIN}")
        return self.plans[path]

    def _find(self, reservation_id: ReservationId | None) -> tuple[Plan, Reservation]:
        for plan in self.plans.values():
            if reservation_id is not None and reservation_id in plan.reservations:
                return plan, plan.reservations[reservation_id]
        raise ReservationNotFoundError(
            f"The specified reservation with ID: {reservation_id} is unknown. Please try again with a valid "
            "reservation."
        )

    def _checked(self, definition: ReservationDefinition | None, plan: Plan) -> ReservationDefinition:
        return check(definition, plan.capacity, self._context.now_ms, self._planning.max_period_ms)

    def _book(
        self, plan: Plan, reservation_id: ReservationId, definition: ReservationDefinition, user: str
    ) -> None:
        now_ms = self._context.now_ms

        unplaced = Reservation(
            reservation_id=reservation_id,
            definition=definition,
            user=user,
            allocation=Profile(),
            accepted_ms=now_ms,
        )
        ground = plan.ground(
            unplaced,
            self._planning.step_ms,
            self._context.scheduler.maximum_allocation(),
            is_early=self._planning.is_early,
            smoothness=self._planning.smoothness,
        )
        reservation = _placed(plan, unplaced, ground)
        plan.book(reservation)
        if reservation.arrival_ms - now_ms < self._planning.step_ms:
            self.follower.synchronise(plan)


def _placed(plan: Plan, unplaced: Reservation, ground: Ground) -> Reservation:
    """The reservation with an allocation that the plan admits. An even spread that cannot be made, or is not
    admitted, is followed by a greedy try, whose failure is the one that is told (TryManyReservationAgents).
    """
    if plan.settings.is_aligned:
        with suppress(YarnError):
            return _admitted(plan, unplaced, ground, is_aligned=True)
    return _admitted(plan, unplaced, ground, is_aligned=False)


def _admitted(plan: Plan, unplaced: Reservation, ground: Ground, *, is_aligned: bool) -> Reservation:
    allocation = place(unplaced.definition, ground, is_aligned=is_aligned)
    reservation = replace(unplaced, allocation=allocation)
    plan.admit(reservation, ground)
    return reservation
