"""What a queue's books gained or lost by a container, told to whoever listens: the event log, for one.

Added up, the bookings of a queue are what it uses, reservations included, at any moment; so they show whether
a queue ever passed its maximum. Nothing is made while nobody listens. Hadoop has no such thing: its
queues can only be looked at. `move` is the one way of a container from the books of a queue or partition into
those of another.
"""

from __future__ import annotations

from yarnbox.rm.booking import MOVED, Booking
from yarnbox.rm.container import RMContainer, RMContainerState
from yarnbox.rm.scheduler.usage import Path, change_killable, charge, refund, reserve, unreserve
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.resources.resource import Resource


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


def move(
    container: RMContainer,
    before: Path,
    after: Path,
    *,
    queue: str | None = None,
    partition: str | None = None,
) -> None:
    """Takes a container, live or reserved, out of the usages `before` and into the usages `after`; it stands
    in the books of that queue or partition from now on.
    """
    amount, old = container.charged, container.partition
    book(MOVED, container, -amount)
    if queue is not None:
        container.queue = queue
    if partition is not None:
        container.partition = partition
    book(MOVED, container, amount)
    if container.state is RMContainerState.RESERVED:
        unreserve(before, old, container.resource)
        reserve(after, container.partition, container.resource)
    elif container.execution_type is ExecutionType.GUARANTEED:
        # See tests/scenarios/requests/requests-demoted-container-on-relabelled-node.yaml.
        refund(before, old, container.resource)
        charge(after, container.partition, container.resource)
    if container.is_killable:
        change_killable(before, old, -container.resource)
        change_killable(after, container.partition, container.resource)
