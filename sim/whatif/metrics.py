"""The figures of one play that are compared: which there are, what they are measured in, and for whom.

A group is `all`, or one of a scope: `queue:root.etl` (with all jobs below it), `user:mei`, `class:small` (by
number of tasks), `type:SPARK`, `partition:gpu`. Times are milliseconds, shares are from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from statistics import fmean

from yarnbox.sim.recording.fairness import jain
from yarnbox.sim.reports.result import FINISHED, Columns, JobResult, Result, Totals, percentile


class Unit(Enum):
    """What a figure is measured in."""

    TIME = "time"
    SHARE = "share"
    COUNT = "count"
    FACTOR = "factor"


class Better(Enum):
    """Which way a figure is good."""

    LOWER = -1
    NEITHER = 0
    HIGHER = 1


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure."""

    name: str
    unit: Unit
    better: Better
    meaning: str
    scopes: tuple[str, ...] = ("all", "queue", "user", "class", "type")
    """Of which groups there is such a figure."""

    def is_of(self, group: str) -> bool:
        """Whether there is one of that group, `all` or `queue:root.etl`."""
        return group.partition(":")[0] in self.scopes


STATISTICS = ("mean", "p50", "p95", "p99")
_OF_JOBS = (
    ("wait", Unit.TIME, "from submission to the first task"),
    ("response", Unit.TIME, "from submission to the end"),
    ("slowdown", Unit.FACTOR, "response over the least time on the empty cluster"),
)
_WHOLE, _NODES, _QUEUES = ("all",), ("all", "partition"), ("queue",)
METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        *(
            Metric(f"{name}.{statistic}", unit, Better.LOWER, meaning)
            for name, unit, meaning in _OF_JOBS
            for statistic in STATISTICS
        ),
        Metric("jobs", Unit.COUNT, Better.NEITHER, "jobs that were submitted"),
        Metric("unfinished", Unit.COUNT, Better.LOWER, "jobs that did not finish: refused, failed, waiting"),
        Metric("containers", Unit.COUNT, Better.NEITHER, "containers of tasks"),
        Metric("preempted", Unit.COUNT, Better.LOWER, "containers of tasks that were preempted"),
        Metric("lost", Unit.TIME, Better.LOWER, "work lost: time of containers that did not end well"),
        Metric("node-local", Unit.SHARE, Better.HIGHER, "of containers of tasks with data, on its node"),
        Metric("off-switch", Unit.SHARE, Better.LOWER, "of containers of tasks with data, in another rack"),
        Metric("makespan", Unit.TIME, Better.LOWER, "from the first submission to the last end", _WHOLE),
        Metric("utilization", Unit.SHARE, Better.HIGHER, "mean memory used, of what the nodes have", _NODES),
        Metric("utilization.vcores", Unit.SHARE, Better.HIGHER, "the same of vcores", _NODES),
        Metric(
            "guarantee-used",
            Unit.FACTOR,
            Better.NEITHER,
            "mean memory used over the queue's guarantee",
            _QUEUES,
        ),
        Metric(
            "fairness.queues", Unit.SHARE, Better.HIGHER, "Jain's index of the queues' mean slowdowns", _WHOLE
        ),
        Metric(
            "fairness.users", Unit.SHARE, Better.HIGHER, "Jain's index of the users' mean slowdowns", _WHOLE
        ),
    )
}
ALL = "all"
SCOPES = ("queue", "user", "class", "type", "partition")
DEFAULT_METRICS = (
    "wait.mean",
    "wait.p95",
    "response.mean",
    "response.p95",
    "slowdown.mean",
    "unfinished",
    "preempted",
    "lost",
    "node-local",
    "makespan",
    "utilization",
    "fairness.*",
)
Figures = Mapping[str, Mapping[str, float]]
"""By group and metric. What never came about is not in it."""


def figures_of(result: Result) -> dict[str, dict[str, float]]:
    """All figures of a play, groups in order: all, then each scope by name."""
    everybody = _Group()
    scopes: dict[str, dict[str, _Group]] = {scope: {} for scope in ("queue", "user", "class", "type")}
    for job in result.jobs:
        everybody.add(job)
        names = (ancestry(job.queue), (job.user,), (job.size,), (job.type,))
        for groups, mine in zip(scopes.values(), names, strict=True):
            for name in mine:
                groups.setdefault(name, _Group()).add(job)
    found = {ALL: everybody.figures()}
    found[ALL].update(_of_the_whole(result))
    for scope, groups in scopes.items():
        found |= {f"{scope}:{name}": groups[name].figures() for name in sorted(groups)}
    for queue in result.queues:
        if queue.guarantee_used is not None:
            found.setdefault(f"queue:{queue.queue}", {})["guarantee-used"] = queue.guarantee_used
    for part in result.partitions:
        if part.partition and part.memory is not None and part.vcores is not None:
            found[f"partition:{part.partition}"] = {
                "utilization": part.memory,
                "utilization.vcores": part.vcores,
            }
    return found


