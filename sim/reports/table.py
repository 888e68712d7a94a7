"""Results for people: a few lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from yarnbox.sim.reports.result import FAILED, FINISHED, KILLED, REFUSED, SUMMED, WAITING, Result, Summary
from yarnbox.yarn.text.words import aligned, counted

_SHOWN = 5
_MOST_ROWS = 20
_HEAD = ("", "jobs", "mean", "p50", "p90", "p95", "p99")
_MEASURES = ("AM wait", "wait", "response", "slowdown")


def lines(result: Result, patience_min: int) -> Iterator[str]:
    finished, count = result.count(FINISHED), len(result.jobs)
    yield f"{finished} of {counted(count, 'job')} finished within {result.end_ms / 1000:.1f} s"
    if result.dropped:
        yield f"  {counted(result.dropped, 'bad job')} left out"
    for state in (REFUSED, FAILED, KILLED):
        if result.count(state):
            yield f"  {result.count(state)} {state.lower()}"
    if result.stuck:
        why = f"for {patience_min} minutes no container was allocated to any of them"
        yield f"  given up: {result.stuck} jobs wait, and {why}"
    elif result.count(WAITING):
        yield f"  {result.count(WAITING)} still wait"
    absent = result.absent_nodes
    yield from _few((f"node {one}" for one in absent), len(absent), "nodes were sent away")
    states = (REFUSED, FAILED, KILLED)
    told = (f"{job.job}: {job.why}" for job in result.jobs if job.state in states)
    count = sum(map(result.count, states))
    yield from _few(told, count, "did not run to their end" if result.count(FAILED) else "were refused")
    if not finished:
        return
    for key in ("queue", "user", "type", "size"):
        groups = result.by(key)
        if len(groups) > 1 or key == "queue":
            yield ""
            yield from _table(key, groups)
    yield ""
    yield from _sums(result)


def _few(rows: Iterable[str], count: int, others: str) -> Iterator[str]:
    if count:
        yield from (f"  {row}" for row in islice(rows, _SHOWN))
    if count > _SHOWN:
        yield f"  and {count - _SHOWN} more {others}"


def _table(key: str, groups: Mapping[str, Mapping[str, Summary]]) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [(key, *_HEAD)]
    for name, found in list(groups.items())[:_MOST_ROWS]:
        for measure, called in zip(SUMMED, _MEASURES, strict=True):
            one = found[measure]
            values = (one.mean, one.p50, one.p90, one.p95, one.p99)
            shown = (_ratio(value) if measure == "slowdown" else _seconds(value) for value in values)
            rows.append((name, called, str(one.count), *shown))
            name = ""
    yield from aligned(rows, texts=2)
    if len(groups) > _MOST_ROWS:
        yield f"and {len(groups) - _MOST_ROWS} more; --json and --csv have all"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value / 1000:.1f} s"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _sums(result: Result) -> Iterator[str]:
    sums = result.totals.sums
    lost_s = sums["lost_ms"] / 1000
    yield f"containers   {sums['containers']}, {sums['preempted']} preempted, {lost_s:.1f} s of work lost"
    modelled = len(result.jobs) - result.traced
    yield f"fidelity     {counted(result.traced, 'job')} traced, {modelled} modelled"
    placed = sum(result.locality.values())
    if placed:
        shares = ", ".join(
            f"{100 * count / placed:.1f} % {name.replace('_', '-')}"
            for name, count in result.locality.items()
        )
        yield f"locality     {shares}"
    for of in ("queues", "applications"):
        even = result.mean_fairness(of)
        if even is not None:
            yield f"fairness     between {of}: {even:.3f}"
    for part in result.partitions:
        name = part.partition or "default partition"
        yield f"utilization  {name}: {_percent(part.memory)} of memory, {_percent(part.vcores)} of vcores"
    for queue in result.queues[:_MOST_ROWS]:
        yield f"guarantee    {queue.queue}: {_percent(queue.guarantee_used)} of {queue.guarantee_mb} MiB"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
