"""What breaks the delay: slots that long tasks keep, and data that many jobs want at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar

from yarnbox.sim.load.jobs import Job, NodeSpec, Task
from yarnbox.sim.paper.cluster import (
    PUBLISHED_DELAY,
    REPLICAS,
    Played,
    fair_files,
    first_waits_s,
    hog,
    job,
    localities,
    maps,
    patience,
    played,
    slots,
)
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Line, Origin, Outcome, Plot, PublishedFigure, Row, Table, Unit
from yarnbox.sim.paper.theory import served_at_home, with_kept_slots
from yarnbox.sim.workload.requests import NODE
from yarnbox.sim.workload.site import Site

NODES, TASK_MS, GAP_MS, AM_MS = 100, 10_000, 1000, 200
LONG, HOT = "long", "hot"
KEPT = (0.0, 0.3, 0.6, 0.8)
"""Parts of the slots that long tasks keep."""
EACH = (1, 4)
"""Slots of a node."""
WANTED = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Parts of the jobs that read the one file."""
COPIES = (3, 12)
"""Replicas of that file."""
WARM_MS = 20_000
OPEN_ENDED_MS = 3_600_000
ABOUT = """
100 nodes, 3 replicas, tasks of about 10 s; jobs of a single map come one after the other on a busy cluster
and decline as many free slots as there are nodes, D = 100, in the published way: enough for 95 % when
nothing is in the way. *Long tasks*: tasks that do not end occupy a part of the slots, drawn at random, with
one slot a node and with four; one job comes for every ten slots that become free. A map is local within D
free slots by the chance 1 - (1 - w)^D, where w is the part of the slots that become free which are on its
three nodes; theory is the mean over all draws of w. *Hot spot*: each node has one slot, one job comes a
second, and a part of the jobs read the same block. Each of its nodes frees a slot every 10 s, so no more
than (replicas / 10) of these jobs a second can be local; theory is this bound for them, and the formula for
the others.
"""
REMARKS = """
With one slot a node, long tasks take what delay needs: a node whose slot is occupied by a long task never
offers one, and where all replicas of a block are on such nodes its map runs elsewhere, however long its job
waits. It declines all of D in vain, and waits for longer than before: the same number of free slots takes
more time to come. Several slots a node help: all four of a node are rarely occupied by long tasks, so the
data stays reachable until most of the cluster is occupied, and slots become free four times as often.

No wait is long enough for a hot spot: when more jobs want a node than it has slots, the others decline D
slots and then run elsewhere, after the longest possible wait. More replicas of the data help, a longer wait
does not: with twelve replicas four times as many jobs find their block, and sooner.

Where local slots are easy to find the run lies above the formula, which draws each free slot anew. Here a
slot that was declined is not offered again before another task has run in it, so a hundred offers come from
nearly as many different nodes. Past the bound of the hot block it lies above as well, because the jobs that
still wait for it when the last one has come find it free.

Summaries of the paper name both limits; the paper's figures for them are not known.
"""


class Breaks(Experiment):
    """Small jobs with patience, where patience does not help."""

    name: ClassVar[str] = "breaks"
    title: ClassVar[str] = "What breaks it: long tasks and hot spots"
    source: ClassVar[str] = "Delay Scheduling, EuroSys 2010, as its readers sum it up"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from ((LONG, each, kept) for each in EACH for kept in _few(KEPT, scale))
        yield from ((HOT, copies, wanted) for copies in COPIES for wanted in _few(WANTED, scale))

    def play(self, case: Case) -> Found:
        kind, number, part = str(case.what[0]), int(case.what[1]), float(case.what[2])
        count = 50 if case.scale.is_small else 120
        chance = Random(f"{case.seed}/{kind}/{part}")
        if kind == LONG:
            run = _with_long_tasks(number, part, count, chance, case.seed)
        else:
            run = _with_hot_block(number, part, count, chance, case.seed)
        starts = [start for start in run.starts if start.job.startswith("small")]
        waits = first_waits_s(run, AM_MS)
        mine = [wait for name, wait in waits.items() if name.startswith("small")]
        return {NODE: localities(starts)[NODE], "wait": sum(mine) / len(mine)}

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        kept, wanted = _few(KEPT, scale), _few(WANTED, scale)
        long_tasks = _Side(
            LONG, EACH, "part of the slots that long tasks keep", ("1 slot a node", "4 slots a node"), kept
        )
        hot_block = _Side(
            HOT, COPIES, "part of the jobs that read one block", ("3 replicas of it", "12 replicas"), wanted
        )
        return Outcome(
            tables=(
                long_tasks.table(findings, "Node-local maps beside long tasks"),
                long_tasks.waits(findings, "Wait of a map beside long tasks"),
                hot_block.table(findings, "Node-local maps with a hot block"),
                hot_block.waits(findings, "Wait of a map with a hot block"),
            ),
            plots=(
                long_tasks.plot(findings, "Node-local maps beside long tasks"),
                hot_block.plot(findings, "Node-local maps with a hot block"),
            ),
            remarks=REMARKS,
        )


