"""How long to wait: locality and wait against D, by count and by time, for nodes and for racks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import ClassVar

from yarnbox.sim.paper.cluster import (
    PUBLISHED_DELAY,
    REPLICAS,
    Played,
    first_waits_s,
    localities,
    patience,
)
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.experiments.head import HADOOP, NODES, PUBLISHED, TASK_MS, small_jobs
from yarnbox.sim.paper.figures import Line, Origin, Outcome, Plot, PublishedFigure, Row, Table, Unit
from yarnbox.sim.paper.theory import chance_of_local, mean_locality, needed_patience
from yarnbox.sim.workload.requests import NODE, OFF, RACK

JOBS = {1: 200, 3: 120, 10: 40, 20: 20, 50: 8, 100: 4, 400: 1}
"""Maps of a job, and how many such jobs are played."""
OFFERS = (1, 5, 10, 23, 40, 70)
BY_TIME = "by time"
LEVELS = ((0.0, 0.0), (0.1, 0.0), (0.1, 0.02), (0.1, 0.05), (0.1, 0.1), (0.3, 0.05))
RACKS, LEVEL_SIZE, TIME_SIZE = 5, 10, 3
SLOT_EVERY_S = TASK_MS / 1000 / NODES
GOALS = (0.90, 0.95, 0.99)
ABOUT = """
100 nodes of one slot, 3 replicas, tasks of about 10 s: a slot becomes free every 0.1 s. One application
asks for all of them; small jobs come one after the other and decline D free slots before they take one
without their data. Theory is the mean over K = N to 1 maps left of 1 - (1 - p)^D with p = 1 - (1 - R/M)^K.
*Published* is the paper's way (`yarnbox.fair.locality.*`): free slots are counted, and a local map resets
the count; *Hadoop 3.4* counts heartbeats of all nodes, and a local map does not reset the count. There is
one rack, except in the table of levels.
"""
REMARKS = """
If slots are counted in the paper's way, the run follows the formula: the more maps a job has, the smaller D
may be. Where D is small the run lies below it: the formula lets each map wait for D slots, while a job that
has used up its patience takes every slot that comes until one is local again. Jobs of a single map lie
above: the formula draws each node anew, but a slot that was declined is not offered again before another
task has run in it. Where D is large larger jobs stay at 92 to 97 percent: a map is asked for at its three
nodes, and until the ApplicationMaster's next call the ResourceManager goes on to offer those nodes whose
map has begun elsewhere. N = 400 is one job, N = 100 four.

The wait is the time until the first map runs. The run adds what a cluster adds: up to half a second until
the request counts, up to a fifth until the ApplicationMaster calls, and jobs that wait at the same time
and get the same slot offered one after the other. It stops growing where a local slot is sure to come
first.

With Hadoop's own count the same thresholds are used up ten times as fast, because a task holds its slot for
ten heartbeats and each of them counts; a job of 3 maps gets a fifth of its maps at most. When Hadoop waits
by time (deprecated, with continuous scheduling) it comes near to the paper, because D free slots take D T /
S in either way. It stays below, since a local map does not reset the clock.

A slot in the right rack comes much sooner than one on the right node: with five racks a few free slots more
are enough, so the second threshold can be small.
"""


class Patience(Experiment):
    """The analytical D."""

    name: ClassVar[str] = "patience"
    title: ClassVar[str] = "How long to wait: locality and wait against D"
    source: ClassVar[str] = "Delay Scheduling, EuroSys 2010, section 4"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        offers = (1, 10, 70) if scale.is_small else OFFERS
        yield from ((PUBLISHED, size, count) for size in _sizes(scale) for count in offers)
        if scale.is_small:
            return
        yield from ((HADOOP, size, count) for size in (3, 20) for count in offers)
        yield from ((BY_TIME, TIME_SIZE, count) for count in offers)
        yield from (("levels", *thresholds) for thresholds in LEVELS)

    def play(self, case: Case) -> Found:
        kind = case.what[0]
        if kind == "levels":
            thresholds = patience(float(case.what[1]), float(case.what[2]))
            run = small_jobs(LEVEL_SIZE, 25, case.seed, {**thresholds, **PUBLISHED_DELAY}, racks=RACKS)
            return localities(run.starts)
        size, offers = int(case.what[1]), float(case.what[2])
        count = JOBS[size] // 2 if case.scale.is_small else JOBS[size]
        run = small_jobs(size, count, case.seed, _properties(str(kind), offers), racks=1)
        return {NODE: localities(run.starts)[NODE], "wait": _first_wait_s(run)}

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        offers = (1, 10, 70) if scale.is_small else OFFERS
        sizes = _sizes(scale)
        tables = [
            Table(
                name="locality",
                title="Node-local maps by D, published way",
                of="N; D",
                unit=Unit.SHARE,
                rows=tuple(_locality_row(findings, size, count) for size in sizes for count in offers),
            ),
            Table(
                name="wait",
                title="Wait of a job's first map, published way",
                of="N; D",
                unit=Unit.SECONDS,
                rows=tuple(_wait_row(findings, size, count) for size in sizes[:3] for count in offers),
            ),
            _goals(),
        ]
        plots = [_plot(findings, sizes, offers), _wait_plot(findings, sizes[:3], offers)]
        if not scale.is_small:
            tables += [_ways(findings, offers), _levels(findings)]
        return Outcome(tables=tuple(tables), plots=tuple(plots), remarks=REMARKS)


def _sizes(scale: Scale) -> list[int]:
    if scale.is_small:
        return [3, 20]
    return list(JOBS)


def _properties(kind: str, offers: float) -> dict[str, str]:
    if kind == BY_TIME:
        wait_ms = round(offers * SLOT_EVERY_S * 1000)
        return {
            "yarn.scheduler.fair.continuous-scheduling-enabled": "true",
            "yarn.scheduler.fair.continuous-scheduling-sleep-ms": "100",
            "yarn.scheduler.fair.locality-delay-node-ms": str(wait_ms),
            "yarn.scheduler.fair.locality-delay-rack-ms": "0",
        }
    thresholds = patience(offers / NODES, 0.0)
    return {**thresholds, **PUBLISHED_DELAY} if kind == PUBLISHED else thresholds


def _first_wait_s(run: Played) -> float:
    """From a job's first asking to the start of its first map, on the mean."""
    waits = first_waits_s(run, AM_START_MS).values()
    return sum(waits) / len(waits)


