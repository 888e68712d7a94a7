"""YarnClient: what a client may ask of the ResourceManager, and the waiting that belongs to it.

Submitting returns when the RM has accepted, killing when it has killed, as Hadoop's client does. Owns no
connection, clock or sleep: they are handed in. Refusals arrive as YarnErrors. Hadoop: YarnClientImpl.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from yarnbox.yarn.enums import (
    ApplicationsRequestScope,
    ApplicationTimeoutType,
    NodeState,
    SignalContainerCommand,
    YarnApplicationState,
)
from yarnbox.yarn.errors import (
    ApplicationAttemptNotFoundError,
    ApplicationNotFoundError,
    ContainerNotFoundError,
    IllegalArgumentError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, ReservationId
from yarnbox.yarn.records import client as calls
from yarnbox.yarn.records.application import (
    ApplicationAttemptReport,
    ApplicationReport,
    ApplicationSubmissionContext,
    ApplicationUpdateTimeoutMap,
)
from yarnbox.yarn.records.basics import Record, ResourceProfileEntry, ResourceTypeInfo
from yarnbox.yarn.records.container import ContainerReport
from yarnbox.yarn.records.management import SignalContainerRequest
from yarnbox.yarn.records.node import (
    AttributeToNodes,
    LabelsToNodeIds,
    NodeAttributeInfo,
    NodeAttributeKey,
    NodeIdToLabels,
    NodeLabel,
    NodeReport,
    NodeToAttributes,
    YarnClusterMetrics,
)
from yarnbox.yarn.records.queue import QueueInfo, QueueUserACLInfo
from yarnbox.yarn.records.reservation import ReservationAllocationState, ReservationDefinition
from yarnbox.yarn.records.tokens import (
    CancelDelegationTokenRequest,
    GetDelegationTokenRequest,
    RenewDelegationTokenRequest,
    Token,
)
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.clock import Clock

log = logging.getLogger("client.YarnClient")

SERVICE = "ApplicationClientProtocolService"

POLL_INTERVAL_MS = 200
"""The default of yarn.client.application-client-protocol.poll-interval-ms."""

ROOT_QUEUE = "root"

FINAL_STATES = (YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED)
_WAITING = (YarnApplicationState.NEW, YarnApplicationState.NEW_SAVING, YarnApplicationState.SUBMITTED)
_NOT_SUBMITTED = (YarnApplicationState.FAILED, YarnApplicationState.KILLED)
_TOLD_EVERY = 10  # polls


class Rpc(Protocol):
    """One service of a peer: yarn.rpc.BlockingStub, or whatever stands in for it."""

    def call(self, rpc: str, request: Record) -> Any:
        """The response record; raises the YarnError that the peer raised."""
        ...


@dataclass(frozen=True, slots=True)
class Polling:
    """How a client waits: every `interval_ms`, at most `timeout_ms` (for ever if that is negative)."""

    clock: Clock
    sleep: Callable[[float], None]
    interval_ms: int = POLL_INTERVAL_MS
    timeout_ms: int = -1

    def until(self, finished: Callable[[int], bool], what: str) -> None:
        """Asks `finished`, with the number of the poll from 1, until it is; a YarnError when time is up."""
        started_ms = self.clock.now_ms()
        polls = 1
        while not finished(polls):
            if 0 <= self.timeout_ms <= self.clock.now_ms() - started_ms:
                raise YarnError(f"Timed out while waiting for {what}")
            self.sleep(self.interval_ms / 1000)
            polls += 1


@dataclass(frozen=True, slots=True)
class NewApplication:
    """An id of one's own, and the largest container that the scheduler grants now."""

    application_id: ApplicationId
    maximum_capability: Resource


