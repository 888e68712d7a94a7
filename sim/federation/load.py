"""Jobs of queues that are not equally busy, drawn from a seed.

Queue i of n submits in proportion to 1 / (i + 1)^skew. Jobs come as a Poisson process; their tasks are
log-uniform from one to the most, the time of a job's tasks is log-uniform within a factor of four around the
mean. How often jobs come follows from the part of all slots that the load is to keep busy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from random import Random

from yarnbox.sim.load.jobs import Job, Task
from yarnbox.sim.paper.cluster import AM, SLOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What is asked of the whole federation."""

    slots: int
    busy: float = 0.75
    """The part of all slots that the tasks need, on the mean over the minutes in which jobs come."""
    minutes: float = 15.0
    queues: int = 20
    skew: float = 0.5
    """0: all queues are equally busy."""
    most_tasks: int = 5000
    task_s: float = 240.0


_SPREAD = 2.0
"""The shortest tasks take the mean over it, the longest the mean times it, before both are made to fit."""


def drawn(demand: Demand, seed: int) -> list[Job]:
    """The jobs, in order of submission."""
    chance = Random(f"{seed}/federation")
    weights = [1 / (number + 1) ** demand.skew for number in range(demand.queues)]
    until_ms = demand.minutes * 60_000
    gap_ms = _mean_tasks(demand.most_tasks) * demand.task_s * 1000 / (demand.busy * demand.slots)
    found: list[Job] = []
    now_ms = chance.expovariate(1 / gap_ms)
    while now_ms < until_ms:
        (queue,) = chance.choices(range(demand.queues), weights)
        found.append(_job(len(found), round(now_ms), queue, demand, chance))
        now_ms += chance.expovariate(1 / gap_ms)
    return found


def _job(number: int, at_ms: int, queue: int, demand: Demand, chance: Random) -> Job:
    count = round(exp(chance.uniform(0.0, log(demand.most_tasks))))
    spread = exp(chance.uniform(-log(_SPREAD), log(_SPREAD)))
    mean_spread = (_SPREAD - 1 / _SPREAD) / (2 * log(_SPREAD))
    duration_ms = round(1000 * demand.task_s * spread / mean_spread)
    name = f"q{queue:02d}"
    return Job(
        job_id=f"j{number:05d}",
        submit_ms=at_ms,
        queue=f"root.{name}",
        user=name,
        tasks=(Task(count=count, duration_ms=duration_ms, resource=SLOT),),
        am_resource=AM,
    )


def _mean_tasks(most: int) -> float:
    """Of the log-uniform distribution from 1."""
    return (most - 1) / log(most) if most > 1 else 1.0