AM_START_MS = 200
"""From the AM's launch to its first call: its interval."""


def _expected_wait_s(size: int, offers: int) -> float:
    """Of the first map: the mean number of free slots until one is local or D were declined."""
    chance = chance_of_local(NODES, REPLICAS, size)
    return (1 - (1 - chance) ** (offers + 1)) / chance * SLOT_EVERY_S


def _locality_row(findings: Findings, size: int, offers: int) -> Row:
    return Row(
        of=f"N = {size}; D = {offers}",
        theory=PublishedFigure(value=mean_locality(NODES, REPLICAS, size, offers), origin=Origin.D),
        here=(findings.mean(NODE, PUBLISHED, size, offers),),
    )


def _wait_row(findings: Findings, size: int, offers: int) -> Row:
    return Row(
        of=f"N = {size}; D = {offers}",
        theory=PublishedFigure(value=_expected_wait_s(size, offers), origin=Origin.D),
        here=(findings.mean("wait", PUBLISHED, size, offers),),
    )


def _goals() -> Table:
    sizes = (1, 3, 10, 20, 50, 100, 400)
    rows = tuple(
        Row(
            of=f"{size} maps",
            here=tuple(needed_patience(REPLICAS, size, goal) for goal in GOALS),
        )
        for size in sizes
    )
    return Table(
        name="needed",
        title="D / M that is needed, by the formula: the threshold to configure (at most 1)",
        of="N",
        unit=Unit.FACTOR,
        here=tuple(f"{100 * goal:.0f} % local" for goal in GOALS),
        rows=rows,
    )


def _ways(findings: Findings, offers: Iterable[int]) -> Table:
    rows = []
    for size in (3, 20):
        for count in offers:
            timed = findings.mean(NODE, BY_TIME, size, count) if size == TIME_SIZE else None
            ways = (
                findings.mean(NODE, PUBLISHED, size, count),
                findings.mean(NODE, HADOOP, size, count),
                timed,
            )
            theory = PublishedFigure(value=mean_locality(NODES, REPLICAS, size, count), origin=Origin.D)
            rows.append(Row(of=f"N = {size}; D = {count}", theory=theory, here=ways))
    return Table(
        name="ways",
        title="The same patience, counted in three ways",
        of="N; D",
        unit=Unit.SHARE,
        here=(PUBLISHED, HADOOP, "Hadoop 3.4, by time"),
        rows=tuple(rows),
    )


def _levels(findings: Findings) -> Table:
    return Table(
        name="levels",
        title=f"Two levels: jobs of {LEVEL_SIZE} maps, 5 racks, published way",
        of="threshold.node, threshold.rack",
        unit=Unit.SHARE,
        here=("node-local", "rack-local", "elsewhere"),
        rows=tuple(
            Row(
                of=f"{node:g}, {rack:g}",
                here=tuple(findings.mean(name, "levels", node, rack) for name in (NODE, RACK, OFF)),
            )
            for node, rack in LEVELS
        ),
    )


def _lines(
    findings: Findings,
    figure: str,
    theory: Callable[[int, int], float],
    sizes: list[int],
    offers: Iterable[int],
) -> Iterator[Line]:
    """Of each size of jobs, theory and what was found against the offers that are declined."""
    for size in sizes:
        curve = tuple((float(count), theory(size, count)) for count in range(1, 71))
        here = tuple((float(count), findings.mean(figure, PUBLISHED, size, count)) for count in offers)
        yield Line(name=f"theory, N = {size}", points=curve, is_theory=True)
        yield Line(name=f"N = {size}", points=here)


def _plot(findings: Findings, sizes: list[int], offers: Iterable[int]) -> Plot:
    theory = partial(mean_locality, NODES, REPLICAS)
    return Plot(
        name="locality",
        title="Locality against D",
        x="D: free slots declined",
        y="node-local maps",
        unit=Unit.SHARE,
        lines=tuple(_lines(findings, NODE, theory, sizes, offers)),
    )


def _wait_plot(findings: Findings, sizes: list[int], offers: Iterable[int]) -> Plot:
    return Plot(
        name="wait",
        title="Wait of the first map against D",
        x="D: free slots declined",
        y="seconds",
        unit=Unit.SECONDS,
        lines=tuple(_lines(findings, "wait", _expected_wait_s, sizes, offers)),
    )
