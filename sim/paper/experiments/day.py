"""A day like one of Facebook's in 2009, by three schedulers: of the published trace, or drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp, log
from pathlib import Path
from random import Random
from typing import ClassVar, NamedTuple

from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.sim.load.swim import SwimOptions, read_swim
from yarnbox.sim.load.text import opened
from yarnbox.sim.paper.cluster import AM, capacity_files, fair_files, fifo_files, played, slots
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Line, Origin, Outcome, Plot, PublishedFigure, Row, Table, Unit
from yarnbox.sim.reports.result import JobResult, Summary
from yarnbox.sim.scenario.playing.files import ScenarioFiles
from yarnbox.sim.workload.site import Site

MB = 1024 * 1024
BLOCK = 64 * MB
JOBS, GAP_S, USERS = 5894, 14.65, 10


class Bin(NamedTuple):
    """Jobs of so many maps, as in the trace."""

    low: int
    high: int
    jobs: float
    """Part of the jobs."""
    maps: float
    """Their part of all maps."""


BINS = (
    Bin(1, 1, 0.859, 0.012),
    Bin(2, 2, 0.018, 0.001),
    Bin(3, 20, 0.039, 0.005),
    Bin(21, 60, 0.023, 0.013),
    Bin(61, 150, 0.014, 0.020),
    Bin(151, 300, 0.015, 0.048),
    Bin(301, 500, 0.007, 0.042),
    Bin(501, 1500, 0.017, 0.224),
    Bin(1501, 17_000, 0.007, 0.636),
)
LEAST = 100
"""Bytes that a job reads at least."""
REDUCING = {1: 0.15}
OTHERS_REDUCING = 0.80
"""Parts of the jobs that have reduces: of those of one map, and of the others."""
SCALE, NODES, EACH = 10, 10, 4
SMALL_SCALE, SMALL_NODES = 40, 3
COUNTS = {Scale.SMALL: 200, Scale.USUAL: 1474, Scale.FULL: JOBS}
"""Jobs that are drawn."""
OPTIONS = SwimOptions(
    split=BLOCK,
    rate=2 * BLOCK // 18,
    am_resource=AM,
    scale=SCALE,
    users=tuple(f"u{number}" for number in range(USERS)),
    queues=tuple(f"root.u{number}" for number in range(USERS)),
)
SIZES = ((1, 1), (2, 10), (11, 50), (51, 200), (201, 10**9))
"""Maps of the jobs as they are played."""
FIFO, CAPACITY, FAIR = "FIFO", "Capacity", "Fair"
WAYS = (FIFO, CAPACITY, FAIR)
UNTIL_S = 600
ABOUT = f"""
A day of a cluster that many share, after the trace FB-2009 that SWIM has published: {JOBS} jobs. The trace
is not shipped: `yarnbox paper day --trace FILE` plays it, or any other in SWIM's form. Without a file the
day is drawn: its first quarter, some six hours, or all of it with `--full`. Gaps are exponential, {GAP_S} s
on average; the maps of a job fall into the nine bins of the first table and are log-uniform within; a job
of one map reads log-uniformly from 100 bytes to one block of 64 MB; 15 % of the jobs of one map and 80 % of
the others have reduces, which are given as many bytes as the maps read. All of that is taken from the
trace, but for the last bin: it ends at 17000 maps, where its part of all maps is that of the trace.

The run plays a tenth of all bytes, as SWIM scales a trace to a smaller cluster, on {NODES} nodes of {EACH}
slots. A task moves 7.1 MB/s and takes 2 s to start: a map of a whole block takes 11 s, or 20 s if it puts
out as much as it reads, a reduce of 1 GB two and a half minutes (the report: maps 15 to 30 s, reduces some
minutes). Neither users nor places of the data are in the trace: ten users submit in turn, and tasks run
anywhere. *Capacity* and *Fair* give each user a queue of a tenth of the cluster, and what others leave.
"""
REMARKS = """
Nearly all jobs are small, and nearly all of the work belongs to a few large ones. First in, first out makes
the many wait for the few: a job that comes after a large one waits until the last map of that one has
started, so the response time of the smallest jobs is a matter of luck, and its mean is far above its
median.

