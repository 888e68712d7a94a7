"""Events of the scheduler: they go through the second queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yarnbox.yarn.frozen import Frozen
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event


class SchedulerEvent(Event, frozen=True, kw_only=True):
    """To the scheduler, through the second queue."""


SchedulerEvent.family = SchedulerEvent


class SchedulerNodeEvent(SchedulerEvent, frozen=True, kw_only=True):
    """It concerns one node."""

    node_id: NodeId

    @property
    def subject(self) -> NodeId:
        """The node."""
        return self.node_id


class SchedulerAppEvent(SchedulerEvent, frozen=True, kw_only=True):
    """It concerns one application."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


class SchedulerAppAttemptEvent(SchedulerEvent, frozen=True, kw_only=True):
    """It concerns one attempt."""

    attempt_id: ApplicationAttemptId

    @property
    def subject(self) -> ApplicationAttemptId:
        """The attempt."""
        return self.attempt_id


class SchedulerContainerEvent(SchedulerEvent, frozen=True, kw_only=True):
    """It concerns one container."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


class SchedulerNodeAdded(SchedulerNodeEvent, frozen=True, kw_only=True):
    """NODE_ADDED: a node joined, with its capacity and the containers that it reported."""

    container_statuses: tuple[NMContainerStatus, ...] = ()


class SchedulerNodeRemoved(SchedulerNodeEvent, frozen=True, kw_only=True):
    """NODE_REMOVED: a node left; its containers are lost."""


class SchedulerNodeUpdate(SchedulerNodeEvent, frozen=True, kw_only=True):
    """NODE_UPDATE: a healthy node sent a heartbeat; the RMNode holds what it reported."""


class SchedulerNodeResourceUpdate(SchedulerNodeEvent, frozen=True, kw_only=True):
    """NODE_RESOURCE_UPDATE: the capacity of a node changed."""

    capability: Resource
    overcommit_timeout_ms: int = -1


class SchedulerNodeLabelsUpdate(SchedulerEvent, frozen=True, kw_only=True):
    """NODE_LABELS_UPDATE: the labels of these nodes changed."""

    labels_of_nodes: Mapping[NodeId, tuple[str, ...]]


class SchedulerNodeAttributesUpdate(SchedulerEvent, frozen=True, kw_only=True):
    """NODE_ATTRIBUTES_UPDATE: the attributes of these nodes changed."""

    node_ids: tuple[NodeId, ...]


class SchedulerAppAdded(SchedulerAppEvent, frozen=True, kw_only=True):
    """APP_ADDED: an application is added to a queue, which the placement rules have chosen."""

    queue: str
    user: str
    context: ApplicationSubmissionContext
    app_priority: int = 0
    """As judged when the submission came, or as stored."""
    is_recovering: bool = False


class SchedulerAppRemoved(SchedulerAppEvent, frozen=True, kw_only=True):
    """APP_REMOVED: the application has ended and is removed."""

    final_state: str


class SchedulerAppAttemptAdded(SchedulerAppAttemptEvent, frozen=True, kw_only=True):
    """APP_ATTEMPT_ADDED: an attempt is added, and can request containers."""

    transfer_state: bool = False
    is_recovering: bool = False


class SchedulerAppAttemptRemoved(SchedulerAppAttemptEvent, frozen=True, kw_only=True):
    """APP_ATTEMPT_REMOVED: an attempt ended; its containers are killed, except running ones to be kept."""

    final_state: str
    keep_containers: bool = False


class SchedulerContainerExpired(SchedulerContainerEvent, frozen=True, kw_only=True):
    """CONTAINER_EXPIRED: a container was acquired and not started, or an increase was not confirmed."""

    is_increase: bool = False


class SchedulerReleaseContainer(SchedulerEvent, frozen=True, kw_only=True):
    """RELEASE_CONTAINER: the scheduler gives back one of its own temporary containers."""

    container_id: ContainerId


class SchedulerKillReservedContainer(SchedulerContainerEvent, frozen=True, kw_only=True):
    """KILL_RESERVED_CONTAINER: preemption cancels a container reservation."""


class PreemptionMark(Frozen, frozen=True, kw_only=True):
    """A container that is to go, or has gone: whose it is, for whom it goes, and when."""

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
    def details(self) -> dict[str, object]:
        """What the event log writes beside type and subject."""
        found: dict[str, object] = {
            "application": str(self.application_id),
            "user": self.user,
            "queue": self.queue,
            "node": str(self.node_id),
            "resource": self.resource.as_dict(),
            "for": self.for_whom,
        }
        return found if self.kill_at_ms is None else {**found, "killAt": self.kill_at_ms}


class SchedulerMarkEvent(SchedulerContainerEvent, frozen=True, kw_only=True):
    """It concerns one container and its mark."""

    mark: PreemptionMark

    @property
    def details(self) -> dict[str, object]:
        """What the event log writes beside type and subject."""
        return self.mark.details


class SchedulerMarkContainerForPreemption(SchedulerMarkEvent, frozen=True, kw_only=True):
    """MARK_CONTAINER_FOR_PREEMPTION: the container is selected for preemption, and its AM is told."""

    attempt_id: ApplicationAttemptId


class SchedulerMarkContainerForKillable(SchedulerMarkEvent, frozen=True, kw_only=True):
    """MARK_CONTAINER_FOR_KILLABLE: the wait is over; the container is killed, or may be (lazy preemption)."""


class SchedulerMarkContainerForNonkillable(SchedulerContainerEvent, frozen=True, kw_only=True):
    """MARK_CONTAINER_FOR_NONKILLABLE: the container is not killable any more."""


class SchedulerMarkNews(SchedulerEvent, frozen=True, kw_only=True):
    """What became of a mark, for the event log only."""

    mark: PreemptionMark

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.mark.container_id

    @property
    def details(self) -> dict[str, object]:
        """What the event log writes beside type and subject."""
        return self.mark.details


class SchedulerContainerUnmarked(SchedulerMarkNews, frozen=True, kw_only=True):
    """A container is not selected for preemption any more. For the event log only."""

    constant = ""


class SchedulerContainerPreempted(SchedulerMarkNews, frozen=True, kw_only=True):
    """A container was killed by preemption. For the event log only."""

    constant = ""


class SchedulerUpdateShares(SchedulerEvent, frozen=True, kw_only=True):
    """The FairScheduler's update is due: demand, shares, starvation, preemption."""

    constant = ""


