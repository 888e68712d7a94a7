"""Water filling: what each pool gets of the slots, what each job of a pool, and how soon a tenth changes "
"hands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from yarnbox.sim.load.jobs import Task
from yarnbox.sim.paper.cluster import fair_files, hog, played, slots
from yarnbox.sim.paper.cluster import job as job_of
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Origin, Outcome, PublishedFigure, Row, Table, Unit
from yarnbox.sim.paper.offers import Ask, handed_out
from yarnbox.sim.paper.theory import Pool, water_filling
from yarnbox.sim.workload.site import Site

EXAMPLES: tuple[tuple[int, tuple[Pool, ...], Origin], ...] = (
    (100, (Pool(50, 46), Pool(10, 18), Pool(25, 28), Pool(15, 16)), Origin.S),
    (60, (Pool(30, 20), Pool(10, 25), Pool(0, 40)), Origin.D),
    (100, (Pool(0, 10), Pool(0, 50), Pool(0, 50), Pool(0, 50)), Origin.D),
    (12, (Pool(4, 6), Pool(4, 6), Pool(4, 2)), Origin.D),
)
TWO_LEVELS: tuple[tuple[Pool, tuple[int, ...]], ...] = (
    (Pool(20, 60), (40, 10, 10)),
    (Pool(0, 100), (100,)),
    (Pool(10, 15), (5, 5, 5)),
)
"""Pools with the demands of their jobs."""
SLOTS = 100
TASK_MS = 60_000
TENTH = 10
ABOUT = """
Pools with minimum shares and demands ask for slots of an empty cluster; then every slot is offered once.
The second table adds jobs within the pools, which share by the same rule without minimum. In the third
table a job asks for a tenth of the hundred slots of a full cluster whose tasks take a minute. Until it has
ten, every slot that becomes free is due to it.
"""
REMARKS = """
The slots are exactly those of the theory, although Hadoop 3.4 does not fill water levels: the *fair shares*
that it computes do not depend on demand (50, 10, 25, 15 in the example of the report). The order in which
pools are served makes up for it: those below their minimum and their demand first, then the one that uses
least.

The tenth takes a little longer than the formula. A request counts from the next update of the shares on (up
to 0.5 s), a task that has ended is reported with the next heartbeat (up to 1 s), and an ApplicationMaster
learns of a container with its next call (up to 1 s); so a task of a minute occupies its slot for 61 s.
"""


class WaterFilling(Experiment):
    """The example of the report, exactly."""

    name: ClassVar[str] = "water"
    title: ClassVar[str] = "Water filling"
    source: ClassVar[str] = "UCB/EECS-2009-55, section 2"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from (("example", number) for number in range(len(EXAMPLES)))
        yield ("levels",)
        yield from (("tenth", number) for number in range(1 if scale.is_small else 10))

    def play(self, case: Case) -> Found:
        pools: Sequence[Pool]
        if case.what[0] == "tenth":
            return _tenth(case.seed + int(case.what[1]))
        if case.what[0] == "levels":
            pools = [pool for pool, _ in TWO_LEVELS]
            return _shared_out(SLOTS, pools, [demands for _, demands in TWO_LEVELS])
        count, pools, _ = EXAMPLES[int(case.what[1])]
        return _shared_out(count, pools, [(pool.demand,) for pool in pools])

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        return Outcome(
            tables=(
                Table(
                    name="pools",
                    title="Slots of each pool",
                    of="slots; (minimum, demand) of the pools",
                    unit=Unit.COUNT,
                    rows=tuple(self._pools(findings)),
                ),
                Table(
                    name="jobs",
                    title="Two levels: slots of each job",
                    of="(minimum, demand) of the pool; demands of its jobs",
                    unit=Unit.COUNT,
                    rows=tuple(self._jobs(findings)),
                ),
                Table(
                    name="tenth",
                    title="A tenth of the slots",
                    of="from asking to holding 10 of 100 slots",
                    unit=Unit.SECONDS,
                    rows=(self._tenth_row(findings, scale),),
                ),
            ),
            remarks=REMARKS,
        )

    def _pools(self, findings: Findings) -> Iterable[Row]:
        for number, (count, pools, origin) in enumerate(EXAMPLES):
            expected = _listed(water_filling(pools, count))
            found = findings.all("example", number)[0]
            said = PublishedFigure(value=expected, origin=origin)
            yield Row(
                of=f"{count}; {', '.join(f'({pool.minimum}, {pool.demand})' for pool in pools)}",
                literature=said if origin is Origin.S else None,
                theory=PublishedFigure(value=expected, origin=Origin.D),
                here=(_listed([found[f"{place}"] for place in range(len(pools))]),),
            )

    def _jobs(self, findings: Findings) -> Iterable[Row]:
        found = findings.all("levels")[0]
        shares = water_filling([pool for pool, _ in TWO_LEVELS], SLOTS)
        for place, (pool, demands) in enumerate(TWO_LEVELS):
            expected = water_filling([Pool(0, demand) for demand in demands], shares[place])
            yield Row(
                of=f"({pool.minimum}, {pool.demand}); {_listed(demands)}",
                theory=PublishedFigure(value=_listed(expected), origin=Origin.D),
                here=(_listed([found[f"{place}.{number}"] for number in range(len(demands))]),),
            )

    def _tenth_row(self, findings: Findings, scale: Scale) -> Row:
        numbers = [what[1] for what in self.cases(scale) if what[0] == "tenth"]
        times = [found["seconds"] for number in numbers for found in findings.all("tenth", number)]
        expected = PublishedFigure(value=TASK_MS / 1000 * TENTH / SLOTS, origin=Origin.S)
        return Row(of="tasks of 60 s", literature=expected, here=(sum(times) / len(times),))


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _shared_out(count: int, pools: Sequence[Pool], demands: Sequence[Sequence[int]]) -> Found:
    """The containers of each pool, and of each of its jobs, when every slot has been offered once."""
    queues = "".join(
        f'<queue name="p{place}"><minResources>{pool.minimum * 1024} mb, 0 vcores</minResources></queue>'
        for place, pool in enumerate(pools)
    )
    conf = {"yarn.resourcemanager.scheduler.class": "fair"}
    asks = [
        Ask(f"a{place}.{number}", f"p{place}", wanted)
        for place, all in enumerate(demands)
        for number, wanted in enumerate(all)
    ]
    files = {"conf": conf, "fair-scheduler": f"<allocations>{queues}</allocations>"}
    held = handed_out(files, asks, (1024, 1), count)
    found = {ask.app.removeprefix("a"): float(held[ask.app]) for ask in asks}
    for place, all in enumerate(demands):
        found[f"{place}"] = sum(found[f"{place}.{number}"] for number in range(len(all)))
    return found


def _tenth(seed: int) -> Found:
    """How long a job waits for a tenth of the slots of a busy cluster."""
    asked_ms = 5 * TASK_MS // 2
    nodes = slots(SLOTS)
    tenth = job_of("tenth", (Task(count=TENTH, duration_ms=TASK_MS),), at_ms=asked_ms)
    site = Site(seed=seed, duration_spread=0.3, is_prompt=True, am_start_ms=0)
    run = played(fair_files(), (hog(2 * SLOTS, TASK_MS, asked_ms + TASK_MS), tenth), nodes, site)
    row = next(one for one in run.result.jobs if one.job == "tenth")
    began = [start.at_ms for start in run.starts if start.job == "tenth"]
    return {"seconds": (began[TENTH - 1] - row.submitted_ms - (row.am_wait_ms or 0)) / 1000}
