"""A node's books, and the register of all nodes by host, rack and partition.

A SchedulerNode knows what it has, what is allocated on it, and which container it is kept for. The life of
the node is RMNode's business. Answers for SchedulerNode and ClusterNodeTracker.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from yarn.enums import ExecutionType
from yarn.ids import ApplicationId, ContainerId, NodeId
from yarn.resource import NONE, Resource, combine

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.scheduler.constraint.tags import AllocationTags


class SchedulerNode:
    """What is on one node."""

    __slots__ = (
        "allocated",
        "available",
        "containers",
        "host",
        "http_address",
        "is_schedulable",
        "launched",
        "node_id",
        "overcommit_until_ms",
        "partition",
        "rack",
        "reserved_container",
        "tags",
        "total",
    )

    def __init__(
        self,
        node_id: NodeId,
        rack: str,
        total: Resource,
        partition: str = "",
        http: str = "",
        name: str | None = None,
        tags: AllocationTags | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = node_id.host if name is None else name
        """What requests and blacklists call it: its host, with its port if nodes are told apart by that."""
        self.rack = rack
        self.http_address = http
        self.partition = partition
        self.tags = tags
        """Where the tags of its containers are counted."""
        self.total = total
        self.allocated = NONE
        self.available = total
        self.overcommit_until_ms: int | None = None
        """Until when more may be on the node than it has; None: for ever."""
        self.is_schedulable = True
        """False while the node drains."""
        self.containers: dict[ContainerId, RMContainer] = {}
        self.launched: dict[ContainerId, None] = {}
        """Containers that the node itself has reported; their space is free only when it reports their end.
        """
        self.reserved_container: RMContainer | None = None

    def __repr__(self) -> str:
        return f"SchedulerNode({self.node_id}, available={self.available})"

    def allocate(self, container: RMContainer) -> None:
        """Puts a container on the node."""
        self.containers[container.container_id] = container
        if container.allocation_tags and self.tags is not None:
            self.tags.add(self.node_id, self.rack, container.application_id, container.allocation_tags)
        if container.execution_type is ExecutionType.GUARANTEED:
            self.allocated = self.allocated + container.resource
            self.available = self.available - container.resource

    def note_launched(self, container_id: ContainerId) -> None:
        """The node reported the container for the first time."""
        if container_id in self.containers:
            self.launched[container_id] = None

    def release(self, container_id: ContainerId, *, is_reported_by_node: bool) -> bool:
        """Frees the container's space; not yet if the node runs it and has not said that it ended. True when
        freed.
        """
        container = self.containers.get(container_id)
        if container is None:
            return False
        if container_id in self.launched and not is_reported_by_node:
            return False
        del self.containers[container_id]
        self.launched.pop(container_id, None)
        if container.allocation_tags and self.tags is not None:
            self.tags.remove(self.node_id, self.rack, container.application_id, container.allocation_tags)
        if container.execution_type is ExecutionType.GUARANTEED:
            self.allocated = self.allocated - container.resource
            self.available = self.available + container.resource
        return True

    def set_execution_type(self, container: RMContainer, execution_type: ExecutionType) -> None:
        """A container on the node is guaranteed its space from now on, or no longer."""
        is_guaranteed = execution_type is ExecutionType.GUARANTEED
        container.execution_type = execution_type
        self.allocated = self.allocated + container.resource * (1 if is_guaranteed else -1)
        self.available = self.total - self.allocated

    def resize_container(self, container: RMContainer, before: Resource) -> None:
        """A container on the node has another size now; `before` was the old one."""
        self.allocated = self.allocated - before + container.resource
        self.available = self.total - self.allocated

    def set_total(self, total: Resource) -> None:
        """The node has another capacity; what is available may become negative."""
        self.total = total
        self.available = total - self.allocated

    def check_books(self) -> None:
        """Recounts from the containers; AssertionError where a sum differs."""
        on_node = sum((container.charged for container in self.containers.values()), NONE)
        assert on_node == self.allocated, f"{self.node_id}: {on_node} on it, {self.allocated} booked"
        assert self.available == self.total - self.allocated, f"{self.node_id}: available is off"

    def app_container_count(self, application_id: ApplicationId) -> int:
        """How many containers of the application are on the node."""
        return sum(1 for container_id in self.containers if container_id.application_id == application_id)


class NodeTracker:
    """All nodes that can be scheduled on, in the order of arrival; by host, rack and partition."""

    def __init__(self) -> None:
        self.nodes: dict[NodeId, SchedulerNode] = {}
        self.by_host: dict[str, dict[NodeId, SchedulerNode]] = {}
        self.by_rack: dict[str, dict[NodeId, SchedulerNode]] = {}
        self.by_partition: dict[str, dict[NodeId, SchedulerNode]] = {}
        self.total = NONE
        """The capacity of all nodes together."""
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
        """Changes a node's capacity."""
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

    def count_in(self, partition: str) -> int:
        """How many nodes the partition has."""
        return len(self.by_partition.get(partition, ()))

    def partition_total(self, partition: str) -> Resource:
        """The capacity of the partition's nodes together."""
        return self._totals.get(partition, NONE)

    def _change_total(self, partition: str, delta: Resource) -> None:
        self.total = self.total + delta
        self._totals[partition] = self._totals.get(partition, NONE) + delta

    def nodes_at(self, location: str) -> Iterable[SchedulerNode]:
        """The nodes that a location names: those of a host or of a rack."""
        return (self.by_host.get(location) or self.by_rack.get(location) or {}).values()
