"""Clusters of one's own against one that is shared: for good, for as long as a user has jobs, for one job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import ClassVar

from yarnbox.sim.load.jobs import Job, NodeSpec
from yarnbox.sim.paper.cluster import REPLICAS, job, localities, maps, slots
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.experiments.holding import (
    Held,
    Use,
    for_each_job,
    for_each_user,
    for_good,
    shared,
)
from yarnbox.sim.paper.figures import Line, Origin, Outcome, Plot, PublishedFigure, Row, Table, Unit
from yarnbox.sim.paper.theory import reachable
from yarnbox.sim.workload.requests import NODE

NODES, EACH, USERS, JOBS, MAP_MS = 20, 4, 5, 6, 20_000
GAP_MS = 60_000
OWN, USER, JOB, SHARED = "nodes for good", "a cluster per user", "a cluster per job", "one cluster"
WAYS = (OWN, USER, JOB, SHARED)
OF_OWN, OF_USER = NODES // USERS, 8
"""Nodes of a user: for good, and while he has jobs."""
MOST = 10
"""Nodes of a job."""
BIN_S = 20
ABOUT = f"""
20 nodes of 4 slots, five users with six jobs each of 4 to 120 maps. Files lie on all nodes, with 3
replicas; a map reads from other nodes in 1.5 times the time within the rack and in twice the time
elsewhere. *Nodes for good*: a permanent partition of four nodes for each user. *A cluster per user*: as
with Hadoop on Demand (HOD) a user with something to do takes {OF_USER} nodes, runs its jobs there with a
scheduler of its own, and gives them back when none is left. *A cluster per job*: every job takes a node for
each four of its maps, {MOST} at most. If too few nodes are free, the user or job waits in a FIFO line. *One
cluster*: fair sharing with the published delay. How large clusters on demand were is not known: these sizes
are ours.
"""
REMARKS = """
A private cluster reaches only the blocks on its own nodes, as the formula of sticky slots says, and the run
stays a little below it: where the slots next to the data are taken, a map runs elsewhere after its wait.
Shared, the same machines do the same work sooner, and nearly all of it where the data is.

The second table follows every slot until the last job of the slowest way has ended. A permanent partition
is idle whenever its user has nothing to do, even while others wait. Clusters on demand are given back, but
each is held until the last task of its last job has ended, and its slots without a task are idle until
then: this is what the report calls nodes that are idle while a job's tail runs. A cluster per job has such
a tail for every job, while other jobs wait in line: most slots are lost in this way, and users wait
longest. In the shared cluster the next map takes the slot, whichever job it belongs to: slots are idle only
when no map waits. *Maps wait* is the time until the ApplicationMaster runs, until heartbeats come, and for
slots with the data.

