"""Dominant resource fairness: the published example, and its properties probed on random demands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Origin, Outcome, PublishedFigure, Row, Table, Unit
from yarnbox.sim.paper.offers import Ask, handed_out
from yarnbox.sim.paper.theory import dominant_shares

GB = 1024


class Demand(NamedTuple):
    """What one task of a user needs."""

    gb: int
    vcores: int


EXAMPLE, EXAMPLE_NODE = (Demand(4, 1), Demand(1, 3)), Demand(18, 9)
"""User A, then user B; 9 CPUs and 18 GB."""
PUBLISHED = (3, 2)
NODE = Demand(256, 128)
USERS = 4
LIES = ((2, 1), (1, 2), (2, 2), (3, 1), (1, 3))
"""By how much a user exaggerates memory and vcores."""
WAYS = ("Fair, drf", "Capacity, Dominant", "Fair, fair")
_SIZES = {
    "yarn.scheduler.maximum-allocation-mb": str(64 * GB),
    "yarn.scheduler.maximum-allocation-vcores": "64",
}
ABOUT = """
Each user has a queue and asks for more tasks than fit. First the example of the paper: 9 CPUs and 18 GB,
tasks of user A need 1 CPU and 4 GB, those of user B 3 CPUs and 1 GB. Then four users with random demands
on 128 CPUs and 256 GB: does everybody run at least what a quarter of the cluster would run (sharing
incentive), would anybody run more with what another one has (envy), does exaggerating one's demands gain
tasks (strategy-proofness)? Tasks are whole, so one task more or less is no violation. *Fair, fair* looks
at memory alone, for comparison.
"""
REMARKS = """
`drf` of the FairScheduler and the CapacityScheduler with the DominantResourceCalculator and equal
capacities come to the paper's allocation. On so small a cluster a scheduler that looks at memory alone
comes to the same, because a third task of B does not fit; with random demands it leaves users with less
than their quarter.

