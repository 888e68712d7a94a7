"""Honest NodeManagers without processes: they know what runs on them, and say so in heartbeats.

A SimNode speaks to the RM by the records of ResourceTracker alone, as an NM does: it keeps the response id,
reports every running container each time and an ended one until it was sent once, and obeys the answer. It
decides nothing and has no clock. Hadoop: NodeStatusUpdaterImpl and the container map of NodeManager, as
far as the RM can see them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from yarnbox.yarn.enums import ContainerState, NodeAction
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.records.tracker import (
    NMContainerStatus,
    NodeHealthStatus,
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    NodeStatus,
    OpportunisticContainersStatus,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource

KILLED_BY_RESOURCEMANAGER = -106
KILLED_AFTER_APP_COMPLETION = -107
STILL_RUNNING = -1000
VERSION = "3.4.0"
_NO_HTTP_PORT = 8042


class SimNode:
    """A NodeManager as the RM sees it."""

    def __init__(self, node_id: NodeId, rack: str, resource: Resource) -> None:
        self.node_id = node_id
        self.rack = rack
        self.resource = resource
        self.was_resized = False
        """Whether an administrator changed its capacity since it registered: it may hold more than it has."""
        self.health_report = ""
        """Empty: healthy."""
        self.came_back = False
        """Whether it registered a second time with what ran on it: the RM learns of that little by little."""
        self.is_live = False
        """Whether it is registered and heartbeats; one that was shut down or lost is not."""
        self.must_resync = False
        """Whether the RM does not know it any more: it has to register again."""
        self.queue: OpportunisticContainersStatus | None = None
        """What it reports of its queue for opportunistic containers; it starts them at once all the same."""
        self.response_id = 0
        self.running: dict[ContainerId, Container] = {}
        self._reports: dict[ContainerId, ContainerStatus] = {}
        """What its heartbeats say of each running container, made once: most say the same many times."""
        self.ended: dict[ContainerId, ContainerStatus] = {}
        """Ended and not reported yet."""
        self.increased: dict[ContainerId, Container] = {}
        """Updates put into force and not reported yet."""
        self.unheard: dict[ContainerId, ContainerStatus] = {}
        """Ended and reported together with bad health, when the RM reads no further (RMNodeImpl)."""

    def register(
        self,
        call: Callable[[RegisterNodeManagerRequest], RegisterNodeManagerResponse],
        *,
        keep: bool = False,
    ) -> str:
        """Registers and answers why it may not; nothing when it may. With `keep` what runs on it lives on."""
        self.came_back = keep
        if not keep:
            self._forget_all()
        self.response_id = 0
        self.must_resync = False
        self.was_resized = False
        response = call(
            RegisterNodeManagerRequest(
                node_id=self.node_id,
                http_port=_NO_HTTP_PORT,
                resource=self.resource,
                nm_version=VERSION,
                container_statuses=tuple(self._known_containers()),
                running_applications=tuple(dict.fromkeys(each.application_id for each in self.running)),
                node_status=self._status(),
            )
        )
        self.is_live = response.node_action is not NodeAction.SHUTDOWN
        return "" if self.is_live else response.diagnostics_message or "shut down"

    def resize(self, resource: Resource) -> None:
        """An administrator gives it another capacity."""
        self.resource = resource
        self.was_resized = True

    def start(self, container: Container) -> None:
        """Its AM, or for an AM the RM, starts a container here."""
        self._run(container.id, container)

    def _run(self, container_id: ContainerId, container: Container) -> None:
        self.running[container_id] = container
        self._reports[container_id] = ContainerStatus(
            container_id=container_id,
            state=ContainerState.RUNNING,
            capability=container.resource,
            execution_type=container.execution_type,
        )

    def update(self, container: Container) -> None:
        """Its AM passes on a larger size or another execution type; the next heartbeat confirms it."""
        if container.id in self.running:
            self._run(container.id, container)
            self.increased[container.id] = container

    def end(self, container_id: ContainerId, exit_status: int, diagnostics: str = "") -> bool:
        """The container ends; False where it was not running."""
        container = self.running.pop(container_id, None)
        if container is None:
            return False
        del self._reports[container_id]
        self.ended[container_id] = ContainerStatus(
            container_id=container_id,
            state=ContainerState.COMPLETE,
            exit_status=exit_status,
            diagnostics=diagnostics,
            capability=container.resource,
            execution_type=container.execution_type,
        )
        return True

    def obey(self, containers: Iterable[ContainerId], applications: Iterable[ApplicationId]) -> None:
        """Kills what the RM wants gone."""
        for container_id in containers:
            self.end(container_id, KILLED_BY_RESOURCEMANAGER, "Container Killed by ResourceManager")
        gone = dict.fromkeys(applications)
        for container_id in [each for each in self.running if each.application_id in gone] if gone else ():
            self.end(
                container_id, KILLED_AFTER_APP_COMPLETION, "Container killed on application-finish event"
            )

    def heartbeat(
        self, call: Callable[[NodeHeartbeatRequest], NodeHeartbeatResponse], now_ms: int
    ) -> NodeHeartbeatResponse:
        """One heartbeat: the report, and what its answer asks for."""
        response = call(NodeHeartbeatRequest(node_status=self._status(now_ms)))
        if response.node_action is NodeAction.SHUTDOWN:
            self.vanish()
            return response
        if response.node_action is NodeAction.RESYNC:
            self.must_resync = True
            return response
        assert response.response_id is not None
        self.response_id = response.response_id
        if self.health_report:
            self.unheard.update(self.ended)
        self.ended.clear()
        self.increased.clear()
        for container in (*response.containers_to_decrease, *response.containers_to_update):
            if container.id in self.running:
                self._run(container.id, container)
        if response.resource is not None:
            self.resource = response.resource
        self.obey(response.containers_to_cleanup, response.applications_to_cleanup)
        return response

    def vanish(self) -> None:
        """The machine is gone, with all that ran on it."""
        self.is_live = False
        self._forget_all()

    def _forget_all(self) -> None:
        self.running.clear()
        self._reports.clear()
        self.ended.clear()

    def _known_containers(self) -> Iterator[NMContainerStatus]:
        for container_id, container in self.running.items():
            yield NMContainerStatus(
                container_id=container_id,
                container_state=ContainerState.RUNNING,
                resource=container.resource,
                priority=container.priority,
                container_exit_status=STILL_RUNNING,
                version=container.version,
                execution_type=container.execution_type,
                allocation_request_id=container.allocation_request_id,
                allocation_tags=container.allocation_tags,
            )

    def _status(self, now_ms: int = 0) -> NodeStatus:
        return NodeStatus(
            node_id=self.node_id,
            response_id=self.response_id,
            containers_statuses=(*(self._reports[each] for each in self.running), *self.ended.values()),
            increased_containers=tuple(self.increased.values()),
            opportunistic_containers_status=self.queue,
            node_health_status=NodeHealthStatus(
                is_node_healthy=not self.health_report,
                health_report=self.health_report,
                last_health_report_time=now_ms,
            ),
        )
