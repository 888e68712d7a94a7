"""Events of the scheduler: they go through the second queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event, event


@event
class SchedulerEvent(Event):
    """To the scheduler, through the second queue."""


SchedulerEvent.family = SchedulerEvent


@event
class SchedulerNodeEvent(SchedulerEvent):
    """It concerns one node."""

    node_id: NodeId

    @property
    def subject(self) -> NodeId:
        """The node."""
        return self.node_id


@event
class SchedulerAppEvent(SchedulerEvent):
    """It concerns one application."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


@event
class SchedulerAppAttemptEvent(SchedulerEvent):
    """It concerns one attempt."""

    attempt_id: ApplicationAttemptId

    @property
    def subject(self) -> ApplicationAttemptId:
        """The attempt."""
        return self.attempt_id


@event
class SchedulerContainerEvent(SchedulerEvent):
    """It concerns one container."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


@event
class SchedulerNodeAdded(SchedulerNodeEvent):
    """NODE_ADDED: a node joined, with its capacity and the containers that it reported."""

    container_statuses: tuple[NMContainerStatus, ...] = ()


@event
class SchedulerNodeRemoved(SchedulerNodeEvent):
    """NODE_REMOVED: a node left; its containers are lost."""


@event
class SchedulerNodeUpdate(SchedulerNodeEvent):
    """NODE_UPDATE: a healthy node sent a heartbeat; the RMNode holds what it reported."""


@event
class SchedulerNodeResourceUpdate(SchedulerNodeEvent):
    """NODE_RESOURCE_UPDATE: the capacity of a node changed."""

    capability: Resource
    overcommit_timeout_ms: int = -1


@event
class SchedulerNodeLabelsUpdate(SchedulerEvent):
    """NODE_LABELS_UPDATE: the labels of these nodes changed."""

    labels_of_nodes: Mapping[NodeId, tuple[str, ...]]


@event
class SchedulerNodeAttributesUpdate(SchedulerEvent):
    """NODE_ATTRIBUTES_UPDATE: the attributes of these nodes changed."""

    node_ids: tuple[NodeId, ...]


@event
class SchedulerAppAdded(SchedulerAppEvent):
    """APP_ADDED: an application is added to a queue, which the placement rules have chosen."""

    queue: str
    user: str
    context: ApplicationSubmissionContext
    app_priority: int = 0
    """As judged when the submission came, or as stored."""
    is_recovering: bool = False


@event
class SchedulerAppRemoved(SchedulerAppEvent):
    """APP_REMOVED: the application has ended and is removed."""

    final_state: str


@event
class SchedulerAppAttemptAdded(SchedulerAppAttemptEvent):
    """APP_ATTEMPT_ADDED: an attempt is added, and can request containers."""

    transfer_state: bool = False
    is_recovering: bool = False


@event
class SchedulerAppAttemptRemoved(SchedulerAppAttemptEvent):
    """APP_ATTEMPT_REMOVED: an attempt ended; its containers are killed, except running ones to be kept."""

    final_state: str
    keep_containers: bool = False


@event
class SchedulerContainerExpired(SchedulerContainerEvent):
    """CONTAINER_EXPIRED: a container was acquired and not started, or an increase was not confirmed."""

    is_increase: bool = False


@event
class SchedulerReleaseContainer(SchedulerEvent):
    """RELEASE_CONTAINER: the scheduler gives back one of its own temporary containers."""

    container_id: ContainerId


@event
class SchedulerKillReservedContainer(SchedulerContainerEvent):
    """KILL_RESERVED_CONTAINER: preemption cancels a container reservation."""


class PreemptionMark(NamedTuple):
    """A container that is to go, or has gone: whose it is, for whom it goes, and when.

    A tuple, for a pass makes thousands.
    """

    container_id: ContainerId
    application_id: ApplicationId
    user: str
    queue: str
    node_id: NodeId
    resource: Resource
    is_am: bool = False
    for_whom: str = ""
    """`application_1_0002 in queue root.b`, or `queue root.b`; "" where the marker does not say."""
    since_ms: int = 0
    kill_at_ms: int | None = None
    """The earliest moment of its end; None while no moment is set."""

    @property
    def details(self) -> dict[str, Any]:
        """What the event log writes beside type and subject."""
        found: dict[str, Any] = {
            "application": str(self.application_id),
            "user": self.user,
            "queue": self.queue,
            "node": str(self.node_id),
            "resource": self.resource.as_dict(),
            "for": self.for_whom,
        }
        return found if self.kill_at_ms is None else {**found, "killAt": self.kill_at_ms}


@event
class SchedulerMarkContainerForPreemption(SchedulerContainerEvent):
    """MARK_CONTAINER_FOR_PREEMPTION: the container is selected for preemption, and its AM is told."""

    attempt_id: ApplicationAttemptId
    mark: PreemptionMark

    @property
    def details(self) -> dict[str, Any]:
        """What the event log writes beside type and subject."""
        return self.mark.details


@event
class SchedulerMarkContainerForKillable(SchedulerContainerEvent):
    """MARK_CONTAINER_FOR_KILLABLE: the wait is over; the container is killed, or may be (lazy preemption)."""

    mark: PreemptionMark

    @property
    def details(self) -> dict[str, Any]:
        """What the event log writes beside type and subject."""
        return self.mark.details


@event
class SchedulerMarkContainerForNonkillable(SchedulerContainerEvent):
    """MARK_CONTAINER_FOR_NONKILLABLE: the container is not killable any more."""


@event
class SchedulerContainerUnmarked(SchedulerEvent):
    """A container is not selected for preemption any more. For the event log only."""

    mark: PreemptionMark

    constant = ""

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.mark.container_id

    @property
    def details(self) -> dict[str, Any]:
        """What the event log writes beside type and subject."""
        return self.mark.details


@event
class SchedulerContainerPreempted(SchedulerEvent):
    """A container was killed by preemption. For the event log only."""

    mark: PreemptionMark

    constant = ""

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.mark.container_id

    @property
    def details(self) -> dict[str, Any]:
        """What the event log writes beside type and subject."""
        return self.mark.details


@event
class SchedulerUpdateShares(SchedulerEvent):
    """The FairScheduler's update is due: demand, shares, starvation, preemption."""

    constant = ""