class SchedulerCheckAllocations(SchedulerEvent, frozen=True, kw_only=True):
    """The FairScheduler checks whether its allocation file changed, and which dynamic queues are empty."""

    constant = ""


class SchedulerPreemptContainers(SchedulerEvent, frozen=True, kw_only=True):
    """FairScheduler: `waitTimeBeforeKill` after a preemption pass is over; these containers are killed."""

    constant = ""

    container_ids: tuple[ContainerId, ...]


class SchedulerScheduleAll(SchedulerEvent, frozen=True, kw_only=True):
    """The FairScheduler's continuous scheduling offers all nodes."""

    constant = ""


class SchedulerAsynchronousRound(SchedulerEvent, frozen=True, kw_only=True):
    """A round of asynchronous scheduling is due (schedule-asynchronously.scheduling-interval-ms)."""

    constant = ""


class SchedulerActivitiesCleanup(SchedulerEvent, frozen=True, kw_only=True):
    """Old records of scheduler activities are removed."""

    constant = ""


class SchedulerMonitorTick(SchedulerEvent, frozen=True, kw_only=True):
    """A policy of the scheduling monitor runs."""

    constant = ""

    policy: str

    @property
    def subject(self) -> str:
        """The policy's class."""
        return self.policy


class SchedulerMonitorStep(SchedulerEvent, frozen=True, kw_only=True):
    """A paused pass of that policy continues."""

    constant = ""

    policy: str


class SchedulerPreemptionReport(SchedulerEvent, frozen=True, kw_only=True):
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


class SchedulerAllocationsLoaded(SchedulerEvent, frozen=True, kw_only=True):
    """The FairScheduler loaded an allocation file. For the event log only."""

    constant = ""

    file: str

    @property
    def subject(self) -> str:
        """The file."""
        return self.file


class SchedulerAllocationsRefused(SchedulerEvent, frozen=True, kw_only=True):
    """The FairScheduler refused an allocation file and keeps the one before. For the event log only."""

    constant = ""

    file: str
    reason: str

    @property
    def subject(self) -> str:
        """What is wrong, file and line first."""
        return self.reason


class PlacementDue(Event, frozen=True, kw_only=True):
    """Requests of the attempt's application are to be placed, or committed to the scheduler."""

    constant = ""

    attempt_id: ApplicationAttemptId

    @property
    def subject(self) -> ApplicationAttemptId:
        return self.attempt_id


PlacementDue.family = PlacementDue
