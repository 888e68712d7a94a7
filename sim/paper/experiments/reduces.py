"""Maps and reduces depend on each other: reduces that wait for maps hold what others could use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import ClassVar

from yarnbox.sim.load.jobs import REDUCE, REDUCE_PRIORITY, Job, Task
from yarnbox.sim.paper.cluster import SLOT, fair_files, job, maps, played, slots
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Outcome, Row, Table, Unit
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.resources.resource import Resource

NODES, EACH = 10, 5
LONG_MAPS, LONG_REDUCES, SHORT_MAPS, SHORT_REDUCES = 600, 40, 8, 4
MAP_MS, REDUCE_MS = 20_000, 30_000
EARLY, LATE, SPLIT = "slow start 0.05", "slow start 1", "split, slow start 0.05"
WAYS = (EARLY, LATE, SPLIT)
ONE_QUEUE = '<queue name="all"><schedulingPolicy>fifo</schedulingPolicy></queue>'
ABOUT = """
50 slots for maps and reduces alike. A long job has 600 maps of 20 s and 40 reduces of 30 s; short ones of
8 maps and 4 reduces come every 25 s. A reduce holds its container from its start until all maps of its
job have ended and it has copied and computed. *Slow start* is the part of the maps that have ended before
reduces are asked for; *split*: a reduce copies in a container of a quarter of its size and computes in a
full one afterwards (copy-compute splitting as far as its idea is known; its limits in the report are
not).
"""
REMARKS = """
A long job that starts its reduces early loses the slots in which they wait: it ends sooner if its reduces
start late, or wait in small containers. Under FIFO all jobs behind it lose time as well. Under fair sharing
their share protects short jobs, and for a short job an early start of its reduces is rather good: they have
copied when its maps have ended.

The report names a factor of 2 to 10 in throughput and response times for its two techniques together, on
clusters whose reduces had slots of their own. In YARN maps and reduces share containers, and the
MapReduce ApplicationMaster gives reduces up when maps cannot go on.
"""


class Reduces(Experiment):
    """Who waits for whom."""

    name: ClassVar[str] = "reduces"
    title: ClassVar[str] = "Maps and reduces depend on each other"
    source: ClassVar[str] = "UCB/EECS-2009-55, section 3"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from ((way, policy) for policy in ("fair", "fifo") for way in WAYS)

    def play(self, case: Case) -> Found:
        way, policy = str(case.what[0]), str(case.what[1])
        queue = "root.all" if policy == "fifo" else None
        by = 4 if case.scale.is_small else 1
        nodes = tuple(
            replace(spec, resource=Resource(EACH * SLOT.memory_mb + 128, 8 * EACH))
            for spec in slots(NODES, EACH)
        )
        chance = Random(f"{case.seed}/reduces")
        slow_start = 1.0 if way == LATE else 0.05
        sizes = [(0, "long", LONG_MAPS // by, LONG_REDUCES // by)]
        sizes += [
            (20_000 + 25_000 * number, f"short{number}", SHORT_MAPS, SHORT_REDUCES)
            for number in range(12 // by)
        ]

        def made(at_ms: int, name: str, map_count: int, reduce_count: int) -> Job:
            reduces = Task(stage=REDUCE, count=reduce_count, duration_ms=REDUCE_MS, priority=REDUCE_PRIORITY)
            tasks = (*maps(map_count, MAP_MS, nodes, chance), reduces)
            return replace(job(name, tasks, at_ms=at_ms, queue=queue), slow_start=slow_start)

        site = Site(seed=case.seed, is_prompt=True, duration_spread=0.1, reduce_split=way == SPLIT)
        files = fair_files(ONE_QUEUE if queue else "")
        result = played(files, [made(*one) for one in sizes], nodes, site).result
        short = [row for row in result.jobs if row.job != "long"]
        long = next(row for row in result.jobs if row.job == "long")
        return {
            "short": sum(row.response_ms or 0 for row in short) / len(short) / 1000,
            "long": (long.response_ms or 0) / 1000,
            "makespan": result.makespan_ms / 1000,
        }

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        texts = (
            ("short", "mean response of short jobs"),
            ("long", "response of the long job"),
            ("makespan", "until all have ended"),
        )
        rows = tuple(
            Row(of=f"{text}, {policy}", here=tuple(findings.mean(name, way, policy) for way in WAYS))
            for policy in ("fair", "fifo")
            for name, text in texts
        )
        table = Table(name="times", title="Times", of="", unit=Unit.SECONDS, here=WAYS, rows=rows)
        return Outcome(tables=(table,), remarks=REMARKS)
