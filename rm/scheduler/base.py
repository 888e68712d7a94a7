"""What a scheduler is, and what all of them share: nodes, completion, launch, recovery, expiry.

The rest of the RM knows this interface alone. A scheduler decides in `allocate_on(node)` and says what its
queues are; the base keeps the nodes' books and lets containers end. Hadoop: YarnScheduler,
AbstractYarnScheduler and ResourceScheduler.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from yarnbox.rm.container import RMContainer, RMContainerState, SchedulerNode
from yarnbox.rm.events.app import AttemptAdded
from yarnbox.rm.events.container import (
    ContainerEvent,
    ContainerFinished,
    ContainerKill,
    ContainerLaunched,
)
from yarnbox.rm.events.node import NodeCleanupContainer, NodeFinishedContainersPulledByAM
from yarnbox.rm.events.scheduler import (
    PreemptionMark,
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerContainerExpired,
    SchedulerEvent,
    SchedulerNodeAdded,
    SchedulerNodeRemoved,
    SchedulerNodeResourceUpdate,
    SchedulerNodeUpdate,
    SchedulerReleaseContainer,
)
from yarnbox.rm.scheduler.application import Application, Attempt
from yarnbox.rm.scheduler.calculator import DEFAULT_CALCULATOR, Calculator
from yarnbox.rm.scheduler.configuration_change import ConfigurationStore
from yarnbox.rm.scheduler.containers.completion import Completion
from yarnbox.rm.scheduler.containers.overcommit import Overcommit
from yarnbox.rm.scheduler.containers.recovery import ContainerRecovery
from yarnbox.rm.scheduler.containers.releases import Releases
from yarnbox.rm.scheduler.containers.statuses import (
    COMPLETED_APPLICATION,
    LOST_CONTAINER,
    aborted,
)
from yarnbox.rm.scheduler.containers.updates import ContainerUpdates
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.node import NodeTracker
from yarnbox.rm.scheduler.register import Register
from yarnbox.rm.scheduler.showing import SchedulerViews
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.enums import QueueACL, SchedulerResourceTypes
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.records.request import (
    PreemptionMessage,
    RejectedSchedulingRequest,
    ResourceRequest,
    SchedulingRequest,
)
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_min

if TYPE_CHECKING:
    from yarnbox.rm.node import RMNode

A = TypeVar("A", bound=Attempt)


@dataclass(slots=True)
class AllocateCall:
    """What an AM's call brings; a scheduler may correct it before it is booked."""

    ask: Iterable[ResourceRequest]
    release: Iterable[ContainerId]
    blacklist_additions: Iterable[str]
    blacklist_removals: Iterable[str]
    scheduling_requests: Iterable[SchedulingRequest]


@dataclass(frozen=True, slots=True)
class Allocation:
    """What an allocate call receives from the scheduler."""

    containers: list[RMContainer]
    headroom: Resource
    updated: list[RMContainer]
    """Containers with a new size or execution type."""
    preemption: PreemptionMessage | None = None
    rejected: tuple[RejectedSchedulingRequest, ...] = ()


