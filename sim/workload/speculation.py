"""Speculative execution: which running attempt gets a second one, by Hadoop's speculator or by LATE.

Both see what an AM sees of attempts that progress evenly: when each will end if it goes on like that. A
reduce that still waits for maps is left alone: its waiting says nothing of its speed. Hadoop:
DefaultSpeculator with LegacyTaskRuntimeEstimator; Zaharia, Konwinski, Joseph, Katz, Stoica: "Improving
MapReduce Performance in Heterogeneous Environments", OSDI 2008.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from yarnbox.yarn.ids import ContainerId

HADOOP, LATE = "hadoop", "late"
PAUSE_MS = 15_000
"""After an attempt was added: `mapreduce.job.speculative.retry-after-speculate`."""
_ALLOWED_TASKS, _CAP_TOTAL, _CAP_RUNNING = 10, 0.01, 0.1
_LEAST_SHARE_DONE = 0.05
_LATE_PERCENTILE = 25
_LATE_LEAST_AGE_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A running attempt that is nobody's second one."""

    container_id: ContainerId
    started_ms: int
    ends_ms: int
    """If it goes on as it does."""
    is_doubled: bool
    """Whether its task has a second attempt, running or asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """The tasks of one type of a job."""

    total: int
    done: int
    spent_ms: int
    """By the attempts that ended well, together."""
    attempts: Sequence[Attempt]
    containers: int
    """That the job has, of both types."""


def by_hadoop(tasks: Tasks, now_ms: int) -> ContainerId | None:
    """The attempt whose end a new one of mean duration would be before by most."""
    if tasks.done < 1 or tasks.done / tasks.total < _LEAST_SHARE_DONE:
        return None
    already = sum(one.is_doubled for one in tasks.attempts)
    allowed = max(_ALLOWED_TASKS, int(_CAP_TOTAL * tasks.total), int(_CAP_RUNNING * len(tasks.attempts)))
    if already >= allowed:
        return None
    replacement_ms = now_ms + tasks.spent_ms / tasks.done
    late = [one for one in tasks.attempts if not one.is_doubled and one.ends_ms > replacement_ms]
    return max(late, key=lambda one: one.ends_ms).container_id if late else None


def by_late(tasks: Tasks, now_ms: int) -> ContainerId | None:
    """Of the slowest quarter the attempt that ends last, while few have a second one."""
    already = sum(one.is_doubled for one in tasks.attempts)
    if already >= max(1, int(_CAP_RUNNING * tasks.containers)):
        return None
    rates = sorted(1 / max(1, one.ends_ms - one.started_ms) for one in tasks.attempts)
    if not rates:
        return None
    threshold = rates[-(-_LATE_PERCENTILE * len(rates) // 100) - 1]
    slow = [
        one
        for one in tasks.attempts
        if not one.is_doubled
        and now_ms - one.started_ms >= _LATE_LEAST_AGE_MS
        and one.ends_ms > now_ms
        and 1 / max(1, one.ends_ms - one.started_ms) <= threshold
    ]
    return max(slow, key=lambda one: one.ends_ms).container_id if slow else None


CHOICES: Mapping[str, Callable[[Tasks, int], ContainerId | None]] = {HADOOP: by_hadoop, LATE: by_late}
