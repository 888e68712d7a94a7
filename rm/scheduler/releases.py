"""Containers that nobody wants any more: given back by their AM, or acquired and never started.

Answers for the release and expiry part of AbstractYarnScheduler.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rm.events.container import ContainerExpire, ContainerReleased
from rm.events.scheduler import SchedulerContainerExpired, SchedulerReleaseContainer
from rm.scheduler.statuses import EXPIRED_CONTAINER, RELEASED_CONTAINER, aborted
from rm.scheduler.updates import roll_back_increase
from yarn.ids import ContainerId

if TYPE_CHECKING:
    from rm.scheduler.base import Scheduler


def expire(scheduler: Scheduler[Any], event: SchedulerContainerExpired) -> None:
    """CONTAINER_EXPIRED: acquired and never started; or an increase that was not confirmed in time."""
    container = scheduler.container(event.container_id)
    if container is None:
        return
    if event.is_increase:
        roll_back_increase(scheduler, container)
        return
    status = aborted(container.container_id, EXPIRED_CONTAINER)
    scheduler.complete_container(container, status, ContainerExpire(status=status))


def release(scheduler: Scheduler[Any], event: SchedulerReleaseContainer) -> None:
    """RELEASE_CONTAINER."""
    if scheduler.container(event.container_id) is not None:
        release_all(scheduler, [event.container_id])


def release_all(scheduler: Scheduler[Any], containers: Iterable[ContainerId]) -> None:
    """What an AM does not want any more."""
    for container_id in containers:
        container = scheduler.container(container_id)
        if container is None:
            scheduler.context.log("info", "release of an unknown container", container=container_id)
            continue
        status = aborted(container_id, RELEASED_CONTAINER)
        scheduler.complete_container(container, status, ContainerReleased(status=status))
