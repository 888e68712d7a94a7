"""A scheduler's record of an application and of its current attempt: containers, reservations, delay
counters.

The three schedulers hold these parts by composition; what a queue is, and when an application may have a
container, is their business. Hadoop: SchedulerApplication and SchedulerApplicationAttempt.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, Self, TypeVar

from yarnbox.rm.asks import Asks, Locality, RequestKey
from yarnbox.rm.booking import ALLOCATED, COMPLETED, RESERVED, UNRESERVED
from yarnbox.rm.container import RMContainer, RMContainerState
from yarnbox.rm.effects import LOGGER
from yarnbox.rm.events.container import ContainerAcquired, ContainerReserved, ContainerStart
from yarnbox.rm.events.scheduler import PreemptionMark, SchedulerAppAdded, SchedulerContainerUnmarked
from yarnbox.rm.scheduler.containers import bookings
from yarnbox.rm.scheduler.containers.bookings import book
from yarnbox.rm.scheduler.containers.resizing import (
    apply_decreases,
    apply_demotions,
    end_superfluous,
    swap_container,
)
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.usage import (
    Path,
    Usage,
    change_am_used,
    change_pending,
    charge,
    refund,
    reserve,
    unreserve,
)
from yarnbox.yarn.enums import ContainerUpdateType, ExecutionType
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.master import UpdateContainerRequest
from yarnbox.yarn.records.request import PreemptionMessage
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.java_order import container_hash, in_hash_order, node_hash, request_key_hash
from yarnbox.yarn.text.moments import iso8601

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode


A = TypeVar("A", bound="Attempt")
_START: Final = ContainerStart()


class Application(Generic[A]):
    """An application in a scheduler, across its attempts."""

    __slots__ = (
        "app_priority",
        "application_id",
        "attempt",
        "early_releases",
        "is_unmanaged",
        "keeps_containers",
        "label",
        "queue",
        "user",
    )

    def __init__(
        self,
        application_id: ApplicationId,
        queue: Any,
        user: str,
        app_priority: int = 0,
        label: str | None = None,
    ) -> None:
        self.application_id = application_id
        self.queue = queue
        """The scheduler's own queue object."""
        self.user = user
        self.app_priority = app_priority
        """A larger number is more important."""
        self.label = label
        """The application's label expression; None when it gave none."""
        self.attempt: A | None = None
        self.is_unmanaged = False
        self.keeps_containers = False
        """Whether running containers outlive an attempt that another one follows."""
        self.early_releases: dict[ContainerId, None] = {}
        """What its AM gave back after a restart of the RM, before a node has reported it."""

    @classmethod
    def submitted(cls, event: SchedulerAppAdded, queue: object, app_priority: int = 0) -> Self:
        """The application that was submitted, in the queue that takes it."""
        submission = event.context
        application = cls(
            event.application_id, queue, event.user, app_priority, submission.node_label_expression
        )
        application.is_unmanaged = submission.unmanaged_am
        application.keeps_containers = submission.keep_containers_across_application_attempts
        return application


class AttemptQueue(Protocol):
    """What an attempt reports to its queue."""

    def asking_changed(self, attempt: Attempt) -> None:
        """The attempt has begun or ceased to have pending requests (see `attempt.is_asking`)."""
        ...


