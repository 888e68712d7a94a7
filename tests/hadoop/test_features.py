"""Every feature of the table is drawn, and makes a cluster that our ResourceManager starts."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.hadoop.drawing.features import FEATURES
from tests.hadoop.walks import draw_document
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import read_document
from yarnbox.sim.scenario.reading.source import tree_from

SEEDS = 150


@pytest.mark.parametrize("scheduler", FEATURES)
def test_every_feature_is_drawn_and_every_document_is_valid(scheduler: str) -> None:
    drawn: Counter[str] = Counter()
    for seed in range(SEEDS):
        document, features = draw_document(Random(f"twin {scheduler} {seed}"), seed, scheduler)
        drawn.update(features)
        scenario, _ = read_document(tree_from({**document, "steps": []}), str(seed))
        if seed % 5 == 0:
            Player(scenario).begin()
    assert [each.name for each in FEATURES[scheduler] if not drawn[each.name]] == []
