"""What every queue of a tree has in common: the calculator, the cluster's totals, the settings, the labels.

One object, held by all queues, so that a limit is worked out from the same numbers everywhere. Hadoop:
CapacitySchedulerContext and CapacitySchedulerQueueContext.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.calculator import Calculator
from yarnbox.rm.scheduler.capacity.config.properties import MONITOR
from yarnbox.rm.scheduler.capacity.config.settings import CapacitySettings
from yarnbox.rm.scheduler.constraint.constraints import PROCESSOR
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode
    from yarnbox.rm.scheduler.node import NodeTracker


class QueueContext:
    """The surroundings of all queues."""

    def __init__(
        self, rm: SchedulerContext, tracker: NodeTracker, settings: CapacitySettings, calculator: Calculator
    ) -> None:
        self.rm = rm
        self.tracker = tracker
        self.settings = settings
        """Replaced as a whole by a refresh."""
        self.calculator = calculator
        self.minimum = rm.resource_types.minimum_allocation
        self.cluster = NONE
        """The capacity of all nodes, as the queues last took note of it."""
        self.version = 0
        """Raised by whatever may let a heartbeat give something that the one before could not."""
        self.keeps_offers = rm.settings.constraints.handler == PROCESSOR
        """Whether leaves are to know what each pass would have allowed them."""
        self.pending_apps = 0
        """Applications of all leaves that wait to be activated."""

    @property
    def is_monitored(self) -> bool:
        """Whether the scheduling monitor runs at all; capacity-scheduler.xml goes before yarn-site.xml."""
        return self.is_monitored_by(self.settings)

    def is_monitored_by(self, settings: CapacitySettings) -> bool:
        """The same, under other settings than the present ones."""
        found = settings.is_monitored
        return self.rm.settings.scheduler_monitor_enabled if found is None else found

    def monitor_policies(self, settings: CapacitySettings) -> tuple[str, ...]:
        """The classes of the policies that the scheduling monitor runs, none where it is off."""
        properties = settings.properties
        if not self.is_monitored_by(settings):
            return ()
        if properties.text(MONITOR + "policies") is None:
            return self.rm.settings.scheduler_monitor_policies
        return tuple(dict.fromkeys(properties.strings(MONITOR + "policies")))

    def is_running(self, node: SchedulerNode) -> bool:
        """Whether the node is there and does not drain now; `is_schedulable` is as of its heartbeat."""
        rm_node = self.rm.nodes.get(node.node_id)
        return rm_node is not None and not rm_node.is_decommissioning

    def partition_total(self, partition: str) -> Resource:
        """The capacity of one partition's nodes."""
        return self.tracker.partition_total(partition) if partition else self.tracker.total_in_default

    def is_exclusive(self, partition: str) -> bool:
        """Whether the partition's nodes serve only requests that name it."""
        label = self.rm.labels.labels.get(partition)
        return label is None or label.is_exclusive
