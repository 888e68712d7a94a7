"""RMContainer: one container's life, from its allocation (or reservation) to its end; and the node it is on.

A container notifies its attempt, application and node; queues' books belong to the scheduler. The scheduler
that owns the container fires its events by a call. A container and the SchedulerNode that holds it know each
other. Hadoop: RMContainerImpl, SchedulerNode.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Protocol

from yarnbox.rm.container_context import ContainerContext
from yarnbox.rm.events.app import AppRunningOnNode, AttemptContainerAllocated, AttemptContainerFinished
from yarnbox.rm.events.container import (
    ContainerAcquired,
    ContainerAcquireUpdated,
    ContainerEvent,
    ContainerExpire,
    ContainerFinished,
    ContainerKill,
    ContainerLaunched,
    ContainerNMDoneChangeResource,
    ContainerRecover,
    ContainerReleased,
    ContainerReserved,
    ContainerStart,
)
from yarnbox.rm.events.node import NodeCleanupContainer, NodeUpdateContainer
from yarnbox.rm.events.scheduler import PreemptionMark, SchedulerReleaseContainer
from yarnbox.yarn.enums import ContainerState, ExecutionType
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.resources.resource import NONE, Resource, total
from yarnbox.yarn.runtime.java_order import container_hash, in_hash_order
from yarnbox.yarn.runtime.statemachine import Table, choose, ignore, stay, to

if TYPE_CHECKING:
    from yarnbox.rm.asks import Locality, PendingRequest, RequestKey

INVALID_EXIT_STATUS = -1000


class RMContainerState(Enum):
    """The states of a container."""

    __hash__ = object.__hash__  # members are single: Enum's own hashes the name at each look

    NEW = "NEW"
    RESERVED = "RESERVED"
    ALLOCATED = "ALLOCATED"
    ACQUIRED = "ACQUIRED"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    EXPIRED = "EXPIRED"
    RELEASED = "RELEASED"
    KILLED = "KILLED"


NEW, RESERVED, ALLOCATED, ACQUIRED, RUNNING = list(RMContainerState)[:5]
COMPLETED, EXPIRED, RELEASED, KILLED = list(RMContainerState)[5:]
END_STATES = (COMPLETED, EXPIRED, RELEASED, KILLED)


class TagBook(Protocol):
    """Counts the tags of containers, by node and rack."""

    def add(
        self, node_id: NodeId, rack: str, application_id: ApplicationId, tags: tuple[str, ...], /
    ) -> None: ...

    def remove(
        self, node_id: NodeId, rack: str, application_id: ApplicationId, tags: tuple[str, ...], /
    ) -> None: ...


class SchedulerNode:
    """The books of one node."""

    __slots__ = (
        "allocated",
        "available",
        "containers",
        "host",
        "http_address",
        "is_schedulable",
        "launched",
        "most_containers",
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
        tags: TagBook | None = None,
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
        self.most_containers = 0
        """How many were on it at one time, at most."""
        self.launched: dict[ContainerId, None] = {}
        """Containers that the node itself has reported; their space is free only when it reports their end.
        """
        self.reserved_container: RMContainer | None = None

    def __repr__(self) -> str:
        return f"SchedulerNode({self.node_id}, available={self.available})"

    def allocate(self, container: RMContainer) -> None:
        """Puts a container on the node."""
        self.containers[container.container_id] = container
        count = len(self.containers)
        if count > self.most_containers:
            self.most_containers = count
        if container.allocation_tags and self.tags is not None:
            self.tags.add(self.node_id, self.rack, container.application_id, container.allocation_tags)
        if container.execution_type is ExecutionType.GUARANTEED:
            self.allocated = self.allocated + container.resource
            self.available = self.available - container.resource

    def count_guaranteed(self) -> int:
        """How many containers it is said to have: opportunistic ones do not count."""
        return sum(each.execution_type is ExecutionType.GUARANTEED for each in self.containers.values())

    def in_hash_order(self) -> list[RMContainer]:
        """Its containers as Hadoop's SchedulerNode lists them."""
        ids = in_hash_order(self.containers, container_hash, self.most_containers)
        return [self.containers[container_id] for container_id in ids]

    def container_launched(self, container_id: ContainerId) -> None:
        """The node reported the container for the first time."""
        if container_id in self.containers:
            self.launched[container_id] = None

    def release(self, container_id: ContainerId, *, is_reported_by_node: bool) -> bool:
        """Frees the container's resource, unless the node runs it and has not reported its end. Returns
        whether it was freed.
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
        """A container on the node has another execution type now."""
        is_guaranteed = execution_type is ExecutionType.GUARANTEED
        container.execution_type = execution_type
        self.allocated = self.allocated + container.resource * (1 if is_guaranteed else -1)
        self.available = self.total - self.allocated

    def resize_container(self, container: RMContainer, before: Resource) -> None:
        """A container on the node has another size now; `before` was the old one."""
        self.allocated = self.allocated - before + container.resource
        self.available = self.total - self.allocated

    def set_total(self, total: Resource) -> None:
        """Sets the node's capacity; the available resource may become negative."""
        self.total = total
        self.available = total - self.allocated

    def check_books(self) -> None:
        """Recounts from the containers; AssertionError where a sum differs."""
        on_node = total([container.charged for container in self.containers.values()])
        assert on_node == self.allocated, f"{self.node_id}: {on_node} on it, {self.allocated} booked"
        assert self.available == self.total - self.allocated, f"{self.node_id}: available is off"


