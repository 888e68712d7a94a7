"""What the RM is told, and what its answers mean: registration, heartbeats, response ids, completions.

A completed container is told in one heartbeat, and once more when the node registers again; it stays known
until the RM says that its AM has taken note, or its application is over. A call that failed is made good by
the next. Hadoop: NodeStatusUpdaterImpl and the NodeManager's handling of RESYNC and SHUTDOWN.
"""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.nm.application import STOPPED
from yarnbox.nm.containers.scheduler import ContainerScheduler
from yarnbox.nm.context import NMContext
from yarnbox.nm.effects import RegisterAgain, ShutDown, SignalContainer
from yarnbox.nm.events import ApplicationFinish, ContainerKill
from yarnbox.nm.logs import LogHandler
from yarnbox.nm.reporting.descriptors import Descriptors, attribute_complaint, label_complaint
from yarnbox.nm.reporting.health import NodeHealth
from yarnbox.nm.state import forget_container, store_keys
from yarnbox.yarn.enums import NodeAction
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.records.basics import ResourceUtilization
from yarnbox.yarn.records.container import Container as ContainerRecord
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.management import SignalContainerRequest
from yarnbox.yarn.records.node import NodeAttribute, NodeLabel
from yarnbox.yarn.records.tracker import (
    LogAggregationReport,
    NMContainerStatus,
    NodeAttributes,
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    NodeLabels,
    NodeStatus,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
    UnRegisterNodeManagerRequest,
)
from yarnbox.yarn.runtime.ordered import OrderedSet
from yarnbox.yarn.version import HADOOP_VERSION

VERSION = HADOOP_VERSION
"""The Hadoop version whose behaviour this node shows, as told to the RM."""

KILLED_BY_RESOURCEMANAGER = -106

Update = Callable[[ContainerRecord], None]


