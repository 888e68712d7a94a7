"""A container takes its new size or execution type: in the books of its attempt and of its node.

Who may change, and when, is said in updates.py. Hadoop: ContainerUpdateContext.swapContainer and the part
of SchedulerApplicationAttempt that hands out changed containers.
"""

from __future__ import annotations

from typing import Protocol

from yarnbox.rm.asks import Asks, RequestKey
from yarnbox.rm.booking import COMPLETED, RESIZED
from yarnbox.rm.container import RMContainer
from yarnbox.rm.events.container import ContainerAcquireUpdated, ContainerReleased
from yarnbox.rm.events.node import NodeUpdateContainer
from yarnbox.rm.scheduler.containers.bookings import book
from yarnbox.rm.scheduler.containers.statuses import UPDATED_CONTAINER, aborted
from yarnbox.rm.scheduler.usage import Path, change_killable, charge, refund
from yarnbox.yarn.enums import ContainerUpdateType, ExecutionType
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.master import UpdateContainerRequest
from yarnbox.yarn.resources.resource import Resource


class ChangingAttempt(Protocol):
    """An attempt, as far as its containers change."""

    path: Path
    live: dict[ContainerId, RMContainer]
    asks: Asks
    outstanding_updates: dict[ContainerId, tuple[RequestKey, UpdateContainerRequest]]
    asked_to_grow: dict[ContainerId, None]
    shrinking: dict[ContainerId, Resource]
    demoting: dict[ContainerId, None]
    superfluous: list[RMContainer]

    def report_update(self, container: RMContainer, kind: ContainerUpdateType) -> None:
        """The AM is to be told of the container's new shape."""
        ...


def apply_decreases(attempt: ChangingAttempt) -> None:
    """Gives live containers the smaller sizes that this call asked for; the headroom of the answer is that of
    before. Hadoop: SchedulerApplicationAttempt.pullNewlyDecreasedContainers.
    """
    for container_id, size in attempt.shrinking.items():
        container = attempt.live.get(container_id)
        if container is not None:
            resize(attempt, container, size)
            update = NodeUpdateContainer(
                node_id=container.node_id, container=container.to_record(), is_decrease=True
            )
            container.context.post(update)
            attempt.report_update(container, ContainerUpdateType.DECREASE_RESOURCE)
    attempt.shrinking.clear()


def end_superfluous(attempt: ChangingAttempt) -> None:
    """Ends temporary containers that are needed no more."""
    for temporary in attempt.superfluous:
        swap_container(attempt, temporary)
    attempt.superfluous.clear()


def apply_demotions(attempt: ChangingAttempt) -> None:
    """Demotes live containers of which this call asked for that; the headroom of the answer is that of
    before. Hadoop: SchedulerApplicationAttempt.pullNewlyDemotedContainers.
    """
    for container_id in attempt.demoting:
        container = attempt.live.get(container_id)
        if container is not None:
            _demote(attempt, container)
    attempt.demoting.clear()


def _demote(attempt: ChangingAttempt, container: RMContainer) -> None:
    """It stays on its node, which may now end it for a guaranteed one, and costs its queue nothing."""
    refund(attempt.path, container.partition, container.resource)
    book(RESIZED, container, -container.resource)
    container.node.set_execution_type(container, ExecutionType.OPPORTUNISTIC)
    container.version += 1
    notify_node(container)
    attempt.report_update(container, ContainerUpdateType.DEMOTE_EXECUTION_TYPE)


def swap_container(attempt: ChangingAttempt, temporary: RMContainer) -> None:
    """The AM acquires an update: the container takes the new size or execution type, and the temporary
    container that reserved the difference ends (Hadoop: ContainerUpdateContext.swapContainer)."""
    container_id = temporary.key.update_of
    assert isinstance(container_id, ContainerId)
    container = attempt.live.get(container_id)
    _, request = attempt.outstanding_updates.get(container_id, (None, None))
    asks = attempt.asks.key_asks(temporary.key)
    if asks is None or not asks.outstanding:
        attempt.outstanding_updates.pop(container_id, None)
    attempt.live.pop(temporary.container_id, None)
    refund(attempt.path, temporary.partition, temporary.resource)
    book(COMPLETED, temporary, -temporary.resource)
    temporary.node.release(temporary.container_id, is_reported_by_node=True)
    temporary.fire(ContainerReleased(status=aborted(temporary.container_id, UPDATED_CONTAINER)))
    if container is None or request is None:
        return
    if request.update_type is ContainerUpdateType.PROMOTE_EXECUTION_TYPE:
        attempt.asked_to_grow.pop(container_id, None)
        container.node.set_execution_type(container, ExecutionType.GUARANTEED)
        charge(attempt.path, container.partition, container.resource)
        book(RESIZED, container, container.resource)
        container.version += 1
    else:
        resize(attempt, container, container.resource + temporary.resource)
    container.fire(
        ContainerAcquireUpdated(is_increase=request.update_type is ContainerUpdateType.INCREASE_RESOURCE)
    )
    attempt.report_update(container, request.update_type)
    notify_node(container)


def resize(attempt: ChangingAttempt, container: RMContainer, resource: Resource) -> None:
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
    if container.is_killable:
        change_killable(attempt.path, container.partition, resource - before)


def notify_node(container: RMContainer) -> None:
    """Lets the node know what the container is now, where the RM does that."""
    if container.context.settings.allocation.auto_update_containers:
        container.context.post(
            NodeUpdateContainer(node_id=container.node_id, container=container.to_record())
        )
