"""Containers that a node reports after a restart of the RM: taken over, or to be cleaned up.

Hadoop: AbstractYarnScheduler.recoverContainersOnNode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from yarnbox.rm.asks import RequestKey
from yarnbox.rm.booking import ALLOCATED
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.events.container import ContainerRecover
from yarnbox.rm.events.node import NodeCleanupContainer
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.containers.bookings import book
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.enums import ContainerState, ExecutionType
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import NONE

A = TypeVar("A", bound=Attempt)


class ContainerRecovery(Generic[A]):
    """Takes containers over for the attempts of the register."""

    def __init__(
        self,
        context: SchedulerContext,
        register: Register[A],
        on_recovered: Callable[[RMContainer, A], None],
        release_recovered: Callable[[RMContainer], None],
    ) -> None:
        self._context = context
        self._register = register
        self._on_recovered = on_recovered
        self._release_recovered = release_recovered

    def recover(self, node: SchedulerNode, reports: Iterable[NMContainerStatus]) -> None:
        """Takes over what the node reports, as far as its application and attempt are known and go on."""
        context = self._context
        for report in reports:
            container_id = report.container_id
            application = self._register.applications.get(container_id.application_id)
            attempt = application.attempt if application is not None else None
            owner = container_id.application_attempt_id
            if application is None or attempt is None:
                self._end_orphan(node, report)
                continue
            if not application.keeps_containers and (attempt.is_stopped or owner != attempt.attempt_id):
                self._end_orphan(node, report)
                continue
            if attempt.is_stopped or container_id in attempt.live:
                continue
            container = RMContainer(
                context,
                container_id,
                attempt.attempt_id,
                node,
                report.resource or NONE,
                RequestKey(report.priority or 0, report.allocation_request_id),
                application.user,
                str(application.queue),
                report.node_label_expression or "",
                report.execution_type,
            )
            container.creation_ms = report.creation_time or context.now_ms
            container.version = report.version or 0
            container.allocation_tags = report.allocation_tags
            container.fire(ContainerRecover(report=report))
            is_guaranteed = container.execution_type is ExecutionType.GUARANTEED
            if is_guaranteed and attempt.served_since_ms is None:
                attempt.served_since_ms = context.now_ms
            if container.is_finished:
                continue
            container.is_am = attempt.is_am_container(container_id)
            attempt.add_live(container)
            if owner != attempt.attempt_id:
                attempt.newly_recovered.append(container)
            node.allocate(container)
            node.container_launched(container_id)
            if is_guaranteed:
                attempt.charge_recovered(container)
                book(ALLOCATED, container, container.resource)
                context.health.queues.record_arrival(container)
            if container.is_am:
                attempt.is_waiting_for_am = False
                attempt.book_am(node.partition, container.resource)
            self._on_recovered(container, attempt)
            self._release_recovered(container)

    def _end_orphan(self, node: SchedulerNode, report: NMContainerStatus) -> None:
        """Nobody goes on with the container."""
        if report.container_state is not ContainerState.COMPLETE:
            self._context.post(NodeCleanupContainer(node_id=node.node_id, container_id=report.container_id))