class Attempt:
    """One attempt's books in a scheduler. Each scheduler has a subclass with its own fields."""

    hands_out_sizes: ClassVar[bool] = True
    """Whether AMs are told that a container has grown or shrunk. Hadoop's FairScheduler never tells, so there
    nothing shrinks, and what a container was to grow by stays beside it. See tests/scenarios/fair/
    fair-resize-is-not-told.yaml.
    """

    def __init__(
        self, context: SchedulerContext, attempt_id: ApplicationAttemptId, application: Application[Any]
    ) -> None:
        self.context = context
        self.attempt_id = attempt_id
        self.application = application
        self.usage = Usage(counts_reserved=False)
        self.path: Path = (self.usage,)
        """The usages that its containers are booked in, its own first, the root's last."""
        self.queue_side: AttemptQueue | None = None
        self.asks = Asks(self._pending_changed)
        self.live: dict[ContainerId, RMContainer] = {}
        """Containers allocated and not ended, in the order in which they were given; reserved ones are not
        here.
        """
        self.most_live = 0
        """How many it has had at one time."""
        self.newly_allocated: dict[ContainerId, RMContainer] = {}
        self.newly_updated: dict[ContainerId, RMContainer] = {}
        """Containers with a new size or execution type that the AM has not been told of."""
        self.update_types: dict[ContainerId, ContainerUpdateType] = {}
        """What became of each of these."""
        self.outstanding_updates: dict[ContainerId, tuple[RequestKey, UpdateContainerRequest]] = {}
        """Containers that wait to grow."""
        self.asked_to_grow: dict[ContainerId, None] = {}
        """Containers that are not promoted: a growth that was served or given up counts as outstanding."""
        self.shrinking: dict[ContainerId, Resource] = {}
        """Containers that have another size after this call."""
        self.demoting: dict[ContainerId, None] = {}
        """Containers that are opportunistic after this call."""
        self.superfluous: list[RMContainer] = []
        """What ended containers were to grow by, taken back after this call."""
        self.newly_recovered: list[RMContainer] = []
        """Containers of earlier attempts that came back after a restart of the RM, and after the AM."""
        self.reserved: dict[RequestKey, dict[NodeId, RMContainer]] = {}
        self.opportunities: dict[RequestKey, int] = {}
        """Scheduling opportunities missed, per key."""
        self.re_reservations: dict[RequestKey, int] = {}
        self.blacklist: dict[str, None] = {}
        """Hosts and racks that the AM will not have."""
        self.am_blacklist: dict[str, None] = {}
        """Hosts that the RM keeps the AM's own container away from."""
        self.is_asking = False
        """Whether it wants containers; kept here because queues ask for it at every heartbeat."""
        self.is_waiting_for_am = False
        """Whether the next container is the AM's own."""
        self.served_since_ms: int | None = None
        """When it got its first container; None before: the application is a pending one."""
        self._health = context.health
        self._waits_since_run = self._health.runs
        self.is_stopped = False
        self.is_recovering = False
        self.headroom = NONE
        self.locality_counts: dict[Locality, int] = dict.fromkeys(Locality, 0)
        self.marked_for_preemption: dict[ContainerId, PreemptionMark] = {}
        """Containers that the AM is asked to give up."""
        self.preempted_count = 0
        """Containers lost to preemption so far."""
        self._sequence = 0

    def __repr__(self) -> str:
        return f"Attempt({self.attempt_id})"

    @property
    def application_id(self) -> ApplicationId:
        """The application."""
        return self.application.application_id

    @property
    def user(self) -> str:
        """Whose application it is."""
        return self.application.user

    @property
    def queue(self) -> Any:
        """The scheduler's queue object."""
        return self.application.queue

    @property
    def order_key(self) -> ApplicationId:
        """What breaks ties between attempts: the earlier submission."""
        return self.application.application_id

    @property
    def missed_heartbeats(self) -> int:
        """Heartbeats of nodes without a container for it, since its last one, or since it began to ask."""
        return self.context.health.runs - self._waits_since_run if self.is_asking else 0

    def new_container_id(self) -> ContainerId:
        """The id of the attempt's next container. Each epoch counts from 1, whatever was recovered.
        Hadoop: AppSchedulingInfo.
        """
        self._sequence = sequence = self._sequence + 1
        epoch = self.context.epoch
        if epoch:
            return ContainerId.build(self.attempt_id, sequence, epoch)
        return ContainerId(self.attempt_id, sequence)

    def container(self, container_id: ContainerId) -> RMContainer | None:
        """One of its containers, live or reserved."""
        found = self.live.get(container_id)
        if found is None and self.reserved:
            kept = (one for one in self.reserved_containers() if one.container_id == container_id)
            found = next(kept, None)
        return found

    # Allocating

    def create_container(
        self,
        node: SchedulerNode,
        key: RequestKey,
        resource: Resource,
        label: str,
        container_id: ContainerId | None = None,
    ) -> RMContainer:
        """A container that is not booked yet, with the next id where it has none."""
        return RMContainer(
            self.context,
            container_id or self.new_container_id(),
            self.attempt_id,
            node,
            resource,
            key,
            self.application.user,
            str(self.application.queue),
            label,
            is_am=self.is_waiting_for_am,
        )

    def allocate(
        self,
        node: SchedulerNode,
        key: RequestKey,
        locality: Locality,
        resource: Resource,
        reserved: RMContainer | None = None,
    ) -> RMContainer:
        """Allocates a container to the attempt on the node: lowers the requests and charges the books. A
        reserved container is turned into the allocated one.
        """
        key_asks = self.asks[key]
        wanted = key_asks.any
        if reserved is not None:
            self.unreserve(reserved)
            container = reserved
            container.resource = resource
        else:
            container = self.create_container(node, key, resource, wanted.label)
        if wanted.constrained is not None:
            container.allocation_tags = wanted.constrained.request.allocation_tags
        container.requested = key_asks.nearest(node.host, node.rack)
        container.lowered = self.asks.take(locality, node.host, node.rack, key)
        self._take_in(container, node, locality)
        return container

    def allocate_directly(
        self,
        container_id: ContainerId,
        node: SchedulerNode,
        key: RequestKey,
        resource: Resource,
        tags: tuple[str, ...],
    ) -> RMContainer:
        """Allocates a container for which the attempt has no pending request: the placement processor has
        placed it.
        """
        container = self.create_container(node, key, resource, "", container_id)
        container.allocation_tags = tags
        self._take_in(container, node, Locality.NODE_LOCAL)
        return container

    def _take_in(self, container: RMContainer, node: SchedulerNode, locality: Locality) -> None:
        if self.served_since_ms is None:
            self.served_since_ms = self.context.now_ms
        self._waits_since_run = self._health.runs
        container.locality = locality
        self.locality_counts[locality] += 1
        self.add_live(container)
        self.newly_allocated[container.container_id] = container
        node.allocate(container)
        container.partition = node.partition
        charge(self.path, node.partition, container.resource)
        if self.context.bookings:
            book(ALLOCATED, container, container.resource)
        if container.is_am:
            self.is_waiting_for_am = False
            self.book_am(node.partition, container.resource)
        self._health.record_allocation(container, self.context.now_ms)
        container.fire(_START)

    def add_live(self, container: RMContainer) -> None:
        """A container runs, or will."""
        live = self.live
        live[container.container_id] = container
        if len(live) > self.most_live:
            self.most_live = len(live)

    def charge_recovered(self, container: RMContainer) -> None:
        """Charges the books for a container that ran before the ResourceManager began."""
        charge(self.path, container.node.partition, container.resource)

    def pull(self) -> list[RMContainer]:
        """Returns the containers allocated since the last call: each ALLOCATED container becomes ACQUIRED."""
        if not self.newly_allocated:
            return []
        pulled = list(self.newly_allocated.values())
        self.newly_allocated.clear()
        containers = []
        for container in pulled:
            if container.key.update_of:
                if not self._serves_update_of(container.key.update_of):
                    self.newly_allocated[container.container_id] = container
                elif container.key.update_of in self.live:
                    swap_container(self, container)
                else:
                    self.superfluous.append(container)
                continue
            containers.append(container)
            if container.state is RMContainerState.ALLOCATED:
                container.fire(ContainerAcquired())
        return containers

    def pull_updated(self) -> list[RMContainer]:
        """Returns the containers that were updated since the last call."""
        if self.hands_out_sizes:
            apply_decreases(self)
        if self.superfluous:
            end_superfluous(self)
        apply_demotions(self)
        updated, self.newly_updated = list(self.newly_updated.values()), {}
        if len(updated) > 1:
            updated.sort(key=lambda container: self.update_types[container.container_id].value)
        return updated

    def _serves_update_of(self, container_id: ContainerId) -> bool:
        """Whether a temporary container of that container's update is used for it now: its AM is to receive
        the update.
        """
        if self.hands_out_sizes:
            return True
        container = self.live.get(container_id)
        if container is not None:
            return container.execution_type is not ExecutionType.GUARANTEED
        _, request = self.outstanding_updates.get(container_id, (None, None))
        return request is not None and request.update_type is ContainerUpdateType.PROMOTE_EXECUTION_TYPE

    def report_update(self, container: RMContainer, kind: ContainerUpdateType) -> None:
        """The next call of the AM reports the update of this container."""
        self.newly_updated[container.container_id] = container
        self.update_types[container.container_id] = kind

    # Ending

    def live_in_hash_order(self) -> list[RMContainer]:
        """Its live containers as Hadoop's ConcurrentHashMap has them."""
        ids = in_hash_order(self.live, container_hash, self.most_live + 1)
        return [self.live[container_id] for container_id in ids]

    def reserved_in_hash_order(self) -> list[RMContainer]:
        """Its reserved containers as Hadoop's HashMaps have them."""
        found: list[RMContainer] = []
        for key in in_hash_order(self.reserved, lambda key: request_key_hash(*key)):
            by_node = self.reserved[key]
            found.extend(by_node[node_id] for node_id in in_hash_order(by_node, node_hash))
        return found

    def complete(self, container: RMContainer) -> bool:
        """Takes an ended container off the attempt's books; False when it was not on them."""
        if self.live.pop(container.container_id, None) is None:
            return False
        self.newly_allocated.pop(container.container_id, None)
        self.newly_updated.pop(container.container_id, None)
        if self.asked_to_grow:
            self.asked_to_grow.pop(container.container_id, None)
        self.marked_for_preemption.pop(container.container_id, None)
        if container.execution_type is ExecutionType.GUARANTEED:
            refund(self.path, container.partition, container.resource)
            book(COMPLETED, container, -container.resource)
        if container.is_am:
            self.book_am(container.partition, -container.resource)
        return True

    def book_am(self, partition: str, delta: Resource) -> None:
        """Books that its AM container started or ended. A scheduler that counts an AM from its activation
        overrides this.
        """
        change_am_used(self.path, partition, delta)

    # Reserving

    def reserve(
        self, node: SchedulerNode, key: RequestKey, resource: Resource, container: RMContainer | None = None
    ) -> RMContainer:
        """Reserves the node for a container of this key; with `container`, reserves it again for that one
        (re-reservation), in its first size.
        """
        if container is None:
            key_asks = self.asks.key_asks(key)
            container = self.create_container(node, key, resource, key_asks.label if key_asks else "")
            self.reserved.setdefault(key, {})[node.node_id] = container
            reserve(self.path, node.partition, resource)
            container.partition = node.partition
            book(RESERVED, container, resource)
            node.reserved_container = container
            self.re_reservations[key] = 0
        else:
            self.re_reservations[key] = self.re_reservations.get(key, 0) + 1
        container.fire(
            ContainerReserved(
                resource=container.resource, node_id=node.node_id, request_priority=key.request_priority
            )
        )
        self.context.health.record_reservation(container)
        return container

    def unreserve(self, container: RMContainer) -> None:
        """Removes the reservation from the books; the caller completes the container."""
        by_node = self.reserved[container.key]
        del by_node[container.node_id]
        if not by_node:
            del self.reserved[container.key]
        unreserve(self.path, container.partition, container.resource)
        book(UNRESERVED, container, -container.resource)
        if container.node.reserved_container is container:
            container.node.reserved_container = None
        self.re_reservations[container.key] = 0

    def move_reservation(self, container: RMContainer, node: SchedulerNode) -> None:
        """Moves the container's reservation to another node of the same partition."""
        by_node = self.reserved[container.key]
        del by_node[container.node_id]
        container.node.reserved_container = None
        container.node = node
        node.reserved_container = container
        by_node[node.node_id] = container

    def reserved_containers(self) -> list[RMContainer]:
        """All its reserved containers."""
        return [container for by_node in self.reserved.values() for container in by_node.values()]

    def reserved_count(self, key: RequestKey) -> int:
        """How many nodes are reserved for containers of this key."""
        return len(self.reserved.get(key, ()))

    def take_over(self, old: Attempt) -> None:
        """Takes over what the previous attempt leaves: live containers, blacklist, headroom."""
        self.live = old.live
        self.most_live = old.most_live
        old.live = {}
        for container in self.live.values():
            container.attempt_id = self.attempt_id
        self.usage.take_over(old.usage)
        self.blacklist = dict(old.blacklist)
        self.headroom = old.headroom

    # Moving

    def move_to(self, queue: object, path: Path) -> None:
        """Moves the attempt to another queue with all it uses and requests. The path is its own usage, then
        those of the queue and its ancestors.
        """
        before, after = self.path[1:], path[1:]
        self.application.queue = queue
        counters = self.context.health.queues
        for container in self.live.values():
            counters.record_departure(container)
            bookings.move(container, before, after, queue=str(queue))
            counters.record_arrival(container)
        for container in self.reserved_containers():
            bookings.move(container, before, after, queue=str(queue))
        for partition, amounts in self.usage.by_partition.items():
            for usages, sign in ((before, -1), (after, 1)):
                change_pending(usages, partition, amounts.pending * sign, amounts.pending_containers * sign)
                change_am_used(usages, partition, amounts.am_used * sign)
        self.path = path

    def move_container(self, container: RMContainer, partition: str) -> None:
        """Moves a live container's bookings to the partition that its node is in now."""
        bookings.move(container, self.path, self.path, partition=partition)

    # Preemption of its containers

    def mark_for_preemption(self, mark: PreemptionMark) -> None:
        """The next call of the AM asks it to release the container; an existing mark stays."""
        if self.marked_for_preemption.setdefault(mark.container_id, mark) is mark:
            log_preemption(self.context, "container marked for preemption", mark)

    def unmark_for_preemption(self, container_id: ContainerId) -> None:
        """Withdraws the mark."""
        mark = self.marked_for_preemption.pop(container_id, None)
        if mark is not None:
            log_preemption(self.context, "container unmarked, it may stay", mark)
            self.context.post(SchedulerContainerUnmarked(mark=mark))

    # What the AM is told

    def preemption_message(self) -> PreemptionMessage | None:
        """The containers that its AM is asked to release; None when there are none."""
        return None

    def is_am_container(self, container_id: ContainerId) -> bool:
        """Whether a recovered container is the attempt's AM."""
        app = self.context.apps.get(self.application_id)
        return app is not None and app.is_am_container(container_id)

    # Where it will not go

    def update_blacklist(self, additions: Iterable[str], removals: Iterable[str]) -> bool:
        """Adds hosts and racks to the blacklist, and removes others; to that of the AM container while the
        attempt waits for it.

        Returns whether it changed.
        """
        places = self.am_blacklist if self.is_waiting_for_am else self.blacklist
        is_changed = False
        for place in additions:
            is_changed = is_changed or place not in places
            places[place] = None
        for place in removals:
            is_changed = is_changed or place in places
            places.pop(place, None)
        return is_changed

    def is_blacklisted(self, node: SchedulerNode) -> bool:
        """Whether the node's host or rack is blacklisted: by the RM for the AM container, by the AM for all
        others.
        """
        places = self.am_blacklist if self.is_waiting_for_am else self.blacklist
        return bool(places) and (node.host in places or node.rack in places)

    def _pending_changed(self, partition: str, delta: Resource, containers: int) -> None:
        change_pending(self.path, partition, delta, containers)
        is_asking = bool(self.asks.active_keys or self.asks.satisfied)
        if is_asking is not self.is_asking:
            self.is_asking = is_asking
            self._waits_since_run = self.context.health.runs
            if self.queue_side is not None:
                self.queue_side.asking_changed(self)


def log_preemption(context: SchedulerContext, name: str, mark: PreemptionMark) -> None:
    """Logs that a container was marked for preemption, unmarked, or preempted. A pass may have thousands of
    these lines, so none is formatted unless the level is enabled.
    """
    if not context.logs_at(LOGGER, "info"):
        return
    keys: dict[str, object] = {"container": mark.container_id, **mark.details, "resource": mark.resource}
    due_ms = keys.pop("killAt", None)
    if due_ms is not None and mark.kill_at_ms is not None:
        keys["kill_at"] = iso8601(mark.kill_at_ms)
    context.log("info", name, **{key: value for key, value in keys.items() if value != ""})
