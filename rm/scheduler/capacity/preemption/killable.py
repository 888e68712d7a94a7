"""Lazy preemption: containers that are killed only when another request needs their resources. Hadoop:
PreemptionManager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.register import Register
from yarnbox.rm.scheduler.usage import change_killable
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.java_order import container_hash, in_hash_order

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode


class KillableContainers:
    """The killable containers by node; their sums are in the books of their attempts and queues."""

    def __init__(self, context: QueueContext) -> None:
        self._context = context
        self.by_node: dict[NodeId, dict[ContainerId, RMContainer]] = {}

    def all(self) -> dict[ContainerId, RMContainer]:
        """Every killable container."""
        return {key: one for on_node in self.by_node.values() for key, one in on_node.items()}

    def add(self, container: RMContainer, attempt: CapacityAttempt) -> None:
        """Makes the container killable."""
        if not container.is_killable:
            container.is_killable = True
            self.by_node.setdefault(container.node_id, {})[container.container_id] = container
            change_killable(attempt.path, container.partition, container.resource)
            self._context.version += 1

    def remove(self, container: RMContainer, attempt: CapacityAttempt) -> None:
        """The container has ended, or is not killable any more; ignored if it was not."""
        if not container.is_killable:
            return
        container.is_killable = False
        on_node = self.by_node[container.node_id]
        del on_node[container.container_id]
        if not on_node:
            del self.by_node[container.node_id]
        change_killable(attempt.path, container.partition, -container.resource)

    def available_with_killable(self, node: SchedulerNode) -> Resource:
        """The node's available resource and that of its killable containers."""
        on_node = self.by_node.get(node.node_id)
        if not on_node:
            return node.available
        return sum((container.resource for container in on_node.values()), node.available)

    def choose(
        self, leaf: LeafQueue, node: SchedulerNode, required: Resource, partition: str
    ) -> tuple[RMContainer, ...]:
        """The killable containers to kill on the node to make room; none when that is not enough.

        Only a leaf below its guarantee may have others killed (setPreemptionAllowed).
        """
        on_node = self.by_node.get(node.node_id)
        if not on_node:
            return ()
        calculator = self._context.calculator
        share = leaf.share(partition)
        if share.effective_minimum:
            used = share.amounts.used
            is_below = calculator.compare(self._context.cluster, used, share.effective_minimum) < 0
        else:
            is_below = share.absolute_used < share.absolute
        if not is_below:
            return ()
        room, chosen = node.available, []
        for container_id in in_hash_order(on_node, container_hash):
            chosen.append(on_node[container_id])
            room = room + on_node[container_id].resource
            if calculator.fits_in(required, room):
                return tuple(chosen)
        return ()

    def check_books(self, register: Register[CapacityAttempt], tree: QueueTree) -> None:
        """AssertionError where the books of a queue say another sum than that of its killable containers."""
        counted: dict[tuple[str, str], Resource] = {}
        for container in self.all().values():
            attempt = register.attempt(container.attempt_id)
            assert attempt is not None, f"{container} is killable, and nobody's"
            for queue in tree.leaf_of(attempt.application).ancestors():
                key = queue.path, container.partition
                counted[key] = counted.get(key, NONE) + container.resource
        for queue in tree.all_queues():
            for partition, amounts in queue.usage.by_partition.items():
                own = counted.get((queue.path, partition), NONE)
                assert own == amounts.killable, (
                    f"{queue}, partition '{partition}': {own} killable, {amounts.killable} booked"
                )
