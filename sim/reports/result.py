"""The results of a play as values. What each figure means, with its formula, is in docs/workloads.md.

Times are milliseconds of virtual time; None is what never came about.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from heapq import merge
from itertools import pairwise
from typing import Any

from yarnbox.sim.load.jobs import TRACED

FINISHED, FAILED, KILLED, REFUSED, WAITING = "FINISHED", "FAILED", "KILLED", "REFUSED", "WAITING"
SIZES = ((10, "small"), (100, "medium"), (1000, "large"))
HUGE = "huge"
PERCENTILES = (50, 90, 95, 99)
SUMMED = ("am_wait_ms", "wait_ms", "response_ms", "slowdown")
LOCALITIES = ("node_local", "rack_local", "off_switch")


@dataclass(slots=True, kw_only=True)
class JobResult:
    """What became of one job."""

    job: str
    application: str
    queue: str
    user: str
    type: str
    fidelity: str
    tasks: int
    submitted_ms: int
    traced_start_ms: int
    traced_end_ms: int
    """As the load says."""
    alone_ms: int
    """How long it would take at least with the whole cluster to itself."""
    state: str = WAITING
    why: str = ""
    am_wait_ms: int | None = None
    wait_ms: int | None = None
    """Until its first task ran."""
    ended_ms: int | None = None
    attempts: int = 0
    containers: int = 0
    node_local: int = 0
    rack_local: int = 0
    off_switch: int = 0
    preempted: int = 0
    lost_ms: int = 0
    """What containers had done that did not end well."""

    @property
    def response_ms(self) -> int | None:
        """From submission to end."""
        return None if self.ended_ms is None else self.ended_ms - self.submitted_ms

    @property
    def slowdown(self) -> float | None:
        """Response over what it takes alone."""
        response_ms = self.response_ms
        if response_ms is None or self.state != FINISHED:
            return None
        return round(response_ms / max(self.alone_ms, 1), 3)

    @property
    def size(self) -> str:
        """Its class by number of tasks."""
        return next((name for most, name in SIZES if self.tasks <= most), HUGE)

    def row(self) -> dict[str, Any]:
        """All of it, by column."""
        return {**asdict(self), "response_ms": self.response_ms, "slowdown": self.slowdown, "size": self.size}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Count, mean and percentiles of one figure."""

    count: int
    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Summary:
        """Of those that came about."""
        return cls.of_ordered(sorted(value for value in values if value is not None))

    @classmethod
    def of_ordered(cls, found: Sequence[float]) -> Summary:
        mean = round(sum(found) / len(found), 3) if found else None
        return cls(count=len(found), mean=mean, **{f"p{one}": percentile(found, one) for one in PERCENTILES})


