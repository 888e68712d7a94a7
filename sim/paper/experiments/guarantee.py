"""Preemption of the CapacityScheduler: how soon a guarantee comes back, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from yarnbox.sim.load.jobs import SERVICE, Job, Nodes, Task
from yarnbox.sim.paper.cluster import capacity_files, job, played, slots
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Found, Scale
from yarnbox.sim.paper.figures import Line, Outcome, Plot, Row, Table, Unit
from yarnbox.sim.workload.site import Site

SLOTS, GUARANTEE = 100, 50
ASKED_S, END_S = 30, 630
LABEL = "x"
_PREFIX = "yarn.resourcemanager.monitor.capacity.preemption."
DEFAULTS: dict[str, float] = {
    "natural_termination_factor": 0.2,
    "total_preemption_per_round": 0.1,
    "max_wait_before_kill": 15_000,
}
VALUES: dict[str, tuple[float, ...]] = {
    "natural_termination_factor": (0.1, 0.2, 0.5, 1.0),
    "total_preemption_per_round": (0.02, 0.1, 0.5),
    "max_wait_before_kill": (0, 15_000, 60_000),
}
PARTITION, NEVER_ON = "partition", "off"
PARTS = (0.5, 0.8, 0.9, 1.0)
ABOUT = """
100 slots, two queues with a guarantee of 50 each. One has filled all with tasks that do not end; then the
other asks for 60. The policy runs every 3 s. One property is changed at a time; the others have their
defaults: natural_termination_factor 0.2, total_preemption_per_round 0.1, max_wait_before_kill 15 s.
*Partition*: the same in a partition of labelled nodes.
"""
REMARKS = """
The two factors multiply: what a pass may take in all (total_preemption_per_round of the cluster) is cut
again by the natural_termination_factor. With the defaults that is 0.1 x 0.2 = 2 percent of the cluster,
three slots when rounded up to whole containers. What is marked and not yet killed still counts as used, so
the next pass selects the same containers again, and such a step comes once in max_wait_before_kill and a
pass: half of the guarantee takes minutes, not seconds. What other queues use beyond their guarantee is not
preempted if it is within the dead zone (max_ignored_over_capacity, a tenth of the guarantee).

Killing sooner does not kill more here, because tasks do not end by themselves. If they do, they may end
during the wait: then a longer wait wastes less.
"""


class Guarantee(Experiment):
    """One property at a time."""

    name: ClassVar[str] = "guarantee"
    title: ClassVar[str] = "Capacity preemption: how soon a guarantee comes back"
    source: ClassVar[str] = "the properties of ProportionalCapacityPreemptionPolicy, Hadoop 3.4"
    about: ClassVar[str] = ABOUT

    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        if scale.is_small:
            yield from (("natural_termination_factor", value) for value in (0.2, 1.0))
            return
        yield from ((name, value) for name, values in VALUES.items() for value in values)
        yield (PARTITION, 0.2)
        yield (NEVER_ON, 0.0)

    def play(self, case: Case) -> Found:
        name, value = str(case.what[0]), float(case.what[1])
        in_partition = name == PARTITION
        properties = {_PREFIX + one: f"{number:g}" for one, number in DEFAULTS.items()}
        if name in DEFAULTS:
            properties[_PREFIX + name] = f"{value:g}"
        properties["yarn.resourcemanager.scheduler.monitor.enable"] = str(name != NEVER_ON).lower()
        label = LABEL if in_partition else ""
        jobs = (_holder("hog", SLOTS, 0, label), _holder("prod", 60, ASKED_S, label))
        specs = slots(10, 10, room_mb=8)
        nodes = Nodes(nodes=specs)
        if in_partition:
            labelled = tuple(replace(spec, labels=(LABEL,)) for spec in specs)
            nodes = Nodes(nodes=labelled, exclusive={LABEL: True})
        files = capacity_files(_queues(in_partition=in_partition), {**properties, **_labels(in_partition)})
        site = Site(seed=case.seed, is_prompt=True, am_start_ms=0)
        run = played(files, jobs, nodes, site)
        began = sorted(start.at_ms / 1000 - ASKED_S for start in run.starts if start.job == "prod")
        row = next(row for row in run.result.jobs if row.job == "hog")
        found = {f"{part:g}": _when(began, round(GUARANTEE * part)) for part in PARTS}
        over_time = {f"at.{second}": float(sum(one <= second for one in began)) for second in MOMENTS}
        return {**found, **over_time, "killed": float(row.preempted), "lost": row.lost_ms / 1000}

    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        cases = list(self.cases(scale))
        table = Table(
            name="properties",
            title="From asking to holding so much of the guarantee",
            of="property",
            unit=Unit.SECONDS,
            here=(*(f"{100 * part:g} %" for part in PARTS), "killed", "work lost"),
            rows=tuple(_row(findings, str(what[0]), float(what[1])) for what in cases),
        )
        factors = [what for what in cases if what[0] == "natural_termination_factor"]
        lines = tuple(
            Line(
                name=f"{float(what[1]):g}",
                points=tuple((float(second), findings.mean(f"at.{second}", *what)) for second in MOMENTS),
            )
            for what in factors
        )
        plot = Plot(
            name="factor",
            title="Slots of the queue that asks, by natural_termination_factor",
            x="seconds since it asked",
            y="slots",
            unit=Unit.COUNT,
            lines=lines,
        )
        return Outcome(tables=(table,), plots=(plot,), remarks=REMARKS)


MOMENTS = tuple(range(0, 301, 10))


def _row(findings: Findings, name: str, value: float) -> Row:
    def told(part: float) -> float | str:
        seconds = findings.mean(f"{part:g}", name, value)
        return "never" if seconds >= END_S - ASKED_S else seconds

    of = {PARTITION: "in a partition, defaults", NEVER_ON: "preemption off"}.get(name, f"{name} {value:g}")
    killed, lost = (findings.mean(figure, name, value) for figure in ("killed", "lost"))
    return Row(of=of, here=(*(told(part) for part in PARTS), f"{killed:g}", lost))


def _holder(name: str, count: int, at_s: int, label: str) -> Job:
    tasks = (Task(stage="task", count=count, duration_ms=1000, label=label or None),)
    holder = job(name, tasks, at_ms=at_s * 1000, queue=name)
    return replace(holder, model=SERVICE, end_ms=END_S * 1000, am_label=label or None)


def _when(began: list[float], count: int) -> float:
    return began[count - 1] if len(began) >= count else float(END_S)


def _queues(*, in_partition: bool) -> dict[str, str]:
    found = {"root.queues": "hog,prod"}
    for name in ("hog", "prod"):
        found[f"root.{name}.capacity"] = "50"
        found[f"root.{name}.maximum-capacity"] = "100"
        found[f"root.{name}.user-limit-factor"] = "100"
        if in_partition:
            found[f"root.{name}.accessible-node-labels"] = LABEL
            found[f"root.{name}.accessible-node-labels.{LABEL}.capacity"] = "50"
            found[f"root.{name}.accessible-node-labels.{LABEL}.maximum-capacity"] = "100"
    if in_partition:
        found[f"root.accessible-node-labels.{LABEL}.capacity"] = "100"
    return found


def _labels(in_partition: bool) -> dict[str, str]:
    return {"yarn.node-labels.enabled": "true"} if in_partition else {}
