"""Containers that change while they run: another size, another execution type.

What grows waits for its difference like any other request, at its own node and nowhere else: a temporary
container of that size is allocated, and swallowed by the container when the AM takes delivery. That request
outlives the container: what is given for it then is taken back at the next call. What shrinks shrinks with
the answer to the call, whose headroom does not know of it yet. A growth that the AM does not pass on to the
node in time is taken back. Answers for ContainerUpdateContext, the update part of AbstractYarnScheduler and
RMServerUtils' checks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rm.events.container import ContainerAcquireUpdated, ContainerNMDoneChangeResource, ContainerReleased
from rm.events.node import NodeUpdateContainer
from rm.scheduler.asks import ANY, PendingRequest, RequestKey
from rm.scheduler.bookings import COMPLETED, RESIZED, book
from rm.scheduler.statuses import UPDATED_CONTAINER, aborted
from rm.scheduler.usage import charge, refund
from yarn.enums import ContainerUpdateType, ExecutionType
from yarn.ids import ContainerId
from yarn.records.master import UpdateContainerError, UpdateContainerRequest
from yarn.records.request import ResourceRequest
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.scheduler.application import Attempt
    from rm.scheduler.base import Scheduler

INVALID_CONTAINER_ID = "INVALID_CONTAINER_ID"
INCORRECT_CONTAINER_VERSION = "INCORRECT_CONTAINER_VERSION_ERROR"
UPDATE_OUTSTANDING = "UPDATE_OUTSTANDING_ERROR"
OUTSIDE_ALLOWED_RANGE = "RESOURCE_OUTSIDE_ALLOWED_RANGE"
UNKNOWN_VERSION = -1

INCREASE, DECREASE = ContainerUpdateType.INCREASE_RESOURCE, ContainerUpdateType.DECREASE_RESOURCE
PROMOTE, DEMOTE = ContainerUpdateType.PROMOTE_EXECUTION_TYPE, ContainerUpdateType.DEMOTE_EXECUTION_TYPE
ORDER = (PROMOTE, INCREASE, DEMOTE, DECREASE)
"""In which order the updates of one call are served."""


def validate(
    scheduler: Scheduler[Any], asked: Iterable[UpdateContainerRequest], queue: str
) -> tuple[list[UpdateContainerRequest], list[UpdateContainerError]]:
    """The updates that may be served, with sizes rounded as those of requests, and the errors of the others;
    a change to the execution type that it has is passed over.
    """
    maximum = scheduler.queue_maximum_allocation(queue)
    accepted: dict[ContainerId, UpdateContainerRequest] = {}
    errors = []
    for request in asked:
        container = scheduler.container(request.container_id)
        if container is None:
            reason: str | None = INVALID_CONTAINER_ID
        elif container.version != request.container_version:
            reason = INCORRECT_CONTAINER_VERSION
        elif request.container_id in accepted:
            reason = UPDATE_OUTSTANDING
        else:
            reason = _reason_against(request, maximum)
            if reason is None and request.capability is not None:
                size = scheduler.normalize(ResourceRequest(capability=request.capability), queue).capability
                request = replace(request, capability=size)
                reason = _reason_against_direction(request, container)
        if reason is not None:
            version = UNKNOWN_VERSION if container is None else container.version
            errors.append(_error(reason, request, version))
        elif container is not None and _is_to_be_served(request, container):
            accepted[request.container_id] = request
    return list(accepted.values()), errors


def _reason_against(request: UpdateContainerRequest, maximum: Resource) -> str | None:
    if request.update_type in (PROMOTE, DEMOTE):
        return None
    target = request.capability
    if target is None or target.is_negative() or not target.fits_in(maximum):
        return OUTSIDE_ALLOWED_RANGE
    return None


def _reason_against_direction(request: UpdateContainerRequest, container: RMContainer) -> str | None:
    if request.update_type in (PROMOTE, DEMOTE):
        return None
    target = request.capability
    assert target is not None
    grows = request.update_type is INCREASE
    before, after = (container.resource, target) if grows else (target, container.resource)
    return None if before.fits_in(after) else OUTSIDE_ALLOWED_RANGE


def _is_to_be_served(request: UpdateContainerRequest, container: RMContainer) -> bool:
    if request.update_type in (PROMOTE, DEMOTE):
        return request.execution_type is not container.execution_type
    return request.update_type is DECREASE or request.capability != container.resource


def _error(reason: str, request: UpdateContainerRequest, version: int) -> UpdateContainerError:
    return UpdateContainerError(reason=reason, update_request=request, current_container_version=version)


# Serving


def begin(
    scheduler: Scheduler[Any], attempt: Attempt, accepted: list[UpdateContainerRequest]
) -> list[UpdateContainerError]:
    """Serves what can be served at once, books the requests of the rest. The FIFO scheduler serves none."""
    if not scheduler.serves_updates:
        return []
    errors = []
    for kind in ORDER:
        for request in accepted:
            container = scheduler.container(request.container_id)
            if request.update_type is not kind or container is None:
                continue
            if not _gives_way(attempt, request):
                errors.append(_error(UPDATE_OUTSTANDING, request, container.version))
            elif kind in (PROMOTE, INCREASE):
                _ask(attempt, container, request)
            else:
                _shrink(attempt, container, request)
    return errors


def _gives_way(attempt: Attempt, request: UpdateContainerRequest) -> bool:
    """Whether nothing is outstanding for the container, or only a growth that another size may replace.

    See tests/scenarios/requests/increase-replaced.yaml.
    """
    key, outstanding = attempt.outstanding_updates.get(request.container_id, (None, None))
    if key is None:
        return True
    if PROMOTE in (request.update_type, outstanding and outstanding.update_type):
        return False
    if any(one.key == key for one in attempt.newly_allocated):
        return False
    if request.update_type is not DEMOTE:
        attempt.asks.put(key, [PendingRequest(ANY, 0, NONE)])
        del attempt.outstanding_updates[request.container_id]
    return True


def _ask(attempt: Attempt, container: RMContainer, request: UpdateContainerRequest) -> None:
    wanted = container.resource
    if request.update_type is INCREASE:
        assert request.capability is not None
        wanted = request.capability - container.resource
    key = RequestKey(
        container.key.request_priority, container.key.allocation_request_id, container.container_id
    )
    attempt.outstanding_updates[container.container_id] = (key, request)
    node = container.node
    attempt.asks.put(
        key,
        [
            PendingRequest(place, 1, wanted, place == node.host, container.partition)
            for place in (node.host, node.rack, ANY)
        ],
    )


def _shrink(attempt: Attempt, container: RMContainer, request: UpdateContainerRequest) -> None:
    attempt.new_container_id()  # Hadoop's stands for what is given back, and nobody ever sees it
    if request.update_type is DECREASE:
        attempt.shrinking[container.container_id] = request
    else:
        # It stays on its node, which may now end it for a guaranteed one, and costs its queue nothing.
        refund(attempt.path, container.partition, container.resource)
        book(RESIZED, container, -container.resource)
        container.node.set_execution_type(container, ExecutionType.OPPORTUNISTIC)
        container.version += 1
        _tell_node(container)
        attempt.note_updated(container, request.update_type)


def take_back(attempt: Attempt) -> None:
    """What was to shrink in this call, and lives, has its new size; what is left of others goes."""
    for container_id, request in attempt.shrinking.items():
        container = attempt.live.get(container_id)
        if container is not None:
            assert request.capability is not None
            resize(attempt, container, request.capability)
            update = NodeUpdateContainer(
                node_id=container.node_id, container=container.to_record(), is_decrease=True
            )
            container.context.post(update)
            attempt.note_updated(container, DECREASE)
    attempt.shrinking.clear()
    for temporary in attempt.superfluous:
        swallow(attempt, temporary)
    attempt.superfluous.clear()


def _tell_node(container: RMContainer) -> None:
    if container.context.settings.allocation.auto_update_containers:
        container.context.post(
            NodeUpdateContainer(node_id=container.node_id, container=container.to_record())
        )


def swallow(attempt: Attempt, temporary: RMContainer) -> None:
    """The AM takes delivery: the container becomes what it was to become, its temporary one is no more."""
    container_id = temporary.key.update_of
    assert isinstance(container_id, ContainerId)
    container = attempt.live.get(container_id)
    _, request = attempt.outstanding_updates.pop(container_id, (None, None))
    attempt.live.pop(temporary.container_id, None)
    refund(attempt.path, temporary.partition, temporary.resource)
    book(COMPLETED, temporary, -temporary.resource)
    temporary.node.release(temporary.container_id, is_reported_by_node=True)
    temporary.fire(ContainerReleased(status=aborted(temporary.container_id, UPDATED_CONTAINER)))
    if container is None or request is None:
        return
    if request.update_type is PROMOTE:
        container.node.set_execution_type(container, ExecutionType.GUARANTEED)
        charge(attempt.path, container.partition, container.resource)
        book(RESIZED, container, container.resource)
        container.version += 1
    else:
        assert request.capability is not None
        resize(attempt, container, request.capability)
    container.fire(ContainerAcquireUpdated(is_increase=request.update_type is INCREASE))
    attempt.note_updated(container, request.update_type)
    _tell_node(container)


def resize(attempt: Attempt, container: RMContainer, resource: Resource) -> None:
    """Gives a live container another size in all books, and another version."""
    before = container.resource
    is_guaranteed = container.execution_type is ExecutionType.GUARANTEED
    if is_guaranteed:
        refund(attempt.path, container.partition, before, 0)
    container.resource = resource
    container.version += 1
    if is_guaranteed:
        charge(attempt.path, container.partition, resource, 0)
        book(RESIZED, container, resource - before)
        container.node.resize_container(container, before)


def confirm(scheduler: Scheduler[Any], container_id: ContainerId, resource: Resource) -> None:
    """A node has put a container's new size into force."""
    container = scheduler.container(container_id)
    if container is not None:
        container.fire(ContainerNMDoneChangeResource(resource=resource))


def roll_back_increase(scheduler: Scheduler[Any], container: RMContainer) -> None:
    """The AM never told the node of the larger size: back to the last one that the node confirmed."""
    attempt = scheduler.attempt(container.attempt_id)
    if attempt is None or container.resource == container.last_confirmed:
        return
    resize(attempt, container, container.last_confirmed)
    scheduler.context.post(
        NodeUpdateContainer(node_id=container.node_id, container=container.to_record(), is_decrease=True)
    )