The report names poor locality and poor utilization of private clusters without figures.
"""


class StaticPartitions(Experiment):
    """Five users, with and without walls."""

    name: ClassVar[str] = "static"
    title: ClassVar[str] = "Private clusters against a shared one"
    source: ClassVar[str] = "UCB/EECS-2009-55, section 1"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from ((way,) for way in WAYS)

    def play(self, case: Case) -> Found:
        nodes, chance = slots(NODES, EACH, 5), Random(f"{case.seed}/static")
        loads = [_jobs(user, nodes, chance, 2 if case.scale.is_small else JOBS) for user in range(USERS)]
        way = case.what[0]
        if way == OWN:
            held = for_good(loads, nodes, OF_OWN, case.seed)
        elif way == USER:
            held = for_each_user(loads, nodes, OF_USER, case.seed)
        elif way == JOB:
            held = for_each_job([one for load in loads for one in load], nodes, EACH, MOST, case.seed)
        else:
            held = shared([one for load in loads for one in load], nodes, case.seed)
        return _figures(held, [one for load in loads for one in load])

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        until_s = max(findings.mean("makespan", way) for way in WAYS)
        texts = (
            ("node", "node-local maps", Unit.SHARE),
            ("response", "mean response", Unit.SECONDS),
            ("line", "of it in line for a cluster", Unit.SECONDS),
            ("makespan", "until all have ended", Unit.SECONDS),
        )
        four, eight = (100 * reachable(NODES, REPLICAS, count) for count in (OF_OWN, OF_USER))
        theory = {
            "node": PublishedFigure(
                value=f"{four:.0f} % on four nodes, {eight:.0f} % on eight", origin=Origin.D
            )
        }
        both = Table(
            name="both",
            title="Five users",
            of="over all jobs",
            unit=Unit.SHARE,
            here=WAYS,
            rows=tuple(
                Row(
                    of=text,
                    unit=unit,
                    theory=theory.get(name),
                    here=tuple(findings.mean(name, way) for way in WAYS),
                )
                for name, text, unit in texts
            ),
        )
        return Outcome(
            tables=(both, _uses(findings, until_s)), plots=(_plot(findings, until_s),), remarks=REMARKS
        )


def _uses(findings: Findings, until_s: float) -> Table:
    def part(name: str, way: str) -> float:
        return findings.mean(name, way) / (until_s * NODES * EACH)

    free = tuple(1 - sum(part(use.name, way) for use in Use) for way in WAYS)
    return Table(
        name="slots",
        title="What becomes of the slots",
        of=f"part of all slots, over {until_s:.0f} s",
        unit=Unit.SHARE,
        here=WAYS,
        rows=(
            *(Row(of=use.value, here=tuple(part(use.name, way) for way in WAYS)) for use in Use),
            Row(of="free for whoever comes", here=free),
        ),
    )


def _plot(findings: Findings, until_s: float) -> Plot:
    bins = range(int(until_s // BIN_S) + 1)
    lines = []
    for way in WAYS:
        (found,) = findings.all(way)
        points = tuple((float(number * BIN_S), found.get(f"busy.{number}", 0.0)) for number in bins)
        lines.append(Line(name=way, points=points))
    return Plot(
        name="slots",
        title="Slots at work",
        x="seconds",
        y="part of the slots",
        unit=Unit.SHARE,
        lines=tuple(lines),
    )


def _jobs(user: int, nodes: Sequence[NodeSpec], chance: Random, count: int) -> list[Job]:
    found, at_ms = [], 0
    for number in range(count):
        at_ms += round(chance.expovariate(1 / GAP_MS))
        size = chance.choice((4, 10, 40, 120))
        found.append(job(f"u{user}j{number}", maps(size, MAP_MS, nodes, chance), at_ms=at_ms))
    return found


def _figures(held: Sequence[Held], jobs: Sequence[Job]) -> Found:
    ends_ms = {name: at_ms for one in held for name, at_ms in one.ends_ms().items()}
    begins_ms = {one.job_id: cluster.from_ms for cluster in held for one in cluster.jobs}
    last_ms = max(ends_ms.values())
    starts = [
        start for one in held for start in one.run.starts if start.job in {job.job_id for job in one.jobs}
    ]
    uses = [one.uses_ms(min(one.to_ms, last_ms)) for one in held]
    return {
        "node": localities(starts)[NODE],
        "response": sum(ends_ms[one.job_id] - one.submit_ms for one in jobs) / len(jobs) / 1000,
        "line": sum(max(0, begins_ms[one.job_id] - one.submit_ms) for one in jobs) / len(jobs) / 1000,
        "makespan": last_ms / 1000,
        **{use.name: sum(one[use] for one in uses) / 1000 for use in Use},
        **_busy(held, last_ms),
    }


def _busy(held: Sequence[Held], last_ms: int) -> Found:
    """The part of all slots at work, for each stretch of time."""
    bin_ms = BIN_S * 1000
    found = dict.fromkeys(range(last_ms // bin_ms + 1), 0)
    for from_ms, to_ms in (span for one in held for span in one.spans_ms()):
        for number in range(from_ms // bin_ms, to_ms // bin_ms + 1):
            found[number] += min(to_ms, (number + 1) * bin_ms) - max(from_ms, number * bin_ms)
    return {f"busy.{number}": busy_ms / (bin_ms * NODES * EACH) for number, busy_ms in found.items()}
