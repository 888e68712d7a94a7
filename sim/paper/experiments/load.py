"""The load of a hundred jobs of many users: FIFO, fair sharing, and fair sharing with delay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import ClassVar

from yarnbox.sim.load.jobs import Job
from yarnbox.sim.paper.cluster import PUBLISHED_DELAY, fair_files, job, maps, patience, played, slots
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Origin, Outcome, PublishedFigure, Row, Spread, Table, Unit
from yarnbox.sim.paper.recorded import recorded
from yarnbox.sim.reports.result import JobResult, Result
from yarnbox.sim.workload.site import Site

BINS = ((1, 38), (2, 16), (10, 14), (50, 8), (100, 6), (200, 6), (400, 4), (800, 4), (4800, 4))
"""Maps of a job, and how many such jobs."""
FEW = ((1, 12), (2, 6), (10, 5), (50, 3), (300, 2))
GAP_S = 14
IO, CPU = "IO", "CPU"
MAP_MS = {IO: 20_000, CPU: 60_000}
SLOWDOWNS = {IO: (1.5, 2.0), CPU: (1.0, 1.0)}
FIFO, NAIVE, HADOOP, PUBLISHED = "FIFO", "fair, no delay", "fair, delay", "fair, published delay"
WAYS: Mapping[str, Mapping[str, str]] = {
    FIFO: patience(-1.0),
    NAIVE: patience(-1.0),
    HADOOP: patience(0.5),
    PUBLISHED: {**patience(0.5), **PUBLISHED_DELAY},
}
KEPT = ("io-response", "io-node", "io-whole", "cpu-whole", "claims")
"""Tables of five seeds that were played once."""
ONE_QUEUE = '<queue name="all"><schedulingPolicy>fifo</schedulingPolicy></queue>'
ABOUT = """
A hundred jobs of as many users, in nine sizes from 1 to 4800 maps, submitted with exponential gaps of 14 s
on average; 100 nodes of 6 slots in 5 racks, 3 replicas. In the IO variant a map takes 20 s on a node with
its data, 1.5 times as long in its rack and twice as long elsewhere; in the CPU variant 60 s wherever it
runs. Sizes and gaps are those of the paper's macro benchmark, quoted from memory (R); everything else is
defined here, because slots, lengths of tasks and racks are not known. Delay: both thresholds 0.5.
"""
REMARKS = """
Fair sharing does what it was made for: jobs of one or two maps no longer wait behind those of thousands,
and the large jobs pay little for it. Delay then brings the small jobs to their data.

The whole load ends no sooner with delay than without. Almost all maps belong to jobs of hundreds and
thousands, which have data on nearly every node and are local anyhow; the cluster is not full all the time,
and the last of the large jobs decides when the load ends. The paper reports twice the throughput for an
IO-heavy load of its own, on a cluster whose slots were the bottleneck: this load is not that one.

The last five tables are of five seeds, played once on 2026-11-23 by `yarnbox paper load --full`: mean, least
and most. Each seed draws the order of the jobs, their gaps, blocks and lengths of tasks anew. How long a
small job waits by FIFO depends on the large ones that happen to be before it; fair sharing makes it nearly
the same whatever the draw.

