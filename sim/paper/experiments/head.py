"""Head-of-line scheduling: the job that is due takes the next slot wherever it is; and what delay makes "
"of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import ClassVar

from yarnbox.sim.paper.cluster import (
    PUBLISHED_DELAY,
    REPLICAS,
    Played,
    fair_files,
    hog,
    job,
    localities,
    maps,
    patience,
    played,
    slots,
    with_data,
)
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Line, Origin, Outcome, Plot, PublishedFigure, Row, Table, Unit
from yarnbox.sim.paper.theory import chance_of_local, mean_locality
from yarnbox.sim.workload.requests import NODE, OFF, RACK
from yarnbox.sim.workload.site import Site

NODES, RACKS, TASK_MS = 100, 5, 10_000
SIZES = (1, 3, 10, 25, 100)
RECALLED = {3: (0.02, 0.75), 10: (0.37, 0.94), 100: (0.84, 0.99)}
"""Node-local maps without and with delay in the paper's stress of small jobs."""
THRESHOLDS = tuple(step / 10 for step in range(11))
OF_THRESHOLDS = 3
HADOOP, PUBLISHED = "Hadoop 3.4", "published"
WAYS = {HADOOP: "hadoop", PUBLISHED: "published"}
"""Who counts the opportunities, and how files are named."""
ABOUT = """
100 nodes of one slot in 5 racks, 3 replicas, tasks of about 10 s. One application asks for all slots, for
tasks without data; small jobs come one after the other, and each is served first whenever a slot becomes
free. Without delay its first map takes the first slot: it is local by the chance that this node holds data
of one of its N maps, 1 - (1 - R/M)^N. The thresholds `yarn.scheduler.fair.locality.threshold.node` and
`.rack` have the same value.
"""
REMARKS = """
Without delay the run agrees with the formula, as exactly as 150 jobs can show (40 from N = 10 on, a dozen
at N = 100). Jobs as a whole are less local than their first maps: with each map that starts, fewer are left
whose data a node could hold. The theory column is the mean over the maps left, K = 1 to N.

With delay locality grows with the threshold, but much more slowly than with the paper's D: Hadoop counts
*every heartbeat* of every node as an opportunity, also of a node whose slot is taken, where the paper
counts free slots. Here a task holds its slot for some ten heartbeats, so with a threshold of 1.0 (each node
has sent one heartbeat) a job declines only about a tenth as many free slots. The experiment `patience`
shows both ways.

The paper's figures for small jobs are those of another cluster, quoted from memory and not confirmed: they
show a direction, and are not a target.
"""


