"""Sticky slots: under strict fair sharing a job gets back the slot that it has just given up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import ClassVar

from yarnbox.sim.paper.cluster import (
    PUBLISHED_DELAY,
    REPLICAS,
    Start,
    fair_files,
    job,
    localities,
    maps,
    patience,
    played,
    slots,
)
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Line, Origin, Outcome, Plot, PublishedFigure, Row, Table, Unit
from yarnbox.sim.paper.theory import reachable
from yarnbox.sim.workload.requests import NODE
from yarnbox.sim.workload.site import Site

NODES, TASK_MS = 100, 10_000
JOBS = (5, 10, 20, 50)
THRESHOLD = 0.25
WAYS = {
    "without delay": patience(-1.0),
    "Hadoop 3.4": patience(THRESHOLD),
    "published": {**patience(THRESHOLD), **PUBLISHED_DELAY},
}
ABOUT = """
100 nodes of one slot, 3 replicas, jobs of equal size that begin together. When a task of a job ends, that
job is the one with the fewest tasks, so it gets the slot back: it stays on its nodes and reaches only the
blocks there, 1 - C(M - s, R) / C(M, R) of them with s = M / jobs nodes. The tables count the tasks that
started before the first job had started its last one. Delay: both thresholds 0.25.
"""
REMARKS = """
Without delay jobs keep their slots, as the paper says. They are local a little more often than the formula
has it, which assumes that each job has its nodes from the beginning: here it takes some rounds of tasks
until every job has its part of the slots.

With Hadoop's own count a threshold of 0.25 changes next to nothing on this cluster. The 25 opportunities
are 25 *heartbeats*, most of them of nodes whose slot is taken, and nothing resets the count: a job has used
up its patience a quarter of a second after it began, and again and again. If only free slots are counted,
and a local map resets the count, as in the paper (`yarnbox.fair.locality.*`), nearly all maps are local.
"""


class StickySlots(Experiment):
    """Jobs of equal size that share all slots."""

    name: ClassVar[str] = "sticky"
    title: ClassVar[str] = "Sticky slots"
    source: ClassVar[str] = "Delay Scheduling, EuroSys 2010, section 3"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        counts = (10,) if scale.is_small else JOBS
        yield from ((way, count) for count in counts for way in WAYS)

    def play(self, case: Case) -> Found:
        way, count = str(case.what[0]), int(case.what[1])
        size = 60 if case.scale.is_small else max(30, 1500 // count)
        nodes, chance = slots(NODES), Random(f"{case.seed}/blocks/{count}")
        jobs = [job(f"job{number}", maps(size, TASK_MS, nodes, chance)) for number in range(count)]
        site = Site(seed=case.seed, duration_spread=0.5, is_prompt=True)
        run = played(fair_files(properties=WAYS[way]), jobs, nodes, site)
        return {NODE: localities(_until_one_has_started_all(run.starts, size))[NODE]}

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        counts = sorted({int(what[1]) for what in self.cases(scale)})
        rows = tuple(
            Row(
                of=f"{count} jobs",
                theory=PublishedFigure(value=reachable(NODES, REPLICAS, NODES // count), origin=Origin.D),
                here=tuple(findings.mean(NODE, way, count) for way in WAYS),
            )
            for count in counts
        )
        theory = tuple(
            (float(count), reachable(NODES, REPLICAS, NODES // count))
            for count in (1, 2, 4, 5, 10, 20, 25, 50)
        )
        lines = [Line(name="reachable blocks", points=theory, is_theory=True)]
        for way in WAYS:
            points = tuple((float(count), findings.mean(NODE, way, count)) for count in counts)
            lines.append(Line(name=way, points=points))
        return Outcome(
            tables=(
                Table(
                    name="jobs",
                    title="Node-local maps",
                    of="jobs that share the cluster",
                    unit=Unit.SHARE,
                    here=tuple(WAYS),
                    rows=rows,
                ),
            ),
            plots=(
                Plot(
                    name="jobs",
                    title="Node-local maps",
                    x="jobs that share the cluster",
                    y="part of the maps",
                    unit=Unit.SHARE,
                    lines=tuple(lines),
                ),
            ),
            remarks=REMARKS,
        )


def _until_one_has_started_all(starts: Sequence[Start], size: int) -> list[Start]:
    left: dict[str, int] = {}
    for place, start in enumerate(starts):
        left[start.job] = left.get(start.job, size) - 1
        if not left[start.job]:
            return list(starts[: place + 1])
    return list(starts)
