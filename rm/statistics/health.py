"""What the scheduler did last: the last allocation, release, preemption and reservation, what one run over a
node came to, and how many containers a second it gives.

Told by the doors through which every container comes and goes; decides nothing. A run is one node's
heartbeat. Hadoop: SchedulerHealth, and the containers per second and the delays of ClusterMetrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.statistics.counters import QueueCounters
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer

_PREEMPTED = -102
_SECOND_MS = 1000


DELAYS = ("AMLaunchDelay", "AMRegisterDelay", "AMContainerAllocationDelay")


class Tally:
    """What one run did of a kind."""

    __slots__ = ("count", "resource")

    def __init__(self) -> None:
        self.count = 0
        self.resource: Resource = NONE


class SchedulerHealth:
    """The memory of one scheduler."""

    __slots__ = (
        "_before",
        "_second",
        "_this_second",
        "allocated",
        "assigned",
        "delays",
        "last_allocation",
        "last_preemption",
        "last_release",
        "last_reservation",
        "last_run_ms",
        "preempted",
        "queues",
        "refused",
        "released",
        "reserved",
        "runs",
    )

    def __init__(self) -> None:
        self.last_run_ms = 0
        self.runs = 0
        """Heartbeats of nodes that the scheduler has looked at since the start."""
        self.last_allocation: RMContainer | None = None
        self.last_release: RMContainer | None = None
        self.last_preemption: RMContainer | None = None
        self.last_reservation: RMContainer | None = None
        self.allocated = Tally()
        """In the last run."""
        self.released = Tally()
        self.reserved = Tally()
        self.assigned = 0
        """Containers allocated since the start."""
        self.preempted = 0
        """Containers preempted since the start."""
        self.refused = 0
        """Proposals of containers and reservations that did not pass the commit, since the start."""
        self.queues = QueueCounters()
        """What each queue has given and lost since the start."""
        self.delays = {name: [0, 0] for name in DELAYS}
        """Of each delay the number and the sum in milliseconds."""
        self._second = self._this_second = self._before = 0

    def begin_run(self, now_ms: int) -> None:
        """A node is looked at; what its heartbeat ends and gives belongs to this run."""
        self.last_run_ms = now_ms
        self.runs += 1
        for tally in (self.allocated, self.released, self.reserved):
            if tally.count:
                tally.count, tally.resource = 0, NONE

    def record_allocation(self, container: RMContainer, now_ms: int) -> None:
        """A container was given."""
        self.assigned += 1
        if now_ms // _SECOND_MS != self._second:
            self._turn_second(now_ms)
        self._this_second += 1
        self.last_allocation = container
        allocated, resource = self.allocated, container.resource
        allocated.resource = allocated.resource + resource if allocated.count else resource
        allocated.count += 1
        self.queues.record_allocation(container)

    def record_reservation(self, container: RMContainer) -> None:
        """A node is kept for a container."""
        self.last_reservation = container
        self.reserved.count += 1
        self.reserved.resource = self.reserved.resource + (container.reserved_resource or container.resource)

    def record_end(self, container: RMContainer, exit_status: int) -> None:
        """A container has left the books."""
        self.queues.record_end(container, exit_status)
        if exit_status == _PREEMPTED:
            self.last_preemption = container
            self.preempted += 1
            return
        self.last_release = container
        self.released.count += 1
        self.released.resource = self.released.resource + container.resource

    def record_delay(self, name: str, spent_ms: int) -> None:
        """An AM waited so long."""
        entry = self.delays[name]
        entry[0] += 1
        entry[1] += spent_ms

    def assigned_per_second(self, now_ms: int) -> int:
        """How many containers the last full second gave."""
        self._turn_second(now_ms)
        return self._before

    def _turn_second(self, now_ms: int) -> None:
        second = now_ms // _SECOND_MS
        if second != self._second:
            self._before = self._this_second if second == self._second + 1 else 0
            self._second, self._this_second = second, 0
