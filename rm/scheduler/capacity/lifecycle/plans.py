"""Plan queues in the CapacityScheduler: leaves below them are created, removed and resized with the plan.

Hadoop: PlanQueue, ReservationQueue and CapacitySchedulerPlanFollower's hold on the scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.rm.scheduler.calculator import Calculator, float32
from yarnbox.rm.scheduler.capacity.config.properties import QueueProperties
from yarnbox.rm.scheduler.capacity.config.settings import QueueKind
from yarnbox.rm.scheduler.capacity.lifecycle.move import ApplicationMover
from yarnbox.rm.scheduler.capacity.lifecycle.plan_leaves import PlanLeaves
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.plan_queues import PlanSettings
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.security.acl import AccessControlList

_TOLERANCE = 1e-4
"""By which all children together may be above their plan. Hadoop: CSQueueUtils.EPSILON."""


class CapacityPlans:
    """What the reservation system asks of the scheduler."""

    def __init__(
        self,
        context: QueueContext,
        tree: QueueTree,
        register: Register[CapacityAttempt],
        leaves: PlanLeaves,
        mover: ApplicationMover,
    ) -> None:
        self._context = context
        self._tree = tree
        self._register = register
        self._leaves = leaves
        self._mover = mover
        self._given: dict[str, dict[str, float | None]] = {}
        """The shares of each plan's children that are in effect; None for one that never got any."""

    @property
    def calculator(self) -> Calculator:
        """The scheduler's."""
        return self._context.calculator

    def plans(self) -> list[PlanSettings]:
        """The reservable queues of the file."""
        return [self._settings(queue) for queue in self._tree.all_queues() if queue.kind is QueueKind.PLAN]

    def _settings(self, queue: CapacityQueue) -> PlanSettings:
        own = QueueProperties(self._context.settings.properties, queue.path)
        return PlanSettings(
            path=queue.path,
            agent=own.text("reservation-agent") or "",
            policy=own.text("reservation-policy") or "",
            planner=own.text("reservation-planner") or "",
            window_ms=own.integer("reservation-window", 86_400_000),
            enforcement_window_ms=own.integer("reservation-enforcement-window", 3_600_000),
            instantaneous_percent=own.number("instantaneous-max-capacity", 100.0),
            average_percent=own.number("average-capacity", 100.0),
            moves_on_expiry=self._leaves.moves_on_expiry(queue),
            submitters=AccessControlList.parse(own.untrimmed("acl_submit_reservations") or "*"),
            administrators=AccessControlList.parse(own.untrimmed("acl_administer_reservations") or "*"),
            listers=AccessControlList.parse(own.untrimmed("acl_list_reservations") or "*"),
        )

    def path_of_plan(self, queue: str) -> str | None:
        """By path or unambiguous short name."""
        found = self._tree.find(queue)
        return found.path if found is not None and found.kind is QueueKind.PLAN else None

    def capacity_of(self, plan: str) -> Resource:
        """The effective minimum of the plan queue in the default partition."""
        return self._plan(plan).share(DEFAULT_PARTITION).effective_minimum

    def reservation_queues(self, plan: str) -> list[str]:
        """Its children."""
        return [child.path for child in self._plan(plan).children]

    def amount_of(self, queue: str) -> Resource:
        """Its effective minimum in the default partition."""
        found = self._tree.at(queue)
        if found is None:
            return NONE
        return found.share(DEFAULT_PARTITION).effective_minimum

    def set_entitlements(self, plan: str, shares: Mapping[str, float]) -> None:
        """Sets the children's shares, the default queue's last; creates missing children.

        A child whose share would bring all of them above the plan keeps the one that it has. Hadoop:
        AbstractManagedParentQueue.validateQueueEntitlementChange.
        """
        tree = self._tree
        parent = self._plan(plan)
        default = PlanSettings(path=plan).default_queue
        reservations = [(path, share) for path, share in shares.items() if path != default]
        for path, share in ((default, 0.0), *reservations, (default, shares[default])):
            others = sum(self._leaves.share_of(child.path) for child in parent.children if child.path != path)
            if 0.0 <= share <= 1.0 and float32(others + share) < 1.0 + _TOLERANCE:
                self._leaves.set_entitlement(path, share)
            queue = tree.at(path)
            if queue is None:
                self._given.pop(plan, None)
                queue = tree.add(self._leaves.settings_of(path, parent), parent)
            self._apply(queue)
        # See tests/scenarios/reservation/reservation-may-grow-with-its-first-share.yaml.
        given = {child.path: self._leaves.given_share_of(child.path) for child in parent.children}
        if given != self._given.get(plan):
            self._given[plan] = given
            # See tests/scenarios/restart/plans-activate-with-the-first-node.yaml.
            tree.derive_shares(activates=bool(self._context.tracker.nodes))

    def _apply(self, queue: CapacityQueue) -> None:
        assert queue.parent is not None
        queue.settings = self._leaves.settings_of(queue.path, queue.parent)
        queue.shares_of_settings()

    def applications_in(self, queue: str) -> list[ApplicationId]:
        """Those that the scheduler knows there."""
        applications = self._register.applications.values()
        return [each.application_id for each in applications if each.queue.path == queue]

    def remove_queue(self, queue: str) -> None:
        """Removes the child."""
        found = self._tree.at(queue)
        if found is not None:
            self._tree.remove(found)
        self._leaves.forget(queue)

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application."""
        return self._mover.move(application_id, queue)

    def _plan(self, path: str) -> ParentQueue:
        queue = self._tree.at(path)
        assert isinstance(queue, ParentQueue)
        return queue
