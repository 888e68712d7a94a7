"""RMContainer: one container's life, from the scheduler's gift (or a kept node) to its end.

It knows its own story and tells attempt, application and node what they have to know; the books are the
scheduler's business. The scheduler that owns the container fires its events by a call. Answers for
RMContainerImpl.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from rm.events.app import AppRunningOnNode, AttemptContainerAllocated, AttemptContainerFinished
from rm.events.container import (
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
from rm.events.node import NodeCleanupContainer, NodeUpdateContainer
from rm.events.scheduler import SchedulerReleaseContainer
from yarn.enums import ContainerState, ExecutionType
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarn.records.container import Container, ContainerStatus
from yarn.resource import NONE, Resource
from yarn.statemachine import Table, choose, ignore, stay, to

if TYPE_CHECKING:
    from rm.context import RMContext
    from rm.scheduler.asks import Locality, PendingRequest, RequestKey
    from rm.scheduler.node import SchedulerNode

INVALID_EXIT_STATUS = -1000


class RMContainerState(Enum):
    """Where a container is in its life."""

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
        "key",
        "label",
        "last_confirmed",
        "locality",
        "lowered",
        "node",
        "partition",
        "queue",
        "reported_state",
        "requested",
        "reserved_resource",
        "resource",
        "state",
        "user",
        "version",
    )

    def __init__(
        self,
        context: RMContext,
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
        self.execution_type = execution_type
        self.is_am = is_am
        self.state = RMContainerState.NEW
        self.creation_ms = context.now_ms
        self.finish_ms = 0
        self.exit_status = INVALID_EXIT_STATUS
        self.diagnostics = ""
        self.reported_state = ContainerState.NEW
        self.lowered: tuple[PendingRequest, ...] = ()
        """The requests that its allocation lowered, until the AM has taken delivery."""
        self.locality: Locality | None = None
        self.requested: Locality | None = None
        """How near it was asked for, as seen from its node."""
        self.reserved_resource: Resource | None = None
        self.allocation_tags: tuple[str, ...] = ()
        self.version = 0
        self.last_confirmed = resource
        """The size that its node confirmed last."""

    @property
    def subject(self) -> ContainerId:
        """The id under which the story tells of it."""
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
        """What stands in the books for it: nothing for an opportunistic one."""
        return self.resource if self.execution_type is ExecutionType.GUARANTEED else NONE

    @property
    def is_finished(self) -> bool:
        """Whether it has ended."""
        return self.state in END_STATES

    def fire(self, event: ContainerEvent) -> None:
        """Lets an event happen to it."""
        self.context.fire(RM_CONTAINER, self, event)

    def to_record(self) -> Container:
        """What AMs and nodes are given: with a token for the present version."""
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

    def resource_seconds(self) -> dict[str, int]:
        """Its size times the whole seconds that it has been (or was) there, by resource type."""
        end_ms = self.finish_ms or self.context.now_ms
        return {name: value * (end_ms - self.creation_ms) // 1000 for name, value in self.resource.items()}


def _tell_attempt(container: RMContainer, event: ContainerStart) -> None:
    # RMAppAttemptImpl acts on this event for the AM's own container alone: the others wait for the AM's next
    # allocate.
    if container.is_am:
        container.context.post(
            AttemptContainerAllocated(attempt_id=container.attempt_id, container_id=container.container_id)
        )


def _note_reservation(container: RMContainer, event: ContainerReserved) -> None:
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
            ContainerStart: to(ALLOCATED, _tell_attempt),
            ContainerReserved: to(RESERVED, _note_reservation),
            ContainerAcquired: to(ACQUIRED, _start_expiry),
            ContainerRecover: choose(RUNNING, COMPLETED, by=_recover),
            ContainerKill: to(KILLED),
        },
        RESERVED: {
            **stay(ContainerReserved, hook=_note_reservation),
            ContainerStart: to(ALLOCATED, _tell_attempt),
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
