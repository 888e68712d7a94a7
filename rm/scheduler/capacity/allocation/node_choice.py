"""Multi-node placement: a heartbeat offers every node of its partition, in the order of a policy.

Hadoop: MultiNodeSortingManager, MultiNodeSorter and ResourceUsageMultiNodeLookupPolicy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.capacity.allocation.assignment import AllocationPass
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.ordering.custom import (
    NodeForSorting,
    NodeSortingPolicy,
    node_sorting,
)
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource
from yarnbox.yarn.runtime.java_order import in_hash_order, text_hash

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode


class NodeOrders:
    """The sorted nodes of each partition, sorted again when their interval is over."""

    def __init__(self, context: QueueContext) -> None:
        self._context = context
        self._sorted: dict[tuple[str, str], tuple[int, list[NodeId]]] = {}
        known = context.rm.resource_types
        types = [one for one in known if one.name not in (MEMORY_MB, VCORES)]
        ordered = in_hash_order(types, lambda one: text_hash(one.name), most=len(known))
        self._further = [one.name for one in sorted(ordered, key=lambda one: not one.countable_on_nodes)]
        """The types beyond memory and vcores, as Hadoop compares them."""

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
            key_of = _key_of(node_sorting(settings.policy_class), self._further)
            order = [node.node_id for node in sorted(nodes, key=lambda one: (key_of(one), one.node_id))]
            self._sorted[key] = (now_ms, order)
        offered = {node.node_id: node for node in candidates}
        found = [offered.pop(node_id) for node_id in order if node_id in offered]
        return [*found, *offered.values()]


def _key_of(
    policy: NodeSortingPolicy | None, further: Sequence[str]
) -> Callable[[SchedulerNode], tuple[object, ...]]:
    """Without a policy of a user's own: the least allocated first."""
    if policy is None:
        return lambda node: _amounts(node.allocated, further)
    own = policy
    return lambda node: own.key(NodeForSorting(node.node_id, node.rack, node.total, node.allocated))


def _amounts(resource: Resource, further: Sequence[str]) -> tuple[int, ...]:
    if not further:
        return resource.memory_mb, resource.vcores
    return resource.memory_mb, resource.vcores, *(resource.value(name) for name in further)
