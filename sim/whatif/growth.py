"""A load with more, or fewer, jobs in the same time.

Each job comes as often as the factor says: whole times surely, once more by the chance of the remainder. A
copy comes up to MOST_LATER_MS after its original. Chance is each job's own, out of the seed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from yarnbox.sim.load.jobs import Job

MOST_LATER_MS = 60_000


def scaled(jobs: Iterable[Job], factor: float, seed: int) -> list[Job]:
    """The jobs in order of submission."""
    if factor == 1:
        return list(jobs)
    found: list[Job] = []
    for job in jobs:
        chance = Random(f"{seed}/growth/{job.job_id}")
        times = int(factor) + (chance.random() < factor - int(factor))
        for number in range(times):
            found.append(job if number == 0 else _copy(job, number, chance.randrange(MOST_LATER_MS)))
    return sorted(found, key=lambda job: job.submit_ms)


def _copy(job: Job, number: int, later_ms: int) -> Job:
    end_ms = job.end_ms + later_ms if job.end_ms else 0
    return replace(job, job_id=f"{job.job_id}+{number}", submit_ms=job.submit_ms + later_ms, end_ms=end_ms)
