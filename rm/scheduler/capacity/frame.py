"""What every queue of a tree has in common: the calculator, the cluster's totals, the settings, the labels.

One object, held by all queues, so that a limit is worked out from the same numbers everywhere. Answers for
CapacitySchedulerContext and CapacitySchedulerQueueContext.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.calculator import Calculator
from rm.scheduler.capacity.settings import CapacitySettings
from yarn.ids import ContainerId, NodeId
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.context import RMContext
    from rm.scheduler.capacity.assignment import Pass
    from rm.scheduler.capacity.leaf import LeafQueue
    from rm.scheduler.capacity.multi_node import NodeOrders
    from rm.scheduler.node import NodeTracker, SchedulerNode

_MONITOR = "yarn.resourcemanager.scheduler.monitor."


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
        self.lends_to_ams = context.settings.labels.am_non_exclusive_allocation
        self.killable_on: dict[NodeId, dict[ContainerId, RMContainer]] = {}
        """Containers that lazy preemption may kill for others, by node."""
        self.node_orders: NodeOrders
        """With multi-node placement: the nodes of a partition in the order of a policy."""

    @property
    def is_monitored(self) -> bool:
        """Whether the scheduling monitor runs at all; capacity-scheduler.xml goes before yarn-site.xml."""
        known = self.context.settings.scheduler_monitor_enabled
        return self.settings.properties.boolean(_MONITOR + "enable", known)

    def policies_of(self, settings: CapacitySettings) -> tuple[str, ...]:
        """The classes of the policies that the scheduling monitor runs, none where it is off."""
        known, properties = self.context.settings, settings.properties
        if not properties.boolean(_MONITOR + "enable", known.scheduler_monitor_enabled):
            return ()
        if properties.text(_MONITOR + "policies") is None:
            return known.scheduler_monitor_policies
        return tuple(dict.fromkeys(properties.strings(_MONITOR + "policies")))

    def partition_total(self, partition: str) -> Resource:
        """The capacity of one partition's nodes."""
        return self.tracker.partition_total(partition)

    def is_exclusive(self, partition: str) -> bool:
        """Whether the partition's nodes serve only requests that name it."""
        label = self.context.labels.labels.get(partition)
        return label is None or label.is_exclusive

    def order_nodes(self, leaf: LeafQueue, walk: Pass) -> list[SchedulerNode]:
        """The candidates of a pass in the order of the leaf's policy."""
        return self.node_orders.ordered(leaf.settings.multi_node_policy, walk)

    def room_on(self, node: SchedulerNode) -> Resource:
        """What is free on the node, and what lazy preemption could free."""
        killable = self.killable_on.get(node.node_id)
        if not killable:
            return node.available
        return sum((container.resource for container in killable.values()), node.available)

    def kills_for(
        self, leaf: LeafQueue, node: SchedulerNode, required: Resource, walk: Pass
    ) -> tuple[RMContainer, ...] | None:
        """The killable containers of the node, by id, whose end makes room; None when that is not enough.

        Only a leaf below its guarantee may have others killed (setPreemptionAllowed).
        """
        killable = self.killable_on.get(node.node_id)
        if not killable:
            return None
        share = leaf.share(walk.partition)
        if share.effective_minimum:
            is_below = self.calculator.compare(walk.cluster, share.amounts.used, share.effective_minimum) < 0
        else:
            is_below = share.absolute_used < share.absolute
        if not is_below:
            return None
        room, chosen = node.available, []
        for container_id in sorted(killable):
            chosen.append(killable[container_id])
            room = room + killable[container_id].resource
            if self.calculator.fits_in(required, room):
                return tuple(chosen)
        return None