class NodeStatusUpdater:
    """One node's side of ResourceTracker."""

    def __init__(
        self,
        context: NMContext,
        scheduler: ContainerScheduler,
        logs: LogHandler,
        health: NodeHealth,
        update_container: Update,
    ) -> None:
        self._context = context
        self._scheduler = scheduler
        self._logs = logs
        self._health = health
        self._update_container = update_container
        self.http_port = 0
        self.physical = context.total
        self.containers_utilization = ResourceUtilization(pmem=0, vmem=0, cpu=0.0)
        self.node_utilization = ResourceUtilization(pmem=0, vmem=0, cpu=0.0)
        settings = context.settings
        self.heartbeat_interval_ms = settings.rm_heartbeat_interval_ms
        self.labels: Descriptors[NodeLabel] | None = None
        if settings.labels.is_reporting:
            self.labels = Descriptors(label_complaint, settings.labels.resync_interval_ms)
        self.attributes: Descriptors[NodeAttribute] | None = None
        if settings.attributes.provider is not None:
            self.attributes = Descriptors(attribute_complaint, settings.attributes.resync_interval_ms)
        self._response_id = 0
        self._has_missed = False
        self._pending: dict[ContainerId, ContainerStatus] = {}
        """Completions that the next heartbeat tells."""
        self._told: dict[ContainerId, int] = {}
        """Completions that were told, and until when to remember them."""
        self._to_remove: OrderedSet[ContainerId] = OrderedSet()
        """What the RM wants forgotten as soon as it is done."""
        self._reports: list[LogAggregationReport] = []
        self._token_sequence: int | None = None
        self._registers_when_idle = False

    # Registration

    def register_request(self) -> RegisterNodeManagerRequest:
        """What the node registers with."""
        context = self._context
        now_ms = context.now_ms
        statuses = self._registration_statuses()
        self._response_id = 0
        return RegisterNodeManagerRequest(
            node_id=context.node_id,
            http_port=self.http_port,
            resource=context.total,
            nm_version=VERSION,
            container_statuses=statuses,
            running_applications=tuple(
                application.application_id
                for application in context.applications.values()
                if application.state is not STOPPED[-1]
            ),
            node_labels=_labels(self.labels.for_registration(now_ms) if self.labels else None),
            physical_resource=self.physical,
            log_aggregation_reports_for_apps=tuple(self._unsent_reports()),
            node_attributes=_attributes(
                self.attributes.for_registration(now_ms) if self.attributes else None
            ),
            node_status=self._node_status(),
        )

    def registered(self, response: RegisterNodeManagerResponse) -> bool:
        """Takes the RM's answer; whether the node may go on."""
        context = self._context
        refusal = self._refusal(response)
        if refusal is not None:
            context.order(ShutDown(refusal))
            return False
        context.rm_identifier = response.rm_identifier
        self._take_keys(response)
        if response.resource is not None:
            context.total = response.resource
        self._note_refusals(response)
        self._reports.clear()
        self._has_missed = False
        return True

    def _note_refusals(self, response: RegisterNodeManagerResponse | NodeHeartbeatResponse) -> None:
        """What the RM did not want of the labels and attributes that were sent."""
        told = response.diagnostics_message
        if self.labels is not None and self.labels.is_told and not response.are_node_labels_accepted_by_rm:
            names = ",".join(label.name or "" for label in self.labels.current)
            why = (
                f"And with message {told}" if told else "Seems like RM is configured with Centralized Labels."
            )
            self._log("error", f"Node labels {{{names}}} sent from NM were rejected by RM. {why}")
        attributes = self.attributes
        if attributes is not None and attributes.is_told:
            if not response.are_node_attributes_accepted_by_rm:
                self._log("error", f"Node attributes sent from NM were rejected by RM: {told}")

    def unregister_request(self) -> UnRegisterNodeManagerRequest | None:
        """What a clean stop says; None when the RM ordered it, or somebody will start the node again."""
        settings = self._context.settings
        stays = settings.recovery_enabled and settings.recovery_supervised
        if stays or self._context.is_decommissioned or self._context.rm_identifier is None:
            return None
        return UnRegisterNodeManagerRequest(node_id=self._context.node_id)

    def _refusal(self, response: RegisterNodeManagerResponse) -> str | None:
        if response.node_action is NodeAction.SHUTDOWN:
            return (
                "Received SHUTDOWN signal from Resourcemanager, Registration of NodeManager failed, "
                f"Message from ResourceManager: {response.diagnostics_message}"
            )
        minimum = self._context.settings.minimum_rm_version
        if minimum == "NONE":
            return None
        minimum = VERSION if minimum == "EqualToNM" else minimum
        if _version(response.rm_version or "0") < _version(minimum):
            return (
                f"Shutting down the Node Manager on RM version error, The Resource Manager's version "
                f"({response.rm_version}) is less than the minimum allowed version {minimum}"
            )
        return None

    # Heartbeats

    def heartbeat_request(self) -> NodeHeartbeatRequest:
        """What there is to tell now."""
        context, now_ms = self._context, self._context.now_ms
        labels = self.labels.for_heartbeat(now_ms) if self.labels else None
        attributes = self.attributes.for_heartbeat(now_ms) if self.attributes else None
        return NodeHeartbeatRequest(
            node_status=self._node_status(),
            last_known_container_token_master_key=context.container_tokens.current,
            last_known_nm_token_master_key=context.nm_tokens.current,
            node_labels=_labels(labels),
            log_aggregation_reports_for_apps=tuple(self._unsent_reports()),
            node_attributes=_attributes(attributes),
            token_sequence_no=self._token_sequence,
        )

    def heartbeat_failed(self) -> None:
        """No answer came: it is not known what the RM has read, so nothing is taken for told."""
        self._has_missed = True

    def _take_keys(self, response: RegisterNodeManagerResponse | NodeHeartbeatResponse) -> None:
        """New keys of tokens, if the answer has some, are used and stored."""
        context = self._context
        if response.container_token_master_key is not None:
            context.container_tokens.set_master_key(response.container_token_master_key)
        if response.nm_token_master_key is not None:
            context.nm_tokens.set_master_key(response.nm_token_master_key)
        if response.container_token_master_key or response.nm_token_master_key:
            store_keys(context)

    def heartbeat_answered(self, response: NodeHeartbeatResponse) -> None:
        """Does what the RM wants."""
        context = self._context
        if response.next_heart_beat_interval:
            self.heartbeat_interval_ms = response.next_heart_beat_interval
        self._take_keys(response)
        if response.node_action is NodeAction.SHUTDOWN:
            context.is_decommissioned = True
            context.order(
                ShutDown(
                    "Received SHUTDOWN signal from Resourcemanager as part of heartbeat, hence shutting "
                    f"down. Message from ResourceManager: {response.diagnostics_message}"
                )
            )
        elif response.node_action is NodeAction.RESYNC:
            self._resync(response.diagnostics_message or "")
        else:
            self._note_refusals(response)
            self._apply_response(response)
        if response.resource is not None:
            context.total = response.resource

    def check_idle(self) -> None:
        """After each turn: whether a node that has to be empty before it registers again is so."""
        if self._registers_when_idle and all(one.is_done for one in self._context.containers.values()):
            self._registers_when_idle = False
            self._context.order(RegisterAgain())

    def was_recently_stopped(self, container_id: ContainerId) -> bool:
        """Whether it ended here not long ago."""
        return container_id in self._told

    def finish_applications(self, application_ids: tuple[ApplicationId, ...], reason: str) -> None:
        """Ends applications and all that is left of them here."""
        for application_id in application_ids:
            if application_id in self._context.applications:
                self._context.post(ApplicationFinish(application_id=application_id, diagnostics=reason))

    def signal(self, request: SignalContainerRequest) -> None:
        """Sends a signal, if there is a process to get it."""
        container = self._context.containers.get(request.container_id)
        if container is not None and container.has_process:
            self._context.order(SignalContainer(request.container_id, request.command))

    # What the answers mean

    def _resync(self, reason: str) -> None:
        self._log("warning", f"Node is out of sync with ResourceManager, hence resyncing. {reason}")
        context = self._context
        context.rm_identifier = None
        self._pending.clear()
        if context.settings.rm_work_preserving:
            context.order(RegisterAgain())
            return
        self._kill(tuple(context.containers))
        self._registers_when_idle = True

    def _apply_response(self, response: NodeHeartbeatResponse) -> None:
        self._forget(response.containers_to_be_removed_from_nm)
        if self._has_missed:
            self._has_missed = False  # the RM may have answered from memory: tell all of it once more
        else:
            self._pending.clear()
        self._reports.clear()
        self._response_id = response.response_id or 0
        self._kill(response.containers_to_cleanup)
        self.finish_applications(response.applications_to_cleanup, "Application killed by ResourceManager")
        for container in response.containers_to_update:
            try:
                self._update_container(container)
            except YarnError as refusal:
                self._log("error", f"Unable to update container resource: {refusal.message}")
        for request in response.containers_to_signal:
            self.signal(request)
        if response.container_queuing_limit is not None:
            self._scheduler.limit_queue(response.container_queuing_limit)
        if response.token_sequence_no is not None:
            self._token_sequence = response.token_sequence_no

    def _kill(self, container_ids: tuple[ContainerId, ...]) -> None:
        for container_id in container_ids:
            if container_id in self._context.containers:
                self._context.post(
                    ContainerKill(
                        container_id=container_id,
                        exit_status=KILLED_BY_RESOURCEMANAGER,
                        diagnostics="Container Killed by ResourceManager",
                    )
                )

    def _forget(self, container_ids: tuple[ContainerId, ...]) -> None:
        containers = self._context.containers
        self._to_remove.update(container_ids)
        for container_id in list(self._to_remove):
            container = containers.get(container_id)
            if container is None or container.is_done:
                containers.pop(container_id, None)
                forget_container(self._context, container_id)
                self._to_remove.discard(container_id)
            self._pending.pop(container_id, None)

    # What there is to tell

    def _node_status(self) -> NodeStatus:
        increased = tuple(self._context.increased.values())
        self._context.increased.clear()
        return NodeStatus(
            node_id=self._context.node_id,
            response_id=self._response_id,
            containers_statuses=self._statuses(),
            node_health_status=self._health.status(),
            containers_utilization=self.containers_utilization,
            node_utilization=self.node_utilization,
            increased_containers=increased,
            opportunistic_containers_status=self._scheduler.opportunistic_status(),
        )

    def _statuses(self) -> tuple[ContainerStatus, ...]:
        context = self._context
        statuses: list[ContainerStatus] = []
        for container_id, container in list(context.containers.items()):
            if not container.is_done:
                statuses.append(container.status())
            elif self._is_stopped(container.application_id):
                del context.containers[container_id]
                forget_container(context, container_id)
                self._pending[container_id] = container.status()
                self._remember(container_id)
            elif container_id not in self._told:
                self._pending[container_id] = container.status()
                self._remember(container_id)
        return (*statuses, *self._pending.values())

    def _registration_statuses(self) -> tuple[NMContainerStatus, ...]:
        context = self._context
        statuses = []
        for container_id, container in list(context.containers.items()):
            if container.application_id not in context.applications:
                del context.containers[container_id]
                forget_container(context, container_id)
                continue
            statuses.append(container.registration_status())
            if container.is_done:
                self._remember(container_id)
        return tuple(statuses)

    def _remember(self, container_id: ContainerId) -> None:
        now_ms = self._context.now_ms
        for old_id, until_ms in list(self._told.items()):
            if until_ms >= now_ms:
                break
            if old_id not in self._context.containers and self._is_stopped(old_id.application_id):
                del self._told[old_id]
        self._told.setdefault(container_id, now_ms + self._context.settings.track_stopped_containers_ms)

    def _is_stopped(self, application_id: ApplicationId) -> bool:
        application = self._context.applications.get(application_id)
        return application is None or application.state in STOPPED

    def _log(self, level: str, text: str) -> None:
        self._context.log(level, text, "nm.status")

    def _unsent_reports(self) -> list[LogAggregationReport]:
        self._reports.extend(self._logs.reports)
        self._logs.reports.clear()
        return self._reports


def _version(text: str) -> tuple[int, ...]:
    numbers = [part for part in text.replace("-", ".").split(".") if part.isdigit()]
    return tuple(int(part) for part in numbers)


def _labels(labels: tuple[NodeLabel, ...] | None) -> NodeLabels | None:
    return None if labels is None else NodeLabels(node_labels=labels)


def _attributes(attributes: tuple[NodeAttribute, ...] | None) -> NodeAttributes | None:
    return None if attributes is None else NodeAttributes(node_attributes=attributes)
