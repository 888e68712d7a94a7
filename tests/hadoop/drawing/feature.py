"""A feature of a walk: a row of the tables beside this module, and the rows that all schedulers share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from yarnbox.sim.walk.clusters import Document

Draw = Callable[[Random, Document], bool]
"""Changes the document; False where the feature does not go with what is drawn already."""

LONG = "long walk"
PROMOTIONS = "demotions and promotions"
RESTART = "restart of the ResourceManager"


@dataclass(frozen=True, slots=True)
class Feature:
    """One row."""

    name: str
    chance: float
    draw: Draw


def in_conf(name: str, values: Sequence[object]) -> Draw:
    """A property of yarn-site.xml, with one of the values."""

    def draw(dice: Random, document: Document) -> bool:
        document["conf"][name] = dice.choice(values)
        return True

    return draw


def _more_nodes(dice: Random, document: Document) -> bool:
    """Up to a dozen; the first ones are what was drawn."""
    nodes = document["nodes"]
    for number in range(len(nodes) + 1, dice.randint(8, 12) + 1):
        nodes.append({**dice.choice(nodes), "name": f"n{number}"})
    return True


def _execution_types(dice: Random, document: Document) -> bool:
    """Containers are demoted and promoted (choices.py)."""
    document["conf"]["yarn.resourcemanager.opportunistic-container-allocation.enabled"] = True
    return True


def _am_blacklisting(dice: Random, document: Document) -> bool:
    prefix = "yarn.resourcemanager.am-scheduling.node-blacklisting-"
    document["conf"][prefix + "enabled"] = True
    document["conf"][prefix + "disable-threshold"] = dice.choice((0.0, 0.5, 1.0))
    return True


def _three_times_as_long(dice: Random, document: Document) -> bool:
    """The walk is three times as long (walks.py)."""
    return True


def in_steps(dice: Random, document: Document) -> bool:
    """The cluster is as it is; the steps are others."""
    return True


def _restart(dice: Random, document: Document) -> bool:
    """Steps may restart it (choices.py, plans.py)."""
    document["conf"]["yarn.resourcemanager.recovery.enabled"] = True
    wait_ms = dice.choice((0, 2000, 10_000, 10_000))
    document["conf"]["yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms"] = wait_ms
    return True


OF_ALL = (
    Feature("expiry of nodes", 0.2, in_conf("yarn.nm.liveness-monitor.expiry-interval-ms", (20_000, 60_000))),
    Feature("expiry of AMs", 0.2, in_conf("yarn.am.liveness-monitor.expiry-interval-ms", (20_000, 60_000))),
    Feature(
        "expiry of containers",
        0.2,
        in_conf("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", (10_000, 30_000)),
    ),
    Feature("smaller allocations", 0.2, in_conf("yarn.scheduler.minimum-allocation-mb", (256, 512))),
    Feature("larger allocations", 0.1, in_conf("yarn.scheduler.minimum-allocation-mb", (1536, 2048))),
    Feature("allocations of two vcores", 0.1, in_conf("yarn.scheduler.minimum-allocation-vcores", (2,))),
    Feature("largest allocation", 0.1, in_conf("yarn.scheduler.maximum-allocation-mb", (4096, 6144))),
    Feature("most vcores", 0.1, in_conf("yarn.scheduler.maximum-allocation-vcores", (2, 4))),
    Feature(
        "attempts of all applications", 0.1, in_conf("yarn.resourcemanager.am.global.max-attempts", (1, 2))
    ),
    Feature("nodes that AMs failed on", 0.15, _am_blacklisting),
    Feature("nodes resize containers", 0.1, in_conf("yarn.resourcemanager.auto-update.containers", (True,))),
    Feature(PROMOTIONS, 0.1, _execution_types),
    Feature("more nodes", 0.2, _more_nodes),
    Feature(LONG, 0.15, _three_times_as_long),
)
"""Time-outs, sizes and lengths."""
RESTARTS = Feature(RESTART, 0.1, _restart)
"""The last row of each table but one (types.py)."""
