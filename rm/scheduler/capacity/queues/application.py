"""What the CapacityScheduler remembers of an attempt beyond the common books.

Its partition, the resource its AM counts for, whether it may run and whether it was activated, and how often
nodes of a partition were passed over for requests without a label. Hadoop: FiCaSchedulerApp.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from yarnbox.rm.asks import ANY, Locality, RequestKey
from yarnbox.rm.scheduler.application import Application, Attempt
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.queues.users import User
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.usage import Usage, Watcher
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId
from yarnbox.yarn.records.request import (
    PreemptionContainer,
    PreemptionContract,
    PreemptionMessage,
    PreemptionResourceRequest,
    ResourceRequest,
)
from yarnbox.yarn.resources.resource import NONE, Resource, total

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode
    from yarnbox.rm.scheduler.capacity.queues.context import QueueContext


class LeafOrder(Protocol):
    """The order in which a leaf serves its applications."""

    @property
    def changes_with_use(self) -> bool:
        """Whether use moves an application in it."""
        ...

    @property
    def changes_with_demand(self) -> bool:
        """Whether demand does."""
        ...

    def changed(self, attempt: CapacityAttempt) -> None:
        """The attempt may have to move."""
        ...


class AttemptLeaf(Protocol):
    """What an attempt tells the leaf that it is in. Others find the leaf as the application's queue."""

    @property
    def context(self) -> QueueContext:
        """What all queues have in common."""
        ...

    @property
    def order(self) -> LeafOrder:
        """Where the attempt stands among the others."""
        ...

    def start_asking(self, attempt: CapacityAttempt) -> None:
        """The attempt has requests for a key that had none pending."""
        ...

    def headroom_of(self, attempt: CapacityAttempt, user: User) -> Resource:
        """What the attempt may still ask for, if it counts for that user here."""
        ...


class CapacityAttempt(Attempt, Watcher):
    """An attempt in a leaf."""

    def __init__(
        self,
        context: SchedulerContext,
        attempt_id: ApplicationAttemptId,
        application: Application[CapacityAttempt],
    ) -> None:
        super().__init__(context, attempt_id, application)
        self.usage = Usage(self, counts_reserved=False)
        self.path = (self.usage,)
        self.leaf: AttemptLeaf
        self.queue_user: User
        """The user that it counts for in the leaf."""
        self.partition = ""
        """Where its AM runs, or would run."""
        self.app_priority = application.app_priority
        """Its application's, until somebody changes it: then its own."""
        self.am_resource = NONE
        """What its AM counts for in AM limits."""
        self.is_runnable = True
        """False while max-parallel-apps keeps it back."""
        self.is_activated = False
        self.noted_used_mb = 0
        """What a policy that orders by use goes by: the use as of the last look after it had changed."""
        self.noted_pending_mb = 0
        self._open_keys = 0
        self._is_silent = False
        """While a reservation becomes a container, or one that ran before a restart is taken over: the leaf's
        order does not hear of that.
        """
        self.is_reached = False
        """Whether its leaf has looked at it, or the cluster changed: before that it has no headroom, or that
        of `reached_before`.
        """
        self.reached_before: tuple[AttemptLeaf, User] | None = None
        """Since it was moved: the leaf that had looked at it, and its user there."""
        self.start_ms = context.now_ms
        self.waits_for: SkipReason | None = None
        """Why it is not activated."""
        self.missed_unlabelled: dict[RequestKey, int] = {}
        """Opportunities that its requests without a label missed, by key (missedNonPartitionedRequest...)."""
        self.has_constraints = False
        """Whether it ever sent a scheduling request."""
        self.announced: dict[ContainerId, None] = {}
        """Containers that its AM is to be told of at its next call (preemption)."""

    def fulfil(
        self,
        node: SchedulerNode,
        key: RequestKey,
        locality: Locality,
        resource: Resource,
        reserved: RMContainer,
    ) -> None:
        """Makes a container of what a node is reserved for. The user has that already, so that the sum of
        fractions which its limit goes by stays as it is, and the ordering policy does not hear of it. See
        tests/scenarios/capacity/fair-order-misses-fulfilled-reservation.yaml.
        """
        user, is_same = self.queue_user, resource == reserved.resource
        self._is_silent = user.is_fulfilling = True
        self.allocate(node, key, locality, resource, reserved)
        self._is_silent = user.is_fulfilling = False
        if not is_same:
            user.books_changed(node.partition)

    def charge_recovered(self, container: RMContainer) -> None:
        """See tests/scenarios/restart/fair-order-forgets-what-ran-before.yaml."""
        self._is_silent = True
        super().charge_recovered(container)
        self._is_silent = False

    # Watching its own books

    def books_changed(self, partition: str) -> None:
        """Where use decides the order, it may have to move."""
        order = self.leaf.order
        if order.changes_with_use and not self._is_silent:
            order.changed(self)

    def pending_changed(self, partition: str) -> None:
        """Demand counts for the order, too, with size-based weight."""
        open_keys = len(self.asks.active_keys)
        asks_anew = open_keys > self._open_keys
        self._open_keys = open_keys
        if asks_anew:
            self.leaf.start_asking(self)
        self.demand_updated()

    def demand_updated(self) -> None:
        """It has asked, perhaps for nothing. See tests/scenarios/queues/ask-for-nothing-sorts-anew.yaml."""
        order = self.leaf.order
        if order.changes_with_demand and not self.is_waiting_for_am and not self._is_silent:
            order.changed(self)

    def book_am(self, partition: str, delta: Resource) -> None:
        """AM use is booked from activation to the attempt's end, whatever becomes of the container."""
        return

    def preemption_message(self) -> PreemptionMessage | None:
        """The containers that it is asked to give up, each told once; or others of that amount."""
        announced = [self.live[key] for key in self.announced if key in self.live]
        self.announced.clear()
        if not announced:
            return None
        context = self.leaf.context
        amount = total(container.resource for container in announced)
        ratio = context.calculator.divide(context.cluster, amount, context.minimum)
        request = ResourceRequest(
            priority=-1, resource_name=ANY, capability=context.minimum, num_containers=math.ceil(ratio)
        )
        return PreemptionMessage(
            contract=PreemptionContract(
                resource=(PreemptionResourceRequest(resource=request),),
                container=tuple(PreemptionContainer(id=container.container_id) for container in announced),
            )
        )

    def asks_in(self, partition: str) -> bool:
        """Whether it wants anything in that partition."""
        usage = self.usage
        amounts = usage.by_partition.get(partition) if partition else usage.in_default
        if amounts is None:
            return False
        # Memory counts for every calculator.
        return amounts.pending.memory_mb > 0 or self.leaf.context.calculator.is_any_positive(amounts.pending)

    def reserved_resource(self, partition: str) -> Resource:
        """What nodes of the partition are kept for it."""
        usage = self.usage
        amounts = usage.by_partition.get(partition) if partition else usage.in_default
        return NONE if amounts is None else amounts.reserved