With CPU-bound maps locality gains nothing, and delay costs almost nothing: a slot that one job declines is
taken by another.
"""


class HundredJobs(Experiment):
    """The defined load, under four schedulers."""

    name: ClassVar[str] = "load"
    title: ClassVar[str] = "A hundred jobs of many users"
    source: ClassVar[str] = "after the macro benchmark of Delay Scheduling, EuroSys 2010, section 6"
    about: ClassVar[str] = ABOUT
    is_long: ClassVar[bool] = True

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from ((IO, way) for way in WAYS)
        if not scale.is_small:
            yield from ((CPU, way) for way in WAYS if scale is Scale.FULL or way in (NAIVE, HADOOP))

    def seeds(self, scale: Scale) -> int:
        return 5 if scale is Scale.FULL else 1

    def play(self, case: Case) -> Found:
        variant, way = str(case.what[0]), str(case.what[1])
        nodes = slots(15, 4, 3) if case.scale.is_small else slots(100, 6, 5)
        bins = FEW if case.scale.is_small else BINS
        queue = "root.all" if way == FIFO else None
        chance = Random(f"{case.seed}/load")
        sizes = [size for size, count in bins for _ in range(count)]
        chance.shuffle(sizes)
        jobs: list[Job] = []
        at_ms = 0
        for number, size in enumerate(sizes):
            at_ms += round(chance.expovariate(1 / (GAP_S * 1000)))
            tasks = maps(size, MAP_MS[variant], nodes, chance)
            jobs.append(job(f"j{number:03d}", tasks, at_ms=at_ms, queue=queue))
        in_rack, elsewhere = SLOWDOWNS[variant]
        site = Site(
            seed=case.seed,
            is_prompt=True,
            duration_spread=0.1,
            rack_slowdown=in_rack,
            remote_slowdown=elsewhere,
        )
        files = fair_files(ONE_QUEUE if way == FIFO else "", WAYS[way])
        return _figures(played(files, jobs, nodes, site).result, [size for size, _ in bins])

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        bins = FEW if scale.is_small else BINS
        variants = sorted({str(what[0]) for what in self.cases(scale)}, reverse=True)
        tables: list[Table] = []
        for variant in variants:
            ways = [str(what[1]) for what in self.cases(scale) if what[0] == variant]
            tables += [
                _by_size(findings, variant, ways, bins, "response", Unit.SECONDS, "Mean response"),
                _by_size(findings, variant, ways, bins, "node", Unit.SHARE, "Node-local maps"),
            ]
            if variant == IO:
                tables.append(_by_size(findings, variant, ways, bins, "rack", Unit.SHARE, "Rack-local maps"))
            tables.append(_whole(findings, variant, ways))
        tables.append(_claims(findings))
        if scale is Scale.USUAL:
            tables += recorded(self.name, *KEPT)
        return Outcome(tables=tuple(tables), remarks=REMARKS)


def _figures(result: Result, sizes: Iterable[int]) -> Found:
    found: dict[str, float] = {
        "makespan": result.makespan_ms / 1000,
        "busy": sum(node.busy_ms for node in result.nodes) / 1000,
    }
    for size in sizes:
        rows = [row for row in result.jobs if row.tasks == size]
        found[f"response.{size}"] = sum(row.response_ms or 0 for row in rows) / len(rows) / 1000
        found |= {f"{name}.{size}": share for name, share in _shares(rows).items()}
    return {**found, **_shares(result.jobs)}


def _shares(rows: Iterable[JobResult]) -> dict[str, float]:
    counts = [(row.node_local, row.rack_local, row.off_switch) for row in rows]
    total = sum(map(sum, counts))
    return {name: sum(one[place] for one in counts) / total for place, name in enumerate(("node", "rack"))}


def _by_size(
    findings: Findings,
    variant: str,
    ways: list[str],
    bins: Iterable[tuple[int, int]],
    figure: str,
    unit: Unit,
    title: str,
) -> Table:
    return Table(
        name=f"{variant.lower()}-{figure}",
        title=f"{title}, {variant} variant",
        of="maps of a job (jobs)",
        unit=unit,
        here=tuple(ways),
        rows=tuple(
            Row(
                of=f"{size} ({count})",
                here=tuple(findings.spread(f"{figure}.{size}", variant, way) for way in ways),
            )
            for size, count in bins
        ),
    )


def _whole(findings: Findings, variant: str, ways: list[str]) -> Table:
    def row(text: str, name: str, unit: Unit) -> Row:
        return Row(of=text, here=tuple(findings.spread(name, variant, way) for way in ways), unit=unit)

    return Table(
        name=f"{variant.lower()}-whole",
        title=f"The whole load, {variant} variant",
        of="of all jobs",
        unit=Unit.SECONDS,
        here=tuple(ways),
        rows=(
            row("until all have ended", "makespan", Unit.SECONDS),
            row("container-seconds", "busy", Unit.SECONDS),
            row("node-local maps", "node", Unit.SHARE),
        ),
    )


def _claims(findings: Findings) -> Table:
    def ratio(name: str, worse: str, better: str) -> Spread:
        pairs = zip(findings.all(IO, worse), findings.all(IO, better), strict=True)
        return Spread.of([one[name] / other[name] for one, other in pairs])

    rows = (
        Row(
            of="response of jobs of one map, FIFO over fair",
            literature=PublishedFigure(value="2 to 10", origin=Origin.S),
            here=(ratio("response.1", FIFO, NAIVE),),
        ),
        Row(
            of="response of jobs of one map, no delay over delay",
            literature=PublishedFigure(value="up to 5", origin=Origin.P),
            here=(ratio("response.1", NAIVE, PUBLISHED),),
        ),
        Row(
            of="time for the load, no delay over delay",
            literature=PublishedFigure(value="up to 2", origin=Origin.P),
            here=(ratio("makespan", NAIVE, PUBLISHED),),
        ),
        Row(of="container-seconds, no delay over delay", here=(ratio("busy", NAIVE, PUBLISHED),)),
    )
    return Table(
        name="claims",
        title="The headline claims, IO variant (delay: published)",
        of="how many times",
        unit=Unit.FACTOR,
        rows=rows,
    )
