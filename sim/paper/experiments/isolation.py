"""Isolation: how soon a pool has its minimum share, then its fair share, and what that costs others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

from yarnbox.sim.load.jobs import SERVICE, Job, Task
from yarnbox.sim.paper.cluster import fair_files, job, played, slots
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Origin, Outcome, PublishedFigure, Row, Table, Unit
from yarnbox.sim.workload.site import Site

SLOTS, MINIMUM, FAIR = 100, 30, 50
MIN_TIMEOUT_S, FAIR_TIMEOUT_S, KILL_WAIT_S = 15, 45, 5
AMS_MB, WEIGHT = 2, 1.01
"""ApplicationMasters count beside the slots: they must not tip the scales by one slot."""
HOGS, HOG_GAP_S = 5, 20
ASKED_S, END_S = 180, 300
NEVER = float(END_S)
_PREEMPTION = {
    "yarn.scheduler.fair.preemption": "true",
    "yarn.scheduler.fair.waitTimeBeforeKill": str(KILL_WAIT_S * 1000),
    "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck": "1000",
}
WAYS: Mapping[str, Mapping[str, str]] = {
    "no preemption": {},
    "Hadoop 3.4": _PREEMPTION,
    "published": {
        **_PREEMPTION,
        "yarnbox.fair.preemption.exact-min-share": "true",
        "yarnbox.fair.preemption.newest-first": "true",
    },
}
DEMANDS: Mapping[str, tuple[int, ...]] = {
    "one application, 40 slots": (40,),
    "one application, 60 slots": (60,),
    "two applications, 60 slots each": (60, 60),
}
QUEUES = (
    f'<queue name="prod"><weight>{WEIGHT}</weight>'
    f"<minResources>{MINIMUM * 1024 + AMS_MB} mb, 0 vcores</minResources>"
    f"<minSharePreemptionTimeout>{MIN_TIMEOUT_S}</minSharePreemptionTimeout>"
    f"<fairSharePreemptionTimeout>{FAIR_TIMEOUT_S}</fairSharePreemptionTimeout>"
    "<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold></queue>"
    '<queue name="hog"/>'
)
ABOUT = """
100 slots. Five jobs of the pool `hog`, which began 20 s apart, hold 20 each, for tasks that do not end.
Then the pool `prod` asks; its minimum share is 30, Tmin 15 s and Tfair 45 s, and 5 s lie between mark and
kill. Its fair share is 50 (weights 1.01 to 1, for the sake of the ApplicationMasters), or its demand. The
values of the timeouts that were used in production are not known.
"""
REMARKS = """
By the published rules `prod` has its minimum share when Tmin and the wait before the kill are over, and its
fair share when Tfair and that wait are over; exactly as many tasks are killed as it lacks. By none of the
rules does a job of `hog` fall below its fair share of 10.

By Hadoop's rules the outcome depends on what is asked: see [minimum
shares](fair-scheduler.md#minimum-shares-hadoop-takes-too-little-or-too-much). An application that asks for
less than twice the lack gets it in several rounds; one that asks for more, or the second of two, already
gets at Tmin what is due at Tfair.

The published way loses more work in the second and third table because it waits longer: its second batch of
containers is killed 30 s later, when they have run for 30 s more. In the first table both ways kill as many
containers at nearly the same time, and killing the newest of the cluster loses less work.
"""


class Isolation(Experiment):
    """Minimum shares with two timeouts."""

    name: ClassVar[str] = "isolation"
    title: ClassVar[str] = "Isolation: minimum shares, Tmin and Tfair"
    source: ClassVar[str] = "UCB/EECS-2009-55, section 2"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        demands = list(DEMANDS)[1:2] if scale.is_small else list(DEMANDS)
        yield from ((demand, way) for demand in demands for way in WAYS)

    def play(self, case: Case) -> Found:
        demand, way = str(case.what[0]), str(case.what[1])
        hogs = [
            _holder(f"hog{number}", "root.hog", SLOTS // HOGS, at_s=number * HOG_GAP_S)
            for number in range(HOGS)
        ]
        asking = [
            _holder(f"prod{number}", "root.prod", count, at_s=ASKED_S)
            for number, count in enumerate(DEMANDS[demand])
        ]
        site = Site(seed=case.seed, is_prompt=True, am_start_ms=0, am_interval_ms=200)
        run = played(fair_files(QUEUES, WAYS[way]), (*hogs, *asking), slots(10, 10, room_mb=8), site)
        began = [start.at_ms / 1000 - ASKED_S for start in run.starts if start.job.startswith("prod")]
        losers = [row for row in run.result.jobs if row.job.startswith("hog")]
        killed = sum(row.preempted for row in losers)
        lost_s = sum(row.lost_ms for row in losers) / 1000
        due = min(FAIR, sum(DEMANDS[demand]))
        return {
            "minimum": _when(began, MINIMUM),
            "fair": _when(began, due),
            "early": float(sum(one < FAIR_TIMEOUT_S for one in began)),
            "killed": float(killed),
            "lost": lost_s,
            "age": lost_s / killed if killed else 0.0,
            "held": float(min(SLOTS // HOGS - row.preempted for row in losers)),
        }

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        demands = list(dict.fromkeys(str(what[0]) for what in self.cases(scale)))
        return Outcome(tables=tuple(_table(findings, demand) for demand in demands), remarks=REMARKS)


def _holder(name: str, queue: str, count: int, *, at_s: int) -> Job:
    """Somebody who wants so many slots and keeps them."""
    tasks = (Task(stage="task", count=count, duration_ms=1000),)
    holder = job(name, tasks, at_ms=at_s * 1000, queue=queue)
    return replace(holder, model=SERVICE, end_ms=END_S * 1000)


def _when(began: list[float], count: int) -> float:
    """When so many slots were held; the end where they never were."""
    return sorted(began)[count - 1] if len(began) >= count else NEVER


def _table(findings: Findings, demand: str) -> Table:
    due = min(FAIR, sum(DEMANDS[demand]))
    said = {
        "minimum": PublishedFigure(value=float(MIN_TIMEOUT_S + KILL_WAIT_S), origin=Origin.S),
        "fair": PublishedFigure(value=float(FAIR_TIMEOUT_S + KILL_WAIT_S), origin=Origin.S),
        "early": PublishedFigure(value=MINIMUM, origin=Origin.S),
        "killed": PublishedFigure(value=due, origin=Origin.S),
        "held": PublishedFigure(value=f"at least {SLOTS // 2 // HOGS}", origin=Origin.S),
    }
    texts = {
        "minimum": (f"until {MINIMUM} slots, its minimum share", Unit.SECONDS),
        "fair": (f"until {due} slots, its fair share", Unit.SECONDS),
        "early": ("slots before Tfair", Unit.COUNT),
        "killed": ("tasks killed", Unit.COUNT),
        "lost": ("work lost, container-seconds", Unit.SECONDS),
        "age": ("mean age of the killed", Unit.SECONDS),
        "held": ("slots left to the job that lost most", Unit.COUNT),
    }

    def value(name: str, way: str) -> float | str:
        found = findings.mean(name, demand, way)
        return "not before the end" if name in ("minimum", "fair") and found == NEVER else found

    number = list(DEMANDS).index(demand) + 1
    return Table(
        name=f"demand-{number}",
        title=f"`prod`: {demand}",
        of="from asking on",
        unit=Unit.COUNT,
        here=tuple(WAYS),
        rows=tuple(
            Row(of=text, unit=unit, literature=said.get(name), here=tuple(value(name, way) for way in WAYS))
            for name, (text, unit) in texts.items()
        ),
    )
