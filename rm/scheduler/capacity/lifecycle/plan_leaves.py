"""The leaves below plan queues: their settings, and in which of them an application is placed.

Hadoop: ReservationQueue, and the part of CapacityScheduler that resolves reservations to queues.
"""

from __future__ import annotations

from dataclasses import replace

from yarnbox.rm.scheduler.capacity.config.properties import QueueProperties
from yarnbox.rm.scheduler.capacity.config.reading import ReadingContext, read_dynamic_queue
from yarnbox.rm.scheduler.capacity.config.settings import CapacityMode, CapacityValue, QueueSettings
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId, ReservationId
from yarnbox.yarn.records.node import DEFAULT_PARTITION

_MAXIMUM_APPLICATIONS = 10_000
"""PlanQueue goes by the default of the whole scheduler's maximum, whatever that is configured to be."""


class PlanLeaves:
    """The leaves below plan queues: their settings, and in which of them an application is placed."""

    def __init__(self, context: QueueContext, tree: QueueTree, reading_context: ReadingContext) -> None:
        self._context = context
        self._tree = tree
        self._surroundings = reading_context
        self._shares: dict[str, float] = {}

    def set_entitlement(self, path: str, share: float) -> None:
        """Sets the child's share of the plan, from 0 to 1."""
        self._shares[path] = share

    def share_of(self, path: str) -> float:
        """The child's share now."""
        return self._shares.get(path, 0.0)

    def given_share_of(self, path: str) -> float | None:
        """The child's share now; None if it was never given one."""
        return self._shares.get(path)

    def forget(self, path: str) -> None:
        """Forgets the share of a removed child."""
        self._shares.pop(path, None)

    def moves_on_expiry(self, plan: CapacityQueue) -> bool:
        """Whether applications outlive their reservations there."""
        own = QueueProperties(self._context.settings.properties, plan.path)
        return own.boolean("reservation-move-on-expiry", True)

    def settings_of(self, path: str, parent: CapacityQueue) -> QueueSettings:
        """A child's settings: what concerns users and AMs is the plan queue's. One that was never given a
        share may use nothing.
        """
        own = QueueProperties(self._context.settings.properties, parent.path)
        template = {"capacity": "0", "maximum-capacity": "100" if path in self._shares else "0"}
        inherited = ("user-limit-factor", "minimum-user-limit-percent", "maximum-applications")
        for key in (*inherited, "maximum-am-resource-percent"):
            if (text := own.text(key)) is not None:
                template[key] = text
        if "maximum-applications" not in template:
            template["maximum-applications"] = str(
                int(_MAXIMUM_APPLICATIONS * parent.share(DEFAULT_PARTITION).absolute)
            )
        settings = read_dynamic_queue(
            self._context.settings, self._surroundings, parent.settings, path, template, is_leaf=True
        )
        partition = settings.partitions[DEFAULT_PARTITION]
        value = CapacityValue(mode=CapacityMode.PERCENT, number=self._shares.get(path, 0.0) * 100)
        return replace(
            settings,
            partitions={**settings.partitions, DEFAULT_PARTITION: replace(partition, capacity=value)},
        )

    def leaf_for(
        self,
        plan: CapacityQueue,
        application_id: ApplicationId,
        reservation_id: ReservationId | None,
        *,
        is_recovering: bool = False,
    ) -> LeafQueue:
        """Where an application goes that was submitted to a plan queue; YarnError when its reservation is not
        active. One whose reservation ended while the RM was away may go where it would have gone then.
        """
        tree = self._tree
        is_gone = reservation_id is not None and tree.at(f"{plan.path}.{reservation_id}") is None
        if is_gone and is_recovering and self.moves_on_expiry(plan):
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