def percentile(ordered: Sequence[float], share: int) -> float | None:
    """The smallest value that so many percent of all do not exceed (nearest rank)."""
    return ordered[-(-share * len(ordered) // 100) - 1] if ordered else None


def in_order(values: array[int] | array[float], at_once: int = 1 << 16) -> Sequence[float]:
    """In ascending order. Of many, only so many at once are objects; all are 16 bytes each meanwhile."""
    if len(values) <= at_once:
        return sorted(values)
    starts = range(0, len(values), at_once)
    runs = [array(values.typecode, sorted(values[start : start + at_once])) for start in starts]
    return array(values.typecode, merge(*runs))


class Totals:
    """Sums over jobs, looked at one after the other."""

    __slots__ = ("first_ms", "jobs", "last_ms", "states", "sums", "traced")

    _SUMMED = ("containers", "preempted", "lost_ms", *LOCALITIES)

    def __init__(self, jobs: Iterable[JobResult] = ()) -> None:
        self.jobs = self.traced = 0
        self.states: Counter[str] = Counter()
        self.sums: dict[str, int] = dict.fromkeys(self._SUMMED, 0)
        self.first_ms: int | None = None
        self.last_ms: int | None = None
        for job in jobs:
            self.add(job)

    def add(self, job: JobResult) -> None:
        self.jobs += 1
        self.traced += job.fidelity == TRACED
        self.states[job.state] += 1
        for name in self._SUMMED:
            self.sums[name] += getattr(job, name)
        if self.first_ms is None or job.submitted_ms < self.first_ms:
            self.first_ms = job.submitted_ms
        if job.ended_ms is not None and (self.last_ms is None or job.ended_ms > self.last_ms):
            self.last_ms = job.ended_ms

    @property
    def makespan_ms(self) -> int:
        """From the first submission to the end of the last job."""
        first_ms = self.first_ms or 0
        return (first_ms if self.last_ms is None else self.last_ms) - first_ms

    @property
    def locality(self) -> dict[str, int]:
        """Containers of tasks with data, by where they lay."""
        return {name: self.sums[name] for name in LOCALITIES}


class Columns:
    """The waits, responses and slowdowns of jobs that came about, each a column of numbers: 32 bytes a job,
    wherever the jobs themselves are.
    """

    __slots__ = ("_columns",)

    def __init__(self, jobs: Iterable[JobResult] = ()) -> None:
        self._columns: dict[str, array[int] | array[float]] = {
            name: array("d") if name == "slowdown" else array("q") for name in SUMMED
        }
        for job in jobs:
            self.add(job)

    def add(self, job: JobResult) -> None:
        for name, column in self._columns.items():
            value = getattr(job, name)
            if value is not None:
                column.append(value)

    def values(self, name: str) -> array[int] | array[float]:
        """Those of one of SUMMED, in the order of the jobs."""
        return self._columns[name]

    def summaries(self) -> dict[str, Summary]:
        return {name: Summary.of_ordered(in_order(one)) for name, one in self._columns.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueResult:
    """A leaf queue over the whole run."""

    queue: str
    guarantee_mb: int
    mean_used_mb: float
    guarantee_used: float | None
    """Mean used over guarantee; above 1 where it had what others left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionResult:
    """A partition over the whole run; its name is "" for the default one."""

    partition: str
    memory: float | None
    """Mean used over what the nodes have."""
    vcores: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeResult:
    """A node over the whole run."""

    node: str
    rack: str
    containers: int
    busy_ms: int
    """Times of its tasks' containers, added up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A leaf queue at one moment."""

    time_ms: int
    queue: str
    used_mb: int
    used_vcores: int
    containers: int
    pending_mb: int = 0
    """Asked for and not allocated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evenness:
    """Fairness at one moment: Jain's index between leaf queues, and between applications."""

    time_ms: int
    queues: float | None
    applications: float | None


@dataclass(slots=True, kw_only=True)
class Result:
    """A whole play."""

    end_ms: int
    seed: int
    scheduler: str
    jobs: Sequence[JobResult]
    """In the order of their submission. They may be in a file: go through them, do not make a list of all."""
    queues: list[QueueResult] = field(default_factory=list)
    partitions: list[PartitionResult] = field(default_factory=list)
    nodes: list[NodeResult] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    fairness: list[Evenness] = field(default_factory=list)
    dropped: int = 0
    """Bad jobs that were left out of the load."""
    stuck: int = 0
    absent_nodes: list[str] = field(default_factory=list)
    _totals: Totals | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def totals(self) -> Totals:
        """Sums over all jobs, made when they are first asked for."""
        if self._totals is None:
            self._totals = Totals(self.jobs)
        return self._totals

    def count(self, state: str) -> int:
        """How many jobs ended, or wait, like that."""
        return self.totals.states[state]

    @property
    def is_complete(self) -> bool:
        """Whether every job finished."""
        return not self.dropped and self.count(FINISHED) == len(self.jobs)

    @property
    def makespan_ms(self) -> int:
        """From the first submission to the end of the last job."""
        return self.totals.makespan_ms

    def by(self, key: str) -> dict[str, dict[str, Summary]]:
        """Waits, responses and slowdowns by `queue`, `user`, `type` or `size`, names in order."""
        groups: dict[str, Columns] = {}
        for job in self.jobs:
            name = getattr(job, key)
            columns = groups.get(name)
            if columns is None:
                columns = groups[name] = Columns()
            columns.add(job)
        return {name: groups[name].summaries() for name in sorted(groups)}

    @property
    def traced(self) -> int:
        """How many jobs' tasks were recorded, not modelled."""
        return self.totals.traced

    def mean_fairness(self, of: str = "queues") -> float | None:
        """Over time, of `queues` or `applications`; moments at which nobody had anything do not count."""
        total = span_ms = 0.0
        for one, after in pairwise(self.fairness):
            value = getattr(one, of)
            if value is not None:
                total += value * (after.time_ms - one.time_ms)
                span_ms += after.time_ms - one.time_ms
        return round(total / span_ms, 4) if span_ms else None

    @property
    def locality(self) -> dict[str, int]:
        """Containers of tasks with data, by where they lay."""
        return self.totals.locality

    def data(self) -> dict[str, Any]:
        """Everything but what each single job did."""

        def plain(groups: Mapping[str, Mapping[str, Summary]]) -> dict[str, Any]:
            return {name: {key: asdict(one) for key, one in found.items()} for name, found in groups.items()}

        sums = self.totals.sums
        return {
            "scheduler": self.scheduler,
            "seed": self.seed,
            "endMs": self.end_ms,
            "makespanMs": self.makespan_ms,
            "jobs": {
                "count": len(self.jobs),
                **{
                    state.lower(): self.count(state) for state in (FINISHED, FAILED, KILLED, REFUSED, WAITING)
                },
                "dropped": self.dropped,
                "modelled": len(self.jobs) - self.traced,
            },
            "containers": sums["containers"],
            "preempted": sums["preempted"],
            "lostMs": sums["lost_ms"],
            "locality": self.locality,
            "fairness": {of: self.mean_fairness(of) for of in ("queues", "applications")},
            "all": {key: asdict(one) for key, one in Columns(self.jobs).summaries().items()},
            "by": {key: plain(self.by(key)) for key in ("queue", "user", "type", "size")},
            "queues": [asdict(one) for one in self.queues],
            "partitions": [asdict(one) for one in self.partitions],
            "absentNodes": self.absent_nodes,
        }
