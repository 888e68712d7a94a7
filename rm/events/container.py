"""Events of containers: fired by the scheduler that owns the container, not posted."""

from __future__ import annotations

from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event


class ContainerEvent(Event, frozen=True, kw_only=True):
    """To a container."""


ContainerEvent.family = ContainerEvent


class ContainerStart(ContainerEvent, frozen=True, kw_only=True):
    """The scheduler allocated the container."""


class ContainerReserved(ContainerEvent, frozen=True, kw_only=True):
    """The scheduler reserved a node for the container: how much, which node, which request priority."""

    resource: Resource
    node_id: NodeId
    request_priority: int


class ContainerAcquired(ContainerEvent, frozen=True, kw_only=True):
    """The AM received the container."""


class ContainerLaunched(ContainerEvent, frozen=True, kw_only=True):
    """The node reported the container for the first time."""


class ContainerFinished(ContainerEvent, frozen=True, kw_only=True):
    """The node reported that the container has completed."""

    status: ContainerStatus


class ContainerReleased(ContainerEvent, frozen=True, kw_only=True):
    """The AM released the container."""

    status: ContainerStatus


class ContainerKill(ContainerEvent, frozen=True, kw_only=True):
    """The ResourceManager kills the container."""

    status: ContainerStatus


class ContainerExpire(ContainerEvent, frozen=True, kw_only=True):
    """The AM received the container and did not start it in time."""

    status: ContainerStatus


class ContainerRecover(ContainerEvent, frozen=True, kw_only=True):
    """A node reported the container after a restart of the ResourceManager."""

    report: NMContainerStatus


class ContainerAcquireUpdated(ContainerEvent, frozen=True, kw_only=True):
    """The AM received a new size or execution type of the container."""

    constant = "ACQUIRE_UPDATED_CONTAINER"

    is_increase: bool


class ContainerNMDoneChangeResource(ContainerEvent, frozen=True, kw_only=True):
    """The node reported the size that the container has now."""

    resource: Resource
