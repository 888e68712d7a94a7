"""One way of routing, played: jobs are routed at every join by what the join before has said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple

from yarnbox.sim.federation.load import Demand, drawn
from yarnbox.sim.federation.policies import POLICIES, Policy, State
from yarnbox.sim.federation.subcluster import Joined, Shape
from yarnbox.sim.federation.workers import Workers
from yarnbox.sim.load.jobs import Job
from yarnbox.sim.reports.result import percentile

LONGEST_MS = 24 * 3600 * 1000
"""A play that takes longer is cut off there."""


class PolicyVariant(NamedTuple):
    """A policy, and how often the sub-clusters say how they are."""

    policy: str
    interval_s: int

    def __str__(self) -> str:
        return f"{self.policy}, {self.interval_s} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Federation:
    """What is played."""

    subclusters: int = 10
    shape: Shape = field(default_factory=Shape)
    demand: Demand
    seed: int = 1


class Moment(NamedTuple):
    """The whole at a join."""

    at_s: float
    busy: float
    """The part of all slots that has a task."""
    waiting: int
    """Tasks that wait."""


class Figures(NamedTuple):
    """What one way came to."""

    jobs: int
    tasks: int
    parts: float
    """Sub-clusters in which a job had tasks, on the mean."""
    mean_response_s: float
    p95_response_s: float
    mean_slowdown: float
    """Response over the time of one task, which is what the job takes when nobody is in its way."""
    mean_wait_s: float
    """Until the first task of a job ran."""
    end_s: float
    """Until all jobs had ended."""
    busy: float
    """The part of all slots at work while jobs came."""
    least_busy: float
    """The same of the sub-cluster that was least busy."""
    most_busy: float
    most_waiting: int
    """Tasks that waited, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One way."""

    way: PolicyVariant
    figures: Figures
    moments: Sequence[Moment]


@dataclass(slots=True)
class _FederatedJob:
    """A job while parts of it run."""

    job: Job
    parts: int
    ended_ms: int = 0
    waited_ms: int = LONGEST_MS
    left: int = 0


class StuckError(Exception):
    """Jobs have not ended within a day."""


def play(federation: Federation, way: PolicyVariant, processes: int, told: Callable[[str], None]) -> Played:
    """One way from the first job to the end of the last one."""
    jobs = drawn(federation.demand, federation.seed)
    run = _Run(federation, way, jobs)
    with Workers(federation.subclusters, federation.shape, federation.seed, processes) as workers:
        while run.is_going:
            run.take(workers.advance(run.routed(), run.until_ms))
            told(f"{way}: {run.until_ms // 1000} s, {run.left} of {len(jobs)} jobs left")
    return Played(way=way, figures=run.figures(), moments=run.moments)


class _Run:
    """What is known from join to join."""

    def __init__(self, federation: Federation, way: PolicyVariant, jobs: Sequence[Job]) -> None:
        slots = federation.shape.nodes * federation.shape.slots
        self._slots, self._count = slots, federation.subclusters
        self._policy: Policy = POLICIES[way.policy]
        self._chance = Random(f"{federation.seed}/{way.policy}")
        self._interval_ms = way.interval_s * 1000
        self._coming_until_ms = round(federation.demand.minutes * 60_000)
        self._jobs, self._next = jobs, 0
        self._states = [State(slots, 0)] * self._count
        self._fates: dict[str, _FederatedJob] = {}
        self._busy_ms: list[list[int]] = []
        self.until_ms = self._interval_ms
        self.moments: list[Moment] = []

    @property
    def left(self) -> int:
        """Jobs that have not ended."""
        return len(self._jobs) - self._next + sum(fate.left > 0 for fate in self._fates.values())

    @property
    def is_going(self) -> bool:
        """Whether anybody still waits."""
        if self.until_ms > LONGEST_MS:
            raise StuckError(f"{self.left} jobs have not ended within a day")
        return self.left > 0 or self.until_ms <= self._coming_until_ms

    def routed(self) -> dict[int, list[Job]]:
        """The jobs that come until the next join, with their sub-clusters."""
        found: dict[int, list[Job]] = {}
        for job in self._coming():
            split = self._policy(job, self._states, self._chance)
            assert sum(split.values()) == job.task_count, split
            assert min(split.values()) > 0, split
            self._fates[job.job_id] = _FederatedJob(job, len(split), left=len(split))
            (task,) = job.tasks
            for number, count in split.items():
                found.setdefault(number, []).append(replace(job, tasks=(replace(task, count=count),)))
        return found

    def _coming(self) -> Iterator[Job]:
        while self._next < len(self._jobs) and self._jobs[self._next].submit_ms < self.until_ms:
            yield self._jobs[self._next]
            self._next += 1

    def take(self, joined: Sequence[Joined]) -> None:
        """What the sub-clusters say at a join."""
        self._states = [one.state for one in joined]
        for ended in (ended for one in joined for ended in one.ended):
            fate = self._fates[ended.job]
            fate.left -= 1
            fate.ended_ms = max(fate.ended_ms, ended.at_ms)
            fate.waited_ms = min(fate.waited_ms, ended.waited_ms)
        free = sum(state.available for state in self._states)
        busy = 1 - free / (self._slots * self._count)
        waiting = sum(state.waiting for state in self._states)
        self.moments.append(Moment(self.until_ms / 1000, busy, waiting))
        if self.until_ms <= self._coming_until_ms:
            self._busy_ms.append([one.busy_ms for one in joined])
        self.until_ms += self._interval_ms

    def figures(self) -> Figures:
        """At the end."""
        fates = list(self._fates.values())
        responses_s = sorted((fate.ended_ms - fate.job.submit_ms) / 1000 for fate in fates)
        slowdowns = [(fate.ended_ms - fate.job.submit_ms) / fate.job.tasks[0].duration_ms for fate in fates]
        passed_ms = len(self._busy_ms) * self._interval_ms
        busy = [busy_ms / (passed_ms * self._slots) for busy_ms in self._busy_ms[-1]]
        return Figures(
            jobs=len(fates),
            tasks=sum(fate.job.task_count for fate in fates),
            parts=_mean([fate.parts for fate in fates]),
            mean_response_s=_mean(responses_s),
            p95_response_s=percentile(responses_s, 95) or 0.0,
            mean_slowdown=_mean(slowdowns),
            mean_wait_s=_mean([fate.waited_ms / 1000 for fate in fates]),
            end_s=max(fate.ended_ms for fate in fates) / 1000,
            busy=_mean(busy),
            least_busy=min(busy),
            most_busy=max(busy),
            most_waiting=max(moment.waiting for moment in self.moments),
        )


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 6)
