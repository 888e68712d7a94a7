"""Events of containers: fired by the scheduler that owns the container, not posted."""

from __future__ import annotations

from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event, event


@event
class ContainerEvent(Event):
    """To a container."""


ContainerEvent.family = ContainerEvent


@event
class ContainerStart(ContainerEvent):
    """The scheduler allocated the container."""


@event
class ContainerReserved(ContainerEvent):
    """The scheduler reserved a node for the container: how much, which node, which request priority."""

    resource: Resource
    node_id: NodeId
    request_priority: int


@event
class ContainerAcquired(ContainerEvent):
    """The AM received the container."""


@event
class ContainerLaunched(ContainerEvent):
    """The node reported the container for the first time."""


@event
class ContainerFinished(ContainerEvent):
    """The node reported that the container has completed."""

    status: ContainerStatus


@event
class ContainerReleased(ContainerEvent):
    """The AM released the container."""

    status: ContainerStatus


@event
class ContainerKill(ContainerEvent):
    """The ResourceManager kills the container."""

    status: ContainerStatus


@event
class ContainerExpire(ContainerEvent):
    """The AM received the container and did not start it in time."""

    status: ContainerStatus


@event
class ContainerRecover(ContainerEvent):
    """A node reported the container after a restart of the ResourceManager."""

    report: NMContainerStatus


@event
class ContainerAcquireUpdated(ContainerEvent):
    """The AM received a new size or execution type of the container."""

    constant = "ACQUIRE_UPDATED_CONTAINER"

    is_increase: bool


@event
class ContainerNMDoneChangeResource(ContainerEvent):
    """The node reported the size that the container has now."""

    resource: Resource
