"""Node labels: exclusive and lending partitions, and a partition shared by queues."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import ClassVar

from yarnbox.sim.load.jobs import Job, Nodes, Task
from yarnbox.sim.paper.cluster import capacity_files, hog, job, played, slots
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Origin, Outcome, PublishedFigure, Row, Table, Unit
from yarnbox.sim.workload.site import Site

NODES, LABELLED, EACH = 20, 8, 5
LABEL = "gpu"
PLAIN = 6
"""Applications of the queue that wants everything."""
NONE, EXCLUSIVE, LENDING = "no labels", "exclusive", "lending"
WAYS = (NONE, EXCLUSIVE, LENDING)
SPAN_S, TASK_MS = 1200, 20_000
SPECIAL_GAP_S, SPECIAL_TASKS = 120, 60
SHARES = {"first": 70, "second": 30}
ABOUT = """
20 nodes of 5 slots, 8 of them labelled `gpu`. The queue `special` has all of the partition and submits a
job of 60 tasks of 20 s every two minutes for twenty minutes; six applications of the queue `plain` each
want all slots, always. Without labels the two share all nodes, 40 to 60. *Exclusive*: others stay away from
labelled nodes. *Lending*: they may use idle resources there. The second table has two queues with 70 and 30
percent of the partition that both want all of it.
"""
REMARKS = """
An exclusive partition is idle while its owner has nothing to do, and that is what it costs: `plain` never
gets more than its own nodes. A lending one wins nearly all of that back here, and its owner waits until
borrowed containers end. It lends to those who wait: an application gets a container there only when as many
nodes as the cluster has offered it nothing, and every container that it gets, wherever that is, begins the
count anew. An application that gets containers on its own nodes all the time is never lent anything; of the
six here five are. Without labels tasks run on any node. That gives the highest throughput if any node is
suitable; it does not help tasks that need particular nodes.

A partition is divided among queues by their capacities for it, like the cluster.
"""


class Labels(Experiment):
    """What labels cost, and lending wins back."""

    name: ClassVar[str] = "labels"
    title: ClassVar[str] = "Node labels: exclusive and lending partitions"
    source: ClassVar[str] = "node labels of Hadoop 3.4 (YARN Node Labels)"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        yield from (("work", way) for way in WAYS)
        yield ("shares",)

    def play(self, case: Case) -> Found:
        span_s = SPAN_S // 4 if case.scale.is_small else SPAN_S
        if case.what[0] == "shares":
            return _shared(case.seed, span_s)
        way = str(case.what[1])
        label = None if way == NONE else LABEL
        chance = Random(f"{case.seed}/gpu")
        special = [
            _special(number, round(1000 * (at_s + 20 * chance.random())), label)
            for number, at_s in enumerate(range(20, span_s - 60, SPECIAL_GAP_S))
        ]
        plain = [
            hog(NODES * EACH, TASK_MS, span_s * 1000, name=f"plain{number}", queue="plain")
            for number in range(PLAIN)
        ]
        files = capacity_files(_queues(way), {"yarn.node-labels.enabled": "true"})
        run = played(files, (*plain, *special), _nodes(way), _site(case.seed))
        done = [start for start in run.starts if start.at_ms <= span_s * 1000]
        rows = [row for row in run.result.jobs if row.queue.endswith("special")]
        return {
            "plain": float(sum(start.job.startswith("plain") for start in done)),
            "all": float(len(done)),
            "response": sum(row.response_ms or 0 for row in rows) / len(rows) / 1000,
            "wait": sum(row.wait_ms or 0 for row in rows) / len(rows) / 1000,
            "used": len(done) * TASK_MS / 1000 / (NODES * EACH * span_s),
        }

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        texts = (
            ("tasks of `plain`", "plain", Unit.COUNT),
            ("tasks of both", "all", Unit.COUNT),
            ("part of the slots at work", "used", Unit.SHARE),
            ("mean wait of a job of `special`", "wait", Unit.SECONDS),
            ("mean response of a job of `special`", "response", Unit.SECONDS),
        )
        work = Table(
            name="work",
            title="What is done, and what waits",
            of="over the whole time",
            unit=Unit.COUNT,
            here=WAYS,
            rows=tuple(
                Row(of=text, unit=unit, here=tuple(findings.mean(name, "work", way) for way in WAYS))
                for text, name, unit in texts
            ),
        )
        shares = Table(
            name="shares",
            title="A partition shared by two queues",
            of="queue",
            unit=Unit.SHARE,
            rows=tuple(
                Row(
                    of=f"`{name}`",
                    theory=PublishedFigure(value=percent / 100, origin=Origin.D),
                    here=(findings.mean(name, "shares"),),
                )
                for name, percent in SHARES.items()
            ),
        )
        return Outcome(tables=(work, shares), remarks=REMARKS)


def _special(number: int, at_ms: int, label: str | None) -> Job:
    tasks = (Task(count=SPECIAL_TASKS, duration_ms=TASK_MS, label=label),)
    return replace(job(f"special{number}", tasks, at_ms=at_ms, queue="special"), am_label=label)


def _site(seed: int) -> Site:
    return Site(seed=seed, is_prompt=True, duration_spread=0.2, am_start_ms=0)


def _nodes(way: str) -> Nodes:
    specs = slots(NODES, EACH, room_mb=4)
    if way == NONE:
        return Nodes(nodes=specs)
    labelled = tuple(
        replace(spec, labels=(LABEL,)) if number < LABELLED else spec for number, spec in enumerate(specs)
    )
    return Nodes(nodes=labelled, exclusive={LABEL: way == EXCLUSIVE})


def _queues(way: str) -> dict[str, str]:
    found = {"root.queues": "special,plain"}
    own = {"special": 40, "plain": 60} if way == NONE else {"special": 0, "plain": 100}
    for name, percent in own.items():
        found[f"root.{name}.capacity"] = f"{percent}"
        found[f"root.{name}.maximum-capacity"] = "100"
        found[f"root.{name}.user-limit-factor"] = "100"
    if way != NONE:
        found |= _partition({"special": 100})
        found["root.plain.accessible-node-labels"] = ""
    return found


def _partition(percents: dict[str, int]) -> dict[str, str]:
    found = {f"root.accessible-node-labels.{LABEL}.capacity": "100"}
    for name, percent in percents.items():
        found[f"root.{name}.accessible-node-labels"] = LABEL
        found[f"root.{name}.accessible-node-labels.{LABEL}.capacity"] = f"{percent}"
        found[f"root.{name}.accessible-node-labels.{LABEL}.maximum-capacity"] = "100"
        found[f"root.{name}.default-node-label-expression"] = LABEL
    return found


def _shared(seed: int, span_s: int) -> Found:
    """What part of the partition each of two queues has that both want all of it."""
    found = {"root.queues": ",".join(SHARES), **_partition(SHARES)}
    for name in SHARES:
        found[f"root.{name}.capacity"] = "50"
        found[f"root.{name}.user-limit-factor"] = "100"
    jobs = [
        replace(hog(2 * NODES * EACH, TASK_MS, span_s * 1000, name=name, queue=name), am_label=LABEL)
        for name in SHARES
    ]
    files = capacity_files(found, {"yarn.node-labels.enabled": "true"})
    run = played(files, jobs, _nodes(EXCLUSIVE), _site(seed))
    late = [start.job for start in run.starts if start.at_ms > span_s * 250]
    return {name: late.count(name) / len(late) for name in SHARES}
