"""What a queue's books gained or lost by a container, told to whoever listens: the event log, for one.

Added up, the bookings of a queue are what it uses, reservations included, at any moment; so they show whether
a queue ever passed its maximum. Nothing is made while nobody listens. Answers for nothing in Hadoop, whose
queues can only be looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from yarn.ids import ContainerId, NodeId
from yarn.resource import Resource

if TYPE_CHECKING:
    from rm.container import RMContainer

ALLOCATED = "ContainerAllocated"
COMPLETED = "ContainerCompleted"
RESERVED = "ContainerReserved"
UNRESERVED = "ContainerUnreserved"
RESIZED = "ContainerResized"
MOVED = "ContainerMoved"


class Booking(NamedTuple):
    """One container in the books of one queue: more of it, or less."""

    type: str
    subject: ContainerId
    queue: str
    node: NodeId
    partition: str
    resource: Resource
    """Negative where something is taken back."""

    @property
    def details(self) -> dict[str, Any]:
        """What the event log writes beside type and subject."""
        return {
            "queue": self.queue,
            "node": str(self.node),
            "partition": self.partition,
            "resource": self.resource.as_dict(),
        }


def book(kind: str, container: RMContainer, delta: Resource) -> None:
    """Tells that the container's queue holds so much more."""
    context = container.context
    if context.bookings:
        booking = Booking(
            kind,
            container.container_id,
            container.queue,
            container.node_id,
            container.partition,
            delta,
        )
        for listener in context.bookings:
            listener(booking)


def move(container: RMContainer, *, queue: str | None = None, partition: str | None = None) -> None:
    """Lets the container stand in the books of another queue, or of another partition."""
    amount = container.charged
    book(MOVED, container, -amount)
    if queue is not None:
        container.queue = queue
    if partition is not None:
        container.partition = partition
    book(MOVED, container, amount)