class RMContainer:
    """A container as the RM sees it."""

    __slots__ = (
        "allocation_tags",
        "attempt_id",
        "container_id",
        "context",
        "creation_ms",
        "diagnostics",
        "execution_type",
        "exit_status",
        "finish_ms",
        "is_am",
        "is_killable",
        "key",
        "label",
        "last_confirmed",
        "lent_by",
        "locality",
        "lowered",
        "node",
        "partition",
        "preempted_for",
        "queue",
        "requested",
        "reserved_on",
        "reserved_resource",
        "resource",
        "state",
        "user",
        "version",
    )

    def __init__(
        self,
        context: ContainerContext,
        container_id: ContainerId,
        attempt_id: ApplicationAttemptId,
        node: SchedulerNode,
        resource: Resource,
        key: RequestKey,
        user: str,
        queue: str,
        label: str = "",
        execution_type: ExecutionType = ExecutionType.GUARANTEED,
        is_am: bool = False,
    ) -> None:
        self.context = context
        self.container_id = container_id
        self.attempt_id = attempt_id
        """The attempt that it counts for: that of its id, or a later one that took it over."""
        self.node = node
        self.partition = node.partition
        """The partition in whose books it stands."""
        self.resource = resource
        self.key = key
        self.user = user
        self.queue = queue
        self.label = label
        """The label that was asked for."""
        self.lent_by = "" if label else node.partition
        """The partition that lent its space to it, if one did, as its node was labelled then."""
        self.execution_type = execution_type
        self.is_am = is_am
        self.is_killable = False
        """Whether lazy preemption lets whoever needs its space kill it."""
        self.state = RMContainerState.NEW
        self.creation_ms = context.now_ms
        self.finish_ms = 0
        self.exit_status = INVALID_EXIT_STATUS
        self.diagnostics = ""
        self.preempted_for = ""
        """For whom a scheduler has killed it, where that is known."""
        self.lowered: tuple[PendingRequest, ...] = ()
        """The requests that its allocation lowered, until the AM has taken delivery."""
        self.locality: Locality | None = None
        self.requested: Locality | None = None
        """How near it was asked for, as seen from its node."""
        self.reserved_resource: Resource | None = None
        self.reserved_on = node
        """The node that was first reserved for it; a reservation can be moved."""
        self.allocation_tags: tuple[str, ...] = ()
        self.version = 0
        self.last_confirmed = resource
        """The size that its node confirmed last."""

    @property
    def subject(self) -> ContainerId:
        """Its id in the story."""
        return self.container_id

    @property
    def application_id(self) -> ApplicationId:
        """The application whose container it is."""
        return self.container_id.application_attempt_id.application_id

    @property
    def node_id(self) -> NodeId:
        """The node it is on."""
        return self.node.node_id

    @property
    def charged(self) -> Resource:
        """The resource charged for it: none for an opportunistic container."""
        return self.resource if self.execution_type is ExecutionType.GUARANTEED else NONE

    @property
    def reason_of_end(self) -> str:
        """Why it has ended, for pages: Hadoop's words, which its AM gets, and for whom it was preempted."""
        return f"{self.diagnostics} for {self.preempted_for}" if self.preempted_for else self.diagnostics

    @property
    def is_finished(self) -> bool:
        """Whether it has ended."""
        return self.state in END_STATES

    def fire(self, event: ContainerEvent) -> None:
        """Handles an event."""
        self.context.fire(RM_CONTAINER, self, event)

    def to_record(self) -> Container:
        """The record for AMs and nodes, with a token for the present version."""
        context = self.context
        return Container(
            id=self.container_id,
            node_id=self.node_id,
            node_http_address=self.node.http_address,
            resource=self.resource,
            priority=self.key.request_priority,
            container_token=context.tokens.container_token(self, self.user, context.now_ms),
            execution_type=self.execution_type,
            allocation_request_id=self.key.allocation_request_id,
            version=self.version,
            allocation_tags=self.allocation_tags,
        )

    def preemption_mark(self, for_whom: str = "", kill_at_ms: int | None = None) -> PreemptionMark:
        """The mark for when preemption marks or kills it."""
        return PreemptionMark(
            container_id=self.container_id,
            application_id=self.application_id,
            user=self.user,
            queue=self.queue,
            node_id=self.node_id,
            resource=self.resource,
            is_am=self.is_am,
            for_whom=for_whom,
            since_ms=self.context.now_ms,
            kill_at_ms=kill_at_ms,
        )

    def resource_seconds(self) -> dict[str, int]:
        """Its size times the whole seconds of its life, by resource type."""
        end_ms = self.finish_ms or self.context.now_ms
        return {name: value * (end_ms - self.creation_ms) // 1000 for name, value in self.resource.items()}


def _begin(container: RMContainer, event: ContainerStart) -> None:
    # What was reserved for before is as new as others are: Hadoop makes another RMContainer of it.
    container.creation_ms = container.context.now_ms
    # RMAppAttemptImpl acts on this event for the AM's own container alone: the others wait for the AM's next
    # allocate.
    if container.is_am:
        container.context.post(
            AttemptContainerAllocated(attempt_id=container.attempt_id, container_id=container.container_id)
        )


def _record_reservation(container: RMContainer, event: ContainerReserved) -> None:
    container.reserved_resource = event.resource


def _start_expiry(container: RMContainer, event: ContainerAcquired) -> None:
    container.lowered = ()
    context = container.context
    context.monitors.container.register(container.container_id, context.now_ms)
    context.post(AppRunningOnNode(application_id=container.application_id, node_id=container.node_id))


def _recover(container: RMContainer, event: ContainerRecover) -> RMContainerState:
    report = event.report
    context = container.context
    context.post(
        AppRunningOnNode(application_id=container.application_id, node_id=container.node_id, is_reported=True)
    )
    if report.container_state is not ContainerState.COMPLETE:
        return RUNNING
    status = ContainerStatus(
        container_id=container.container_id,
        state=ContainerState.COMPLETE,
        diagnostics=report.diagnostics,
        exit_status=report.container_exit_status or 0,
    )
    _end(container, status)
    return COMPLETED


def _finish(container: RMContainer, event: ContainerFinished | ContainerKill) -> None:
    _end(container, event.status)


def _finish_and_clean_up(
    container: RMContainer, event: ContainerKill | ContainerReleased | ContainerExpire
) -> None:
    context = container.context
    context.monitors.container.unregister(container.container_id)
    context.post(NodeCleanupContainer(node_id=container.node_id, container_id=container.container_id))
    _end(container, event.status)


def _end(container: RMContainer, status: ContainerStatus) -> None:
    context = container.context
    container.finish_ms = context.now_ms
    container.exit_status = status.exit_status
    container.diagnostics = status.diagnostics
    for watcher in context.container_watchers:
        watcher(container)
    context.post(
        AttemptContainerFinished(
            # To the attempt of its id: an ended one still gathers what a later one is told.
            attempt_id=container.container_id.application_attempt_id,
            status=status,
            node_id=container.node_id,
            resource=container.resource,
            resource_seconds=container.resource_seconds(),
        )
    )


def _close_reservation(container: RMContainer, event: ContainerKill | ContainerReleased) -> None:
    container.finish_ms = container.context.now_ms
    container.exit_status = event.status.exit_status
    container.diagnostics = event.status.diagnostics


def _acquire_update(container: RMContainer, event: ContainerAcquireUpdated) -> None:
    # An increase must be confirmed by the node in time, or it is taken back.
    if event.is_increase:
        container.context.monitors.increase.register(container.container_id, container.context.now_ms)


def _confirm_size(container: RMContainer, event: ContainerNMDoneChangeResource) -> None:
    context = container.context
    current, reported, confirmed = container.resource, event.resource, container.last_confirmed
    if reported == current:
        container.last_confirmed = reported
        context.monitors.increase.unregister(container.container_id)
    elif current.fits_in(reported):
        # A decrease came between: the node is told the smaller size once more.
        container.last_confirmed = current
        context.monitors.increase.unregister(container.container_id)
        context.post(NodeUpdateContainer(node_id=container.node_id, container=container.to_record()))
    elif reported.fits_in(current):
        if confirmed.fits_in(reported):
            container.last_confirmed = reported
    else:
        # Neither contains the other: nobody knows what the node enforces.
        context.post(SchedulerReleaseContainer(container_id=container.container_id))


_END_ROW = ignore(
    ContainerExpire,
    ContainerReleased,
    ContainerKill,
    ContainerFinished,
    ContainerAcquired,
    ContainerAcquireUpdated,
    ContainerNMDoneChangeResource,
)

RM_CONTAINER = Table(
    "RMContainer",
    initial=NEW,
    rows={
        NEW: {
            ContainerStart: to(ALLOCATED, _begin),
            ContainerReserved: to(RESERVED, _record_reservation),
            ContainerAcquired: to(ACQUIRED, _start_expiry),
            ContainerRecover: choose(RUNNING, COMPLETED, by=_recover),
            ContainerKill: to(KILLED),
        },
        RESERVED: {
            **stay(ContainerReserved, hook=_record_reservation),
            ContainerStart: to(ALLOCATED, _begin),
            ContainerKill: to(KILLED, _close_reservation),
            ContainerReleased: to(RELEASED, _close_reservation),
        },
        ALLOCATED: {
            ContainerAcquired: to(ACQUIRED, _start_expiry),
            ContainerKill: to(KILLED, _finish),
            ContainerExpire: to(EXPIRED, _finish),
            # The temporary container of an update: nobody was told of it.
            ContainerReleased: to(RELEASED, _close_reservation),
        },
        ACQUIRED: {
            ContainerLaunched: to(RUNNING),
            ContainerFinished: to(COMPLETED, _finish),
            ContainerReleased: to(RELEASED, _finish_and_clean_up),
            ContainerExpire: to(EXPIRED, _finish_and_clean_up),
            ContainerKill: to(KILLED, _finish_and_clean_up),
            **stay(ContainerAcquireUpdated, hook=_acquire_update),
        },
        RUNNING: {
            ContainerFinished: to(COMPLETED, _finish),
            ContainerReleased: to(RELEASED, _finish_and_clean_up),
            ContainerKill: to(KILLED, _finish_and_clean_up),
            **stay(ContainerAcquireUpdated, hook=_acquire_update),
            **stay(ContainerNMDoneChangeResource, hook=_confirm_size),
        },
        COMPLETED: _END_ROW,
        EXPIRED: _END_ROW,
        RELEASED: _END_ROW,
        KILLED: _END_ROW,
    },
)
"""Its law, after RMContainerImpl. See tests/scenarios/lifecycle/acquired-container-expires.yaml."""
