"""Opportunistic containers: nodes that report queues, and requests for what may wait there.

All requests of a priority have one size: Hadoop breaks over a second one (see docs/differential-testing.md).
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.hadoop.drawing.feature import Feature
from yarnbox.sim.scenario.playing.world import World
from yarnbox.sim.walk.choices import StepValue
from yarnbox.sim.walk.clusters import Document
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.resources.resource import Resource

_RM = "yarn.resourcemanager."
_QUEUING = _RM + "nm-container-queuing."
_PRIORITIES = 20
"""Theirs are larger than those of other requests by this."""
_SIZES = (
    {"memory-mb": 512, "vcores": 1},
    {"memory-mb": 1024, "vcores": 1},
    {"memory-mb": 1500, "vcores": 2},
    {"memory-mb": 20_000, "vcores": 1},
    {"memory-mb": 3072, "vcores": 2},
)
WAITS = ("10ms", "40ms", "90ms", "300ms")


def _draw(dice: Random, document: Document) -> bool:
    conf = document["conf"]
    conf[_RM + "opportunistic-container-allocation.enabled"] = True
    by_wait = "QUEUE_WAIT_TIME"
    for name, chance, values in (
        (_QUEUING + "load-comparator", 0.7, ("QUEUE_LENGTH_THEN_RESOURCES", by_wait, "QUEUE_LENGTH")),
        (_RM + "opportunistic-container-allocation.nodes-used", 0.6, (1, 2, 3, 5)),
        (_RM + "opportunistic.max.container-allocation.per.am.heartbeat", 0.3, (0, 1, 2, 3)),
        (_QUEUING + "sorting-nodes-interval-ms", 0.4, (300, 2000, 30_000)),
        (_QUEUING + "queue-limit-stdev", 0.3, (0.0, 0.5, 2.0)),
        (_QUEUING + "min-queue-length", 0.3, (0, 1, 3)),
        (_QUEUING + "max-queue-length", 0.3, (3, 5, 30)),
        (_QUEUING + "min-queue-wait-time-ms", 0.2, (0, 50)),
        (_QUEUING + "max-queue-wait-time-ms", 0.2, (50, 1000)),
    ):
        if dice.random() < chance:
            conf[name] = dice.choice(values)
    return True


OPPORTUNISTIC = Feature("opportunistic containers", 0.1, _draw)
"""The last row of all: other features of a seed do not change by it."""


class OpportunisticSteps:
    """Lets some requests of steps that somebody else draws be for opportunistic containers."""

    def __init__(self, dice: Random, next_step: Callable[[World], StepValue]) -> None:
        self._dice = dice
        self._next_step = next_step

    def next_step(self, world: World) -> StepValue:
        """A step for the present world."""
        dice = self._dice
        silent = [name for name, node in world.nodes.items() if node.is_live and node.queue is None]
        if silent and dice.random() < 0.6:
            return {"node-queue": self._queue(silent)}
        live = [name for name, node in world.nodes.items() if node.is_live]
        if live and dice.random() < 0.08:
            return {"node-queue": self._queue([dice.choice(live)])}
        step = self._next_step(world)
        if "ask" in step:
            value = step["ask"]
            requests = (each for each in value.get("requests", ()) if not _is_growth(world, each))
            value["requests"] = [self._changed(each) for each in requests]
        return step

    def _queue(self, nodes: list[str]) -> StepValue:
        dice = self._dice
        queue: StepValue = {"node": nodes, "capacity": dice.choice((0, 1, 2, 4, 4, 10))}
        queue["length"] = dice.choice((0, 0, 1, 2, 3, 8))
        if dice.random() < 0.8:
            queue["wait"] = dice.choice(WAITS)
        return queue

    def _changed(self, request: StepValue) -> StepValue:
        if "update" in request or "tags" in request or "constraint" in request:
            return request
        if self._dice.random() < 0.4:
            return {**request, "execution": "GUARANTEED"}  # Hadoop breaks over a request that does not say it
        priority = request["priority"]
        plain = {name: value for name, value in request.items() if name != "resources"}
        size = _SIZES[priority % len(_SIZES)]
        return {**plain, **size, "priority": _PRIORITIES + priority, "execution": "OPPORTUNISTIC"}


def _is_growth(world: World, request: StepValue) -> bool:
    """Whether an opportunistic container is to grow, which Hadoop takes for a promotion."""
    if "update" not in request or "execution" in request:
        return False
    app, _, number = request["update"].partition("/")
    container = world.apps[app].containers[int(number) - 1]
    if container.execution_type is not ExecutionType.OPPORTUNISTIC:
        return False
    asked = {
        **container.resource.as_dict(),
        **request.get("resources", {}),
        "memory-mb": request["memory-mb"],
    }
    return not Resource.of(asked).fits_in(container.resource)
