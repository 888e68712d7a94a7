"""A node that shrank below what is on it: who has to go, and when.

The AMs are asked at once to give containers up; what they have not given up when the time is over is killed.
Without a time nobody is asked and nobody is killed. Asking and killing are the scheduler's own events for
preemption, so a scheduler without preemption does neither. Hadoop: the overcommit part of
AbstractYarnScheduler and SchedulerNode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from yarnbox.rm.events.node import NodeResourceUpdate
from yarnbox.rm.events.scheduler import SchedulerMarkContainerForKillable, SchedulerMarkContainerForPreemption
from yarnbox.rm.scheduler.calculator import Calculator
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.resources.resource import NONE

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode


_SHRANK = "the node, which shrank below what is on it"


class Overcommit:
    """Looks at nodes when they are resized and at their heartbeats; the moment of each is in its books."""

    def __init__(self, context: SchedulerContext, calculator: Callable[[], Calculator]) -> None:
        self._context = context
        self._calculator = calculator
        """By which something fits: as Hadoop's, that of Fair and FIFO looks at memory alone."""

    def node_resized(self, node: SchedulerNode, timeout_ms: int) -> None:
        """The node has another size; negative: as long as was said before, or else whoever is on it may stay.

        See tests/scenarios/capacity/overcommit-timeout-stays.yaml.
        """
        if timeout_ms >= 0:
            node.overcommit_until_ms = self._context.now_ms + timeout_ms
        if node.overcommit_until_ms is None:
            return
        if timeout_ms == 0:
            self.kill_if_late(node)
            return
        for container in self._surplus(node):
            self._context.post(
                SchedulerMarkContainerForPreemption(
                    container_id=container.container_id,
                    attempt_id=container.attempt_id,
                    mark=container.preemption_mark(_SHRANK, node.overcommit_until_ms),
                )
            )

    def kill_if_late(self, node: SchedulerNode) -> None:
        """At each heartbeat: whoever is still there when the time is over is killed."""
        until_ms = node.overcommit_until_ms
        if until_ms is None or self._context.now_ms < until_ms:
            return
        for container in self._surplus(node):
            mark = container.preemption_mark(_SHRANK, until_ms)
            event = SchedulerMarkContainerForKillable(container_id=container.container_id, mark=mark)
            self._context.post(event)

    def shrink(self, node: SchedulerNode) -> None:
        """A draining node: its capacity, with the RM and the NodeManager, follows what still is on it."""
        if node.total != node.allocated:
            self._context.post(
                NodeResourceUpdate(node_id=node.node_id, capability=node.allocated, overcommit_timeout_ms=0)
            )

    def _surplus(self, node: SchedulerNode) -> Iterator[RMContainer]:
        """Who has to go: tasks before AMs, opportunistic before guaranteed, the newest first, until it fits.

        See tests/scenarios/fair/fair-overcommit-by-memory.yaml.
        """
        missing, calculator = node.available, self._calculator()
        present = node.in_hash_order()
        present.sort(key=lambda one: one.creation_ms, reverse=True)
        present.sort(key=lambda one: (one.is_am, one.execution_type is ExecutionType.GUARANTEED))
        for container in present:
            if calculator.fits_in(NONE, missing):
                return
            yield container
            missing = missing + container.resource
