"""Containers that go on with a further task of the job instead of ending with their first one.

Owns how many tasks each container has begun, and which may begin another. Who follows is the allocator's to
say. Hadoop 1 had the property, for the JVM of a task; from Hadoop 2 on it has no effect. The rules for places
are those of Tez's container reuse: a host, else its rack, and what wants neither.
"""

from __future__ import annotations

from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.node import NodeReport


class Reuse:
    """The containers of one job by their tasks; `most` as in mapreduce.job.jvm.numtasks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: dict[ContainerId, int] = {}
        self._drained: dict[NodeId, None] = {}

    def begin(self, container_id: ContainerId) -> None:
        """A task begins in it, its first one or a further one."""
        self._tasks[container_id] = self._tasks.get(container_id, 0) + 1

    def end(self, container_id: ContainerId) -> None:
        """The container has ended, or is to."""
        self._tasks.pop(container_id, None)

    def look(self, report: NodeReport) -> None:
        """What becomes of a node: one that is being drained gets no further tasks."""
        if report.node_id is None:
            return
        if report.node_state is NodeState.DECOMMISSIONING:
            self._drained[report.node_id] = None
        else:
            self._drained.pop(report.node_id, None)

    def allows(self, container: Container) -> bool:
        """Whether it may go on with one task more."""
        if container.node_id in self._drained:
            return False
        return self._most < 0 or self._tasks.get(container.id, 0) < self._most
