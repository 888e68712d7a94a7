"""All experiments by name, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.sim.paper.experiment import Case, Experiment, Found
from yarnbox.sim.paper.experiments.breaks import Breaks
from yarnbox.sim.paper.experiments.day import FacebookDay
from yarnbox.sim.paper.experiments.drf import DominantResources
from yarnbox.sim.paper.experiments.guarantee import Guarantee
from yarnbox.sim.paper.experiments.head import HeadOfLine
from yarnbox.sim.paper.experiments.isolation import Isolation
from yarnbox.sim.paper.experiments.labels import Labels
from yarnbox.sim.paper.experiments.load import HundredJobs
from yarnbox.sim.paper.experiments.patience import Patience
from yarnbox.sim.paper.experiments.reduces import Reduces
from yarnbox.sim.paper.experiments.static import StaticPartitions
from yarnbox.sim.paper.experiments.sticky import StickySlots
from yarnbox.sim.paper.experiments.stragglers import Stragglers
from yarnbox.sim.paper.experiments.water import WaterFilling

EXPERIMENTS: Mapping[str, Experiment] = {
    one.name: one
    for one in (
        WaterFilling(),
        HeadOfLine(),
        StickySlots(),
        Patience(),
        Breaks(),
        HundredJobs(),
        Isolation(),
        Reduces(),
        StaticPartitions(),
        Stragglers(),
        FacebookDay(),
        DominantResources(),
        Guarantee(),
        Labels(),
    )
}


def play_case(case: Case) -> Found:
    """One play of whichever experiment it is of."""
    return EXPERIMENTS[case.experiment].play(case)
