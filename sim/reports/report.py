"""The results of a play as one page of HTML: figures, charts over time, distributions, tables."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter

from yarnbox.sim.reports.html.axes import Point, moment_text, percent_text, span_text, thinned
from yarnbox.sim.reports.html.charts import (
    MOST_MOMENTS,
    Bars,
    Series,
    bar_chart,
    distribution_chart,
    time_chart,
)
from yarnbox.sim.reports.html.page import Column, figures, page, section, side_by_side, table
from yarnbox.sim.reports.result import (
    FINISHED,
    SUMMED,
    Columns,
    JobResult,
    Result,
    Summary,
    Totals,
    in_order,
)
from yarnbox.yarn.drawing.markup import Html, element

MOST_SERIES, MOST_ROWS, MOST_NODES = 8, 50, 30
_MEASURES = dict(
    zip(SUMMED, ("wait for the AM", "wait for a container", "response", "slowdown"), strict=True)
)
_TIMES = ("am_wait_ms", "wait_ms", "response_ms")
_MEANINGS = (
    ("wait for the AM", "launch of the first AM - submission"),
    ("wait for a container", "start of the first task - submission"),
    ("response", "end - submission"),
    ("slowdown", "response / the least time that the job takes on the empty cluster; of finished jobs"),
    ("percentile p", "of n values in order the one at place p n / 100, rounded up"),
    (
        "use of a guarantee",
        "integral of used memory over time / (time x guarantee); above 100 % with idle shares",
    ),
    ("utilization", "integral of used over time / integral of what the partition's nodes have"),
    (
        "fairness",
        "Jain's index of what each has over what max-min sharing by weight would give it; 1 is even",
    ),
    ("work lost", "time of the containers that did not end with status 0"),
)


def report(result: Result, title: str, about: str = "") -> str:
    """The text of the page."""
    said = f"{result.scheduler}, seed {result.seed}"
    return page(
        title,
        _summary(result),
        _unfinished(result),
        section("Over time", _over_time(result)),
        section(
            "Waits and responses",
            _distributions(result),
            about="The share of jobs that waited at most so long.",
        ),
        *(_groups(result, key) for key in ("queue", "user", "type", "size")),
        section("Queues", _queues(result), _locality(result)),
        section("Nodes", _nodes(result)),
        section("What the figures mean", table(_WORDS, _MEANINGS)),
        about=f"{about}, {said}" if about else said,
    )


_WORDS = (Column("figure", is_number=False), Column("meaning", is_number=False))


def _summary(result: Result) -> Html:
    waits, sums = Columns(result.jobs).summaries(), result.totals.sums
    boxes = [
        ("jobs finished", f"{result.count(FINISHED)} of {len(result.jobs)}"),
        ("from first submission to last end", moment_text(result.makespan_ms)),
        ("wait for a container, p95", _cell("wait_ms", waits["wait_ms"].p95) or "-"),
        ("response, p95", _cell("response_ms", waits["response_ms"].p95) or "-"),
        ("slowdown, mean", _cell("slowdown", waits["slowdown"].mean) or "-"),
        ("containers", sums["containers"]),
        ("preempted", sums["preempted"]),
        ("work lost", span_text(sums["lost_ms"])),
        ("traced, modelled", f"{result.traced}, {len(result.jobs) - result.traced}"),
    ]
    for part in result.partitions:
        if part.memory is not None:
            boxes.append((f"memory used, {part.partition or 'default partition'}", percent_text(part.memory)))
    if result.mean_fairness() is not None:
        boxes.append(("fairness between queues, mean", f"{result.mean_fairness():.3f}"))
    return figures(boxes)


def _unfinished(result: Result) -> Html | None:
    count = len(result.jobs) - result.count(FINISHED)
    if not count:
        return None
    unfinished = (job for job in result.jobs if job.state != FINISHED)
    rows = [(job.job, job.queue, job.user, job.state, job.why) for job in islice(unfinished, MOST_ROWS)]
    columns = [Column(name, is_number=False) for name in ("job", "queue", "user", "state", "why")]
    more = f"The first {MOST_ROWS} of {count}." if count > MOST_ROWS else ""
    return section("Jobs that did not finish", table(columns, rows), about=more)


def _over_time(result: Result) -> Html:
    used: dict[str, list[tuple[float, float | None]]] = {}
    pending: dict[str, list[tuple[float, float | None]]] = {}
    for sample in result.samples:
        used.setdefault(sample.queue, []).append((sample.time_ms, sample.used_mb / 1024))
        pending.setdefault(sample.queue, []).append((sample.time_ms, sample.pending_mb / 1024))
    shown = _largest(result)
    even = [
        Series(name, [(one.time_ms, getattr(one, name)) for one in result.fairness])
        for name in ("queues", "applications")
    ]
    return side_by_side(
        time_chart("Memory used by queues, GiB", [Series(name, used[name]) for name in shown]),
        time_chart(
            "Memory asked for and not allocated, GiB", [Series(name, pending[name]) for name in shown]
        ),
        time_chart("Fairness between", even, top=1.0),
        time_chart("Jobs", _jobs_over_time(result.jobs)),
    )


def _largest(result: Result) -> list[str]:
    """The queues that are shown in charts, by name: each has one colour in all of them."""
    most: dict[str, int] = {}
    for sample in result.samples:
        most[sample.queue] = max(most.get(sample.queue, 0), sample.used_mb)
    return sorted(sorted(most, key=lambda name: -most[name])[:MOST_SERIES])


def _jobs_over_time(jobs: Iterable[JobResult]) -> list[Series]:
    """How many have been submitted and have not ended; how many of them wait for their first container."""
    submitted, began, ended = array("q"), array("q"), array("q")
    for job in jobs:
        if job.ended_ms is not None:
            submitted.append(job.submitted_ms)
            began.append(job.ended_ms if job.wait_ms is None else job.submitted_ms + job.wait_ms)
            ended.append(job.ended_ms)
    return [
        Series("living", _count_over_time(submitted, ended)),
        Series("waiting for the first container", _count_over_time(submitted, began)),
    ]


def _count_over_time(more: array[int], less: array[int]) -> list[Point]:
    """How many there are after each moment at which one came or went."""
    return thinned(_counts(more, less), len(more) + len(less), MOST_MOMENTS)


def _counts(more: array[int], less: array[int]) -> Iterator[Point]:
    count = 0
    changes = merge(((moment, 1) for moment in in_order(more)), ((moment, -1) for moment in in_order(less)))
    for moment, here in groupby(changes, key=itemgetter(0)):
        count += sum(change for _, change in here)
        yield moment, count


def _distributions(result: Result) -> Html:
    queues = {name: Columns() for name in _largest(result)}
    for job in result.jobs:
        if job.queue in queues:
            queues[job.queue].add(job)
    return side_by_side(
        *(
            distribution_chart(
                _MEASURES[measure].capitalize(),
                [(name, in_order(columns.values(measure))) for name, columns in queues.items()],
            )
            for measure in ("wait_ms", "response_ms")
        )
    )


def _groups(result: Result, key: str) -> Html | None:
    groups = result.by(key)
    if len(groups) < 2 and key != "queue":
        return None
    columns = [
        Column(key, is_number=False),
        Column("measure", is_number=False),
        *map(Column, ("jobs", "mean", "p50", "p90", "p95", "p99")),
    ]
    shown = list(groups)[:MOST_ROWS]
    rows = [row for name in shown for row in _rows(name, groups[name])]
    bars = [
        Bars(f"{_MEASURES[measure]}, p95", [groups[name][measure].p95 for name in shown[:20]])
        for measure in ("wait_ms", "response_ms")
    ]
    more = (
        f"The first {MOST_ROWS} of {len(groups)}; --json and --csv have all."
        if len(groups) > MOST_ROWS
        else ""
    )
    chart = bar_chart(" and ".join(one.name for one in bars), shown[:20], bars)
    return section(f"By {key}", chart, table(columns, rows), about=more)


def _rows(name: str, found: dict[str, Summary]) -> Iterator[tuple[object, ...]]:
    for place, measure in enumerate(SUMMED):
        one = found[measure]
        values = (one.mean, one.p50, one.p90, one.p95, one.p99)
        yield (
            element("strong", name) if place == 0 else "",
            _MEASURES[measure],
            one.count,
            *(_cell(measure, value) for value in values),
        )


def _cell(measure: str, value: float | None) -> str | None:
    if value is None:
        return None
    return span_text(value) if measure in _TIMES else f"{value:.2f}"


def _queues(result: Result) -> Html:
    columns = [
        Column("queue", is_number=False),
        Column("guarantee, MiB"),
        Column("mean used, MiB"),
        Column("use of the guarantee"),
    ]
    rows = [
        (
            one.queue,
            one.guarantee_mb,
            f"{one.mean_used_mb:.0f}",
            None if one.guarantee_used is None else percent_text(one.guarantee_used),
        )
        for one in result.queues
    ]
    return table(columns, rows)


def _locality(result: Result) -> Html | None:
    columns = [Column("queue", is_number=False), *map(Column, ("node-local", "rack-local", "off-switch"))]
    queues: dict[str, Totals] = {}
    for job in result.jobs:
        queues.setdefault(job.queue, Totals()).add(job)
    rows = []
    for name in sorted(queues):
        counts = queues[name].locality.values()
        if sum(counts):
            rows.append((name, *(f"{count} ({percent_text(count / sum(counts))})" for count in counts)))
    return table(columns, rows, caption="Containers of tasks with data, by where they lay") if rows else None


def _nodes(result: Result) -> Html:
    busiest = sorted(result.nodes, key=lambda one: (-one.busy_ms, one.node))[:MOST_NODES]
    columns = [
        Column("node", is_number=False),
        Column("rack", is_number=False),
        Column("containers"),
        Column("times of containers, added up"),
    ]
    rows = [(one.node, one.rack, one.containers, span_text(one.busy_ms)) for one in busiest]
    said = f"The {len(rows)} busiest of {len(result.nodes)}"
    return table(columns, rows, caption=said)
