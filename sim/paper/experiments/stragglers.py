"""Backup tasks: slow attempts, and second attempts at what they are slow at."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import ClassVar

from yarnbox.sim.paper.cluster import fair_files, job, maps, played, slots
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Origin, Outcome, PublishedFigure, Row, Table, Unit
from yarnbox.sim.workload.site import Site

NODES, EACH, JOBS, MAPS, MAP_MS = 20, 5, 8, 60, 90_000
SHARE, SLOWDOWN = 0.05, 5.0
NOBODY = "none"
WAYS = {"no straggler": None, NOBODY: None, "hadoop": "hadoop", "late": "late"}
ABOUT = """
8 jobs of 60 maps of 90 s, one a minute, on 100 slots. One attempt in twenty takes five times as long.
*hadoop* is the speculator of Hadoop's MapReduce ApplicationMaster, *late* the rule of the LATE paper:
both start a second attempt at a task that will end late, when no task waits.
"""
REMARKS = """
Without second attempts every job has a straggler and waits for it: its response time is that of its slowest
task. Second attempts win about half of that back, and take fewer container-seconds in all, because the slow
attempt is killed when the second one has ended. LATE judges an attempt only after a minute and starts
second attempts for at most one task in ten at a time, which is late for jobs of 60 maps of 90 s; the paper
measured its factor on another cluster.
"""


class Stragglers(Experiment):
    """Speculative execution."""

    name: ClassVar[str] = "stragglers"
    title: ClassVar[str] = "Backup tasks against stragglers"
    source: ClassVar[str] = "Zaharia, Konwinski, Joseph, Katz, Stoica, OSDI 2008"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from ((way,) for way in WAYS)

    def play(self, case: Case) -> Found:
        way = str(case.what[0])
        nodes, chance = slots(NODES, EACH), Random(f"{case.seed}/stragglers")
        jobs = [
            job(f"job{number}", maps(MAPS, MAP_MS, nodes, chance), at_ms=60_000 * number)
            for number in range(2 if case.scale.is_small else JOBS)
        ]
        site = Site(
            seed=case.seed,
            is_prompt=True,
            duration_spread=0.1,
            stragglers=0.0 if way == "no straggler" else SHARE,
            straggler_slowdown=SLOWDOWN,
            speculation=WAYS[way],
        )
        result = played(fair_files(), jobs, nodes, site).result
        return {
            "response": sum(row.response_ms or 0 for row in result.jobs) / len(result.jobs) / 1000,
            "second": float(sum(row.containers - row.tasks for row in result.jobs)),
            "busy": sum(node.busy_ms for node in result.nodes) / 1000,
        }

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        texts = (
            ("response", "mean response", Unit.SECONDS),
            ("second", "second attempts", Unit.COUNT),
            ("busy", "container-seconds", Unit.SECONDS),
        )
        rows = [
            Row(of=text, unit=unit, here=tuple(findings.mean(name, way) for way in WAYS))
            for name, text, unit in texts
        ]
        nobody = findings.mean("response", NOBODY)
        rows.append(
            Row(
                of="response without speculation over response",
                unit=Unit.FACTOR,
                literature=PublishedFigure(value="up to 2 (late)", origin=Origin.R),
                here=tuple(nobody / findings.mean("response", way) for way in WAYS),
            )
        )
        table = Table(
            name="speculation",
            title="Speculation",
            of="over all jobs",
            unit=Unit.COUNT,
            here=tuple(WAYS),
            rows=tuple(rows),
        )
        return Outcome(tables=(table,), remarks=REMARKS)
