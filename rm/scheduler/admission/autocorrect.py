"""Asks that cross with what was allocated for the asks before them, set right.

An AM that has not been told yet of containers it got asks for them once more. With the property
yarn.resourcemanager.scheduler.autocorrect.container.allocation what waits to be pulled is counted against
the new ask, and what is too many by it expires. Where a request names hosts or racks, each of its lines is
counted by itself. Hadoop: AbstractYarnScheduler.autoCorrectContainerAllocation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from yarnbox.rm.container import RMContainer
from yarnbox.rm.events.container import ContainerEvent, ContainerExpire
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.containers.statuses import EXPIRED_CONTAINER, aborted
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

Kind = tuple[int, int, ExecutionType, Resource]
"""What makes a container the one that was asked for: allocation id, priority, execution type, size."""


class ContainerCompleter(Protocol):
    """Completes containers."""

    def complete_container(
        self, container: RMContainer, status: ContainerStatus, event: ContainerEvent
    ) -> None:
        """Completes a container, whatever the cause."""
        ...


def corrected(
    ending: ContainerCompleter, attempt: Attempt, ask: Iterable[ResourceRequest]
) -> list[ResourceRequest]:
    """The ask without the containers that were allocated since the last call; unchanged where autocorrection
    is off.
    """
    asked = list(ask)
    if not attempt.context.settings.autocorrect_container_allocation or not attempt.newly_allocated:
        return asked
    waiting: dict[Kind, list[RMContainer]] = {}
    for container in attempt.newly_allocated.values():
        waiting.setdefault(_kind_of_container(container), []).append(container)
    too_many: dict[Kind, int] = {}
    for number, request in enumerate(asked):
        kind = _kind_of_request(request)
        missing = (request.num_containers or 0) - len(waiting.get(kind, ()))
        if kind in waiting:
            asked[number] = replace(request, num_containers=max(0, missing))
            if missing < 0:
                too_many[kind] = -missing
    for kind, count in too_many.items():
        for container in waiting[kind][:count]:
            _expire(ending, attempt, container)
    return asked


def _kind_of_container(container: RMContainer) -> Kind:
    key = container.key
    return (key.allocation_request_id, key.request_priority, container.execution_type, container.resource)


def _kind_of_request(request: ResourceRequest) -> Kind:
    wanted = request.execution_type_request
    execution_type = wanted.execution_type if wanted is not None else None
    return (
        request.allocation_request_id,
        request.priority or 0,
        execution_type or ExecutionType.GUARANTEED,
        request.capability or Resource(),
    )


def _expire(ending: ContainerCompleter, attempt: Attempt, container: RMContainer) -> None:
    """Expires a container that its AM has not pulled, without giving its request back."""
    container.lowered = ()
    del attempt.newly_allocated[container.container_id]
    status = aborted(container.container_id, EXPIRED_CONTAINER)
    ending.complete_container(container, status, ContainerExpire(status=status))
