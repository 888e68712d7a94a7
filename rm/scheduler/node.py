"""The register of all nodes by host, rack and partition. Hadoop: ClusterNodeTracker.

A node's own books are SchedulerNode's, in rm/container.py: a container and its node hold each other.
"""

from __future__ import annotations

from collections.abc import Iterable

from yarnbox.rm.container import SchedulerNode
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.resources.resource import NONE, Resource, combine


class NodeTracker:
    """All nodes that can be scheduled on, in the order of arrival; by host, rack and partition."""

    def __init__(self) -> None:
        self.nodes: dict[NodeId, SchedulerNode] = {}
        self.by_host: dict[str, dict[NodeId, SchedulerNode]] = {}
        self.by_rack: dict[str, dict[NodeId, SchedulerNode]] = {}
        self.by_partition: dict[str, dict[NodeId, SchedulerNode]] = {}
        self.total = NONE
        """The capacity of all nodes together."""
        self.total_in_default = NONE
        """Of the nodes in the default partition."""
        self._totals: dict[str, Resource] = {}
        """The same by partition."""
        self._largest: Resource | None = NONE
        """The largest amount of each type on any single node; None when it must be looked up again."""

    def __len__(self) -> int:
        return len(self.nodes)

    def add(self, node: SchedulerNode) -> None:
        """Takes a node in."""
        self.nodes[node.node_id] = node
        self.by_host.setdefault(node.host, {})[node.node_id] = node
        self.by_rack.setdefault(node.rack, {})[node.node_id] = node
        self.by_partition.setdefault(node.partition, {})[node.node_id] = node
        self._change_total(node.partition, node.total)
        if self._largest is not None:
            self._largest = combine(max, self._largest, node.total)

    def remove(self, node: SchedulerNode) -> None:
        """Takes a node out."""
        del self.nodes[node.node_id]
        for index, place in (
            (self.by_host, node.host),
            (self.by_rack, node.rack),
            (self.by_partition, node.partition),
        ):
            del index[place][node.node_id]
            if not index[place]:
                del index[place]
        self._change_total(node.partition, -node.total)
        self._largest = None

    def resize(self, node: SchedulerNode, total: Resource) -> None:
        """Changes a node's capacity. At its host, on its rack and in its partition it comes last from now on:
        Hadoop takes it out, and puts it in again. See AbstractYarnScheduler.updateNodeResource.
        """
        for index, place in (
            (self.by_host, node.host),
            (self.by_rack, node.rack),
            (self.by_partition, node.partition),
        ):
            index[place][node.node_id] = index[place].pop(node.node_id)
        self._change_total(node.partition, total - node.total)
        node.set_total(total)
        self._largest = None

    def move_to_partition(self, node: SchedulerNode, partition: str) -> None:
        """Changes the partition that a node is in."""
        del self.by_partition[node.partition][node.node_id]
        if not self.by_partition[node.partition]:
            del self.by_partition[node.partition]
        self._change_total(node.partition, -node.total)
        node.partition = partition
        self._change_total(partition, node.total)
        self.by_partition.setdefault(partition, {})[node.node_id] = node

    def largest(self) -> Resource:
        """The largest amount of each type on any single node; nothing when there is no node."""
        if self._largest is None:
            largest = NONE
            for node in self.nodes.values():
                largest = combine(max, largest, node.total)
            self._largest = largest
        return self._largest

    def reserved_containers(self, partition: str | None = None) -> int:
        """How many nodes of a partition are reserved; of all by default."""
        nodes = (self.nodes if partition is None else self.by_partition.get(partition, {})).values()
        return sum(node.reserved_container is not None for node in nodes)

    def count_in(self, partition: str) -> int:
        """How many nodes the partition has."""
        return len(self.by_partition.get(partition, ()))

    def partition_total(self, partition: str) -> Resource:
        """The capacity of the partition's nodes together."""
        return self._totals.get(partition, NONE)

    def _change_total(self, partition: str, delta: Resource) -> None:
        self.total = self.total + delta
        self._totals[partition] = total = self._totals.get(partition, NONE) + delta
        if not partition:
            self.total_in_default = total

    def nodes_at(self, location: str) -> Iterable[SchedulerNode]:
        """The nodes that a location names: those of a host or of a rack."""
        return (self.by_host.get(location) or self.by_rack.get(location) or {}).values()
