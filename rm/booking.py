"""A booking: a change of one queue's books by one container, as the event log records it."""

from __future__ import annotations

from typing import NamedTuple

from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.resources.resource import Resource

ALLOCATED = "ContainerAllocated"
COMPLETED = "ContainerCompleted"
RESERVED = "ContainerReserved"
UNRESERVED = "ContainerUnreserved"
RESIZED = "ContainerResized"
MOVED = "ContainerMoved"
KINDS = (ALLOCATED, COMPLETED, RESERVED, UNRESERVED, RESIZED, MOVED)


class Booking(NamedTuple):
    """A change of one queue's books by one container."""

    type: str
    subject: ContainerId
    queue: str
    node: NodeId
    partition: str
    resource: Resource
    """Negative where something is taken back."""

    @property
    def details(self) -> dict[str, object]:
        """What the event log writes beside type and subject."""
        return {
            "queue": self.queue,
            "node": str(self.node),
            "partition": self.partition,
            "resource": self.resource.as_dict(),
        }
