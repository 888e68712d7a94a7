"""How evenly a cluster is shared, in one number at a moment.

Each participant has a weight and a demand. Progressive filling raises all of them together, each by its
weight, until its demand is met or a resource is spent: that is max-min fairness for one resource and dominant
resource fairness for several. What a participant has, over what it would have then, is its satisfaction;
Jain's index of the satisfactions, (sum x)^2 / (n sum x^2), is 1 when all are served alike and 1/n when one
has everything. Pure functions on amounts: they know neither queues nor applications.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_ROUNDS = 60
"""Halvings of the interval in which the level is looked for: more than a float can tell apart."""


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody with a share: all amounts are parts of the whole, one for each resource."""

    used: tuple[float, ...]
    demand: tuple[float, ...]
    """What it has and what it still asks for."""
    weight: float = 1.0


def entitlements(participants: Sequence[Participant]) -> list[float]:
    """The dominant share of each under progressive filling."""
    dominant = [max(one.demand, default=0.0) for one in participants]
    wanted = [share / one.weight for share, one in zip(dominant, participants, strict=True) if one.weight > 0]
    low, high = 0.0, max(wanted, default=0.0)
    if _fits(participants, dominant, high):
        low = high
    else:
        for _ in range(_ROUNDS):
            middle = (low + high) / 2
            low, high = (middle, high) if _fits(participants, dominant, middle) else (low, middle)
    return [min(share, low * one.weight) for share, one in zip(dominant, participants, strict=True)]


def _fits(participants: Sequence[Participant], dominant: Sequence[float], level: float) -> bool:
    resources = max((len(one.demand) for one in participants), default=0)
    taken = [0.0] * resources
    for one, share in zip(participants, dominant, strict=True):
        if share > 0:
            part = min(1.0, level * one.weight / share)
            for place, amount in enumerate(one.demand):
                taken[place] += part * amount
    return all(amount <= 1.0 for amount in taken)


def jain(values: Sequence[float]) -> float | None:
    """Jain's index; None where nobody has anything."""
    squares = sum(value * value for value in values)
    if squares == 0:
        return None
    total = sum(values)
    return total * total / (len(values) * squares)


def fairness(participants: Sequence[Participant]) -> float | None:
    """The index over those who ask for anything; None while nobody has anything."""
    asking = [one for one in participants if max(one.demand, default=0.0) > 0 and one.weight > 0]
    shares = entitlements(asking)
    return jain(
        [max(one.used, default=0.0) / share for one, share in zip(asking, shares, strict=True) if share > 0]
    )
