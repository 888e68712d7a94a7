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
    def subject(self) -> NodeId:
        """The node."""
        return self.node_id


NodeEvent.family = NodeEvent


@event
class NodeStarted(NodeEvent):
    """The node registered: the containers that it runs, its applications, its health."""

    container_statuses: tuple[NMContainerStatus, ...] = ()
    running_applications: tuple[ApplicationId, ...] = ()
    status: NodeStatus | None = None
    log_aggregation_reports: tuple[LogAggregationReport, ...] = ()


@event
class NodeReconnected(NodeEvent):
    """The node registered again, perhaps with another capacity."""

    capability: Resource
    http_port: int
    container_statuses: tuple[NMContainerStatus, ...] = ()
    running_applications: tuple[ApplicationId, ...] = ()


@event
class NodeStatusUpdate(NodeEvent):
    """The node sent a heartbeat."""

    status: NodeStatus
    log_aggregation_reports: tuple[LogAggregationReport, ...] = ()


@event
class NodeExpire(NodeEvent):
    """The node sent no heartbeat for longer than its expiry interval."""


@event
class NodeRebooting(NodeEvent):
    """The node's response id is neither due nor repeated: it has to register again."""


@event
class NodeShutdown(NodeEvent):
    """The node unregistered, or is untracked: neither the include nor the exclude file names it."""


@event
class NodeDecommission(NodeEvent):
    """The node is decommissioned at once."""


@event
class NodeGracefulDecommission(NodeEvent):
    """The node is decommissioned gracefully. `timeout_ms`: negative or None means without end."""

    timeout_ms: int | None = None


@event
class NodeRecommission(NodeEvent):
    """The node returns while it is being decommissioned."""


@event
class NodeResourceUpdate(NodeEvent):
    """An administrator changed the node's capacity. `overcommit_timeout_ms`: -1 never kills, 0 at once."""

    capability: Resource
    overcommit_timeout_ms: int = -1


@event
class NodeCleanupContainer(NodeEvent):
    """The node is to kill the container."""

    container_id: ContainerId


@event
class NodeCleanupApp(NodeEvent):
    """The node is to clean up after the application, which has ended."""

    application_id: ApplicationId


@event
class NodeSignalContainer(NodeEvent):
    """The node is to send a signal to the container."""

    request: SignalContainerRequest


@event
class NodeUpdateContainer(NodeEvent):
    """The node is to apply a container's new size, execution type and token."""

    container: Container
    is_decrease: bool = False


@event
class NodeFinishedContainersPulledByAM(NodeEvent):
    """The node may forget these containers: their AM has received their completion."""

    container_ids: tuple[ContainerId, ...]


# NodesListManager


@event
class NodesListEvent(Event):
    """To the manager of the nodes' list, which tells every unfinished application."""

    node_id: NodeId

    @property
    def subject(self) -> NodeId:
        """The node."""
        return self.node_id


NodesListEvent.family = NodesListEvent


@event
class NodesListNodeUsable(NodesListEvent):
    """A node can run containers."""


@event
class NodesListNodeUnusable(NodesListEvent):
    """A node cannot run containers any more."""


@event
class NodesListNodeDecommissioning(NodesListEvent):
    """A node is being decommissioned gracefully."""


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
    """The monitor of that name checks what has expired, and sets its next timer."""

    constant = ""
