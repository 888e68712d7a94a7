"""What walks may draw of each scheduler: one row for each feature, in tables by their kind.

A feature changes the document of a walk before it begins. Each has its own chance, by dice other than those
that draw the cluster. A test finds out that none of them is never drawn, and that every document is valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from tests.hadoop.drawing.feature import OF_ALL, RESTARTS, Feature, in_steps
from tests.hadoop.drawing.of_capacity import OF_CAPACITY
from tests.hadoop.drawing.of_fair import OF_FAIR
from tests.hadoop.drawing.opportunistic import OPPORTUNISTIC
from tests.hadoop.drawing.types import FURTHER_TYPES
from yarnbox.sim.walk.clusters import Document

RECURRING = "recurring reservations"
CONTAINERS = "containers in plans"
MOVES = "moves of applications"
PLANS = "plans"
"""The kind of walk: the CapacityScheduler, with reservations."""
_NONE_IN = 0.3
"""So many walks draw no feature at all."""


def _moves(dice: Random, document: Document) -> bool:
    """Hadoop does not look whether a queue may run one more, so the files limit no queue."""
    return not any(name.endswith("max-parallel-apps") for name in document["capacity-scheduler"])


_MOVES = Feature(MOVES, 0.1, _moves)

FEATURES: Mapping[str, Sequence[Feature]] = {
    "capacity": (*OF_CAPACITY, FURTHER_TYPES, OPPORTUNISTIC, _MOVES),
    "constraints": (*OF_CAPACITY, FURTHER_TYPES, OPPORTUNISTIC, _MOVES),
    "fair": (*OF_FAIR, FURTHER_TYPES, OPPORTUNISTIC),
    "fifo": (*OF_ALL, RESTARTS, FURTHER_TYPES, OPPORTUNISTIC),
    PLANS: (
        Feature(RECURRING, 0.25, in_steps),
        replace(RESTARTS, chance=0.25),
        Feature(CONTAINERS, 0.5, in_steps),
    ),
}
"""By the kind of walk."""


def draw_features(
    dice: Random, scheduler: str, document: Document, wanted: str | None = None
) -> tuple[str, ...]:
    """Changes the document; the names of what was drawn. The wanted one is drawn wherever it can be."""
    features: Sequence[Feature] = FEATURES.get(scheduler, ())
    if dice.random() < _NONE_IN:
        features = [feature for feature in features if feature.name == wanted]
    return tuple(
        feature.name
        for feature in features
        if (dice.random() < feature.chance or feature.name == wanted) and feature.draw(dice, document)
    )
