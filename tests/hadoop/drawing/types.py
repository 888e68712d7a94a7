"""GPUs and disks: resource types beside memory and vcores, on some of the nodes, in files and in requests.

Names and units are the same in all walks, so that a virtual machine can serve many of them; limits are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

from tests.hadoop.drawing.clusters import DOMINANT, PREFIX
from tests.hadoop.drawing.feature import Feature
from yarnbox.sim.scenario.playing.world import World
from yarnbox.sim.walk.choices import StepValue
from yarnbox.sim.walk.clusters import Document

GPU, DISK = "yarn.io/gpu", "disk"
_CONF = "yarn.resource-types"
_LEGACY = PREFIX + "legacy-queue-mode.enabled"
_PRIORITIES = 5
_FAIR_AMOUNT = re.compile(r"(\d+) mb, (\d+) vcores")
_FAIR_SHARE = re.compile(r"([\d.]+%) memory, ([\d.]+%) cpu")
_DEFAULT_POLICY = "defaultQueueSchedulingPolicy"


def _draw(dice: Random, document: Document) -> bool:
    conf = document["conf"]
    conf[_CONF] = f"{GPU},{DISK}"
    conf[f"{_CONF}.{DISK}.units"] = "M"
    for name, chance, values in (
        (f"{GPU}.maximum-allocation", 0.5, (1, 2, 4)),
        (f"{GPU}.minimum-allocation", 0.05, (1,)),
        (f"{DISK}.maximum-allocation", 0.3, (2000, 5000)),
        (f"{DISK}.minimum-allocation", 0.2, (100, 500)),
    ):
        if dice.random() < chance:
            conf[f"{_CONF}.{name}"] = dice.choice(values)
    for node in document["nodes"]:
        _equip(dice, node)
    if "capacity-scheduler" in document:
        _name_in_queues(dice, document)
    elif "fair-scheduler" in document:
        if dice.random() < 0.3:
            conf[f"{_CONF}.{DISK}.increment-allocation"] = dice.choice((300, "1G"))
        document["fair-scheduler"] = _with_drf(dice, _in_fair_file(dice, document["fair-scheduler"]))
    return True


FURTHER_TYPES = Feature("further resource types", 0.15, _draw)
"""Behind all others: what they draw is told of these types, too."""


class TypedSteps:
    """Adds amounts of the further types to steps that somebody else draws."""

    def __init__(self, dice: Random, next_step: Callable[[World], StepValue], *, one_size: bool) -> None:
        """With `one_size` all requests of a priority have the same size."""
        self._dice = dice
        self._next_step = next_step
        self._one_size = one_size
        self._sizes = [self._size() for _ in range(_PRIORITIES)]

    def next_step(self, world: World) -> StepValue:
        """A step for the present world."""
        step = self._next_step(world)
        ((verb, value),) = step.items()
        if verb == "submit" and "am" in value:
            value["am"] = {**value["am"], **(self._size() if self._dice.random() < 0.2 else {})}
        elif verb == "ask":
            value["requests"] = [self._sized(each) for each in value.get("requests", ())]
        elif verb == "add-node":
            _equip(self._dice, value)
        elif verb == "resize-node" and self._dice.random() < 0.4:
            value["resources"] = {GPU: self._dice.choice((0, 1, 4)), DISK: self._dice.choice((0, 3000))}
        elif verb == "refresh" and "fair-scheduler" in value:
            value["fair-scheduler"] = _in_fair_file(self._dice, value["fair-scheduler"])
        return step

    def _sized(self, request: StepValue) -> StepValue:
        if "update" in request:
            if self._dice.random() < 0.5:
                return request
            amounts = {GPU: self._dice.choice((0, 1, 2)), DISK: self._dice.choice((0, 500, 1500))}
        elif self._one_size or self._dice.random() < 0.6:
            amounts = self._sizes[request["priority"] % _PRIORITIES]
        else:
            amounts = self._size()
        return {**request, "resources": dict(amounts)} if amounts else request

    def _size(self) -> dict[str, int]:
        """Of a container; often nothing at all."""
        drawn = {GPU: self._dice.choice((0, 0, 1, 1, 2)), DISK: self._dice.choice((0, 0, 500, 1500))}
        return {name: amount for name, amount in drawn.items() if amount}


def _equip(dice: Random, node: dict[str, Any]) -> None:
    amounts = {GPU: dice.choice((0, 0, 1, 2, 4)), DISK: dice.choice((0, 2000, 4000, 9500))}
    node["resources"] = {name: amount for name, amount in amounts.items() if amount}


def _name_in_queues(dice: Random, document: Document) -> None:
    """Wherever a file of the CapacityScheduler names memory and vcores. It needs DRF for further types."""
    properties = document["capacity-scheduler"]
    properties[PREFIX + "resource-calculator"] = DOMINANT
    nodes = document["nodes"]
    memory = sum(node["memory-mb"] for node in nodes)
    wholes = {name: sum(node["resources"].get(name, 0) for node in nodes) for name in (GPU, DISK)}
    named = [name for name in wholes if dice.random() < 0.85]
    for key, value in properties.items():
        text = str(value)
        if not text.startswith("["):
            continue
        if properties.get(_LEGACY) is False:
            told = [name for name in named if dice.random() < 0.9]
            more = [f"{name}={_entry(dice, name, wholes[name], key)}" for name in told]
        else:
            found = re.search(r"memory=(\d+)", text)
            share = int(found.group(1)) / memory if found else 0
            more = [_amount(name, int(wholes[name] * share)) for name in named]
        properties[key] = f"{text[:-1]}{''.join(f',{each}' for each in more)}]"


def _amount(name: str, amount: int) -> str:
    """With its type's unit, if it has one: amounts with another one, or none, Hadoop compares wrongly."""
    return f"{name}={amount}M" if name == DISK else f"{name}={amount}"


def _entry(dice: Random, name: str, whole: int, key: str) -> str:
    """Of a vector. An amount of what has a unit Hadoop scales by another one."""
    unit = dice.choice(("", "%") if key.endswith("maximum-capacity") else ("", "%", "%", "w", "w"))
    unit = "%" if name == DISK and not unit else unit
    if unit == "w":
        return f"{dice.randint(1, 4)}w"
    percent = dice.choice((10, 25, 33, 50, 66.6, 90))
    return f"{percent}%" if unit else str(int(whole * percent / 100))


def _in_fair_file(dice: Random, file: str) -> str:
    """Some amounts in the newer grammar, which names types."""

    def amount(found: re.Match[str]) -> str:
        if dice.random() < 0.3:
            return found.group()
        more = [f", {GPU}={dice.randint(0, 4)}"] if dice.random() < 0.8 else []
        more += [f", {DISK}={dice.choice((0, 1000, 4000, 9000))}"] if dice.random() < 0.6 else []
        return f"memory-mb={found.group(1)}, vcores={found.group(2)}{''.join(more)}"

    def share(found: re.Match[str]) -> str:
        more = f", {GPU}={dice.choice((25, 50, 100))}%" if dice.random() < 0.7 else ""
        return f"memory-mb={found.group(1)}, vcores={found.group(2)}{more}"

    return _FAIR_SHARE.sub(share, _FAIR_AMOUNT.sub(amount, file))


def _with_drf(dice: Random, file: str) -> str:
    if _DEFAULT_POLICY in file or dice.random() < 0.4:
        return file
    return file.replace("<allocations>", f"<allocations><{_DEFAULT_POLICY}>drf</{_DEFAULT_POLICY}>", 1)
