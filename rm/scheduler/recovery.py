"""Containers that a node reports after a restart of the RM: taken over, or to be cleaned up.

Answers for AbstractYarnScheduler.recoverContainersOnNode.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rm.container import RMContainer
from rm.events.container import ContainerRecover
from rm.events.node import NodeCleanupApp, NodeCleanupContainer
from rm.scheduler.asks import RequestKey
from rm.scheduler.bookings import ALLOCATED, book
from rm.scheduler.usage import charge
from yarn.enums import ExecutionType
from yarn.records.tracker import NMContainerStatus
from yarn.resource import NONE

if TYPE_CHECKING:
    from rm.scheduler.base import Scheduler
    from rm.scheduler.node import SchedulerNode


def recover_containers(
    scheduler: Scheduler[Any], node: SchedulerNode, reports: Iterable[NMContainerStatus]
) -> None:
    """Takes over what the node reports, as far as its application and attempt are known and go on."""
    context = scheduler.context
    for report in reports:
        container_id = report.container_id
        assert container_id is not None
        application = scheduler.applications.get(container_id.application_id)
        attempt = application.attempt if application is not None else None
        if application is None or attempt is None:
            context.post(NodeCleanupApp(node_id=node.node_id, application_id=container_id.application_id))
            continue
        if attempt.is_stopped or container_id in attempt.live:
            continue
        owner = container_id.application_attempt_id
        if owner != attempt.attempt_id and not application.keeps_containers:
            context.post(NodeCleanupContainer(node_id=node.node_id, container_id=container_id))
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
        attempt.note_container_id(container_id)
        container.fire(ContainerRecover(report=report))
        if attempt.served_since_ms is None:
            attempt.served_since_ms = context.now_ms
        if container.is_finished:
            continue
        container.is_am = attempt.is_am_container(container_id)
        attempt.live[container_id] = container
        if owner != attempt.attempt_id:
            attempt.newly_recovered.append(container)
        node.allocate(container)
        node.note_launched(container_id)
        if container.execution_type is ExecutionType.GUARANTEED:
            charge(attempt.path, node.partition, container.resource)
            book(ALLOCATED, container, container.resource)
            scheduler.context.health.queues.note_arrival(container)
        if container.is_am:
            attempt.is_waiting_for_am = False
            attempt.book_am(node.partition, container.resource)
        scheduler.container_recovered(container, attempt)