That a user gains or lacks one task is rounding: the algorithm gives a whole task to the user with the
least dominant share, whoever is ahead by it when the cluster is full. When one user can have no more
because *one* resource is exhausted, others go on as long as theirs fit.
"""


class DominantResources(Experiment):
    """DRF in both schedulers."""

    name: ClassVar[str] = "drf"
    title: ClassVar[str] = "Dominant resource fairness"
    source: ClassVar[str] = "Ghodsi, Zaharia, Hindman, Konwinski, Shenker, Stoica, NSDI 2011"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from (("example", way) for way in WAYS)
        draws = 3 if scale.is_small else 20
        yield from (("draw", way, number) for way in WAYS for number in range(draws))

    def play(self, case: Case) -> Found:
        way = str(case.what[1])
        if case.what[0] == "example":
            tasks = _run(way, EXAMPLE, EXAMPLE_NODE)
            return {f"{user}": float(count) for user, count in enumerate(tasks)}
        chance = Random(f"{case.seed}/demands/{case.what[2]}")
        demands = tuple(Demand(chance.randint(1, 8), chance.randint(1, 8)) for _ in range(USERS))
        lies = LIES[:1] if case.scale.is_small else LIES
        return _probe(way, demands, lies)

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        draws = sorted({float(what[2]) for what in self.cases(scale) if what[0] == "draw"})
        expected = dominant_shares([_amounts(one) for one in EXAMPLE], _amounts(EXAMPLE_NODE))
        example = tuple(
            Row(
                of=f"tasks of {name}",
                literature=PublishedFigure(value=PUBLISHED[user], origin=Origin.P),
                theory=PublishedFigure(value=round(expected[user], 2), origin=Origin.D),
                here=tuple(findings.mean(f"{user}", "example", way) for way in WAYS),
            )
            for user, name in enumerate("AB")
        )
        return Outcome(
            tables=(
                Table(
                    name="example",
                    title="The example of the paper",
                    of="9 CPUs, 18 GB",
                    unit=Unit.COUNT,
                    here=WAYS,
                    rows=example,
                ),
                Table(
                    name="properties",
                    title=f"{len(draws)} draws of four users",
                    of="over all draws and users",
                    unit=Unit.COUNT,
                    here=WAYS,
                    rows=tuple(_properties(findings, draws)),
                ),
            ),
            remarks=REMARKS,
        )


def _properties(findings: Findings, draws: Sequence[float]) -> Iterable[Row]:
    said = PublishedFigure(value=0, origin=Origin.P)
    texts = {
        "lacking": "users with more than one task less than their quarter would run",
        "envious": "users who would run more than one task more with another's allocation",
        "gained": "tasks that exaggerating gained, at most",
    }
    for name, text in texts.items():
        here: list[float] = []
        for way in WAYS:
            values = [findings.mean(name, "draw", way, number) for number in draws]
            here.append(max(values) if name == "gained" else sum(values))
        yield Row(of=text, theory=said, here=tuple(here))


def _amounts(demand: Demand) -> Mapping[str, float]:
    return {"memory": float(demand.gb), "vcores": float(demand.vcores)}


def _run(way: str, demands: Sequence[Demand], node: Demand) -> list[int]:
    """The tasks of each user when everybody wants as many as possible."""
    asks = [
        Ask(
            f"a{user}",
            f"u{user}",
            min(node.gb // one.gb, node.vcores // one.vcores) + 1,
            one.gb * GB,
            one.vcores,
        )
        for user, one in enumerate(demands)
    ]
    rounds = sum(ask.containers for ask in asks)
    found = handed_out(_files(way, len(demands)), asks, (node.gb * GB, node.vcores), rounds=rounds)
    return [found[ask.app] for ask in asks]


def _files(way: str, users: int) -> Mapping[str, Any]:
    names = [f"u{user}" for user in range(users)]
    if way.startswith("Fair"):
        policy = way.removeprefix("Fair, ")
        queues = "".join(f'<queue name="{name}"/>' for name in names)
        text = (
            f"<allocations><defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>{queues}"
            "</allocations>"
        )
        return {
            "conf": {
                "yarn.resourcemanager.scheduler.class": "fair",
                "yarn.scheduler.reservation-threshold.increment-multiple": "8192",
                **_SIZES,
            },
            "fair-scheduler": text,
        }
    prefix = "yarn.scheduler.capacity."
    dominant = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
    capacity = {f"{prefix}resource-calculator": dominant, f"{prefix}root.queues": ",".join(names)}
    capacity[f"{prefix}reservations-continue-look-all-nodes"] = "true"
    for name in names:
        capacity[f"{prefix}root.{name}.capacity"] = "1w"
        capacity[f"{prefix}root.{name}.user-limit-factor"] = "1000"
        capacity[f"{prefix}root.{name}.maximum-am-resource-percent"] = "1"
    conf = {"yarn.resourcemanager.scheduler.class": "capacity", **_SIZES}
    return {"conf": conf, "capacity-scheduler": capacity}


def _fit(gb: float, vcores: float, demand: Demand) -> int:
    return int(min(gb / demand.gb, vcores / demand.vcores))


def _probe(way: str, demands: Sequence[Demand], lies: Sequence[tuple[int, int]]) -> Found:
    tasks = _run(way, demands, NODE)
    part = len(demands)
    lacking = sum(
        tasks[user] + 1 < _fit(NODE.gb / part, NODE.vcores / part, one) for user, one in enumerate(demands)
    )
    envious = sum(
        any(
            _fit(count * other.gb, count * other.vcores, one) > tasks[user] + 1
            for count, other in zip(tasks, demands, strict=True)
        )
        for user, one in enumerate(demands)
    )
    gained = 0
    for by_memory, by_vcores in lies:
        liar = Demand(demands[0].gb * by_memory, demands[0].vcores * by_vcores)
        told = _run(way, (liar, *demands[1:]), NODE)
        gained = max(gained, told[0] - tasks[0])
    return {"lacking": float(lacking), "envious": float(envious), "gained": float(gained)}
