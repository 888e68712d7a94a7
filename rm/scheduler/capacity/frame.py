"""What every queue of a tree has in common: the calculator, the cluster's totals, the settings, the labels.

One object, held by all queues, so that a limit is worked out from the same numbers everywhere. Answers for
CapacitySchedulerContext and CapacitySchedulerQueueContext.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.calculator import Calculator
from rm.scheduler.capacity.settings import CapacitySettings
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.context import RMContext
    from rm.scheduler.node import NodeTracker


class Frame:
    """The surroundings of all queues."""

    def __init__(
        self, context: RMContext, tracker: NodeTracker, settings: CapacitySettings, calculator: Calculator
    ) -> None:
        self.context = context
        self.tracker = tracker
        self.settings = settings
        """Replaced as a whole by a refresh."""
        self.calculator = calculator
        self.minimum = context.resource_types.minimum_allocation
        self.cluster = NONE
        """The capacity of all nodes, as the queues last took note of it."""
        self.version = 0
        """Raised by whatever may let a heartbeat give something that the one before could not."""
        self.pending_apps = 0
        """Applications of all leaves that wait to be activated."""

    def partition_total(self, partition: str) -> Resource:
        """The capacity of one partition's nodes."""
        return self.tracker.partition_total(partition)

    def is_exclusive(self, partition: str) -> bool:
        """Whether the partition's nodes serve only requests that name it."""
        label = self.context.labels.labels.get(partition)
        return label is None or label.is_exclusive is not False
