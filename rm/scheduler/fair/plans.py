"""Plan queues in the FairScheduler: leaves below them come and go with the plan, and weigh what they booked.

The queues are ad hoc ones, so housekeeping may take away one that is empty; the follower's next step makes it
again. Answers for FairReservationSystem and FairSchedulerPlanFollower's hold on the scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rm.scheduler.calculator import Calculator, DefaultResourceCalculator, float32
from rm.scheduler.fair.queue import ParentQueue
from rm.scheduler.plan_queues import EVERYBODY, PlanSettings
from yarn.errors import YarnError
from yarn.ids import ApplicationId
from yarn.resource import NONE, Resource, combine

if TYPE_CHECKING:
    from rm.scheduler.fair.scheduler import FairScheduler

_CALCULATOR = DefaultResourceCalculator()


class FairPlans:
    """What the reservation system asks of the scheduler."""

    def __init__(self, scheduler: FairScheduler) -> None:
        self._scheduler = scheduler
        self._weights: dict[str, float] = {}
        """What the follower gave last, by path."""

    @property
    def calculator(self) -> Calculator:
        """Memory alone counts, whatever the policies of the queues."""
        return _CALCULATOR

    def is_plan(self, path: str) -> bool:
        """Whether there is a plan queue of that path."""
        scheduler = self._scheduler
        return scheduler.allocations.queue(path).is_plan and isinstance(
            scheduler.tree.queues.get(path), ParentQueue
        )

    def plans(self) -> list[PlanSettings]:
        """The queues with a `<reservation>` element; what is said of plans holds for all of them."""
        return [self._settings(path) for path in self._scheduler.tree.queues if self.is_plan(path)]

    def _settings(self, path: str) -> PlanSettings:
        allocations = self._scheduler.allocations
        classes = allocations.reservation_classes
        acls = allocations.queue(path).reservation_acls
        return PlanSettings(
            path=path,
            agent=classes.get("reservation-agent", ""),
            policy=classes.get("reservation-policy", ""),
            submitters=acls.get("SUBMIT_RESERVATIONS", EVERYBODY),
            administrators=acls.get("ADMINISTER_RESERVATIONS", EVERYBODY),
            listers=acls.get("LIST_RESERVATIONS", EVERYBODY),
        )

    def path_of_plan(self, queue: str) -> str | None:
        """By path, with or without root, or by unambiguous short name."""
        found = self._scheduler.tree.queue(queue)
        if found is not None and self.is_plan(found.path):
            return found.path
        paths = [plan.path for plan in self.plans() if plan.path.rpartition(".")[2] == queue]
        return paths[0] if len(paths) == 1 else None

    def default_of(self, queue: str) -> str:
        """Where applications without a reservation go in a plan queue; any other queue itself."""
        found = self._scheduler.tree.queue(queue)
        if found is None or not self.is_plan(found.path):
            return queue
        return PlanSettings(path=found.path).default_queue

    def capacity_of(self, plan: str) -> Resource:
        """Its steady fair share. Types that its parent's policy does not divide bound nothing."""
        scheduler = self._scheduler
        scheduler.settle_steadily()
        steady = scheduler.tree.queues[plan].steady_fair_share
        if not steady.memory_mb:
            return steady
        return combine(lambda share, most: share or most, steady, scheduler.allocations.unbounded)

    def reservation_queues(self, plan: str) -> list[str]:
        """Its children."""
        queue = self._scheduler.tree.queues[plan]
        return list(queue.children) if isinstance(queue, ParentQueue) else []

    def amount_of(self, queue: str) -> Resource:
        """Its steady fair share."""
        found = self._scheduler.tree.queues.get(queue)
        if found is None:
            return NONE
        self._scheduler.settle_steadily()
        return found.steady_fair_share

    def entitle(self, plan: str, shares: Mapping[str, float]) -> None:
        """Makes the shares of the plan its children's weights; children that are missing are made.

        Steady shares are those of when a queue is made, and by then the default queue weighs nothing.
        """
        tree = self._scheduler.tree
        default = PlanSettings(path=plan).default_queue
        reservations = [(path, share) for path, share in shares.items() if path != default]
        for path, share in ((default, 0.0), *reservations, (default, shares[default])):
            leaf = tree.leaf(path, create=True)
            if leaf is None:
                self._scheduler.context.log("warning", "no queue for a reservation", queue=path)
                continue
            self._scheduler.settle_steadily()
            leaf.weight = self._weights[path] = float32(share)
            leaf.note_up()

    def remind(self) -> None:
        """The file was read, which knows nothing of the weights that the plan gave."""
        for path, weight in self._weights.items():
            queue = self._scheduler.tree.queues.get(path)
            if queue is not None:
                queue.weight = weight

    def applications_in(self, queue: str) -> list[ApplicationId]:
        """Those that have an attempt there; one that has none yet keeps its queue in being."""
        applications = self._scheduler.applications.values()
        return [
            each.application_id
            for each in applications
            if each.queue.path == queue and each.attempt is not None
        ]

    def remove_queue(self, queue: str) -> None:
        """Takes an empty child away."""
        self._weights.pop(queue, None)
        if not self._scheduler.tree.remove_leaf(queue):
            raise YarnError(f"Could not remove queue {queue} as its either not a leaf queue or its not empty")

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application, to a queue that is made if need be, and lets the RM know where it is now."""
        self._scheduler.tree.leaf(queue, create=True)
        path = self._scheduler.move_application(application_id, queue)
        app = self._scheduler.context.apps.get(application_id)
        if app is not None:
            app.queue = path
        return path
