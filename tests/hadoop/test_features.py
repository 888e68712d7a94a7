"""Every feature of the table is drawn, and makes a cluster that our ResourceManager starts; what is in no row
has a reason.
"""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from random import Random

import pytest

from tests.hadoop.drawing.clusters import PREFIX
from tests.hadoop.drawing.features import FEATURES
from tests.hadoop.drawing.refreshes import LIMITS
from tests.hadoop.drawing.undrawn import OF_CAPACITY, OF_FAIR, OF_PREEMPTION, OF_RM
from tests.hadoop.walks import draw_document
from yarnbox.rm.scheduler.capacity.config.property_names import QUEUE_KEYS, SCHEDULER_KEYS, queue_of
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.rm.scheduler.fair.settings import FairSettings
from yarnbox.rm.settings import RMSettings
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import read_document
from yarnbox.sim.scenario.reading.source import tree_from
from yarnbox.yarn.settings import declarations

SEEDS = 200


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


def test_each_property_of_the_schedulers_is_drawn_or_has_a_reason() -> None:
    of_site, of_capacity = _drawn()
    both = of_site | of_capacity
    tables = (
        ((*SCHEDULER_KEYS, *QUEUE_KEYS), of_capacity, OF_CAPACITY),
        ([each.name for each in declarations(FairSettings)], of_site, OF_FAIR),
        ([each.name for each in declarations(RMSettings)], of_site, OF_RM),
        ([each.name.removeprefix(PREFIX) for each in declarations(PreemptionSettings)], both, OF_PREEMPTION),
    )
    for names, drawn, reasons in tables:
        excused = {name: [one for one in reasons if fnmatchcase(name, one)] for name in names}
        assert [name for name in names if name not in drawn and not excused[name]] == [], "not drawn"
        assert [name for name in names if name in drawn and excused[name]] == [], "drawn after all"
        assert [one for one in reasons if not any(one in found for found in excused.values())] == [], "none"


def _drawn() -> tuple[dict[str, None], dict[str, None]]:
    """Names of yarn-site.xml, and of capacity-scheduler.xml without prefix and queue, in many documents."""
    of_site: dict[str, None] = {}
    of_capacity: dict[str, None] = dict.fromkeys(LIMITS)
    for scheduler in FEATURES:
        for seed in range(SEEDS):
            document, _ = draw_document(Random(f"twin {scheduler} {seed}"), seed, scheduler)
            of_site |= dict.fromkeys(document["conf"])
            for name in document.get("capacity-scheduler", ()):
                queue = queue_of(name)
                of_capacity[name.removeprefix(PREFIX).removeprefix(f"{queue}." if queue else "")] = None
    return of_site, of_capacity