def ancestry(queue: str) -> list[str]:
    """The queue and all above it but the root, whose jobs are all jobs."""
    parts = queue.split(".")
    return [".".join(parts[:count]) for count in range(2 if len(parts) > 1 else 1, len(parts) + 1)]


class _Group:
    """Jobs whose figures are wanted, looked at one after the other."""

    def __init__(self) -> None:
        self._columns, self._totals = Columns(), Totals()

    def add(self, job: JobResult) -> None:
        self._columns.add(job)
        self._totals.add(job)

    def figures(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, column in (("wait", "wait_ms"), ("response", "response_ms"), ("slowdown", "slowdown")):
            ordered = sorted(map(float, self._columns.values(column)))
            if not ordered:
                continue
            found[f"{name}.mean"] = round(fmean(ordered), 3)
            for share in (50, 95, 99):
                value = percentile(ordered, share)
                assert value is not None
                found[f"{name}.p{share}"] = value
        sums = self._totals.sums
        found["jobs"] = self._totals.jobs
        found["unfinished"] = self._totals.jobs - self._totals.states[FINISHED]
        found["containers"] = sums["containers"]
        found["preempted"] = sums["preempted"]
        found["lost"] = sums["lost_ms"]
        places = self._totals.locality
        placed = sum(places.values())
        if placed:
            found["node-local"] = round(places["node_local"] / placed, 6)
            found["off-switch"] = round(places["off_switch"] / placed, 6)
        return found


def _of_the_whole(result: Result) -> dict[str, float]:
    found: dict[str, float] = {"makespan": result.makespan_ms}
    for part in result.partitions:
        if not part.partition and part.memory is not None and part.vcores is not None:
            found.update({"utilization": part.memory, "utilization.vcores": part.vcores})
    for name, key in (("queues", "queue"), ("users", "user")):
        slowdowns: dict[str, list[float]] = {}
        for job in result.jobs:
            if job.slowdown is not None:
                slowdowns.setdefault(str(getattr(job, key)), []).append(job.slowdown)
        index = jain([fmean(values) for values in slowdowns.values()])
        if index is not None:
            found[f"fairness.{name}"] = round(index, 6)
    return found


_SHORT_MS, _LONG_MS, _VERY_LONG_MS = 100, 10 * 60_000, 10 * 3_600_000
_TINY = 0.0005


def shown(value: float | None, unit: Unit, beside: float | None = None) -> str:
    """A value; one that stands beside a larger one is in the same unit of time."""
    if value is None:
        return "-"
    if unit is Unit.TIME:
        return _span(value, max(abs(value), abs(beside or 0.0)))
    if unit is Unit.SHARE:
        return f"{100 * value:.1f} %"
    if unit is Unit.COUNT:
        return f"{value:.0f}" if value == round(value) else f"{value:.1f}"
    return f"{value:.2f}"


def signed(value: float | None, unit: Unit, beside: float | None = None) -> str:
    if value is None:
        return "-"
    sign = "+" if value > 0 else "-" if value < 0 else "±"
    if unit is Unit.SHARE:
        return f"{sign}{abs(100 * value):.1f} points"
    return sign + shown(abs(value), unit, beside)


def relative(value: float | None) -> str:
    """A part of the base, with its sign."""
    if value is None:
        return "from 0"
    if value and abs(value) < _TINY:
        return f"{100 * value:+.1g} %"
    return f"{100 * value:+.0f} %" if abs(value) >= 0.1 else f"{100 * value:+.1f} %"


def _span(value_ms: float, largest_ms: float) -> str:
    if 0 < largest_ms < _SHORT_MS:
        return f"{value_ms:.3g} ms"
    if largest_ms < _LONG_MS:
        return f"{value_ms / 1000:.1f} s"
    minutes = value_ms / 60_000
    return f"{minutes:.1f} min" if largest_ms < _VERY_LONG_MS else f"{minutes / 60:.1f} h"
