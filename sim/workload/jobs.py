"""A job of a workload: when it is submitted, by whom, where, and its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from yarn.resource import Resource


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """So many equal tasks."""

    count: int
    duration_ms: int
    resource: Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A MapReduce job: all maps, and when they have ended, all reduces."""

    job_id: str
    submit_ms: int
    queue: str = "default"
    user: str = "default"
    am_resource: Resource
    maps: TaskGroup
    reduces: TaskGroup

    @property
    def tasks(self) -> int:
        """How many there are."""
        return self.maps.count + self.reduces.count


class InvalidTraceError(Exception):
    """The trace cannot be read; the message names file and line."""


def work_ms(jobs: Sequence[Job]) -> int:
    """The time that all tasks take together, one after the other."""
    return sum(group.count * group.duration_ms for job in jobs for group in (job.maps, job.reduces))
