"""What the CapacityScheduler remembers of an attempt beyond the common books.

Its partition, the resource its AM counts for, whether it may run and whether it was activated, and how often
nodes of a partition were passed over for requests without a label. Answers for FiCaSchedulerApp.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rm.scheduler.application import Application, Attempt
from rm.scheduler.asks import ANY, RequestKey
from rm.scheduler.capacity.assignment import SkipReason
from rm.scheduler.usage import Usage
from yarn.ids import ApplicationAttemptId, ContainerId
from yarn.records.request import (
    PreemptionContainer,
    PreemptionContract,
    PreemptionMessage,
    PreemptionResourceRequest,
    ResourceRequest,
)
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.context import RMContext
    from rm.scheduler.capacity.leaf import LeafQueue
    from rm.scheduler.capacity.users import User


class CapacityAttempt(Attempt):
    """An attempt in a leaf."""

    def __init__(
        self, context: RMContext, attempt_id: ApplicationAttemptId, application: Application[CapacityAttempt]
    ) -> None:
        super().__init__(context, attempt_id, application)
        self.usage = Usage(self, counts_reserved=False)
        self.path = (self.usage,)
        self.leaf: LeafQueue
        self.member: User
        """The user that it counts for in the leaf."""
        self.partition = ""
        """Where its AM runs, or would run."""
        self.am_resource = NONE
        """What its AM counts for in AM limits."""
        self.is_runnable = True
        """False while max-parallel-apps keeps it back."""
        self.is_activated = False
        self._open_keys = 0
        self.is_considered = False
        """Whether its leaf has looked at it, or the cluster changed: before that it has no headroom."""
        self.start_ms = context.now_ms
        self.waits_for: SkipReason | None = None
        """Why it is not activated."""
        self.missed_unlabelled: dict[RequestKey, int] = {}
        """Opportunities that its requests without a label missed, by key (missedNonPartitionedRequest...)."""
        self.has_constraints = False
        """Whether it ever sent a scheduling request."""
        self.announced: dict[ContainerId, None] = {}
        """Containers that its AM is to be told of at its next call (preemption)."""

    # Watching its own books

    def books_changed(self, partition: str) -> None:
        """Where use decides the order, it may have to move."""
        leaf = self.leaf
        if leaf.order.changes_with_use:
            leaf.order.touch(self)

    def pending_changed(self, partition: str) -> None:
        """Demand counts for the order, too, with size-based weight."""
        leaf = self.leaf
        open_keys = len(self.asks.active_keys)
        if open_keys > self._open_keys and self.queue_side is leaf:
            leaf.users.count_in(self.member, self.application_id)
        self._open_keys = open_keys
        if leaf.order.changes_with_use:
            leaf.order.touch(self)

    def book_am(self, partition: str, delta: Resource) -> None:
        """AM use is booked from activation to the attempt's end, whatever becomes of the container."""
        return

    def preemption_message(self) -> PreemptionMessage | None:
        """The containers that it is asked to give up, each told once; or others of that amount."""
        announced = [self.live[key] for key in self.announced if key in self.live]
        self.announced.clear()
        if not announced:
            return None
        frame = self.leaf.frame
        amount = sum((container.resource for container in announced), NONE)
        ratio = frame.calculator.divide(frame.cluster, amount, frame.minimum)
        request = ResourceRequest(
            priority=-1, resource_name=ANY, capability=frame.minimum, num_containers=math.ceil(ratio)
        )
        return PreemptionMessage(
            contract=PreemptionContract(
                resource=(PreemptionResourceRequest(resource=request),),
                container=tuple(PreemptionContainer(id=container.container_id) for container in announced),
            )
        )

    def asks_in(self, partition: str) -> bool:
        """Whether it wants anything in that partition."""
        amounts = self.usage.by_partition.get(partition)
        return amounts is not None and self.leaf.frame.calculator.is_any_positive(amounts.pending)

    def reserved_resource(self, partition: str) -> Resource:
        """What nodes of the partition are kept for it."""
        amounts = self.usage.by_partition.get(partition)
        return NONE if amounts is None else amounts.reserved
