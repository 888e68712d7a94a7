"""Random walks that both ResourceManagers go: drawn from a seed, stopped at the first difference, shortened.

The steps are those of `sim.walk`; the clusters of the CapacityScheduler are drawn wider
(drawing/clusters.py), and all of them with features (drawing/features.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from tests.hadoop.comparison import DIFFERENT, Comparison, MirroredPlayer, Verdict
from tests.hadoop.drawing.choices import DOWN, AMChoices, FairChoices, FifoChoices, QueueChoices
from tests.hadoop.drawing.clusters import draw_capacity_cluster
from tests.hadoop.drawing.constraints import ConstraintChoices, draw_constraint_cluster
from tests.hadoop.drawing.feature import LONG, PROMOTIONS, RESTART
from tests.hadoop.drawing.features import CONTAINERS, MOVES, PLANS, RECURRING, draw_features
from tests.hadoop.drawing.of_capacity import QUEUE_CHANGES
from tests.hadoop.drawing.of_fair import CHANGING_TREE
from tests.hadoop.drawing.of_labels import CHANGING_LABELS, LABELS_OF_APPS
from tests.hadoop.drawing.opportunistic import OPPORTUNISTIC, OpportunisticSteps
from tests.hadoop.drawing.plans import PlanChoices, draw_plan_cluster
from tests.hadoop.drawing.types import FURTHER_TYPES, TypedSteps
from tests.hadoop.reach import Watch
from yarnbox.sim.scenario.playing.world import World
from yarnbox.sim.scenario.reading.document import InvalidScenarioError, read_document, read_next_step
from yarnbox.sim.scenario.reading.source import tree_from
from yarnbox.sim.walk.choices import StepValue
from yarnbox.sim.walk.clusters import Document, draw_cluster
from yarnbox.yarn.errors import YarnError

LENGTH = 60
MOST_PLAYS = 60
CONSTRAINTS = "constraints"
"""The CapacityScheduler, with scheduling requests."""

Draw = Callable[[World], StepValue | None]


@dataclass(slots=True)
class TwinWalk:
    """One walk: its document with the steps that were carried out, and how it went."""

    document: Document
    verdict: Verdict
    features: tuple[str, ...] = ()
    """What was drawn for it of the tables in drawing/features.py."""


def walk(
    comparing: Comparison,
    seed: int,
    scheduler: str,
    length: int = LENGTH,
    wanted: str | None = None,
    watch: Watch | None = None,
) -> TwinWalk:
    """Walks from the seed to the end, or to the first difference. The wanted feature is drawn for certain."""
    dice = Random(f"twin {scheduler} {seed}")
    document, features = draw_document(dice, seed, scheduler, wanted)
    if scheduler == PLANS:
        bookings = PlanChoices(dice, document)
        if RECURRING in features:
            bookings.draw_recurrences(Random(f"recurring {seed}"))
        if RESTART in features:
            bookings.draw_restarts(Random(f"restarts {seed}"))
        if CONTAINERS in features:
            bookings.draw_containers(Random(f"containers {seed}"))
        found = _go(comparing, document, (bookings.next_step for _ in range(length)), watch)
        found.features = features
        return found
    choices: AMChoices
    if scheduler == "capacity":
        choices = QueueChoices(dice, document)
    elif scheduler == CONSTRAINTS:
        choices = ConstraintChoices(dice, document)
    elif scheduler == "fair":
        choices = FairChoices(dice, document)
        if CHANGING_TREE in features:
            choices.change_trees()
    else:
        choices = FifoChoices(dice)
    if isinstance(choices, QueueChoices):
        _change_steps(choices, seed, features)
    choices.leave_some_out()
    if PROMOTIONS in features or OPPORTUNISTIC.name in features:
        choices.promote(Random(f"promotions {seed}"))
    if RESTART in features:
        choices.draw_too("restart-rm", 2, lambda world: dice.choice(DOWN))
    length *= 3 if LONG in features else 1
    next_step = choices.next_step
    if FURTHER_TYPES.name in features:
        one_size = isinstance(choices, QueueChoices)
        next_step = TypedSteps(Random(f"types {seed}"), next_step, one_size=one_size).next_step
    if OPPORTUNISTIC.name in features:
        next_step = OpportunisticSteps(Random(f"opportunistic {seed}"), next_step).next_step
    found = _go(comparing, document, (next_step for _ in range(length)), watch)
    found.features = features
    return found


def _change_steps(choices: QueueChoices, seed: int, features: tuple[str, ...]) -> None:
    """As the features of steps want it."""
    if QUEUE_CHANGES in features:
        choices.draw_queue_changes(Random(f"queues {seed}"))
    if LABELS_OF_APPS in features:
        choices.label_apps()
    if CHANGING_LABELS in features:
        choices.change_labels()
    if MOVES in features:
        choices.move_apps()


def draw_document(
    dice: Random, seed: int, scheduler: str, wanted: str | None = None
) -> tuple[Document, tuple[str, ...]]:
    """The cluster of a walk without its steps, and the names of the features that were drawn for it."""
    if scheduler == PLANS:
        document = draw_plan_cluster(dice, seed)
    elif scheduler == "capacity":
        document = draw_capacity_cluster(dice, seed)
    elif scheduler == CONSTRAINTS:
        document = draw_constraint_cluster(dice, seed)
    else:
        document = draw_cluster(dice, seed, scheduler)
    return document, draw_features(Random(f"features {scheduler} {seed}"), scheduler, document, wanted)


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


def _go(
    comparing: Comparison, document: Document, draws: Iterable[Draw], watch: Watch | None = None
) -> TwinWalk:
    document = {**document, "steps": []}
    name = str(document["name"])
    scenario, reading = read_document(tree_from(document), name)

    def go(player: MirroredPlayer) -> None:
        try:
            player.begin()
        except YarnError:
            return  # both refuse the file: otherwise this is a DifferenceError
        for draw in draws:
            if watch is not None:
                watch.look(player.world)
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
                if verb == "restart-rm":
                    return  # neither starts with what is there
                if verb == "submit":
                    reading.names.refused[of["app"]] = None

    return TwinWalk(document, comparing.judge(scenario, name, go))
