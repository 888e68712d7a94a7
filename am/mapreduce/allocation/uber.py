"""Uber mode: a job so small that its AM runs it in its own container, one task after the other.

Owns when a job is that small, what it then does without, and the order: all maps, then the reduce. Hadoop:
JobImpl.makeUberDecision and LocalContainerAllocator.
"""

from __future__ import annotations

from dataclasses import replace

from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.events import (
    AttemptAssigned,
    ContainerDeallocated,
    ContainerEvent,
    ContainerRequested,
)
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.master import AllocateResponse


def is_small(settings: JobSettings, maps: int, input_bytes: int) -> bool:
    """Whether the job may run in its AM's container: few tasks, little input, none larger than that."""
    if not settings.uber_enabled:
        return False
    memory_mb = max(settings.map_memory_mb, settings.reduce_memory_mb if settings.reduces else 0)
    vcores = max(settings.map_vcores, settings.reduce_vcores if settings.reduces else 0)
    return (
        maps <= settings.uber_maps
        and settings.reduces <= settings.uber_reduces
        and input_bytes <= (settings.uber_bytes or settings.block_bytes)
        and memory_mb <= settings.am_memory_mb
        and vcores <= settings.am_vcores
        and not settings.cache_archives
    )


def one_by_one(settings: JobSettings) -> JobSettings:
    """The job's properties when its tasks run one by one: each has a single attempt."""
    alone = replace(settings.speculation, map_speculative=False, reduce_speculative=False)
    return replace(settings, slowstart=1.0, map_attempts=1, reduce_attempts=1, speculation=alone)


class UberAllocator:
    """Gives the AM's own container to one attempt after the other, to reduces when no map wants it."""

    def __init__(self, context: Context, own: Container) -> None:
        self._context = context
        self._own = own
        self._waiting: list[TaskAttemptId] = []
        self._current: TaskAttemptId | None = None
        self.blacklisted: tuple[str, ...] = ()  # nothing is asked for, nowhere is avoided

    def handle(self, event: ContainerEvent) -> None:
        """Takes an event of the attempts."""
        if isinstance(event, ContainerRequested):
            self._waiting.append(event.attempt_id)
        elif isinstance(event, ContainerDeallocated):
            if event.attempt_id == self._current:
                self._current = None
            elif event.attempt_id in self._waiting:
                self._waiting.remove(event.attempt_id)
        if self._current is None and self._waiting:
            self._current = min(self._waiting, key=lambda attempt_id: not attempt_id.is_map)
            self._waiting.remove(self._current)
            self._context.post(AttemptAssigned(attempt_id=self._current, container=self._own))

    def may_compute(self, _attempt_id: TaskAttemptId) -> bool:
        """The one that runs may."""
        return True

    def pass_on(self, _attempt_id: TaskAttemptId, _shuffle_port: int) -> TaskAttemptId | None:
        """Each task here has a process of its own."""
        return None

    def take(self, response: AllocateResponse) -> None:
        """The RM has nothing to say to a job that asks for nothing."""
