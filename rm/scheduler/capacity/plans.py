"""Plan queues in the CapacityScheduler: leaves below them come, go and change their shares with the plan.

Answers for PlanQueue, ReservationQueue and CapacitySchedulerPlanFollower's hold on the scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rm.scheduler.calculator import Calculator
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.parent import ParentQueue
from rm.scheduler.capacity.properties import QueueProperties
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.reading import read_dynamic_queue
from rm.scheduler.capacity.settings import CapacityMode, CapacityValue, QueueKind, QueueSettings
from rm.scheduler.plan_queues import PlanSettings
from yarn.acl import AccessControlList
from yarn.errors import YarnError
from yarn.ids import ApplicationId, ReservationId
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler

_MAXIMUM_APPLICATIONS = 10_000
"""PlanQueue goes by the default of the whole scheduler's maximum, whatever that is configured to be."""
NOTHING = {"capacity": "0", "maximum-capacity": "100"}


class CapacityPlans:
    """What the reservation system asks of the scheduler."""

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self._scheduler = scheduler
        self._shares: dict[str, float] = {}

    @property
    def calculator(self) -> Calculator:
        """The scheduler's."""
        return self._scheduler.frame.calculator

    def plans(self) -> list[PlanSettings]:
        """The reservable queues of the file."""
        return [
            self._settings(queue) for queue in self._scheduler.tree.walk() if queue.kind is QueueKind.PLAN
        ]

    def _settings(self, queue: CapacityQueue) -> PlanSettings:
        own = QueueProperties(self._scheduler.frame.settings.properties, queue.path)
        return PlanSettings(
            path=queue.path,
            agent=own.text("reservation-agent") or "",
            policy=own.text("reservation-policy") or "",
            window_ms=own.integer("reservation-window", 86_400_000),
            enforcement_window_ms=own.integer("reservation-enforcement-window", 3_600_000),
            instantaneous_percent=own.number("instantaneous-max-capacity", 100.0),
            average_percent=own.number("average-capacity", 100.0),
            moves_on_expiry=self.moves_on_expiry(queue),
            submitters=AccessControlList.parse(own.untrimmed("acl_submit_reservations") or "*"),
            administrators=AccessControlList.parse(own.untrimmed("acl_administer_reservations") or "*"),
            listers=AccessControlList.parse(own.untrimmed("acl_list_reservations") or "*"),
        )

    def moves_on_expiry(self, plan: CapacityQueue) -> bool:
        """Whether applications outlive their reservations there."""
        own = QueueProperties(self._scheduler.frame.settings.properties, plan.path)
        return own.boolean("reservation-move-on-expiry", True)

    def path_of_plan(self, queue: str) -> str | None:
        """By path or unambiguous short name."""
        found = self._scheduler.tree.find(queue)
        return found.path if found is not None and found.kind is QueueKind.PLAN else None

    def capacity_of(self, plan: str) -> Resource:
        """The effective minimum of the plan queue in the default partition."""
        self._scheduler.settle()
        return self._plan(plan).share("").effective_minimum

    def reservation_queues(self, plan: str) -> list[str]:
        """Its children."""
        return [child.path for child in self._plan(plan).children]

    def amount_of(self, queue: str) -> Resource:
        """Its effective minimum in the default partition."""
        found = self._scheduler.tree.at(queue)
        if found is None:
            return NONE
        self._scheduler.settle()
        return found.share("").effective_minimum

    def entitle(self, plan: str, shares: Mapping[str, float]) -> None:
        """Gives children their shares; those that are missing are made."""
        tree = self._scheduler.tree
        parent = self._plan(plan)
        for path, share in shares.items():
            self._shares[path] = share
            queue = tree.at(path)
            if queue is None:
                queue = tree.add(self.settings_of(path, parent), parent)
            self._apply(queue)
        self._scheduler.recompute()

    def settings_of(self, path: str, parent: CapacityQueue) -> QueueSettings:
        """A child's settings: what concerns users and AMs is the plan queue's."""
        scheduler = self._scheduler
        own = QueueProperties(scheduler.frame.settings.properties, parent.path)
        template = dict(NOTHING)
        inherited = ("user-limit-factor", "minimum-user-limit-percent", "maximum-applications")
        for key in (*inherited, "maximum-am-resource-percent"):
            if (text := own.text(key)) is not None:
                template[key] = text
        if "maximum-applications" not in template:
            template["maximum-applications"] = str(int(_MAXIMUM_APPLICATIONS * parent.share("").absolute))
        settings = read_dynamic_queue(
            scheduler.frame.settings, scheduler.surroundings, parent.settings, path, template, is_leaf=True
        )
        partition = settings.partitions[""]
        value = CapacityValue(mode=CapacityMode.PERCENT, number=self._shares.get(path, 0.0) * 100)
        return replace(settings, partitions={**settings.partitions, "": replace(partition, capacity=value)})

    def _apply(self, queue: CapacityQueue) -> None:
        assert queue.parent is not None
        queue.settings = self.settings_of(queue.path, queue.parent)
        queue.shares_of_settings()

    def applications_in(self, queue: str) -> list[ApplicationId]:
        """Those that the scheduler knows there."""
        applications = self._scheduler.applications.values()
        return [each.application_id for each in applications if each.queue.path == queue]

    def remove_queue(self, queue: str) -> None:
        """Takes the child away."""
        found = self._scheduler.tree.at(queue)
        if found is not None:
            self._scheduler.tree.remove(found)
        self._shares.pop(queue, None)

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application, and lets the RM know where it is now."""
        path = self._scheduler.move_application(application_id, queue)
        app = self._scheduler.context.apps.get(application_id)
        if app is not None:
            app.queue = path
        return path

    def _plan(self, path: str) -> ParentQueue:
        queue = self._scheduler.tree.at(path)
        assert isinstance(queue, ParentQueue)
        return queue


def leaf_for(
    scheduler: CapacityScheduler,
    plan: CapacityQueue,
    application_id: ApplicationId,
    reservation_id: ReservationId | None,
    *,
    is_recovering: bool = False,
) -> LeafQueue:
    """Where an application goes that was submitted to a plan queue; YarnError when its reservation is not
    active. One whose reservation ended while the RM was away may go where it would have gone then.
    """
    tree = scheduler.tree
    is_gone = reservation_id is not None and tree.at(f"{plan.path}.{reservation_id}") is None
    if is_gone and is_recovering and CapacityPlans(scheduler).moves_on_expiry(plan):
        reservation_id = None
    name = f"{plan.name}-default" if reservation_id is None else str(reservation_id)
    queue = tree.at(f"{plan.path}.{name}")
    if isinstance(queue, LeafQueue):
        return queue
    elsewhere = tree.find(name)
    if reservation_id is not None and elsewhere is not None:
        raise YarnError(
            f"Application: {application_id} submitted to a reservation {reservation_id} which does "
            f"not belong to the specified queue: {plan.path}"
        )
    raise YarnError(
        f"Application {application_id} submitted to a reservation which is not currently active: {name}"
    )
