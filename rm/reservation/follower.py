"""Each step the queues below a plan queue follow the plan.

Queues are made and removed, their capacities follow what is booked now, and applications whose reservation
has ended move to the plan's default queue. Hadoop: AbstractSchedulerPlanFollower,
CapacitySchedulerPlanFollower and SimpleCapacityReplanner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.events.app import AppKill
from yarnbox.rm.reservation.plan import Plan, Reservation
from yarnbox.rm.scheduler.calculator import float32, multiply
from yarnbox.rm.scheduler.plan_queues import PlanQueues, PlanSettings
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import Resource, total
from yarnbox.yarn.runtime.java_order import in_hash_order, reservation_hash

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

ENDED = "Application is killed because its reservation has ended"


class PlanFollower:
    """Puts the plans into effect."""

    def __init__(self, context: RMContext, queues: PlanQueues, plans: dict[str, Plan], step_ms: int) -> None:
        self._context = context
        self._queues = queues
        self._plans = plans
        self._step_ms = step_ms

    def run(self) -> None:
        """One round over all plans."""
        for plan in list(self._plans.values()):
            self.synchronise(plan)

    def synchronise(self, plan: Plan, *, may_replan: bool = True) -> None:
        """One plan as of now; where it must not be planned anew, everybody gets less instead. What is dropped
        now keeps its queue until the next round, as in Hadoop.
        """
        settings = plan.settings
        now_ms = -(-self._context.now_ms // self._step_ms) * self._step_ms
        plan.capacity = self._queues.capacity_of(settings.path)
        active = self._active(plan, now_ms)
        cluster = self._context.scheduler.cluster_resource()
        held = total(each.at(now_ms) for each in active)
        amounts = {queue_of(settings, each): each.at(now_ms) for each in active}
        if plan.calculator.compare(cluster, held, plan.capacity) > 0:
            if may_replan:
                self._replan(plan)
            else:
                ratio = plan.calculator.ratio
                amounts = {
                    queue: multiply(plan.capacity, ratio(amount, held)) for queue, amount in amounts.items()
                }
        shares = {queue: _share(plan, amount, cluster) for queue, amount in amounts.items()}
        wanted = {settings.default_queue: 0.0, **shares}
        left = [
            queue
            for queue in self._queues.reservation_queues(settings.path)
            if queue not in wanted and not self._expire(plan, queue)
        ]
        shares = {**dict.fromkeys(left, 0.0), **shares}
        given = 0.0
        for share in shares.values():
            given = float32(given + share)
        shares[settings.default_queue] = float32(1.0 - given)
        self._queues.set_entitlements(settings.path, shares)
        for reservation in list(plan.reservations.values()):
            if not reservation.period_ms and reservation.deadline_ms <= now_ms - settings.memory_ms:
                plan.drop(reservation.reservation_id)

    def _active(self, plan: Plan, now_ms: int) -> list[Reservation]:
        """The reservations whose windows are open; who gives up most comes first, who wants most last."""

        def wants_more(reservation: Reservation) -> tuple[int, ...]:
            present = self._queues.amount_of(queue_of(plan.settings, reservation))
            return tuple(amount for _, amount in (reservation.at(now_ms) - present).items())

        active = [each for each in plan.reservations.values() if each.is_active(now_ms)]
        active.sort(key=lambda each: (each.arrival_ms, each.deadline_ms))
        in_order = in_hash_order(active, lambda each: reservation_hash(each.reservation_id))
        return sorted(in_order, key=wants_more)

    def _expire(self, plan: Plan, queue: str) -> bool:
        """A queue whose reservation is over; whether it is gone."""
        for application_id in self._queues.applications_in(queue):
            if not (plan.settings.moves_on_expiry and self._move(application_id, plan)):
                self._context.post(AppKill(application_id=application_id, diagnostics=ENDED))
        if self._queues.applications_in(queue):
            return False
        try:
            self._queues.remove_queue(queue)
        except YarnError as error:
            self._context.log("warning", "cannot remove the queue of a reservation", queue=queue, error=error)
            return False
        return True

    def _move(self, application_id: ApplicationId, plan: Plan) -> bool:
        """To the plan's default queue; False where limits of that queue do not let it in."""
        try:
            path = self._queues.move_application(application_id, plan.settings.default_queue)
        except YarnError as error:
            self._context.log("warning", "cannot move", application=application_id, error=error)
            return False
        app = self._context.apps.get(application_id)
        if app is not None:
            app.queue = path
        return True

    def _replan(self, plan: Plan) -> None:
        """Drops the newest of the reservations whose windows are open, at every step at which there is more
        than the plan can hold now: also those that hold nothing just then, as in Hadoop. It looks as far as
        reservations reach that do not come again.

        See tests/scenarios/reservation/shrunk-plan-drops-the-next-too.yaml and
        shrunk-plan-keeps-what-recurs.yaml.
        """
        moment_ms = self._context.now_ms
        end_ms = moment_ms + plan.settings.enforcement_window_ms
        while moment_ms < min(plan.last_end_ms(), end_ms):
            held = plan.held_at(moment_ms)
            if not plan.calculator.fits_in(held, plan.capacity):
                self._drop_newest(plan, moment_ms, held)
            moment_ms += self._step_ms

    def _drop_newest(self, plan: Plan, moment_ms: int, held: Resource) -> None:
        newest_first = sorted(
            (each for each in plan.reservations.values() if each.is_active(moment_ms)),
            key=lambda each: (each.accepted_ms, each.reservation_id),
            reverse=True,
        )
        for reservation in newest_first:
            if plan.calculator.fits_in(held, plan.capacity):
                break
            plan.drop(reservation.reservation_id)
            held = held - reservation.at(moment_ms)


def _share(plan: Plan, amount: Resource, cluster: Resource) -> float:
    """Of the plan, from 0 to 1; nothing where the plan has none of one type."""
    if not (plan.capacity.memory_mb and plan.capacity.vcores):
        return 0.0
    return float32(plan.calculator.divide(cluster, amount, plan.capacity))


def queue_of(settings: PlanSettings, reservation: Reservation) -> str:
    """The queue of a reservation while it is active."""
    return f"{settings.path}.{reservation.reservation_id}"