@event
class SchedulerCheckAllocations(SchedulerEvent):
    """The FairScheduler checks whether its allocation file changed, and which dynamic queues are empty."""

    constant = ""


@event
class SchedulerPreemptContainers(SchedulerEvent):
    """FairScheduler: `waitTimeBeforeKill` after a preemption pass is over; these containers are killed."""

    constant = ""

    container_ids: tuple[ContainerId, ...]


@event
class SchedulerScheduleAll(SchedulerEvent):
    """The FairScheduler's continuous scheduling offers all nodes."""

    constant = ""


@event
class SchedulerAsynchronousRound(SchedulerEvent):
    """A round of asynchronous scheduling is due (schedule-asynchronously.scheduling-interval-ms)."""

    constant = ""


@event
class SchedulerActivitiesCleanup(SchedulerEvent):
    """Old records of scheduler activities are removed."""

    constant = ""


@event
class SchedulerMonitorTick(SchedulerEvent):
    """A policy of the scheduling monitor runs."""

    constant = ""

    policy: str

    @property
    def subject(self) -> str:
        """The policy's class."""
        return self.policy


@event
class SchedulerMonitorStep(SchedulerEvent):
    """A paused pass of that policy continues."""

    constant = ""

    policy: str


@event
class SchedulerPreemptionReport(SchedulerEvent):
    """What one pass of the preemption policy found in one queue. For the event log only."""

    constant = ""

    queue: str
    partition: str
    guaranteed: Resource
    used: Resource
    pending: Resource
    ideal: Resource
    to_preempt: Resource
    selected: int
    """Containers of the queue that the pass selected."""

    @property
    def subject(self) -> str:
        """The queue."""
        return self.queue

    @property
    def amounts(self) -> dict[str, Resource]:
        """What is to be told of it, by name."""
        return {
            "guaranteed": self.guaranteed,
            "used": self.used,
            "pending": self.pending,
            "ideal": self.ideal,
            "to-preempt": self.to_preempt,
        }

    @property
    def details(self) -> dict[str, Any]:
        """What the event log writes beside type and subject."""
        amounts = {name: amount.as_dict() for name, amount in self.amounts.items()}
        return {"partition": self.partition, **amounts, "selected": self.selected}


@event
class SchedulerAllocationsLoaded(SchedulerEvent):
    """The FairScheduler loaded an allocation file. For the event log only."""

    constant = ""

    file: str

    @property
    def subject(self) -> str:
        """The file."""
        return self.file


@event
class SchedulerAllocationsRefused(SchedulerEvent):
    """The FairScheduler refused an allocation file and keeps the one before. For the event log only."""

    constant = ""

    file: str
    reason: str

    @property
    def subject(self) -> str:
        """What is wrong, file and line first."""
        return self.reason
