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
    """The scheduler gave the container."""


@event
class ContainerReserved(ContainerEvent):
    """A node is kept for the container: how much, on which node, for which request priority."""

    resource: Resource
    node_id: NodeId
    request_priority: int


@event
class ContainerAcquired(ContainerEvent):
    """The AM took delivery."""


@event
class ContainerLaunched(ContainerEvent):
    """The node reported it for the first time."""


@event
class ContainerFinished(ContainerEvent):
    """The node reported its end."""

    status: ContainerStatus


@event
class ContainerReleased(ContainerEvent):
    """The AM does not want it any more."""

    status: ContainerStatus


@event
class ContainerKill(ContainerEvent):
    """The RM ends it."""

    status: ContainerStatus


@event
class ContainerExpire(ContainerEvent):
    """The AM took it and never started it."""

    status: ContainerStatus


@event
class ContainerRecover(ContainerEvent):
    """A node reported it after a restart of the RM."""

    report: NMContainerStatus


@event
class ContainerAcquireUpdated(ContainerEvent):
    """The AM took delivery of a new size or execution type (ACQUIRE_UPDATED_CONTAINER)."""

    constant = "ACQUIRE_UPDATED_CONTAINER"

    is_increase: bool


@event
class ContainerNMDoneChangeResource(ContainerEvent):
    """The node reported the size that is in force (NM_DONE_CHANGE_RESOURCE)."""

    resource: Resource
