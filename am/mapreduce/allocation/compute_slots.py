"""Copy-compute splitting: a reduce that only copies has a small container; a large one when it computes.

While maps run, reduces are asked for in the size of a copy slot, and few of them. One whose copy is complete
asks to compute: its container is enlarged, the longest waiting first, as many at a time as a node and the job
may have. Where there is no room for that beside its copy, it is given up and starts over in its full size, so
that copies never block one another. Owns who copies, who waits and who computes. Hadoop has nothing like it;
the idea is that of "Job Scheduling for Multi-User MapReduce Clusters" (Zaharia and others, 2009).
"""

from __future__ import annotations

from yarnbox.am.asks import RequestTable
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.effects import Ask, ResizeTask
from yarnbox.am.mapreduce.app.events import AttemptKill, SpeculatorAttemptStart
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.enums import ContainerUpdateType
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.resources.resource import Resource

NOT_YET = 1 << 62
"""To the speculator an attempt that waits has not started: its clock begins when it computes."""


class ComputeSlots:
    """Which reduces of the job copy, wait and compute."""

    def __init__(self, context: Context, asks: RequestTable, full_size: Resource) -> None:
        settings = context.settings.split
        self._settings = settings
        self._context = context
        self._asks = asks
        self._full_size = full_size
        copy_mb = settings.copy_memory_mb or full_size.memory_mb // 4
        self.copy_size = Resource(min(max(copy_mb, 1), full_size.memory_mb), 1)
        self.is_on = settings.split != "off"
        self._copying: dict[TaskAttemptId, Container] = {}
        self._waiting: dict[TaskAttemptId, None] = {}
        self._growing: dict[ContainerId, TaskAttemptId] = {}
        self._computing: dict[TaskAttemptId, NodeId | None] = {}
        self._moved_ms = 0

    @property
    def copying(self) -> int:
        """How many have the small size."""
        return sum(not self._is_full(container) for container in self._copying.values())

    def is_copying(self, attempt_id: TaskAttemptId) -> bool:
        """Whether it has the small size."""
        container = self._copying.get(attempt_id)
        return container is not None and not self._is_full(container)

    def start(self, attempt_id: TaskAttemptId, container: Container) -> None:
        """A reduce has a container of one size or the other."""
        if self.is_on:
            self._copying[attempt_id] = container

    def end(self, attempt_id: TaskAttemptId) -> None:
        """It needs its container no longer; the next one may compute."""
        self._waiting.pop(attempt_id, None)
        self._computing.pop(attempt_id, None)
        container = self._copying.pop(attempt_id, None)
        if container is not None:
            self._growing.pop(container.id, None)
            self._admit()

    def may_compute(self, attempt_id: TaskAttemptId) -> bool:
        """Whether a reduce that has all it is to copy may go on."""
        if not self.is_on:
            return True
        if attempt_id in self._copying and attempt_id not in self._waiting:
            self._waiting[attempt_id] = None
            self._moved_ms = self._moved_ms or self._context.now_ms
            self._context.post(SpeculatorAttemptStart(attempt_id=attempt_id, time_ms=NOT_YET))
            self._admit()
        return attempt_id in self._computing

    def take(self, response: AllocateResponse) -> None:
        """What the RM says of containers that are to grow."""
        for error in response.update_errors:
            request = error.update_request
            if request is not None:
                self._growing.pop(request.container_id, None)  # asked for again below
        for updated in response.updated_containers:
            attempt_id = self._growing.get(updated.container.id)
            if attempt_id is not None and self._is_full(updated.container):
                self._context.order(ResizeTask(attempt_id, updated.container))
        if not self._waiting:
            return
        self._admit()
        self._make_room()

    def resized(self, attempt_id: TaskAttemptId, container: Container) -> None:
        """Its node has enlarged the container."""
        if attempt_id in self._copying:
            self._growing.pop(container.id, None)
            self._copying[attempt_id] = container
            self._compute(attempt_id)

    def _admit(self) -> None:
        """Lets as many as may compute begin to."""
        settings = self._settings
        for attempt_id in self._waiting:
            container = self._copying[attempt_id]
            if attempt_id in self._computing or container.id in self._growing:
                continue
            chosen = [*self._computing, *self._growing.values()]
            if 0 < settings.most_computing <= len(chosen):
                return
            there = sum(self._copying[other].node_id == container.node_id for other in chosen)
            if 0 < settings.most_computing_per_node <= there:
                continue
            if self._is_full(container):
                self._compute(attempt_id)
                continue
            self._growing[container.id] = attempt_id
            self._asks.request_update(
                container, ContainerUpdateType.INCREASE_RESOURCE, capability=self._full_size
            )
            self._context.order(Ask())

    def _compute(self, attempt_id: TaskAttemptId) -> None:
        self._computing[attempt_id] = self._copying[attempt_id].node_id
        self._moved_ms = self._context.now_ms
        self._context.post(SpeculatorAttemptStart(attempt_id=attempt_id, time_ms=self._context.now_ms))

    def _make_room(self) -> None:
        """Where nobody of the job has begun to compute for too long, the last to wait gives its place up."""
        now_ms = self._context.now_ms
        if self._computing or not self._growing or now_ms - self._moved_ms < self._settings.patience_ms:
            return
        self._moved_ms = now_ms
        waited_s = self._settings.patience_ms / 1000
        diagnostics = f"there was no room to compute beside its copy within {waited_s:g} s"
        last = next(reversed(self._growing.values()))
        self._context.post(AttemptKill(attempt_id=last, diagnostics=diagnostics))

    def _is_full(self, container: Container) -> bool:
        return self._full_size.fits_in(container.resource or Resource())
