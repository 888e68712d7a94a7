"""Which nodes are offered when: at their heartbeat, in rounds over all nodes, or a partition's together.

Hadoop: CapacityScheduler.schedule, AsyncScheduleThread and the multi-node branch of
allocateContainersToNode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.events.scheduler import SchedulerAsynchronousRound
from yarnbox.rm.scheduler.capacity.allocation.heartbeat import NodeAllocator
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.runtime.java_order import in_hash_order, node_hash

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode

TIMER = "asynchronous scheduling"


class Offers:
    """Offers nodes as the configuration says. It is fixed until the next start."""

    def __init__(self, context: QueueContext, allocator: NodeAllocator) -> None:
        self._context = context
        self._rm = context.rm
        self._tracker = context.tracker
        self._allocator = allocator
        self.asynchronous = context.settings.asynchronous
        self.is_multi_node = context.settings.is_multi_node
        self._notes_heartbeats = self.is_multi_node or self.asynchronous.is_enabled
        self._last_heard_ms: dict[NodeId, int] = {}
        self._orders: dict[str, tuple[list[SchedulerNode], list[SchedulerNode]]] = {}
        """Multi-node placement: by partition the nodes last offered together, as they came and in order."""

    def start(self) -> None:
        """Sets the timer of the next round, where scheduling is asynchronous."""
        if self.asynchronous.is_enabled:
            due_ms = self._rm.now_ms + self.asynchronous.interval_ms
            self._rm.timer_at(due_ms, TIMER, SchedulerAsynchronousRound())

    def join(self, node_id: NodeId) -> None:
        """Adds a node: its registration counts as its first heartbeat."""
        if self._notes_heartbeats:
            self._last_heard_ms[node_id] = self._rm.now_ms

    def heartbeat(self, node: SchedulerNode) -> None:
        """Notes a node's heartbeat, and offers the node; with asynchronous scheduling it does not
        offer it.
        """
        if self._notes_heartbeats:
            self._last_heard_ms[node.node_id] = self._rm.now_ms
        if self.asynchronous.is_enabled:
            return
        if self.is_multi_node:
            self._serve_partition(node)
        else:
            self._allocator.serve(node)

    def run_round(self, is_waiting: bool) -> None:
        """Allocates at most one container on each node, in the order of node ids from a random start; nothing
        while the RM waits for recovered applications. The next round follows.
        """
        nodes = [self._tracker.nodes[node_id] for node_id in sorted(self._tracker.nodes)]
        if nodes and not is_waiting:
            for _ in range(self.asynchronous.threads):
                first = self._rm.random.randrange(len(nodes))
                for node in [*nodes[first:], *nodes[:first]]:
                    if node.is_schedulable and not self._is_silent(node):
                        self._allocator.serve_once(node)
        self.start()

    def forget(self, node_id: NodeId) -> None:
        """The node is gone."""
        self._last_heard_ms.pop(node_id, None)

    def _is_silent(self, node: SchedulerNode) -> bool:
        """Whether the node has missed so many heartbeats that nothing is allocated on it."""
        settings = self._rm.settings
        limit_ms = settings.heartbeat_interval_ms * settings.skip_node_multiplier
        heard_ms = self._last_heard_ms.get(node.node_id, self._rm.start_ms)
        return self._rm.now_ms - heard_ms > limit_ms

    def _serve_partition(self, node: SchedulerNode) -> None:
        """Multi-node placement: all nodes of the partition together, in the order of Hadoop's map; the node
        alone where all of them drain or are silent.

        See tests/scenarios/queues/multi-node-no-candidate.yaml.
        """
        nodes = [
            each
            for each in self._tracker.by_partition.get(node.partition, {}).values()
            if self._context.is_running(each) and not self._is_silent(each)
        ]
        known = self._orders.get(node.partition)
        if known is None or known[0] != nodes:
            ordered = in_hash_order(nodes, lambda each: node_hash(each.node_id))
            self._orders[node.partition] = known = (nodes, ordered)
        self._allocator.serve(node, known[1] or [node])
