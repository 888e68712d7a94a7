"""Plan queues in the FairScheduler: leaves below them come and go with the plan, and weigh what they booked.

The queues are ad hoc ones, so housekeeping may take away one that is empty; the follower's next step makes it
again. Hadoop: FairReservationSystem and FairSchedulerPlanFollower's hold on the scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.rm.scheduler.calculator import Calculator, DefaultResourceCalculator, float32
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.moving import Mover
from yarnbox.rm.scheduler.fair.queues.queue import ParentQueue
from yarnbox.rm.scheduler.fair.queues.tree import QueueTree
from yarnbox.rm.scheduler.plan_queues import EVERYBODY, PlanSettings
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import NONE, Resource, combine

_CALCULATOR = DefaultResourceCalculator()


class FairPlans:
    """What the reservation system asks of the scheduler."""

    def __init__(
        self, fair: FairContext, tree: QueueTree, register: Register[FSAppAttempt], mover: Mover
    ) -> None:
        self._fair = fair
        self._tree = tree
        self._register = register
        self._mover = mover
        self._weights: dict[str, float] = {}
        """What the follower gave last, by path."""

    @property
    def calculator(self) -> Calculator:
        """Memory alone counts, whatever the policies of the queues."""
        return _CALCULATOR

    def plans(self) -> list[PlanSettings]:
        """The queues with a `<reservation>` element; what is said of plans holds for all of them."""
        return [self._settings(path) for path in self._tree.queues if self._tree.is_plan(path)]

    def _settings(self, path: str) -> PlanSettings:
        allocations = self._fair.allocations
        classes = allocations.reservation_classes
        acls = allocations.queue(path).reservation_acls
        return PlanSettings(
            path=path,
            agent=classes.get("reservation-agent", ""),
            policy=classes.get("reservation-policy", ""),
            planner=classes.get("reservation-planner", ""),
            submitters=acls.get("SUBMIT_RESERVATIONS", EVERYBODY),
            administrators=acls.get("ADMINISTER_RESERVATIONS", EVERYBODY),
            listers=acls.get("LIST_RESERVATIONS", EVERYBODY),
        )

    def path_of_plan(self, queue: str) -> str | None:
        """By path, with or without root, or by unambiguous short name."""
        found = self._tree.queue(queue)
        if found is not None and self._tree.is_plan(found.path):
            return found.path
        paths = [plan.path for plan in self.plans() if plan.path.rpartition(".")[2] == queue]
        return paths[0] if len(paths) == 1 else None

    def capacity_of(self, plan: str) -> Resource:
        """Its steady fair share. Types that its parent's policy does not divide bound nothing."""
        self._tree.update_steady_shares()
        steady = self._tree.queues[plan].steady_fair_share
        if not steady.memory_mb:
            return steady
        return combine(lambda share, most: share or most, steady, self._fair.allocations.unbounded)

    def reservation_queues(self, plan: str) -> list[str]:
        """Its children."""
        queue = self._tree.queues[plan]
        return list(queue.children) if isinstance(queue, ParentQueue) else []

    def amount_of(self, queue: str) -> Resource:
        """Its steady fair share."""
        found = self._tree.queues.get(queue)
        if found is None:
            return NONE
        self._tree.update_steady_shares()
        return found.steady_fair_share

    def set_entitlements(self, plan: str, shares: Mapping[str, float]) -> None:
        """Makes the shares of the plan its children's weights; children that are missing are made.

        Steady shares are those of when a queue is made, and by then the default queue weighs nothing.
        """
        tree = self._tree
        default = PlanSettings(path=plan).default_queue
        reservations = [(path, share) for path, share in shares.items() if path != default]
        for path, share in ((default, 0.0), *reservations, (default, max(shares[default], 0.0))):
            leaf = tree.leaf(path, create=True)
            if leaf is None:
                self._fair.rm.log("warning", "no queue for a reservation", queue=path)
                continue
            tree.update_steady_shares()
            leaf.weight = self._weights[path] = float32(share)
            leaf.mark_ancestors_changed()

    def reapply_weights(self) -> None:
        """Sets the weights that plans gave anew: reading the allocation file has overwritten them."""
        for path, weight in self._weights.items():
            queue = self._tree.queues.get(path)
            if queue is not None:
                queue.weight = weight

    def applications_in(self, queue: str) -> list[ApplicationId]:
        """Those that have an attempt there; one that has none yet keeps its queue in being."""
        applications = self._register.applications.values()
        return [
            each.application_id
            for each in applications
            if each.queue.path == queue and each.attempt is not None
        ]

    def remove_queue(self, queue: str) -> None:
        """Takes an empty child away."""
        self._weights.pop(queue, None)
        if not self._tree.remove_leaf(queue):
            raise YarnError(f"Could not remove queue {queue} as its either not a leaf queue or its not empty")

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application, to a queue that is made if need be."""
        self._tree.leaf(queue, create=True)
        return self._mover.move(application_id, queue)
