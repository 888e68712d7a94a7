"""Multi-node placement: a heartbeat offers every node of its partition, in the order of a policy.

Answers for MultiNodeSortingManager, MultiNodeSorter and ResourceUsageMultiNodeLookupPolicy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.capacity.assignment import Pass
from yarn.ids import NodeId

if TYPE_CHECKING:
    from rm.scheduler.capacity.frame import Frame
    from rm.scheduler.node import SchedulerNode


class NodeOrders:
    """The sorted nodes of each partition, sorted again when their interval is over."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self._sorted: dict[tuple[str, str], tuple[int, list[NodeId]]] = {}

    def ordered(self, policy: str | None, walk: Pass) -> list[SchedulerNode]:
        """The candidates in the policy's order; without a policy only the first of them."""
        candidates = walk.candidates or [walk.node]
        settings = self.frame.settings.multi_node_policies.get(policy or "")
        if settings is None:
            return candidates[:1]
        now_ms = self.frame.context.now_ms
        key = (settings.name, walk.partition)
        known = self._sorted.get(key)
        if known is None or now_ms - known[0] >= settings.sorting_interval_ms:
            nodes = self.frame.tracker.by_partition.get(walk.partition, {}).values()
            ranked = sorted(
                nodes, key=lambda one: (one.allocated.memory_mb, one.allocated.vcores, one.node_id)
            )
            known = (now_ms, [node.node_id for node in ranked])
            self._sorted[key] = known
        offered = {node.node_id: node for node in candidates}
        found = [offered.pop(node_id) for node_id in known[1] if node_id in offered]
        return [*found, *offered.values()]