With a queue for each user a small job waits only for its own user's jobs by the CapacityScheduler, which
serves the applications of a queue in their order, and for nobody's by the FairScheduler, which shares the
queue as well. The large jobs pay with a longer response. The work is the same, and so is the end of the day.

The draw has the shape of the trace one figure at a time, not in its bursts. In the trace gaps are less even
than exponential ones (half of them are 7 s or less, where 10 s would be expected; the longest is an hour),
and one single job has more than a quarter of all maps. Of a quarter of a day, a dozen jobs make the last bin:
how much of the work is theirs varies from draw to draw.
"""


TRACED = """
Played from a file that the user has named; what it shows is the file's. What the page says about the day that
is drawn does not hold for it.
"""


class FacebookDay(Experiment):
    """One day, three schedulers."""

    name: ClassVar[str] = "day"
    title: ClassVar[str] = "A day at Facebook"
    source: ClassVar[str] = "after the SWIM trace FB-2009"
    about: ClassVar[str] = ABOUT
    is_long: ClassVar[bool] = True

    def __init__(self, trace: str = "") -> None:
        """`trace` is a file in SWIM's form; "": the day is drawn."""
        self._trace = trace

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from ((way, self._trace) for way in WAYS)

    def play(self, case: Case) -> Found:
        is_small, trace = case.scale.is_small, str(case.what[1])
        lines = traced(trace) if trace else drawn(case.seed, COUNTS[case.scale])
        options = replace(OPTIONS, scale=SMALL_SCALE if is_small else SCALE)
        if case.what[0] == FIFO:
            options = replace(options, queues=("root.default",))
        jobs = list(read_swim(lines, trace or "the day that was drawn", options, lambda warning: None))
        nodes = slots(SMALL_NODES if is_small else NODES, EACH)
        result = played(_files(str(case.what[0])), jobs, nodes, Site(seed=case.seed, is_prompt=True)).result
        return {**shape(lines), **_responses(result.jobs), "makespan": result.makespan_ms / 1000}

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        cases = list(self.cases(scale))
        found = {str(case[0]): findings.all(*case)[0] for case in cases}
        tables = (_shape_table(found[FAIR]), _responses_table(found), _whole_table(found))
        return Outcome(tables=tables, plots=(_plot(found),), remarks=TRACED if self._trace else REMARKS)


def traced(path: str) -> list[str]:
    """The lines of a trace; InvalidTraceError where it cannot be used."""
    with opened(Path(path)) as text:
        lines = text.readlines()
    if not list(read_swim(lines, path, OPTIONS, lambda warning: None)):
        raise InvalidTraceError(f"{path}: has no job that can be played")
    return lines


def drawn(seed: int, count: int) -> list[str]:
    """A day in the form of the trace."""
    chance = Random(f"{seed}/day")
    lines, before_s, now_s = [], 0, 0.0
    for number in range(count):
        now_s += chance.expovariate(1 / GAP_S)
        (one,) = chance.choices(BINS, [each.jobs for each in BINS])
        read = _bytes(one, chance)
        shuffled = read if chance.random() < REDUCING.get(one.high, OTHERS_REDUCING) else 0
        submit_s = int(now_s)
        lines.append(f"job{number}\t{submit_s}\t{submit_s - before_s}\t{read}\t{shuffled}\t0\n")
        before_s = submit_s
    return lines


def _bytes(one: Bin, chance: Random) -> int:
    """What a job of this bin reads."""
    if one.high == 1:
        return round(exp(chance.uniform(log(LEAST), log(BLOCK))))
    maps = round(exp(chance.uniform(log(one.low - 0.5), log(one.high + 0.5))))
    return min(max(maps, one.low), one.high) * BLOCK