class YarnClient:
    """A client of one ResourceManager."""

    def __init__(self, rpc: Rpc, polling: Polling) -> None:
        self._rpc = rpc
        self._polling = polling

    # Applications

    def create_application(self) -> NewApplication:
        """A fresh id; nothing is stored for it yet."""
        response = self._rpc.call("getNewApplication", calls.GetNewApplicationRequest())
        return NewApplication(response.application_id, response.maximum_capability or NONE)

    def submit_application(self, context: ApplicationSubmissionContext) -> ApplicationId:
        """Submits, and returns when the application is accepted. YarnError if it is refused or fails. An RM
        that forgot it, for it restarted before it had stored it, gets it once more.
        """
        application_id = context.application_id
        if application_id is None:
            raise IllegalArgumentError("ApplicationId is not provided in ApplicationSubmissionContext")
        request = calls.SubmitApplicationRequest(application_submission_context=context)
        self._rpc.call("submitApplication", request)

        def accepted(polls: int) -> bool:
            try:
                report = self.application_report(application_id)
            except ApplicationNotFoundError:
                log.info(
                    "Re-submit application %s with the same ApplicationSubmissionContext", application_id
                )
                self._rpc.call("submitApplication", request)
                return False
            state = report.yarn_application_state
            if state in _NOT_SUBMITTED:
                raise YarnError(f"Failed to submit {application_id} to YARN : {report.diagnostics}")
            if state in _WAITING and polls % _TOLD_EVERY == 0:
                log.info(
                    "Application submission is not finished, submitted application %s is still in %s",
                    application_id,
                    state.name,
                )
            return state not in _WAITING

        self._polling.until(accepted, f"application {application_id} to be submitted successfully")
        log.info("Submitted application %s", application_id)
        return application_id

    def kill_application(self, application_id: ApplicationId, diagnostics: str | None = None) -> None:
        """Kills, and returns when that is completed."""
        request = calls.KillApplicationRequest(application_id=application_id, diagnostics=diagnostics)

        def killed(polls: int) -> bool:
            response = self._rpc.call("forceKillApplication", request)
            if not response.is_kill_completed and polls % _TOLD_EVERY == 0:
                log.info("Waiting for application %s to be killed.", application_id)
            return bool(response.is_kill_completed)

        self._polling.until(killed, f"application {application_id} to be killed.")
        log.info("Killed application %s", application_id)

    def wait_for_application(
        self,
        application_id: ApplicationId,
        states: Iterable[YarnApplicationState] = FINAL_STATES,
        on_report: Callable[[ApplicationReport], None] | None = None,
    ) -> ApplicationReport:
        """The first report with one of `states`; every report on the way goes to `on_report`."""
        wanted = tuple(states)
        reports: list[ApplicationReport] = []

        def arrived(_: int) -> bool:
            reports[:] = [self.application_report(application_id)]
            if on_report is not None:
                on_report(reports[0])
            return reports[0].yarn_application_state in wanted

        self._polling.until(arrived, f"application {application_id}")
        return reports[0]

    def application_report(self, application_id: ApplicationId) -> ApplicationReport:
        """The report of one application."""
        request = calls.GetApplicationReportRequest(application_id=application_id)
        report: ApplicationReport | None = self._rpc.call("getApplicationReport", request).application_report
        if report is None:
            raise ApplicationNotFoundError(f"Application with id '{application_id}' doesn't exist in RM.")
        return report

    def applications(
        self,
        *,
        types: Iterable[str] = (),
        states: Iterable[YarnApplicationState] = (),
        tags: Iterable[str] = (),
        users: Iterable[str] = (),
        queues: Iterable[str] = (),
        scope: ApplicationsRequestScope = ApplicationsRequestScope.ALL,
        name: str | None = None,
        limit: int | None = None,
    ) -> tuple[ApplicationReport, ...]:
        """The applications that pass every filter given, in the RM's order; tags are kept in lower case
        (GetApplicationsRequestPBImpl).
        """
        request = calls.GetApplicationsRequest(
            application_types=tuple(types),
            application_states=tuple(states),
            application_tags=tuple(tag.lower() for tag in tags),
            users=tuple(users),
            queues=tuple(queues),
            scope=scope,
            name=name,
            limit=limit,
        )
        reports: tuple[ApplicationReport, ...] = self._rpc.call("getApplications", request).applications
        return reports

    def move_application(self, application_id: ApplicationId, queue: str) -> None:
        """Moves a running application to another queue."""
        request = calls.MoveApplicationAcrossQueuesRequest(application_id=application_id, target_queue=queue)
        self._rpc.call("moveApplicationAcrossQueues", request)

    def update_priority(self, application_id: ApplicationId, priority: int) -> int | None:
        """Asks for a priority; the one in force then, which the RM may have capped."""
        request = calls.UpdateApplicationPriorityRequest(
            application_id=application_id, application_priority=priority
        )
        in_force: int | None = self._rpc.call("updateApplicationPriority", request).application_priority
        return in_force

    def update_timeouts(
        self, application_id: ApplicationId, expiry: Mapping[ApplicationTimeoutType, str]
    ) -> dict[ApplicationTimeoutType | None, str | None]:
        """Sets when an application expires (ISO 8601); the times in force then."""
        asked = tuple(
            ApplicationUpdateTimeoutMap(application_timeout_type=kind, expire_time=time)
            for kind, time in expiry.items()
        )
        request = calls.UpdateApplicationTimeoutsRequest(
            application_id=application_id, application_timeouts=asked
        )
        response = self._rpc.call("updateApplicationTimeouts", request)
        return {entry.application_timeout_type: entry.expire_time for entry in response.application_timeouts}

    # Attempts and containers

    def fail_application_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """Fails the attempt; the RM may start another."""
        log.info("Failing application attempt %s.", attempt_id)
        request = calls.FailApplicationAttemptRequest(application_attempt_id=attempt_id)
        self._rpc.call("failApplicationAttempt", request)

    def application_attempt_report(self, attempt_id: ApplicationAttemptId) -> ApplicationAttemptReport:
        """The report of one attempt."""
        request = calls.GetApplicationAttemptReportRequest(application_attempt_id=attempt_id)
        report: ApplicationAttemptReport | None = self._rpc.call(
            "getApplicationAttemptReport", request
        ).application_attempt_report
        if report is None:
            raise ApplicationAttemptNotFoundError(
                f"Application attempt with id '{attempt_id}' doesn't exist in RM."
            )
        return report

    def application_attempts(self, application_id: ApplicationId) -> tuple[ApplicationAttemptReport, ...]:
        """All attempts of an application."""
        request = calls.GetApplicationAttemptsRequest(application_id=application_id)
        reports: tuple[ApplicationAttemptReport, ...] = self._rpc.call(
            "getApplicationAttempts", request
        ).application_attempts
        return reports

    def container_report(self, container_id: ContainerId) -> ContainerReport:
        """The report of one container."""
        request = calls.GetContainerReportRequest(container_id=container_id)
        report: ContainerReport | None = self._rpc.call("getContainerReport", request).container_report
        if report is None:
            raise ContainerNotFoundError(f"Container with id '{container_id}' doesn't exist in RM.")
        return report

    def containers(self, attempt_id: ApplicationAttemptId) -> tuple[ContainerReport, ...]:
        """The containers of an attempt that the RM still holds."""
        request = calls.GetContainersRequest(application_attempt_id=attempt_id)
        reports: tuple[ContainerReport, ...] = self._rpc.call("getContainers", request).containers
        return reports

    def signal_container(self, container_id: ContainerId, command: SignalContainerCommand) -> None:
        """Has the container's node signal it, at the node's next heartbeat."""
        request = SignalContainerRequest(container_id=container_id, command=command)
        self._rpc.call("signalToContainer", request)

    # The cluster

    def cluster_metrics(self) -> YarnClusterMetrics:
        """How many nodes there are in which state."""
        response = self._rpc.call("getClusterMetrics", calls.GetClusterMetricsRequest())
        metrics: YarnClusterMetrics = response.cluster_metrics or YarnClusterMetrics()
        return metrics

    def nodes(self, states: Iterable[NodeState] = ()) -> tuple[NodeReport, ...]:
        """The nodes in any of `states`; all of them without."""
        request = calls.GetClusterNodesRequest(node_states=tuple(states))
        reports: tuple[NodeReport, ...] = self._rpc.call("getClusterNodes", request).node_reports
        return reports

    def resource_types(self) -> tuple[ResourceTypeInfo, ...]:
        """The resource types that the RM knows."""
        response = self._rpc.call("getResourceTypeInfo", calls.GetAllResourceTypeInfoRequest())
        types: tuple[ResourceTypeInfo, ...] = response.resource_type_info
        return types

    def resource_profiles(self) -> tuple[ResourceProfileEntry, ...]:
        """The named resource profiles, where they are switched on."""
        response = self._rpc.call("getResourceProfiles", calls.GetAllResourceProfilesRequest())
        profiles: tuple[ResourceProfileEntry, ...] = response.resource_profiles.resource_profiles_map
        return profiles

    def resource_profile(self, profile: str) -> Resource:
        """What that profile stands for."""
        request = calls.GetResourceProfileRequest(profile=profile)
        resources: Resource = self._rpc.call("getResourceProfile", request).resources
        return resources

    # Queues

    def queue_info(self, queue: str) -> QueueInfo | None:
        """A queue with its applications; None if there is no such queue."""
        return self._queue(queue, include_applications=True)

    def all_queues(self) -> list[QueueInfo] | None:
        """Every queue below the root, each parent before its children."""
        root = self._queue(ROOT_QUEUE, include_children=True, recursive=True)
        return None if root is None else _below(root)

    def root_queues(self) -> list[QueueInfo]:
        """The children of the root."""
        root = self._queue(ROOT_QUEUE, include_children=True, recursive=True)
        return [] if root is None else list(root.child_queues)

    def child_queues(self, parent: str) -> list[QueueInfo] | None:
        """What the RM shows below `parent`; None if there is no such queue."""
        queue = self._queue(parent, include_children=True)
        return None if queue is None else _below(queue)

    def queue_acls(self) -> tuple[QueueUserACLInfo, ...]:
        """What the caller may do in each queue."""
        response = self._rpc.call("getQueueUserAcls", calls.GetQueueUserAclsInfoRequest())
        acls: tuple[QueueUserACLInfo, ...] = response.queue_user_acls
        return acls

    def _queue(
        self,
        name: str,
        *,
        include_applications: bool = False,
        include_children: bool = False,
        recursive: bool = False,
    ) -> QueueInfo | None:
        request = calls.GetQueueInfoRequest(
            queue_name=name,
            include_applications=include_applications,
            include_child_queues=include_children,
            recursive=recursive,
        )
        info: QueueInfo | None = self._rpc.call("getQueueInfo", request).queue_info
        return info

    # Labels and attributes

    def node_labels(self) -> tuple[NodeLabel, ...]:
        """The labels of the cluster."""
        response = self._rpc.call("getClusterNodeLabels", calls.GetClusterNodeLabelsRequest())
        labels: tuple[NodeLabel, ...] = response.node_labels
        return labels

    def nodes_to_labels(self) -> tuple[NodeIdToLabels, ...]:
        """Each labelled node and its label."""
        response = self._rpc.call("getNodeToLabels", calls.GetNodesToLabelsRequest())
        mapping: tuple[NodeIdToLabels, ...] = response.node_to_labels
        return mapping

    def labels_to_nodes(self, labels: Iterable[str] = ()) -> tuple[LabelsToNodeIds, ...]:
        """Each of `labels`, or every label, and its nodes."""
        request = calls.GetLabelsToNodesRequest(node_labels=tuple(labels))
        mapping: tuple[LabelsToNodeIds, ...] = self._rpc.call("getLabelsToNodes", request).labels_to_nodes
        return mapping

    def node_attributes(self) -> tuple[NodeAttributeInfo, ...]:
        """The attributes that nodes of the cluster have."""
        response = self._rpc.call("getClusterNodeAttributes", calls.GetClusterNodeAttributesRequest())
        attributes: tuple[NodeAttributeInfo, ...] = response.node_attributes
        return attributes

    def attributes_to_nodes(
        self, attributes: Iterable[NodeAttributeKey] = ()
    ) -> tuple[AttributeToNodes, ...]:
        """Each of `attributes`, or every one, and the nodes that have it with their values."""
        request = calls.GetAttributesToNodesRequest(node_attributes=tuple(attributes))
        response = self._rpc.call("getAttributesToNodes", request)
        mapping: tuple[AttributeToNodes, ...] = response.attributes_to_nodes
        return mapping

    def nodes_to_attributes(self, hosts: Iterable[str] = ()) -> tuple[NodeToAttributes, ...]:
        """Each of `hosts`, or every one, and its attributes."""
        request = calls.GetNodesToAttributesRequest(hostnames=tuple(hosts))
        response = self._rpc.call("getNodesToAttributes", request)
        mapping: tuple[NodeToAttributes, ...] = response.nodes_to_attributes
        return mapping

    # Plan reservations

    def new_reservation(self) -> ReservationId:
        """A fresh id; nothing is planned yet."""
        response = self._rpc.call("getNewReservation", calls.GetNewReservationRequest())
        reservation_id: ReservationId = response.reservation_id
        return reservation_id

    def submit_reservation(
        self, queue: str, reservation_id: ReservationId, definition: ReservationDefinition
    ) -> None:
        """Books room in the plan of `queue`."""
        request = calls.ReservationSubmissionRequest(
            queue=queue, reservation_id=reservation_id, reservation_definition=definition
        )
        self._rpc.call("submitReservation", request)

    def update_reservation(self, reservation_id: ReservationId, definition: ReservationDefinition) -> None:
        """Replaces a booking."""
        request = calls.ReservationUpdateRequest(
            reservation_id=reservation_id, reservation_definition=definition
        )
        self._rpc.call("updateReservation", request)

    def delete_reservation(self, reservation_id: ReservationId) -> None:
        """Gives a booking back."""
        self._rpc.call("deleteReservation", calls.ReservationDeleteRequest(reservation_id=reservation_id))

    def list_reservations(
        self, request: calls.ReservationListRequest
    ) -> tuple[ReservationAllocationState, ...]:
        """The bookings of a plan that the request selects."""
        reservations: tuple[ReservationAllocationState, ...] = self._rpc.call(
            "listReservations", request
        ).reservations
        return reservations

    # Delegation tokens

    def delegation_token(self, renewer: str) -> Token | None:
        """A token with which others may call in the caller's name."""
        token: Token | None = self._rpc.call(
            "getDelegationToken", GetDelegationTokenRequest(renewer=renewer)
        ).token
        return token

    def renew_delegation_token(self, token: Token) -> int:
        """Prolongs the token; its new expiry in ms."""
        expiry: int = self._rpc.call(
            "renewDelegationToken", RenewDelegationTokenRequest(token=token)
        ).new_expiry_time
        return expiry

    def cancel_delegation_token(self, token: Token) -> None:
        """Makes the token worthless."""
        self._rpc.call("cancelDelegationToken", CancelDelegationTokenRequest(token=token))


def _below(queue: QueueInfo) -> list[QueueInfo]:
    return [info for child in queue.child_queues for info in (child, *_below(child))]
