"""Events of nodes, of the list of nodes, and of the RM's monitors."""

from __future__ import annotations

from typing import Any

from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.management import SignalContainerRequest
from yarnbox.yarn.records.tracker import LogAggregationReport, NMContainerStatus, NodeStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event, event


@event
class NodeEvent(Event):
    """To a node."""

    node_id: NodeId

    @property
    def subject(self) -> Any:
        """The node."""
        return self.node_id


NodeEvent.family = NodeEvent


@event
class NodeStarted(NodeEvent):
    """It registered: the containers that it runs, its applications, its health."""

    container_statuses: tuple[NMContainerStatus, ...] = ()
    running_applications: tuple[ApplicationId, ...] = ()
    status: NodeStatus | None = None
    log_aggregation_reports: tuple[LogAggregationReport, ...] = ()


@event
class NodeReconnected(NodeEvent):
    """It registered a second time, perhaps with another capacity."""

    capability: Resource
    http_port: int
    container_statuses: tuple[NMContainerStatus, ...] = ()
    running_applications: tuple[ApplicationId, ...] = ()


@event
class NodeStatusUpdate(NodeEvent):
    """A heartbeat."""

    status: NodeStatus
    log_aggregation_reports: tuple[LogAggregationReport, ...] = ()


@event
class NodeExpire(NodeEvent):
    """It was silent for too long."""


@event
class NodeRebooting(NodeEvent):
    """Its response id is off: it lost its memory of us."""


@event
class NodeShutdown(NodeEvent):
    """It unregistered, or it is excluded and in neither file."""


@event
class NodeDecommission(NodeEvent):
    """Take it out at once."""


@event
class NodeGracefulDecommission(NodeEvent):
    """Let it drain. `timeout_ms`: negative or None means without end."""

    timeout_ms: int | None = None


@event
class NodeRecommission(NodeEvent):
    """It is wanted again while it drains."""


@event
class NodeResourceUpdate(NodeEvent):
    """An administrator changed its capacity. `overcommit_timeout_ms`: -1 never kills, 0 at once."""

    capability: Resource
    overcommit_timeout_ms: int = -1


@event
class NodeCleanupContainer(NodeEvent):
    """Tell it to kill the container."""

    container_id: ContainerId


@event
class NodeCleanupApp(NodeEvent):
    """Tell it that the application has ended."""

    application_id: ApplicationId


@event
class NodeSignalContainer(NodeEvent):
    """Tell it to signal the container."""

    request: SignalContainerRequest


@event
class NodeUpdateContainer(NodeEvent):
    """Tell it of a container's new size, execution type and token."""

    container: Container
    is_decrease: bool = False


@event
class NodeFinishedContainersPulledByAM(NodeEvent):
    """Tell it to forget these: their AM knows."""

    container_ids: tuple[ContainerId, ...]


# NodesListManager


@event
class NodesListEvent(Event):
    """To the manager of the nodes' list, which tells every unfinished application."""

    node_id: NodeId

    @property
    def subject(self) -> Any:
        """The node."""
        return self.node_id


NodesListEvent.family = NodesListEvent


@event
class NodesListNodeUsable(NodesListEvent):
    """A node can be scheduled on."""


@event
class NodesListNodeUnusable(NodesListEvent):
    """A node cannot be scheduled on any more."""


@event
class NodesListNodeDecommissioning(NodesListEvent):
    """A node is draining."""


@event
class MonitorEvent(Event):
    """A moment at which one of the RM's monitors looks around."""

    name: str

    @property
    def subject(self) -> Any:
        """The monitor."""
        return self.name


MonitorEvent.family = MonitorEvent


@event
class MonitorLook(MonitorEvent):
    """The monitor of that name looks now, and sets its next timer."""

    constant = ""
