"""Events of nodes, of the list of nodes, and of the RM's monitors."""

from __future__ import annotations

from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.management import SignalContainerRequest
from yarnbox.yarn.records.tracker import LogAggregationReport, NMContainerStatus, NodeStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event


class NodeEvent(Event, frozen=True, kw_only=True):
    """To a node."""

    node_id: NodeId

    @property
    def subject(self) -> NodeId:
        """The node."""
        return self.node_id


NodeEvent.family = NodeEvent


class NodeStarted(NodeEvent, frozen=True, kw_only=True):
    """The node registered: the containers that it runs, its applications, its health."""

    container_statuses: tuple[NMContainerStatus, ...] = ()
    running_applications: tuple[ApplicationId, ...] = ()
    status: NodeStatus | None = None
    log_aggregation_reports: tuple[LogAggregationReport, ...] = ()


class NodeReconnected(NodeEvent, frozen=True, kw_only=True):
    """The node registered again, perhaps with another capacity."""

    capability: Resource
    http_port: int
    container_statuses: tuple[NMContainerStatus, ...] = ()
    running_applications: tuple[ApplicationId, ...] = ()


class NodeStatusUpdate(NodeEvent, frozen=True, kw_only=True):
    """The node sent a heartbeat."""

    status: NodeStatus
    log_aggregation_reports: tuple[LogAggregationReport, ...] = ()


class NodeExpire(NodeEvent, frozen=True, kw_only=True):
    """The node sent no heartbeat for longer than its expiry interval."""


class NodeRebooting(NodeEvent, frozen=True, kw_only=True):
    """The node's response id is neither due nor repeated: it has to register again."""


class NodeShutdown(NodeEvent, frozen=True, kw_only=True):
    """The node unregistered, or is untracked: neither the include nor the exclude file names it."""


class NodeDecommission(NodeEvent, frozen=True, kw_only=True):
    """The node is decommissioned at once."""


class NodeGracefulDecommission(NodeEvent, frozen=True, kw_only=True):
    """The node is decommissioned gracefully. `timeout_ms`: negative or None means without end."""

    timeout_ms: int | None = None


class NodeRecommission(NodeEvent, frozen=True, kw_only=True):
    """The node returns while it is being decommissioned."""


class NodeResourceUpdate(NodeEvent, frozen=True, kw_only=True):
    """An administrator changed the node's capacity. `overcommit_timeout_ms`: -1 never kills, 0 at once."""

    capability: Resource
    overcommit_timeout_ms: int = -1


class NodeCleanupContainer(NodeEvent, frozen=True, kw_only=True):
    """The node is to kill the container."""

    container_id: ContainerId


class NodeCleanupApp(NodeEvent, frozen=True, kw_only=True):
    """The node is to clean up after the application, which has ended."""

    application_id: ApplicationId


class NodeSignalContainer(NodeEvent, frozen=True, kw_only=True):
    """The node is to send a signal to the container."""

    request: SignalContainerRequest


class NodeUpdateContainer(NodeEvent, frozen=True, kw_only=True):
    """The node is to apply a container's new size, execution type and token."""

    container: Container
    is_decrease: bool = False


class NodeFinishedContainersPulledByAM(NodeEvent, frozen=True, kw_only=True):
    """The node may forget these containers: their AM has received their completion."""

    container_ids: tuple[ContainerId, ...]


# NodesListManager


class NodesListEvent(Event, frozen=True, kw_only=True):
    """To the manager of the nodes' list, which tells every unfinished application."""

    node_id: NodeId

    @property
    def subject(self) -> NodeId:
        """The node."""
        return self.node_id


NodesListEvent.family = NodesListEvent


class NodesListNodeUsable(NodesListEvent, frozen=True, kw_only=True):
    """A node can run containers."""


class NodesListNodeUnusable(NodesListEvent, frozen=True, kw_only=True):
    """A node cannot run containers any more."""


class NodesListNodeDecommissioning(NodesListEvent, frozen=True, kw_only=True):
    """A node is being decommissioned gracefully."""


class MonitorEvent(Event, frozen=True, kw_only=True):
    """A moment at which one of the RM's monitors looks around."""

    name: str

    @property
    def subject(self) -> object:
        """The monitor."""
        return self.name


MonitorEvent.family = MonitorEvent


class MonitorLook(MonitorEvent, frozen=True, kw_only=True):
    """The monitor of that name checks what has expired, and sets its next timer."""

    constant = ""