@mypyc_attr(allow_interpreted_subclasses=True)
class Scheduler(ABC, Generic[A]):
    """The interface, and the part that is the same for all. `A` is the scheduler's class of attempts."""

    name: ClassVar[str]
    """Hadoop's short class name, as REST and commands show it."""
    own_properties: ClassVar[str] = ""
    """What the names of those properties begin with that no other scheduler reads; empty: there are none."""
    serves_updates: ClassVar[bool] = True
    """Whether containers may change while they run."""
    has_partitions: ClassVar[bool] = False
    """Whether the label of a node decides who is served there; else labels of nodes have no effect."""
    serves_constraints: ClassVar[bool] = False
    """Whether it places scheduling requests by itself (the handler `scheduler`)."""
    has_monitor: ClassVar[bool] = False
    """Whether the policies of the scheduling monitor can look at it."""
    resource_kinds: ClassVar[tuple[SchedulerResourceTypes, ...]] = (SchedulerResourceTypes.MEMORY,)
    views: SchedulerViews[A]
    """What it shows of its queues and applications; each scheduler makes its own."""

    def __init__(self, context: SchedulerContext) -> None:
        self.context = context
        self.tracker = NodeTracker()
        self._overcommit = Overcommit(context, lambda: self.resource_calculator)
        self.register: Register[A] = Register(context)
        self.applications = self.register.applications
        self.completion: Completion[A] = Completion(
            context, self.register, self.container_completed, self.reservation_dropped
        )
        self.updates: ContainerUpdates[A] = ContainerUpdates(
            self.register,
            self.queue_maximum_allocation,
            self.normalize,
            is_served=self.serves_updates,
        )
        self.releases: Releases[A] = Releases(context, self.register, self.completion, self.updates)
        self._recovery: ContainerRecovery[A] = ContainerRecovery(
            context, self.register, self.container_recovered, self.releases.release_recovered
        )
        self.configuration_store: ConfigurationStore | None = None
        """None where its configuration cannot be changed by API."""
        self.minimum_allocation = context.resource_types.minimum_allocation
        self.configured_maximum = context.resource_types.maximum_allocation
        self.handlers: dict[type[SchedulerEvent], Callable[[Any], None]] = {
            SchedulerNodeAdded: self.add_node,
            SchedulerNodeRemoved: self.remove_node,
            SchedulerNodeUpdate: self.update_node,
            SchedulerNodeResourceUpdate: self.update_node_resource,
            SchedulerAppAdded: self.add_application,
            SchedulerAppRemoved: self.remove_application,
            SchedulerAppAttemptAdded: self.add_attempt,
            SchedulerAppAttemptRemoved: self.remove_attempt,
            SchedulerContainerExpired: self.releases.expire,
            SchedulerReleaseContainer: self.releases.release,
        }
        """What it does with each event; others are none of its business. Subclasses add theirs."""

    def handle(self, event: SchedulerEvent) -> None:
        """One event of the second queue."""
        handler = self.handlers.get(type(event))
        if handler is not None:
            handler(event)

    # What each scheduler decides

    @abstractmethod
    def allocate_on(self, node: SchedulerNode) -> None:
        """Allocates the node's free resources."""

    @abstractmethod
    def add_application(self, event: SchedulerAppAdded) -> None:
        """Adds an application, and posts AppAccepted or AppRejected to it."""

    @abstractmethod
    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """Forgets an application."""

    def add_attempt(self, event: SchedulerAppAttemptAdded) -> None:
        """APP_ATTEMPT_ADDED: ignored when the application has been removed."""
        application = self.applications.get(event.attempt_id.application_id)
        if application is None:
            return
        self.start_attempt(application, event)
        if not event.is_recovering:
            self.context.post(AttemptAdded(attempt_id=event.attempt_id))

    @abstractmethod
    def start_attempt(self, application: Application[A], event: SchedulerAppAttemptAdded) -> None:
        """Makes the attempt the current one (see `install_attempt`), and adds it to its queue."""

    @abstractmethod
    def remove_attempt(self, event: SchedulerAppAttemptRemoved) -> None:
        """Ends an attempt: see `stop_attempt`."""

    @abstractmethod
    def place_application(self, context: ApplicationSubmissionContext, user: str) -> str:
        """The queue for a submission, by the placement rules. YarnError when they refuse it."""

    def allocate(
        self,
        attempt_id: ApplicationAttemptId,
        ask: Iterable[ResourceRequest],
        release: Iterable[ContainerId],
        blacklist_additions: Iterable[str] = (),
        blacklist_removals: Iterable[str] = (),
        scheduling_requests: Iterable[SchedulingRequest] = (),
    ) -> Allocation:
        """An AM's validated call: updates its requests, and returns what was allocated since the last one."""
        attempt = self.attempt(attempt_id)
        assert attempt is not None
        call = AllocateCall(ask, release, blacklist_additions, blacklist_removals, scheduling_requests)
        return self.answer(attempt, call)

    def answer(self, attempt: A, call: AllocateCall) -> Allocation:
        """The answer to `allocate`: what the call asks for is booked, what was allocated is delivered."""
        return self.serve_allocate(attempt, call)

    @abstractmethod
    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """The request with its normalized size."""

    def normalize_ask(self, request: ResourceRequest, queue: str) -> ResourceRequest:
        """The same for a request that `allocate` is to take, of an AM in that queue."""
        return self.normalize(request, queue)

    @abstractmethod
    def has_access(self, user: str, acl: QueueACL, queue: str) -> bool:
        """Whether an ACL of the queue, or of one above it, lets the user."""

    def allocate_directly(
        self, attempt_id: ApplicationAttemptId, request: SchedulingRequest, node: SchedulerNode
    ) -> bool:
        """Allocates a container on this node; False when it was refused. Only the CapacityScheduler supports
        it.
        """
        return False

    def queue_maximum_allocation(self, queue: str | None) -> Resource:
        """The largest container that may be requested in that queue now."""
        return self.maximum_allocation()

    def accessible_labels(self, queue: str) -> tuple[str, ...] | None:
        """The labels that a queue may use, `*` for all; None for a queue that is not there yet."""
        return ()

    def queue_using_label(self, label: str) -> str | None:
        """A queue that may use the label by its name; None when there is none."""
        return None

    def default_label(self, queue: str) -> str | None:
        """The label expression that a queue gives to requests without one."""
        return None

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application to another queue; returns that queue's full path. YarnError when it is
        refused.
        """
        raise YarnError(f"{self.name} does not support moving applications between queues")

    def application_priority(
        self, asked: int | None, user: str, queue: str, application_id: ApplicationId | None = None
    ) -> int:
        """The priority that a submission or an update results in."""
        return 0

    def update_application_priority(self, application_id: ApplicationId, app_priority: int) -> None:
        """Gives a known application another priority."""
        return

    def set_max_application_priority(self, limit: int) -> None:
        """yarn.cluster.max-application-priority has changed."""

    def application_lifetime(self, queue: str, lifetime_s: int) -> int:
        """The lifetime in seconds of an application of that queue; -1 for unlimited."""
        return lifetime_s

    def update_shares(self) -> None:
        """One run of the FairScheduler's update, without preemption; the others have none."""
        return

    def preempt(self) -> None:
        """One run of the preemption policy, where preemption is on."""
        return

    def refresh(self) -> None:
        """Reads its configuration again, atomically. YarnError when it is not valid."""
        return

    def cluster_resource_changed(self) -> None:
        """Nodes were added, removed or resized."""
        return

    def check_books(self) -> None:
        """Recounts every sum from the containers on the nodes; AssertionError where one differs."""
        for node in self.tracker.nodes.values():
            node.check_books()
        self.context.constraints.tags.check_books(self.tracker.nodes.values())

    # What the RM asks

    @property
    def resource_calculator(self) -> Calculator:
        """The calculator that compares sizes with free resources."""
        return DEFAULT_CALCULATOR

    @property
    def counts_vcores(self) -> bool:
        """Whether vcores limit what is allocated. Hadoop: getSchedulingResourceTypes."""
        return False

    def cluster_resource(self) -> Resource:
        """The capacity of all nodes that can be scheduled on."""
        return self.tracker.total

    def maximum_allocation(self) -> Resource:
        """The largest container that may be requested now: as configured, and at most the largest node.

        Without nodes, and in the first seconds after a start, the configured one.
        """
        context = self.context
        waited = context.now_ms - context.start_ms > context.settings.scheduling_wait_ms
        if not self.tracker.nodes or not waited:
            return self.configured_maximum
        return componentwise_min(self.configured_maximum, self.tracker.largest())

    def attempt(self, attempt_id: ApplicationAttemptId) -> A | None:
        """The application's current attempt, which may be a later one than that of the id."""
        return self.register.attempt(attempt_id)

    def container(self, container_id: ContainerId) -> RMContainer | None:
        """A live or reserved container."""
        return self.register.container(container_id)

    def live_containers(self, attempt_id: ApplicationAttemptId) -> list[RMContainer]:
        """The attempt's live containers, in the order of their allocation."""
        attempt = self.attempt(attempt_id)
        return list(attempt.live.values()) if attempt is not None else []

    # Nodes

    def add_node(self, event: SchedulerNodeAdded) -> None:
        """NODE_ADDED."""
        rm_node = self.context.nodes.get(event.node_id)
        if rm_node is None or event.node_id in self.tracker.nodes:
            return
        node = self.make_node(rm_node)
        self.tracker.add(node)
        self.node_added(node)
        self.cluster_resource_changed()
        self._recovery.recover(node, event.container_statuses)

    def make_node(self, rm_node: RMNode) -> SchedulerNode:
        """The books of a new node, in the partition of its label."""
        labels = self.context.labels
        partition = labels.partition_of(rm_node.node_id) if self.has_partitions else DEFAULT_PARTITION
        node_id, port_too = rm_node.node_id, self.context.settings.port_in_node_name
        name = str(node_id) if port_too else node_id.host
        tags = self.context.constraints.tags
        http = rm_node.http_address
        return SchedulerNode(node_id, rm_node.rack, rm_node.capability, partition, http, name, tags)

    def node_added(self, node: SchedulerNode) -> None:
        """A node was added to its partition."""
        return

    def remove_node(self, event: SchedulerNodeRemoved) -> None:
        """NODE_REMOVED: completes every container on the node as lost, in the order of Hadoop's map,
        drops its reservation, then removes the node.

        See tests/scenarios/lifecycle/lost-node-ends-containers-in-order.yaml.
        """
        node = self.tracker.nodes.get(event.node_id)
        if node is None:
            return
        for container in node.in_hash_order():
            status = aborted(container.container_id, LOST_CONTAINER)
            self.complete_container(container, status, ContainerKill(status=status))
            node.release(container.container_id, is_reported_by_node=True)
        reserved = node.reserved_container
        if reserved is not None:
            status = aborted(reserved.container_id, LOST_CONTAINER)
            self.complete_container(reserved, status, ContainerKill(status=status))
        self.tracker.remove(node)
        self.node_removed(node)
        self.cluster_resource_changed()

    def node_removed(self, node: SchedulerNode) -> None:
        """A node was removed from its partition."""
        return

    def update_node_resource(self, event: SchedulerNodeResourceUpdate) -> None:
        """NODE_RESOURCE_UPDATE: the available resource may become negative."""
        node = self.tracker.nodes.get(event.node_id)
        if node is None or node.total == event.capability:
            return
        self.resize_node(node, event.capability)
        self._overcommit.node_resized(node, event.overcommit_timeout_ms)

    def resize_node(self, node: SchedulerNode, total: Resource) -> None:
        """Gives a node another capacity."""
        self.tracker.resize(node, total)
        self.cluster_resource_changed()

    def update_node(self, event: SchedulerNodeUpdate) -> None:
        """NODE_UPDATE: processes launched containers, then completed ones, then allocates.

        A node that is being decommissioned is offered until it has shrunk to what runs there; what does not
        fit then is killed.
        """
        node = self.tracker.nodes.get(event.node_id)
        rm_node = self.context.nodes.get(event.node_id)
        if rm_node is None:
            return
        if node is None:
            self._acknowledge_ends(rm_node)
            return
        self.context.health.begin_run(self.context.now_ms)
        launched, completed = rm_node.take_container_updates()
        for status in launched:
            self.handle_launched(status, node)
        if completed:  # seldom, and heartbeats are many
            ids = tuple(each for one in completed if (each := self.handle_completed(one, node)) is not None)
            if ids:
                self.context.post(NodeFinishedContainersPulledByAM(node_id=node.node_id, container_ids=ids))
        for increased in rm_node.take_increased():
            self.updates.confirm(increased.id, increased.resource or NONE)
        is_draining = rm_node.is_decommissioning
        node.is_schedulable = not is_draining
        if is_draining:
            self._overcommit.shrink(node)  # nothing new fits from the next turn on
        if node.overcommit_until_ms is not None:
            self._overcommit.kill_if_late(node)
        if not self.is_waiting_for_recovery():
            self.allocate_on(node)

    def _acknowledge_ends(self, node: RMNode) -> None:
        """A node that had left when it became unhealthy, and drains now, reports what ended then: it may
        forget it.
        """
        _, completed = node.take_container_updates()
        if completed:
            ids = tuple(status.container_id for status in completed)
            self.context.post(NodeFinishedContainersPulledByAM(node_id=node.node_id, container_ids=ids))

    def is_waiting_for_recovery(self) -> bool:
        """Whether the RM has recovered applications and still waits for their nodes and AMs to register
        again.
        """
        context = self.context
        return (
            context.has_recovered and context.now_ms - context.start_ms <= context.settings.scheduling_wait_ms
        )

    def handle_launched(self, status: ContainerStatus, node: SchedulerNode) -> None:
        """The node reports a container for the first time."""
        container_id = status.container_id
        container = self.container(container_id)
        if container is None:
            self.context.post(NodeCleanupContainer(node_id=node.node_id, container_id=container_id))
            return
        node.container_launched(container_id)
        if container.state is RMContainerState.ACQUIRED:
            container.fire(ContainerLaunched())

    def handle_completed(self, status: ContainerStatus, node: SchedulerNode) -> ContainerId | None:
        """The node reports a completed container. Returns the id of an unknown one: the node may forget it at
        once, since no AM will acknowledge it.
        """
        container_id = status.container_id
        container = self.container(container_id)
        if container is not None:
            self.complete_container(container, status, ContainerFinished(status=status))
        node.release(container_id, is_reported_by_node=True)
        return container_id if container is None else None

    # Containers

    def complete_container(
        self, container: RMContainer, status: ContainerStatus, event: ContainerEvent
    ) -> None:
        """Completes a container, whatever the cause: its state, then the books. Only the first completion
        counts.
        """
        self.completion.complete(container, status, event)

    def preempt_container(self, container: RMContainer, mark: PreemptionMark | None = None) -> None:
        """Preempts a container. For whom is said by its own mark, else by the one given."""
        self.completion.preempt(container, mark)

    def container_completed(self, container: RMContainer, attempt: A, status: ContainerStatus) -> None:
        """A container was removed from the books."""
        return

    def reservation_dropped(self, container: RMContainer, attempt: A) -> None:
        """A container reservation was removed from the books."""
        return

    def stop_attempt(self, event: SchedulerAppAttemptRemoved) -> A | None:
        """The common part of APP_ATTEMPT_REMOVED: kills the containers, except running ones of an application
        that keeps them across attempts. The sums of fractions that user limits go by depend on their order.
        See tests/scenarios/capacity/killed-in-hash-order.yaml.
        """
        application = self.applications.get(event.attempt_id.application_id)
        attempt = application.attempt if application is not None else None
        if attempt is None or attempt.is_stopped or attempt.attempt_id != event.attempt_id:
            return None
        for container in attempt.live_in_hash_order():
            if event.keep_containers and container.state is RMContainerState.RUNNING:
                continue
            status = aborted(container.container_id, COMPLETED_APPLICATION)
            self.complete_container(container, status, ContainerKill(status=status))
        for container in attempt.reserved_in_hash_order():
            status = aborted(container.container_id, COMPLETED_APPLICATION)
            self.complete_container(container, status, ContainerKill(status=status))
        attempt.is_stopped = True
        attempt.asks.clear()
        return attempt

    def install_attempt(
        self, application: Application[A], attempt: A, event: SchedulerAppAttemptAdded
    ) -> None:
        """The common part of APP_ATTEMPT_ADDED: the new attempt becomes the current one."""
        previous = application.attempt
        if previous is not None and event.transfer_state:
            attempt.take_over(previous)
        app = self.context.apps.get(attempt.application_id)
        # A recovered attempt has its AM, though the node may not have said so yet.
        has_am = event.is_recovering and app is not None and app.has_master_container
        attempt.is_waiting_for_am = not application.is_unmanaged and not has_am
        attempt.is_recovering = event.is_recovering
        application.attempt = attempt

    def serve_allocate(
        self,
        attempt: A,
        call: AllocateCall,
        book_constrained: Callable[[], None] | None = None,
    ) -> Allocation:
        """The common part of an allocate call, in Hadoop's order: release, ask, blacklist, then return what
        was allocated.
        """
        self.releases.release_all(call.release)
        if not attempt.is_stopped:
            attempt.asks.replace(call.ask)
            if book_constrained is not None:
                book_constrained()
            attempt.update_blacklist(call.blacklist_additions, call.blacklist_removals)
        containers = attempt.pull()
        headroom = self.headroom(attempt)
        return Allocation(containers, headroom, attempt.pull_updated(), attempt.preemption_message())

    def headroom(self, attempt: A) -> Resource:
        """What the attempt may still request and be allocated."""
        return attempt.headroom

    def container_recovered(self, container: RMContainer, attempt: A) -> None:
        """A container was recovered after a restart of the RM; its node and path are charged already."""
        return