class HeadOfLine(Experiment):
    """Small jobs on a busy cluster."""

    name: ClassVar[str] = "head"
    title: ClassVar[str] = "Head of line: the locality of small jobs"
    source: ClassVar[str] = "Delay Scheduling, EuroSys 2010, sections 3 and 5"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        sizes = (1, 10) if scale.is_small else SIZES
        thresholds = (0.0, 0.5, 1.0) if scale.is_small else THRESHOLDS
        yield from (("naive", size) for size in sizes)
        yield from ((way, OF_THRESHOLDS, threshold) for way in WAYS for threshold in thresholds)
        yield from ((way, size, 1.0) for way in WAYS for size in sizes if size != OF_THRESHOLDS)

    def play(self, case: Case) -> Found:
        kind, size = case.what[0], int(case.what[1])
        properties = patience(-1.0 if kind == "naive" else float(case.what[2]))
        if kind == PUBLISHED:
            properties |= PUBLISHED_DELAY
        count = (40 if case.scale.is_small else 150) if size < 10 else (40 if size < 100 else 12)
        starts = with_data(small_jobs(size, count, case.seed, properties).starts)
        firsts = {start.job: start for start in reversed(starts)}
        found = localities(starts)
        return {"first": localities(firsts.values())[NODE], **found}

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        sizes = [int(what[1]) for what in self.cases(scale) if what[0] == "naive"]
        thresholds = [
            float(what[2]) for what in self.cases(scale) if what[0] == HADOOP and what[1] == OF_THRESHOLDS
        ]
        firsts = tuple(
            Row(
                of=f"N = {size}",
                theory=PublishedFigure(value=chance_of_local(NODES, REPLICAS, size), origin=Origin.D),
                here=(findings.mean("first", "naive", size),),
            )
            for size in sizes
        )
        whole = tuple(self._whole(findings, size) for size in sizes)
        return Outcome(
            tables=(
                Table(
                    name="first",
                    title="First maps that are node-local, without delay",
                    of="maps of the job",
                    unit=Unit.SHARE,
                    rows=firsts,
                ),
                Table(
                    name="jobs",
                    title="All maps that are node-local",
                    of="maps of the job",
                    unit=Unit.SHARE,
                    here=("no delay", *(f"thresholds 1.0, {way}" for way in WAYS)),
                    rows=whole,
                ),
                *(_by_threshold(findings, way, thresholds) for way in WAYS),
            ),
            plots=(
                self._plot_of_firsts(findings, sizes),
                *(self._plot(findings, way, thresholds) for way in WAYS),
            ),
            remarks=REMARKS,
        )

    def _whole(self, findings: Findings, size: int) -> Row:
        recalled = RECALLED.get(size)
        said = None if recalled is None else f"{100 * recalled[0]:.0f} % to {100 * recalled[1]:.0f} %"
        delayed = (findings.mean(NODE, way, size, 1.0) for way in WAYS)
        return Row(
            of=f"N = {size}",
            literature=None if said is None else PublishedFigure(value=said, origin=Origin.R),
            theory=PublishedFigure(value=mean_locality(NODES, REPLICAS, size, 1), origin=Origin.D),
            here=(findings.mean(NODE, "naive", size), *delayed),
        )

    def _plot(self, findings: Findings, way: str, thresholds: list[float]) -> Plot:
        lines = [
            Line(
                name=said,
                points=tuple(
                    (threshold, findings.mean(name, way, OF_THRESHOLDS, threshold))
                    for threshold in thresholds
                ),
            )
            for name, said in ((NODE, "node-local"), (RACK, "rack-local"), (OFF, "elsewhere"))
        ]
        return Plot(
            name=f"thresholds-{WAYS[way]}",
            title=f"Where maps run, jobs of {OF_THRESHOLDS} maps, {way}",
            x="threshold",
            y="part of the maps",
            unit=Unit.SHARE,
            lines=tuple(lines),
        )

    def _plot_of_firsts(self, findings: Findings, sizes: list[int]) -> Plot:
        theory = tuple(
            (float(size), chance_of_local(NODES, REPLICAS, size)) for size in range(1, max(sizes) + 1)
        )
        here = tuple((float(size), findings.mean("first", "naive", size)) for size in sizes)
        return Plot(
            name="first",
            title="First maps that are node-local, without delay",
            x="maps of the job",
            y="part of the jobs",
            unit=Unit.SHARE,
            lines=(
                Line(name="1 - (1 - R/M)^N", points=theory, is_theory=True),
                Line(name="here", points=here),
            ),
        )


def _by_threshold(findings: Findings, way: str, thresholds: Iterable[float]) -> Table:
    def row(threshold: float) -> Row:
        found = (findings.mean(name, way, OF_THRESHOLDS, threshold) for name in (NODE, RACK, OFF))
        return Row(of=f"{threshold:.1f}", here=tuple(found))

    return Table(
        name=f"thresholds-{WAYS[way]}",
        title=f"Thresholds from 0 to 1, jobs of {OF_THRESHOLDS} maps, {way}",
        of="both thresholds",
        unit=Unit.SHARE,
        here=("node-local", "rack-local", "elsewhere"),
        rows=tuple(row(threshold) for threshold in thresholds),
    )


def small_jobs(
    size: int, count: int, seed: int, properties: Mapping[str, str], *, racks: int = RACKS
) -> Played:
    """So many small jobs, one after the other on a busy cluster."""
    nodes = slots(NODES, racks=racks)
    chance = Random(f"{seed}/blocks/{size}")
    gap_ms = max(500, size * 200)
    warm_ms = 2 * TASK_MS
    jobs = [
        job(f"small{number}", maps(size, TASK_MS, nodes, chance), at_ms=warm_ms + number * gap_ms)
        for number in range(count)
    ]
    busy = hog(2 * NODES, TASK_MS, warm_ms + count * gap_ms)
    site = Site(seed=seed, duration_spread=0.5, is_prompt=True, am_interval_ms=200)
    return played(fair_files(properties=properties), (busy, *jobs), nodes, site)
