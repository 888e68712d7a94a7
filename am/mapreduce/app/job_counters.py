"""The counters of a job: the sums over its tasks, and what the AM counts itself.

Hadoop: JobImpl.getAllCounters and the JobCounter updates of TaskAttemptImpl.
"""

from __future__ import annotations

from collections.abc import Iterable

from yarnbox.am.mapreduce.app.attempt import Attempt
from yarnbox.am.mapreduce.app.task import Task
from yarnbox.am.mapreduce.counters import JOB_COUNTERS, Sums, add


def of_tasks(tasks: Iterable[Task]) -> Sums:
    """The sum of the counters of the attempts that succeeded; of a task that runs, of the furthest one."""
    sums: Sums = {}
    for task in tasks:
        attempt = best_attempt(task)
        if attempt is not None:
            add(sums, attempt.counters)
    return sums


def best_attempt(task: Task) -> Attempt | None:
    """The one that succeeded, else that of those that run which is furthest."""
    if task.successful_attempt is not None:
        return task.attempts[task.successful_attempt]
    running = [task.attempts[attempt_id] for attempt_id in task.live]
    return max(running, key=lambda attempt: attempt.progress, default=None)


def of_job(tasks: Iterable[Task]) -> Sums:
    """The sum over all tasks, and the job's own."""
    listed = list(tasks)
    sums = of_tasks(listed)
    own: dict[str, int] = {}
    for task in listed:
        for attempt in task.attempts.values():
            _count(own, attempt)
    add(sums, {JOB_COUNTERS: own})
    return sums


def _count(own: dict[str, int], attempt: Attempt) -> None:
    def count(name: str, amount: int = 1) -> None:
        own[name] = own.get(name, 0) + amount

    kind = "MAPS" if attempt.id.is_map else "REDUCES"
    if attempt.state.value in ("FAILED", "KILLED"):
        count(f"NUM_{attempt.state.value}_{kind}")
    if not attempt.launched_ms:
        return
    count(f"TOTAL_LAUNCHED_{kind}")
    if attempt.context.is_uber:
        count("TOTAL_LAUNCHED_UBERTASKS")
        count(f"NUM_UBER_SUB{kind}")
        if attempt.state.value == "FAILED":
            count("NUM_FAILED_UBERTASKS")
    if attempt.id.is_map:
        count(_LOCALITY[attempt.locality])
    if attempt.finished_ms:
        millis = attempt.finished_ms - attempt.launched_ms
        count(f"MILLIS_{kind}", millis)
        size = attempt.container.resource if attempt.container is not None else None
        if size is not None:
            slots = -(-size.memory_mb // attempt.context.settings.slot_memory_mb)
            count(f"SLOTS_MILLIS_{kind}", millis * slots)
            count(f"VCORES_MILLIS_{kind}", millis * size.vcores)
            count(f"MB_MILLIS_{kind}", millis * size.memory_mb)


_LOCALITY = {
    "NODE_LOCAL": "DATA_LOCAL_MAPS",
    "RACK_LOCAL": "RACK_LOCAL_MAPS",
    "OFF_SWITCH": "OTHER_LOCAL_MAPS",
}
