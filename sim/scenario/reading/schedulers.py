"""A scenario for another scheduler than its own, to see what that one would have done.

The queues stay, with their weights: the FairScheduler's weights are capacities in weights for the
CapacityScheduler, and capacities are weights for the FairScheduler; the FifoScheduler has one queue for all.
Limits and preemption of the old file are not carried over. What the file expects was written for its own
scheduler and is left out, as are reloads of the old scheduler's file. The FairScheduler serves an ask only
after an update of its shares, so one follows each ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element
from xml.sax.saxutils import quoteattr

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from yarnbox.sim.scenario.reading.document import Scenario
from yarnbox.sim.scenario.reading.steps import (
    NO_LINE,
    Ask,
    Expect,
    ExpectError,
    Move,
    Refresh,
    Step,
    Submit,
    UpdateShares,
)

SCHEDULERS = ("fifo", "capacity", "fair")
CLASS = "yarn.resourcemanager.scheduler.class"
_PREFIX = "yarn.scheduler.capacity."
_CALCULATOR = _PREFIX + "resource-calculator"
_DOMINANT = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)\s*w?\s*")
_LEFT_OUT = (Expect, ExpectError, Refresh)


@dataclass(slots=True)
class _Queues:
    """Queues by their paths, with weights among their siblings."""

    weights: dict[str, float] = field(default_factory=dict)
    is_dominant: bool = False

    def add(self, path: str, weight: float = 1.0) -> None:
        """A queue, and those above it."""
        above = path.rpartition(".")[0]
        if above and above != "root" and above not in self.weights:
            self.add(above)
        if path != "root":
            self.weights.setdefault(path, weight)

    def children(self, path: str) -> list[str]:
        return [one for one in self.weights if one.rpartition(".")[0] == path]

    def whole(self, name: str) -> str:
        """The path of the leaf that is meant, by its path or the last word of it; else of a new one."""
        for path in self.weights:
            known = (path, path.removeprefix("root."), path.rpartition(".")[2])
            if name in known and not self.children(path):
                return path
        return name if name.startswith("root.") else f"root.{name}"


def scheduler_of(scenario: Scenario) -> str:
    """The scheduler that the scenario is for: fifo, capacity, fair, or a class of its own."""
    name = scenario.conf.get(CLASS, "capacity")
    short = name.rpartition(".")[2].removesuffix("Scheduler").lower()
    return short if short in SCHEDULERS else name


def with_scheduler(scenario: Scenario, scheduler: str) -> Scenario:
    """The scenario as it is played with that scheduler."""
    if scheduler_of(scenario) == scheduler:
        return scenario
    queues = _queues(scenario)
    capacity, fair = None, None
    if scheduler == "capacity":
        capacity = _capacity_file(queues)
    elif scheduler == "fair":
        fair = _fair_file(queues)
    return replace(
        scenario,
        conf={**scenario.conf, CLASS: scheduler},
        capacity_scheduler=capacity,
        fair_scheduler=fair,
        steps=tuple(_steps(scenario.steps, scheduler, queues)),
        about=f"{scenario.about} (Written for {scheduler_of(scenario)}, played with {scheduler}.)".strip(),
    )


def _steps(steps: Iterable[Step], scheduler: str, queues: _Queues) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Submit | Move):
            yield replace(step, queue=queues.whole(step.queue))
        elif not isinstance(step, _LEFT_OUT):
            yield step
        if isinstance(step, Ask) and scheduler == "fair":
            yield UpdateShares(line=NO_LINE, times=1)


def _queues(scenario: Scenario) -> _Queues:
    queues = _Queues()
    if scenario.capacity_scheduler is not None:
        _take_capacity(queues, scenario.capacity_scheduler, "root")
    if scenario.fair_scheduler is not None:
        _take_fair(queues, scenario.fair_scheduler)
    for step in scenario.steps:
        if isinstance(step, Submit):
            queues.add(queues.whole(step.queue))
    if not queues.weights:
        queues.add("root.default")
    return queues


def _take_capacity(queues: _Queues, properties: Mapping[str, str], path: str) -> None:
    queues.is_dominant = properties.get(_CALCULATOR, "").endswith("DominantResourceCalculator")
    for name in properties.get(f"{_PREFIX}{path}.queues", "").split(","):
        if name.strip():
            below = f"{path}.{name.strip()}"
            share = _NUMBER.fullmatch(properties.get(f"{_PREFIX}{below}.capacity", ""))
            queues.add(below, float(share[1]) if share else 1.0)
            _take_capacity(queues, properties, below)


def _take_fair(queues: _Queues, text: str) -> None:
    try:
        top = ElementTree.fromstring(text)
    except (ElementTree.ParseError, DefusedXmlException):
        return  # the FairScheduler would not have read it either
    queues.is_dominant = "drf" in (one.text for one in top.iter("schedulingPolicy"))

    def take(element: Element, path: str) -> None:
        for one in element:
            if one.tag not in ("queue", "pool"):
                continue
            name = one.get("name", "")
            below = name if name == "root" or name.startswith("root.") else f"{path}.{name}"
            weight = _NUMBER.fullmatch(one.findtext("weight", "1"))
            queues.add(below, float(weight[1]) if weight else 1.0)
            take(one, below)

    take(top, "root")


def _capacity_file(queues: _Queues) -> dict[str, str]:
    properties = {f"{_PREFIX}maximum-am-resource-percent": "1"}
    if queues.is_dominant:
        properties[_CALCULATOR] = _DOMINANT
    for path in ("root", *queues.weights):
        children = queues.children(path)
        if children:
            properties[f"{_PREFIX}{path}.queues"] = ",".join(one.rpartition(".")[2] for one in children)
        elif path != "root":
            properties[f"{_PREFIX}{path}.user-limit-factor"] = "1000"
        if path != "root":
            properties[f"{_PREFIX}{path}.capacity"] = f"{queues.weights[path]:g}w"
    return properties


def _fair_file(queues: _Queues) -> str:
    def written(path: str, indent: str) -> Iterator[str]:
        name = quoteattr(path.rpartition(".")[2])
        yield f"{indent}<queue name={name}><weight>{queues.weights[path]:g}</weight>"
        for below in queues.children(path):
            yield from written(below, indent + "  ")
        yield f"{indent}</queue>"

    policy = "drf" if queues.is_dominant else "fair"
    lines = [line for path in queues.children("root") for line in written(path, "  ")]
    default = f"  <defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>"
    root = f'  <queue name="root"><schedulingPolicy>{policy}</schedulingPolicy>'
    return "\n".join(["<allocations>", default, root, *lines, "  </queue>", "</allocations>", ""])
