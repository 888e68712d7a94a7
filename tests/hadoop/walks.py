"""Random walks that both ResourceManagers go: drawn from a seed, stopped at the first difference, shortened.

The steps are those of `sim.walk`; the clusters of the CapacityScheduler are drawn wider (clusters.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from rm.container import RMContainerState
from sim.scenario.document import InvalidScenarioError, read_document, read_next_step
from sim.scenario.names import ContainerName
from sim.scenario.source import tree_from
from sim.scenario.world import World
from sim.walk.choices import Choices, StepValue
from sim.walk.clusters import Document, draw_cluster
from tests.hadoop.clusters import LABEL, PREFIX, draw_capacity_cluster
from tests.hadoop.comparison import DIFFERENT, Comparison, MirroredPlayer, Verdict
from yarn.errors import YarnError

LENGTH = 60
MOST_PLAYS = 60

Draw = Callable[[World], StepValue | None]


class QueueChoices(Choices):
    """Draws steps for the queues of a document of the CapacityScheduler."""

    def __init__(self, dice: Random, document: Document) -> None:
        super().__init__(dice, "capacity")
        self._random = dice
        self._properties = document["capacity-scheduler"]
        self._has_labels = "labels" in document
        names = (name.removeprefix(PREFIX) for name in self._properties)
        parents = {name.removesuffix(".queues") for name in names if name.endswith(".queues")}
        children = [
            f"{parent}.{child}"
            for parent in sorted(parents)
            for child in str(self._properties[f"{PREFIX}{parent}.queues"]).split(",")
        ]
        self._queues = [path for path in children if path not in parents]

    def _submit(self, world: World) -> object:
        value = super()._submit(world)
        if isinstance(value, dict):
            value["queue"] = self._random.choice(self._queues)
            if self._random.random() < 0.3:
                value["priority"] = self._random.randint(0, 4)
        return value

    def _move(self, world: World) -> object:
        # After a move Hadoop's own books are wrong: see docs/held-against-hadoop.md.
        return None

    def _ask(self, world: World) -> object:
        value = super()._ask(world)
        if isinstance(value, dict) and "requests" in value:
            # No AM can ask for another size of what it has not been given.
            requests = [each for each in value["requests"] if not _is_unheard(world, each.get("update"))]
            value["requests"] = requests
        return value

    def _request(self, world: World) -> StepValue:
        request = super()._request(world)
        # An AM has one size for a priority (AMRMClient sees to it).
        request |= {"memory-mb": 1024 * request["priority"], "vcores": (request["priority"] + 1) // 2}
        if self._has_labels and request["at"] == "*" and self._random.random() < 0.5:
            request["label"] = LABEL
        return request

    def _refresh(self, world: World) -> object:
        changed = dict(self._properties)
        for name in changed:
            if name.endswith("user-limit-factor") and self._random.random() < 0.5:
                changed[name] = self._random.choice((1, 3))
        return {"capacity-scheduler": changed}


def _is_unheard(world: World, name: str | None) -> bool:
    if name is None:
        return False
    app, _, number = name.rpartition("/")
    container = world.find_container(ContainerName(app, int(number)))
    return container is None or container.state is RMContainerState.ALLOCATED


@dataclass(slots=True)
class TwinWalk:
    """One walk: its document with the steps that were carried out, and how it went."""

    document: Document
    verdict: Verdict


def walk(comparing: Comparison, seed: int, scheduler: str, length: int = LENGTH) -> TwinWalk:
    """Walks from the seed to the end, or to the first difference."""
    dice = Random(f"twin {scheduler} {seed}")
    if scheduler == "capacity":
        document = draw_capacity_cluster(dice, seed)
        choices: Choices = QueueChoices(dice, document)
    else:
        document = draw_cluster(dice, seed, scheduler)
        choices = Choices(dice, scheduler)
    choices.leave_some_out()
    return _go(comparing, document, (choices.next_step for _ in range(length)))


def shortened(comparing: Comparison, found: TwinWalk) -> TwinWalk:
    """A walk with fewer steps that differs in the same place of the same kind of thing."""
    best, plays = found, 0
    size = max(len(best.document["steps"]) // 2, 1)
    while size:
        start = len(best.document["steps"])
        while start > 0 and plays < MOST_PLAYS:
            start = max(start - size, 0)
            steps = best.document["steps"]
            fewer = [*steps[:start], *steps[start + size :]]
            again = _go(comparing, best.document, map(_always, fewer))
            plays += 1
            if again.verdict.kind == DIFFERENT and _place(again.verdict) == _place(found.verdict):
                best = again
        size //= 2
    return best


def _always(value: StepValue) -> Draw:
    return lambda world: value


def _place(verdict: Verdict) -> str:
    """What differs, without whose it is."""
    return re.sub(r"\d+", "", verdict.why.split(": ours")[0])


def _go(comparing: Comparison, document: Document, draws: Iterable[Draw]) -> TwinWalk:
    document = {**document, "steps": []}
    name = str(document["name"])
    scenario, reading = read_document(tree_from(document), name)

    def go(player: MirroredPlayer) -> None:
        player.begin()
        for draw in draws:
            value = draw(player.world)
            assert value is not None
            try:
                step = read_next_step(reading, tree_from(value), name)
            except InvalidScenarioError:
                reading.problems.found.clear()
                continue
            document["steps"].append(value)
            try:
                player.carry_out(step)
            except YarnError:
                ((verb, of),) = value.items()
                if verb == "submit":
                    reading.names.refused[of["app"]] = None

    return TwinWalk(document, comparing.judge(scenario, name, go))
