"""Containers that change while they run: another size, another execution type.

What grows waits for its difference like any other request, at its own node and nowhere else: a temporary
container of that size is allocated, and becomes part of the container when the AM acquires it. That request
outlives the container: what is given for it then is taken back at the next call. What shrinks shrinks with
the answer to the call, whose headroom does not know of it yet. A growth that the AM does not pass on to the
node in time is taken back. Hadoop: ContainerUpdateContext, the update part of AbstractYarnScheduler and
RMServerUtils' checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from yarnbox.rm.asks import ANY, PendingRequest, RequestKey
from yarnbox.rm.container import RMContainer
from yarnbox.rm.events.container import ContainerNMDoneChangeResource
from yarnbox.rm.events.node import NodeUpdateContainer
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.containers.resizing import resize
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.enums import ContainerUpdateType
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.master import UpdateContainerError, UpdateContainerRequest
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max

A = TypeVar("A", bound=Attempt)

INVALID_CONTAINER_ID = "INVALID_CONTAINER_ID"
INCORRECT_CONTAINER_VERSION = "INCORRECT_CONTAINER_VERSION_ERROR"
UPDATE_OUTSTANDING = "UPDATE_OUTSTANDING_ERROR"
OUTSIDE_ALLOWED_RANGE = "RESOURCE_OUTSIDE_ALLOWED_RANGE"
UNKNOWN_VERSION = -1

INCREASE, DECREASE = ContainerUpdateType.INCREASE_RESOURCE, ContainerUpdateType.DECREASE_RESOURCE
PROMOTE, DEMOTE = ContainerUpdateType.PROMOTE_EXECUTION_TYPE, ContainerUpdateType.DEMOTE_EXECUTION_TYPE
ORDER = (PROMOTE, INCREASE, DEMOTE, DECREASE)
"""In which order the updates of one call are served."""


class ContainerUpdates(Generic[A]):
    """Checks what AMs ask to change, and serves it for one scheduler's applications."""

    def __init__(
        self,
        register: Register[A],
        maximum_in: Callable[[str | None], Resource],
        normalize: Callable[[ResourceRequest, str | None], ResourceRequest],
        *,
        is_served: bool,
    ) -> None:
        self._register = register
        self._maximum_in = maximum_in
        self._normalize = normalize
        self._is_served = is_served

    def validate(
        self, asked: Iterable[UpdateContainerRequest], queue: str
    ) -> tuple[list[UpdateContainerRequest], list[UpdateContainerError]]:
        """The updates that may be served, with sizes rounded as those of requests, and the errors of the
        others; a change to the execution type that it has is passed over.
        """
        maximum = self._maximum_in(queue)
        accepted: dict[ContainerId, UpdateContainerRequest] = {}
        errors = []
        for request in asked:
            container = self._register.container(request.container_id)
            if container is None:
                reason: str | None = INVALID_CONTAINER_ID
            elif container.version != request.container_version:
                reason = INCORRECT_CONTAINER_VERSION
            elif request.container_id in accepted:
                reason = UPDATE_OUTSTANDING
            else:
                reason = _reason_against(request, maximum)
                if reason is None and request.capability is not None:
                    size = self._normalize(ResourceRequest(capability=request.capability), queue).capability
                    request = replace(request, capability=size)
                    reason = _reason_against_direction(request, container)
            if reason is not None:
                version = UNKNOWN_VERSION if container is None else container.version
                errors.append(_error(reason, request, version))
            elif container is not None and _is_to_be_served(request, container):
                accepted[request.container_id] = request
        return list(accepted.values()), errors

    def begin(self, attempt: Attempt, accepted: list[UpdateContainerRequest]) -> list[UpdateContainerError]:
        """Serves what can be served at once, books the requests of the rest. The FIFO scheduler serves
        none.
        """
        if not self._is_served:
            return []
        errors = []
        for kind in ORDER:
            for request in accepted:
                container = self._register.container(request.container_id)
                if request.update_type is not kind or container is None:
                    continue
                if not _may_be_replaced(attempt, request):
                    errors.append(_error(UPDATE_OUTSTANDING, request, 0))  # Hadoop leaves the version out
                elif kind in (PROMOTE, INCREASE):
                    _ask(attempt, container, request)
                else:
                    _shrink(attempt, container, request)
        return errors

    def confirm(self, container_id: ContainerId, resource: Resource) -> None:
        """A node has put a container's new size into force."""
        container = self._register.container(container_id)
        if container is not None:
            container.fire(ContainerNMDoneChangeResource(resource=resource))

    def roll_back_increase(self, container: RMContainer) -> None:
        """The AM never told the node of the larger size: back to the last one that the node confirmed."""
        attempt = self._register.attempt(container.attempt_id)
        if attempt is None or container.resource == container.last_confirmed:
            return
        resize(attempt, container, container.last_confirmed)
        container.context.post(
            NodeUpdateContainer(node_id=container.node_id, container=container.to_record(), is_decrease=True)
        )


