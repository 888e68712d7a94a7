"""RMNode: a node, what its NM reported, and what its next heartbeat's answer will contain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from yarnbox.rm.events.app import AppRunningOnNode
from yarnbox.rm.events.scheduler import (
    SchedulerNodeUpdate,
)
from yarnbox.rm.log_aggregation import LogAggregation
from yarnbox.rm.ports import Pages, RMTurn
from yarnbox.yarn.enums import ContainerState, NodeState
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.basics import ResourceUtilization
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.records.management import SignalContainerRequest
from yarnbox.yarn.records.tracker import (
    LogAggregationReport,
    NodeHeartbeatResponse,
    NodeStatus,
    OpportunisticContainersStatus,
)
from yarnbox.yarn.resources.resource import NONE, Resource, total
from yarnbox.yarn.runtime.java_order import container_hash, in_hash_order
from yarnbox.yarn.runtime.ordered import OrderedSet

ABORTED = -100


class NodeApplication(Protocol):
    """An application as a node reports it."""

    @property
    def logs(self) -> LogAggregation: ...


class NodeContext(RMTurn, Protocol):
    """The registers and services that a node uses beside its turn."""

    @property
    def rack_of(self) -> Callable[[str], str]: ...

    @property
    def pages(self) -> Pages: ...

    @property
    def apps(self) -> Mapping[ApplicationId, NodeApplication]: ...

    @property
    def nodes(self) -> dict[NodeId, RMNode]: ...

    @property
    def inactive_nodes(self) -> dict[NodeId, RMNode]: ...

    def has_am_container(self, node_id: NodeId) -> bool:
        """Whether the scheduler has an AM on the node."""
        ...


class NewSizes:
    """Containers whose new sizes the NM is to be told, listed as Hadoop's HashMap by id lists them."""

    def __init__(self) -> None:
        self._containers: dict[ContainerId, Container] = {}
        self._most = 0
        """How many there were at one time, at most."""

    def put(self, container: Container) -> None:
        """Adds a container, or replaces what was to be told of it."""
        self._containers[container.id] = container
        self._most = max(self._most, len(self._containers))

    def take_all(self) -> tuple[Container, ...]:
        """Empties the collection and returns what was in it."""
        if not self._containers:
            return ()
        found, self._containers = self._containers, {}
        return tuple(found[each] for each in in_hash_order(found, container_hash, self._most))


