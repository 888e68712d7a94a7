"""Multi-node placement: a heartbeat offers every node of its partition, in the order of a policy.

Hadoop: MultiNodeSortingManager, MultiNodeSorter and ResourceUsageMultiNodeLookupPolicy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.capacity.allocation.assignment import AllocationPass
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.ordering.custom import (
    NodeForSorting,
    NodeSortingPolicy,
    node_sorting,
)
from yarnbox.yarn.ids import NodeId

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode


class NodeOrders:
    """The sorted nodes of each partition, sorted again when their interval is over."""

    def __init__(self, context: QueueContext) -> None:
        self._context = context
        self._sorted: dict[tuple[str, str], tuple[int, list[NodeId]]] = {}

    def ordered(self, policy: str | None, pass_: AllocationPass) -> list[SchedulerNode]:
        """The candidates in the policy's order; without a policy only the first of them."""
        candidates = pass_.candidates or [pass_.node]
        settings = self._context.settings.multi_node_policies.get(policy or "")
        if settings is None:
            return candidates[:1]
        now_ms = self._context.rm.now_ms
        key = (settings.name, pass_.partition)
        sorted_ms, order = self._sorted.get(key, (None, []))
        if sorted_ms is None or now_ms - sorted_ms >= settings.sorting_interval_ms:
            nodes = self._context.tracker.by_partition.get(pass_.partition, {}).values()
            key_of = _key_of(node_sorting(settings.policy_class))
            order = [node.node_id for node in sorted(nodes, key=lambda one: (key_of(one), one.node_id))]
            self._sorted[key] = (now_ms, order)
        offered = {node.node_id: node for node in candidates}
        found = [offered.pop(node_id) for node_id in order if node_id in offered]
        return [*found, *offered.values()]


def _key_of(policy: NodeSortingPolicy | None) -> Callable[[SchedulerNode], tuple[object, ...]]:
    """Without a policy of a user's own: the least allocated first."""
    if policy is None:
        return lambda node: (node.allocated.memory_mb, node.allocated.vcores)
    own = policy
    return lambda node: own.key(NodeForSorting(node.node_id, node.rack, node.total, node.allocated))
