"""What can be counted of a past job from the events of its tasks, where no AM has counted it: its last one
died, or came when all was done.
"""

from __future__ import annotations

from typing import Any

from yarnbox.am.mapreduce.counters import JOB_COUNTERS, Sums, add
from yarnbox.am.mapreduce.history.parsed import PastJob

_ENDS = (("finished", "SUCCEEDED"), ("failed", "FAILED"), ("killed", "KILLED"))


def ended_tasks(past: PastJob) -> dict[str, int]:
    """`finishedMaps` and its kin. What had not ended is counted by none of them."""
    return {
        f"{name}{kind}": sum(one.type == type_ and one.state == state for one in past.tasks.values())
        for name, state in _ENDS
        for kind, type_ in (("Maps", "MAP"), ("Reduces", "REDUCE"))
    }


def task_counters(past: PastJob, *types: str) -> Sums:
    """The sum over the tasks of these types that have succeeded."""
    sums: Sums = {}
    for one in past.tasks.values():
        if one.type in types and one.state == "SUCCEEDED":
            add(sums, one.counters)
    return sums


def job_counters(past: PastJob) -> Sums:
    """The sum over all tasks, and how many attempts there were and how they ended."""
    sums = task_counters(past, "MAP", "REDUCE")
    own: dict[str, int] = {}
    for one in past.tasks.values():
        kind = f"{one.type}S"
        for each in one.attempts.values():
            own[f"TOTAL_LAUNCHED_{kind}"] = own.get(f"TOTAL_LAUNCHED_{kind}", 0) + 1
            if each.state in ("FAILED", "KILLED"):
                own[f"NUM_{each.state}_{kind}"] = own.get(f"NUM_{each.state}_{kind}", 0) + 1
    add(sums, {JOB_COUNTERS: own})
    return sums


def at_the_end(past: PastJob) -> dict[str, Any]:
    """All of it, as fields of the job's last event."""
    return {
        **ended_tasks(past),
        "totalCounters": job_counters(past),
        "mapCounters": task_counters(past, "MAP"),
        "reduceCounters": task_counters(past, "REDUCE"),
    }