def local_in_theory(kind: str, number: int, part: float) -> float:
    """The part of the maps that is local, or at most can be."""
    if kind == LONG:
        return with_kept_slots(NODES, REPLICAS, number, round(part * NODES * number), NODES)
    others = with_kept_slots(NODES, REPLICAS, 1, 0, NODES)
    return served_at_home(part * 1000 / GAP_MS, number * 1000 / TASK_MS, part, others)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two halves of the experiment."""

    kind: str
    numbers: tuple[int, ...]
    of: str
    columns: tuple[str, ...]
    parts: tuple[float, ...]

    def table(self, findings: Findings, title: str) -> Table:
        rows = tuple(
            Row(
                of=f"{100 * part:.0f} %, {column}",
                theory=PublishedFigure(value=local_in_theory(self.kind, number, part), origin=Origin.D),
                here=(findings.mean(NODE, self.kind, number, part),),
            )
            for number, column in zip(self.numbers, self.columns, strict=True)
            for part in self.parts
        )
        return Table(name=self.kind, title=title, of=self.of, unit=Unit.SHARE, rows=rows)

    def waits(self, findings: Findings, title: str) -> Table:
        rows = tuple(
            Row(
                of=f"{100 * part:.0f} %",
                here=tuple(findings.mean("wait", self.kind, number, part) for number in self.numbers),
            )
            for part in self.parts
        )
        name = f"{self.kind}-wait"
        return Table(name=name, title=title, of=self.of, unit=Unit.SECONDS, here=self.columns, rows=rows)

    def plot(self, findings: Findings, title: str) -> Plot:
        lines = []
        for number, column in zip(self.numbers, self.columns, strict=True):
            curve = tuple((step / 20, local_in_theory(self.kind, number, step / 20)) for step in range(20))
            here = tuple((part, findings.mean(NODE, self.kind, number, part)) for part in self.parts)
            lines.append(Line(name=f"theory, {column}", points=curve, is_theory=True))
            lines.append(Line(name=column, points=here))
        return Plot(
            name=self.kind, title=title, x=self.of, y="part of the maps", unit=Unit.SHARE, lines=tuple(lines)
        )


def _few(parts: tuple[float, ...], scale: Scale) -> tuple[float, ...]:
    return (parts[0], parts[-2]) if scale.is_small else parts


def _with_long_tasks(each: int, kept: float, count: int, chance: Random, seed: int) -> Played:
    nodes = slots(NODES, each)
    gap_ms = round(GAP_MS / each / (1 - kept))
    jobs = [
        job(f"small{number}", maps(1, TASK_MS, nodes, chance), at_ms=WARM_MS + number * gap_ms)
        for number in range(count)
    ]
    places = [node for node in nodes for _ in range(each)]
    chosen = chance.sample(places, round(kept * len(places)))
    if chosen:
        jobs.insert(0, _keeper(chosen, WARM_MS + count * gap_ms))
    return _played(nodes, jobs, WARM_MS + count * gap_ms, seed)


def _keeper(places: Iterable[NodeSpec], end_ms: int) -> Job:
    """A job that keeps a slot at each of these places until that moment."""
    tasks = tuple(Task(stage="task", duration_ms=OPEN_ENDED_MS, places=(node.place,)) for node in places)
    return replace(hog(1, OPEN_ENDED_MS, end_ms, name="long"), tasks=tasks)


def _with_hot_block(copies: int, wanted: float, count: int, chance: Random, seed: int) -> Played:
    nodes = slots(NODES)
    hot = Task(duration_ms=TASK_MS, places=tuple(node.place for node in chance.sample(nodes, copies)))
    jobs = []
    for number in range(count):
        tasks = (hot,) if chance.random() < wanted else maps(1, TASK_MS, nodes, chance)
        jobs.append(job(f"small{number}", tasks, at_ms=WARM_MS + number * GAP_MS))
    return _played(nodes, jobs, WARM_MS + count * GAP_MS, seed)


def _played(nodes: tuple[NodeSpec, ...], jobs: list[Job], end_ms: int, seed: int) -> Played:
    everywhere = 2 * sum(node.resource.vcores for node in nodes if node.resource is not None)
    others = replace(hog(everywhere, TASK_MS, end_ms), submit_ms=WARM_MS // 2)
    site = Site(seed=seed, duration_spread=0.5, is_prompt=True, am_interval_ms=AM_MS)
    properties = {**patience(1.0), **PUBLISHED_DELAY}
    return played(fair_files(properties=properties), (others, *jobs), nodes, site)
