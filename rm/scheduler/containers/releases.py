"""Containers that nobody wants any more: given back by their AM, or acquired and never started.

An AM may give back what a restarted ResourceManager does not know yet, because the node has not registered
again: that is remembered for as long as a node may be silent, and no longer than the application is there.
Hadoop: the release and expiry part of AbstractYarnScheduler.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from yarnbox.rm.container import RMContainer
from yarnbox.rm.events.container import ContainerExpire, ContainerReleased
from yarnbox.rm.events.scheduler import SchedulerContainerExpired, SchedulerReleaseContainer
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.containers.completion import Completion
from yarnbox.rm.scheduler.containers.statuses import EXPIRED_CONTAINER, RELEASED_CONTAINER, aborted
from yarnbox.rm.scheduler.containers.updates import ContainerUpdates
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.ids import ContainerId

A = TypeVar("A", bound=Attempt)


class Releases(Generic[A]):
    """Ends what is given back, and what is not started in time."""

    def __init__(
        self,
        context: SchedulerContext,
        register: Register[A],
        completion: Completion[A],
        updates: ContainerUpdates[A],
    ) -> None:
        self._context = context
        self._register = register
        self._completion = completion
        self._updates = updates

    def expire(self, event: SchedulerContainerExpired) -> None:
        """CONTAINER_EXPIRED: acquired and never started; or an increase that was not confirmed in time."""
        container = self._register.container(event.container_id)
        if container is None:
            return
        if event.is_increase:
            self._updates.roll_back_increase(container)
            return
        status = aborted(container.container_id, EXPIRED_CONTAINER)
        self._completion.complete(container, status, ContainerExpire(status=status))

    def release(self, event: SchedulerReleaseContainer) -> None:
        """RELEASE_CONTAINER."""
        if self._register.container(event.container_id) is not None:
            self.release_all([event.container_id])

    def release_all(self, containers: Iterable[ContainerId]) -> None:
        """What an AM does not want any more."""
        for container_id in containers:
            container = self._register.container(container_id)
            application = self._register.applications.get(container_id.application_id)
            if container is not None:
                event = _released(container)
                self._completion.complete(container, event.status, event)
            elif application is not None and self._may_be_recovered():
                application.early_releases[container_id] = None
            else:
                self._context.log("info", "release of an unknown container", container=container_id)

    def release_recovered(self, container: RMContainer) -> None:
        """Its node has registered again: its AM may have given it back before. It stays in the books until
        the node, which is told to clean it up, reports its end.
        """
        application = self._register.applications.get(container.container_id.application_id)
        if application is None or container.container_id not in application.early_releases:
            return
        del application.early_releases[container.container_id]
        if self._may_be_recovered():
            container.fire(_released(container))

    def _may_be_recovered(self) -> bool:
        context = self._context
        return context.now_ms - context.start_ms < context.settings.node_expiry_ms


def _released(container: RMContainer) -> ContainerReleased:
    return ContainerReleased(status=aborted(container.container_id, RELEASED_CONTAINER))
