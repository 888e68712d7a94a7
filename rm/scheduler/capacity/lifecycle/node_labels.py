"""Nodes change their partition. Hadoop: CapacityScheduler.updateNodeLabelsAndQueueResource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.containers.completion import Completion
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.records.node import DEFAULT_PARTITION

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode
    from yarnbox.rm.events.scheduler import SchedulerNodeLabelsUpdate


class NodePartitions:
    """Moves nodes, and the containers on them, to another partition."""

    def __init__(
        self,
        context: QueueContext,
        tree: QueueTree,
        register: Register[CapacityAttempt],
        completion: Completion[CapacityAttempt],
    ) -> None:
        self._context = context
        self._tree = tree
        self._register = register
        self._completion = completion

    def update(self, event: SchedulerNodeLabelsUpdate) -> None:
        """NODE_LABELS_UPDATE: the containers on a node count in its new partition; its reservation is
        dropped. Then the queues' limits are recomputed, whatever has changed.
        """
        tracker = self._context.tracker
        for node_id, labels in event.labels_of_nodes.items():
            node = tracker.nodes.get(node_id)
            partition = labels[0] if labels else DEFAULT_PARTITION
            if node is not None and self._is_concerned(node, partition):
                self._tree.update_shares()
                self._move(node, partition)
        self._tree.mark_cluster_changed()

    def _is_concerned(self, node: SchedulerNode, partition: str) -> bool:
        return bool(node.partition != partition or node.reserved_container is not None or node.containers)

    def _move(self, node: SchedulerNode, partition: str) -> None:
        for container in node.in_hash_order():
            attempt = self._register.attempt(container.attempt_id)
            is_live = attempt is not None and container.container_id in attempt.live
            if attempt is None or not is_live or container.partition == partition:
                continue
            attempt.move_container(container, partition)
            if container.is_am:
                self._tree.leaf_of(attempt.application).move_am(attempt, partition)
        if node.reserved_container is not None:
            self._completion.unreserve(node.reserved_container)
        if node.partition != partition:
            self._context.tracker.move_to_partition(node, partition)