class RMNode:
    """A node as the RM sees it."""

    def __init__(
        self,
        context: NodeContext,
        node_id: NodeId,
        http_port: int,
        capability: Resource,
        version: str = "",
        physical: Resource | None = None,
    ) -> None:
        self.context = context
        self.node_id = node_id
        self.rack = context.rack_of(node_id.host)
        self.http_port = http_port
        self.capability = capability
        self.original_capability: Resource | None = None
        """What it had before it began to drain."""
        self.physical = physical
        self.version = version
        self.state = NodeState.NEW
        self.health_report = ""
        self.last_health_report_ms = context.now_ms
        self.containers_utilization: ResourceUtilization | None = None
        self.node_utilization: ResourceUtilization | None = None
        self.opportunistic: OpportunisticContainersStatus | None = None
        self.reported_use = NONE
        """What the containers have together that it reported last, if nodes are compared by that."""
        self.decommission_timeout_ms: int | None = None
        self.untracked_since_ms: int | None = None
        """Since when it has been gone and in neither host file."""
        self.has_new_capability = False
        """Whether the NM is to be told its capacity."""

        self.launched: OrderedSet[ContainerId] = OrderedSet()
        """Containers that the NM reported running."""
        self.completed: OrderedSet[ContainerId] = OrderedSet()
        """Containers whose end it reported, until it is told to forget them."""
        self.running_apps: OrderedSet[ApplicationId] = OrderedSet()

        self.response = NodeHeartbeatResponse(response_id=0)
        """The last answer, kept in case the NM did not get it."""
        self.containers_to_clean: OrderedSet[ContainerId] = OrderedSet()
        self.finished_apps: OrderedSet[ApplicationId] = OrderedSet()
        self.containers_to_forget: OrderedSet[ContainerId] = OrderedSet()
        self.containers_to_signal: list[SignalContainerRequest] = []
        self.containers_to_update = NewSizes()
        self.containers_to_decrease = NewSizes()

        self._new_launched: list[ContainerStatus] = []
        self._new_completed: list[ContainerStatus] = []
        self._increased: dict[ContainerId, Container] = {}
        self._adds_up = context.settings.opportunistic.compares_resources
        self._may_update = True
        """Whether the scheduler has taken the last NODE_UPDATE."""

    @property
    def subject(self) -> NodeId:
        """Its id in the story."""
        return self.node_id

    @property
    def host(self) -> str:
        """Its host name."""
        return self.node_id.host

    @property
    def http_address(self) -> str:
        """Where its pages are."""
        return self.context.pages.node(f"{self.node_id.host}:{self.http_port}")

    @property
    def is_decommissioning(self) -> bool:
        """Whether it drains."""
        return self.state is NodeState.DECOMMISSIONING

    def take_container_updates(self) -> tuple[list[ContainerStatus], list[ContainerStatus]]:
        """Returns containers launched and completed since the last call; the next NODE_UPDATE may be
        posted.
        """
        launched, self._new_launched = self._new_launched, []
        completed, self._new_completed = self._new_completed, []
        self._may_update = True
        return launched, completed

    def take_increased(self) -> list[Container]:
        """Containers whose larger size the NM has put into force."""
        if not self._increased:  # nearly always, and heartbeats are many
            return []
        increased, self._increased = list(self._increased.values()), {}
        return increased

    def handle_statuses(self, statuses: tuple[ContainerStatus, ...]) -> None:
        """Compares the NM's container statuses with the last ones, and stores the changes for the
        scheduler.
        """
        reported: dict[ContainerId, None] = {}
        running_count = 0
        are_some_unwanted = bool(self.containers_to_clean or self.finished_apps)
        for status in statuses:
            container_id = status.container_id
            application_id = container_id.application_attempt_id.application_id
            if are_some_unwanted and (
                container_id in self.containers_to_clean or application_id in self.finished_apps
            ):
                continue
            if application_id not in self.running_apps:
                self.handle_running_app(application_id)
                are_some_unwanted = are_some_unwanted or bool(self.finished_apps)
            if status.state is ContainerState.COMPLETE:
                self._handle_completed(container_id, status)
                continue
            running_count += 1
            reported[container_id] = None
            if container_id not in self.launched:
                self.launched.add(container_id)
                self._new_launched.append(status)
                self.context.monitors.container.unregister(container_id)
        if self._adds_up:
            of_these = (one.capability for one in statuses if one.container_id in reported)
            self.reported_use = total(size for size in of_these if size is not None)
        if running_count < len(self.launched):
            self._handle_lost(reported)

    def order_again(self, container_ids: Iterable[ContainerId]) -> None:
        """The node has registered again and runs these: the answer with its last orders may not have arrived.
        Hadoop forgets them.
        """
        ordered = self.response.containers_to_cleanup
        self.containers_to_clean.update(one for one in container_ids if one in ordered)

    def _handle_completed(self, container_id: ContainerId, status: ContainerStatus) -> None:
        self.launched.discard(container_id)
        self.context.monitors.container.unregister(container_id)
        if container_id not in self.completed:
            self.completed.add(container_id)
            self._new_completed.append(status)

    def _handle_lost(self, reported: dict[ContainerId, None]) -> None:
        for container_id in [one for one in self.launched if one not in reported]:
            self.launched.discard(container_id)
            if container_id not in self.completed:
                self.completed.add(container_id)
                diagnostics = f"Container {container_id} was running but not reported from {self.node_id}"
                self._new_completed.append(
                    ContainerStatus(
                        container_id=container_id,
                        state=ContainerState.COMPLETE,
                        diagnostics=diagnostics,
                        exit_status=ABORTED,
                    )
                )

    def handle_running_app(self, application_id: ApplicationId) -> None:
        """An application runs here; an unknown one is to be cleaned up."""
        if application_id not in self.context.apps:
            self.finished_apps.add(application_id)
            self.running_apps.discard(application_id)
            return
        self.running_apps.add(application_id)
        self.context.post(
            AppRunningOnNode(application_id=application_id, node_id=self.node_id, is_reported=True)
        )

    def handle_increased_containers(self, containers: tuple[Container, ...]) -> None:
        """Containers whose new size the NM reports."""
        for container in containers:
            container_id = container.id
            if container_id in self.containers_to_clean or container_id.application_id in self.finished_apps:
                continue
            self._increased[container_id] = container

    def handle_log_aggregation(self, reports: tuple[LogAggregationReport, ...]) -> None:
        """The NM's log aggregation reports."""
        for report in reports:
            app = self.context.apps.get(report.application_id) if report.application_id is not None else None
            if app is not None:
                app.logs.note(self.node_id, report)

    def update_health(self, status: NodeStatus) -> bool:
        """Stores the NM's health report; returns whether the node is healthy."""
        self.containers_utilization = status.containers_utilization
        self.node_utilization = status.node_utilization
        health = status.node_health_status
        if health is None:
            return True
        self.health_report = health.health_report or ""
        self.last_health_report_ms = health.last_health_report_time or 0
        return health.is_node_healthy is not False

    def forget_updates(self) -> None:
        """Drops what is stored for the scheduler."""
        self._new_launched, self._new_completed = [], []

    def tell_scheduler(self) -> None:
        """NODE_UPDATE, unless the scheduler has not taken the last one yet."""
        if self._may_update:
            self._may_update = False
            self.context.post(SchedulerNodeUpdate(node_id=self.node_id))