def shape(lines: Iterable[str]) -> Found:
    """Parts of the jobs and of their maps by bin, before anything is scaled."""
    rows = [line.split("\t") for line in lines if line.strip()]
    counts = [max(1, -(-int(row[3]) // BLOCK)) for row in rows]
    found: dict[str, float] = {"gap": int(rows[-1][1]) / len(rows), "jobs": len(rows)}
    found["reducing"] = sum(int(row[4]) > 0 for row in rows) / len(rows)
    for one in BINS:
        last = one is BINS[-1]
        mine = [count for count in counts if one.low <= count and (last or count <= one.high)]
        found[f"jobs.{one.low}"] = len(mine) / len(rows)
        found[f"maps.{one.low}"] = sum(mine) / sum(counts)
    return found


def _files(way: str) -> ScenarioFiles:
    if way == FIFO:
        return fifo_files()
    names = [queue.removeprefix("root.") for queue in OPTIONS.queues]
    if way == FAIR:
        return fair_files("".join(f'<queue name="{name}"/>' for name in names))
    queues = {"root.queues": ",".join(names)}
    for name in names:
        queues |= {f"root.{name}.capacity": "1w", f"root.{name}.user-limit-factor": "1000"}
    return capacity_files(queues)


def _responses(jobs: Sequence[JobResult]) -> Found:
    assert all(one.response_ms is not None for one in jobs), "a job has not ended"
    found: dict[str, float] = {}
    for low, high in (*SIZES, (0, SIZES[-1][1])):
        mine = [one for one in jobs if low <= one.tasks <= high]
        summary = Summary.of(one.response_ms for one in mine)
        found[f"count.{low}"] = summary.count
        for name in ("mean", "p50", "p95"):
            found[f"{name}.{low}"] = (getattr(summary, name) or 0) / 1000
    small = sorted(one.response_ms or 0 for one in jobs if one.tasks <= SIZES[1][1])
    for at_s in _moments():
        found[f"by.{at_s}"] = sum(response <= at_s * 1000 for response in small) / len(small)
    return found


def _moments() -> Iterator[int]:
    yield from range(0, 100, 10)
    yield from range(100, UNTIL_S + 1, 50)


def _shape_table(found: Found) -> Table:
    rows = []
    for one in BINS:
        last = one is BINS[-1]
        maps = (
            str(one.low) if one.low == one.high else f"from {one.low}" if last else f"{one.low} to {one.high}"
        )
        for name, said, text in (("jobs", one.jobs, "of the jobs"), ("maps", one.maps, "of all maps")):
            here = (found[f"{name}.{one.low}"],)
            rows.append(
                Row(of=f"{maps}, {text}", literature=PublishedFigure(value=said, origin=Origin.T), here=here)
            )
    whole = (
        ("jobs", "jobs", JOBS, Unit.COUNT),
        ("mean gap", "gap", GAP_S, Unit.SECONDS),
        ("with reduces", "reducing", 0.245, Unit.SHARE),
    )
    for text, name, value, unit in whole:
        literature = PublishedFigure(value=value, origin=Origin.T)
        rows.append(Row(of=text, literature=literature, here=(found[name],), unit=unit))
    return Table(
        name="shape", title="The day, before scaling", of="maps of a job", unit=Unit.SHARE, rows=tuple(rows)
    )


def _responses_table(found: Mapping[str, Found]) -> Table:
    rows = []
    for low, high in SIZES:
        count = int(found[FAIR][f"count.{low}"])
        tasks = str(low) if low == high else f"from {low}" if (low, high) == SIZES[-1] else f"{low} to {high}"
        for name, text in (("mean", "mean"), ("p50", "median"), ("p95", "95 of 100")):
            here = tuple(found[way][f"{name}.{low}"] for way in WAYS)
            rows.append(Row(of=f"{tasks} ({count} jobs), {text}", here=here))
    return Table(
        name="response",
        title="Response by size",
        of="tasks of a job, as played",
        unit=Unit.SECONDS,
        here=WAYS,
        rows=tuple(rows),
    )


def _whole_table(found: Mapping[str, Found]) -> Table:
    texts = (("mean response", "mean.0"), ("median response", "p50.0"), ("until all have ended", "makespan"))
    return Table(
        name="whole",
        title="The whole day",
        of="of all jobs",
        unit=Unit.SECONDS,
        here=WAYS,
        rows=tuple(Row(of=text, here=tuple(found[way][name] for way in WAYS)) for text, name in texts),
    )


def _plot(found: Mapping[str, Found]) -> Plot:
    return Plot(
        name="response",
        title=f"Jobs of up to {SIZES[1][1]} tasks that have ended",
        x="seconds from their submission",
        y="part of these jobs",
        unit=Unit.SHARE,
        lines=tuple(
            Line(name=way, points=tuple((float(at_s), found[way][f"by.{at_s}"]) for at_s in _moments()))
            for way in WAYS
        ),
    )