def _reason_against(request: UpdateContainerRequest, maximum: Resource) -> str | None:
    """What goes beyond the maximum of a further type is cut to it, like a request."""
    if request.update_type in (PROMOTE, DEMOTE):
        return None
    target = request.capability
    if target is None or not 0 <= target.memory_mb <= maximum.memory_mb:
        return OUTSIDE_ALLOWED_RANGE
    return None if 0 <= target.vcores <= maximum.vcores else OUTSIDE_ALLOWED_RANGE


def _reason_against_direction(request: UpdateContainerRequest, container: RMContainer) -> str | None:
    """A decrease must not ask for more of anything: Hadoop would give it at once, beyond all limits."""
    if request.update_type is not DECREASE:
        return None
    return None if _size_of(request, container).fits_in(container.resource) else OUTSIDE_ALLOWED_RANGE


def _size_of(request: UpdateContainerRequest, container: RMContainer) -> Resource:
    """The size that the update asks for; the present one where it asks for none."""
    return container.resource if request.capability is None else request.capability


def _is_to_be_served(request: UpdateContainerRequest, container: RMContainer) -> bool:
    if request.update_type in (PROMOTE, DEMOTE):
        return request.execution_type is not container.execution_type
    return True


def _error(reason: str, request: UpdateContainerRequest, version: int) -> UpdateContainerError:
    return UpdateContainerError(reason=reason, update_request=request, current_container_version=version)


def _may_be_replaced(attempt: Attempt, request: UpdateContainerRequest) -> bool:
    """Whether nothing is outstanding for the container, or only a growth that another size may replace or,
    where its space is given and its AM has not heard of it, come on top of. Hadoop breaks over a decrease of
    one that its AM is to receive as it grows.

    See tests/scenarios/requests/increase-replaced.yaml and increase-on-top-of-one-that-is-there.yaml.
    """
    if request.update_type in (PROMOTE, INCREASE):
        if request.update_type is PROMOTE and request.container_id in attempt.asked_to_grow:
            return False
        attempt.asked_to_grow[request.container_id] = None
    if request.container_id in attempt.shrinking or request.container_id in attempt.demoting:
        return False
    if request.container_id not in attempt.outstanding_updates:
        return True
    key, _ = attempt.outstanding_updates[request.container_id]
    if request.update_type is not INCREASE and attempt.hands_out_sizes:
        if any(one.key == key for one in attempt.newly_allocated.values()):
            return False
    if request.update_type is not DEMOTE:
        attempt.asks.put(key, [PendingRequest(ANY, 0, NONE)])
        del attempt.outstanding_updates[request.container_id]
    return True


def _ask(attempt: Attempt, container: RMContainer, request: UpdateContainerRequest) -> None:
    wanted = container.resource
    if request.update_type is INCREASE:
        # Of what it asks less of, it keeps what it has.
        wanted = componentwise_max(_size_of(request, container), container.resource) - container.resource
    key = RequestKey(
        container.key.request_priority, container.key.allocation_request_id, container.container_id
    )
    attempt.outstanding_updates[container.container_id] = (key, request)
    if not wanted:
        return
    node = container.node
    attempt.asks.put(
        key,
        [
            PendingRequest(place, 1, wanted, place == node.host, container.label)
            for place in (node.host, node.rack, ANY)
        ],
    )


def _shrink(attempt: Attempt, container: RMContainer, request: UpdateContainerRequest) -> None:
    attempt.new_container_id()  # Hadoop's stands for what is given back, and nobody ever sees it
    if request.update_type is DECREASE:
        attempt.shrinking[container.container_id] = _size_of(request, container)
    else:
        attempt.demoting[container.container_id] = None
