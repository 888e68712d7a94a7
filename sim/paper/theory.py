"""The formulas of the literature, and what is derived from them.

M nodes, R replicas of a block on distinct nodes, N maps of a job of which K have not started, patience D: the
offers of a slot that a job declines before it takes one without its data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, log
from typing import NamedTuple


class Pool(NamedTuple):
    """A pool in the picture of water filling."""

    minimum: int
    demand: int


def water_filling(pools: Sequence[Pool], slots: int) -> list[int]:
    """What each pool gets: its demand up to its minimum first, then the emptiest one slot at a time."""
    found = [min(pool) for pool in pools]
    left = slots - sum(found)
    while left > 0:
        thirsty = [number for number, pool in enumerate(pools) if found[number] < pool.demand]
        if not thirsty:
            break
        found[min(thirsty, key=lambda number: found[number])] += 1
        left -= 1
    return found


def chance_of_local(nodes: int, replicas: int, unstarted: int) -> float:
    """That a node holds data of one of so many maps."""
    return 1 - (1 - replicas / nodes) ** unstarted


def reachable(nodes: int, replicas: int, kept: int) -> float:
    """The part of all blocks of which a replica lies on the nodes that a job keeps."""
    return 1 - comb(nodes - kept, replicas) / comb(nodes, replicas)


def mean_locality(nodes: int, replicas: int, maps: int, patience: float) -> float:
    """Of a job whose maps are each offered so many slots, at random nodes, before one is taken anyhow."""
    total = 0.0
    for unstarted in range(1, maps + 1):
        total += 1 - (1 - chance_of_local(nodes, replicas, unstarted)) ** patience
    return total / maps


def with_kept_slots(nodes: int, replicas: int, each: int, kept: int, patience: float) -> float:
    """Of jobs of one map, where so many of all slots, `each` a node, never become free: the mean over how
    many of the slots on the map's nodes do, when they are drawn at random.
    """
    total, at_home = nodes * each, replicas * each
    free = total - kept
    found = 0.0
    for own in range(max(0, at_home - kept), min(at_home, free) + 1):
        chance = comb(free, own) * comb(kept, at_home - own) / comb(total, at_home)
        found += chance * (1 - (1 - own / free) ** patience)
    return found


def served_at_home(coming: float, serving: float, part: float, others: float) -> float:
    """At most so many are local, where a part of all jobs comes at one rate to a block whose nodes serve at
    another, and `others` is the part of the other jobs that is local.
    """
    hot = min(1.0, serving / coming) if coming else 1.0
    return part * hot + (1 - part) * others


def needed_patience(replicas: int, maps: int, locality: float) -> float:
    """D / M: the part of the cluster that must be offered for so much of a job to be local."""
    odds = (1 - locality) * maps
    return -log(odds / (1 + odds)) / replicas


def dominant_shares(demands: Sequence[Mapping[str, float]], capacity: Mapping[str, float]) -> list[float]:
    """The tasks of each user under dominant resource fairness, in fractions: all dominant shares are raised
    together, and a user stops where a resource that its tasks need is used up.
    """
    tasks = [0.0] * len(demands)
    dominant = [max(demand[name] / capacity[name] for name in capacity) for demand in demands]
    growing = list(range(len(demands)))
    left = dict(capacity)
    while growing:
        rates = {name: sum(demands[user][name] / dominant[user] for user in growing) for name in capacity}
        step = min(left[name] / rate for name, rate in rates.items() if rate > 0)
        for user in growing:
            tasks[user] += step / dominant[user]
        left = {name: left[name] - step * rates[name] for name in capacity}
        exhausted = [name for name in capacity if left[name] <= 1e-9 * capacity[name]]
        growing = [user for user in growing if not any(demands[user][name] for name in exhausted)]
    return tasks
