"""A node that shrank below what is on it: who has to go, and when.

The AMs are asked at once to give containers up; what they have not given up when the time is over is killed.
Without a time nobody is asked and nobody is killed. Asking and killing are the scheduler's own events for
preemption, so a scheduler without preemption does neither. Answers for the overcommit part of
AbstractYarnScheduler and SchedulerNode.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rm.events.node import NodeResourceUpdate
from rm.events.scheduler import SchedulerMarkContainerForKillable, SchedulerMarkContainerForPreemption
from yarn.enums import ExecutionType
from yarn.resource import Resource

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.scheduler.base import Scheduler
    from rm.scheduler.node import SchedulerNode


def node_resized(scheduler: Scheduler[Any], node: SchedulerNode, timeout_ms: int) -> None:
    """The node has another size; negative: whoever is on it may stay as long as he likes."""
    if timeout_ms < 0:
        node.overcommit_until_ms = None
        return
    node.overcommit_until_ms = scheduler.context.now_ms + timeout_ms
    if timeout_ms == 0:
        kill_if_late(scheduler, node)
        return
    for container in _surplus(node):
        scheduler.context.post(
            SchedulerMarkContainerForPreemption(
                container_id=container.container_id, attempt_id=container.attempt_id
            )
        )


def kill_if_late(scheduler: Scheduler[Any], node: SchedulerNode) -> None:
    """At each heartbeat: whoever is still there when the time is over is killed."""
    until_ms = node.overcommit_until_ms
    if until_ms is None or scheduler.context.now_ms < until_ms:
        return
    for container in _surplus(node):
        scheduler.context.post(SchedulerMarkContainerForKillable(container_id=container.container_id))


def shrink(scheduler: Scheduler[Any], node: SchedulerNode) -> None:
    """A draining node: its capacity, the RM's and the NodeManager's alike, follows what still is on it."""
    if node.total != node.allocated:
        scheduler.context.post(
            NodeResourceUpdate(node_id=node.node_id, capability=node.allocated, overcommit_timeout_ms=0)
        )


def _surplus(node: SchedulerNode) -> Iterator[RMContainer]:
    """Who has to go: tasks before AMs, opportunistic before guaranteed, the newest first, until it fits."""
    missing = node.available
    launched = [node.containers[one] for one in node.launched if one in node.containers]
    launched.sort(key=lambda one: one.creation_ms, reverse=True)
    launched.sort(key=lambda one: (one.is_am, one.execution_type is ExecutionType.GUARANTEED))
    for container in launched:
        if not _is_overcommitted(missing):
            return
        yield container
        missing = missing + container.charged


def _is_overcommitted(available: Resource) -> bool:
    return available.is_negative()
