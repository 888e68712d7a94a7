"""What the FairScheduler saves itself changes nothing: walks under it and under a plain one are one story.

The plain one keeps no order, sorts by comparing at every look, offers every node to everybody, adds up all
demand, divides all shares anew at every update and looks everywhere for containers to take, as Hadoop does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cmp_to_key
from random import Random
from typing import Any

import pytest

from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.preemption import PreemptionPass
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.queue import Bounds, FairQueue, ParentQueue
from yarnbox.sim.scenario.playing.player import play
from yarnbox.sim.scenario.reading.document import read_document
from yarnbox.sim.scenario.reading.source import tree_from
from yarnbox.sim.walk.walker import walk
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_min

SEEDS = [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 24))]


def in_order(members: Iterable[Any]) -> list[Any]:
    """Sorted by comparing pairs."""

    def compare(one: Any, two: Any) -> int:
        difference: float = one.compare(two)
        return (difference > 0) - (difference < 0)

    return sorted(members, key=cmp_to_key(compare))


def wanting(leaf: LeafQueue) -> list[FSAppAttempt]:
    """Applications that may run and whose demand is not what they hold."""
    return in_order(app for app in leaf.runnable if app.demand != app.used)


def parent_assign(self: ParentQueue, node: SchedulerNode) -> Resource | None:
    return _first(self, in_order(self.children.values()), node)


def leaf_assign(self: LeafQueue, node: SchedulerNode) -> Resource | None:
    return _first(self, (app for app in wanting(self) if not app.is_blacklisted(node)), node)


def _first(queue: FairQueue, members: Iterable[Any], node: SchedulerNode) -> Resource | None:
    if not queue.is_within_max():
        return None
    for member in members:
        given: Resource | None = member.assign(node)
        if given is not None:
            return given
    return None


class PlainLine:
    """Stands in for a line where the order is asked for elsewhere: starvation."""

    def __init__(self, leaf: LeafQueue) -> None:
        self._leaf = leaf

    def members(self) -> Iterator[FSAppAttempt]:
        return iter(wanting(self._leaf))


def leaf_update_demand(self: LeafQueue) -> None:
    total = NONE
    for app in self.applications():
        app.update_demand()
        total = total + app.demand
    self.demand = componentwise_min(total, self.max_share)


def leaf_share_out(self: LeafQueue) -> None:
    apps = list(self.runnable)
    shares = self.policy.shares([app.schedulable() for app in apps], self.fair_share)
    for app, share in zip(apps, shares, strict=True):
        app.fair_share = share


def make_plain(patch: pytest.MonkeyPatch) -> None:
    """Takes every shortcut away."""
    find_starved = LeafQueue.find_starved

    def plainly(self: LeafQueue) -> Iterator[FSAppAttempt]:
        line, self.line = self.line, PlainLine(self)  # type: ignore[assignment]
        try:
            yield from list(find_starved(self))
        finally:
            self.line = line

    patch.setattr(Bounds, "exclude", lambda self, free: False)
    patch.setattr(PreemptionPass, "is_futile", lambda self, place, capability: False)
    patch.setattr(ParentQueue, "assign", parent_assign)
    patch.setattr(LeafQueue, "assign", leaf_assign)
    patch.setattr(LeafQueue, "update_demand", leaf_update_demand)
    patch.setattr(LeafQueue, "recompute_shares", leaf_share_out)
    patch.setattr(LeafQueue, "find_starved", plainly)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plain_scheduler_tells_the_same_story(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = Random(seed)
    document = walk(10_000 + seed, "fair").document
    conf = {
        **document["conf"],
        "yarn.scheduler.fair.assignmultiple": dice.random() < 0.5,
        "yarn.scheduler.fair.sizebasedweight": dice.random() < 0.3,
    }
    policy = dice.choice(("fair", "drf"))
    default = f"<allocations><defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>"
    file = document["fair-scheduler"].replace("<allocations>", default)
    steps = [step for step in document["steps"] if "expect" not in step and "expect-error" not in step]
    changed = {**document, "conf": conf, "fair-scheduler": file, "steps": steps}
    scenario, _ = read_document(tree_from(changed), "walk")
    quick = play(scenario)
    make_plain(monkeypatch)
    assert quick.events == play(scenario).events
    assert len(quick.events) > 50
