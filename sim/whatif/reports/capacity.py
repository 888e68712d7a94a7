"""Capacity over time: what queues used, and what they lent each other, as the plays of one variant had it.

Where seeds differ it is their mean; a play that has ended uses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.study import Case, Played

_GB_HOUR = 1024 * 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueUse:
    """One leaf queue under one variant; amounts are means over seeds."""

    queue: str
    guarantee_mb: float
    used_mb: tuple[float, ...]
    """At each moment of the study."""
    borrowed_gb_hours: float
    """Used above its guarantee."""
    lent_gb_hours: float
    """Its guarantee that it did not use, as far as others used it above theirs."""
    preempted: float
    waits_ms: tuple[int, ...]
    """Of all seeds, in order."""


def queue_uses(comparison: Comparison, variant: int) -> list[QueueUse]:
    """All leaf queues of a variant, by name."""
    plays = [comparison.plays[Case(variant, seed)] for seed in comparison.study.seeds]
    names = sorted(dict.fromkeys(queue for play in plays for queue in (*play.used_mb, *play.waits)))
    length = max((len(used) for play in plays for used in play.used_mb.values()), default=0)
    exchanged = [_exchange(play, comparison.study.step_ms) for play in plays]
    return [
        QueueUse(
            queue=name,
            guarantee_mb=fmean(play.guarantee_mb.get(name, 0) for play in plays),
            used_mb=tuple(fmean(_at(play, name, place) for play in plays) for place in range(length)),
            borrowed_gb_hours=fmean(borrowed.get(name, 0.0) for borrowed, _ in exchanged),
            lent_gb_hours=fmean(lent.get(name, 0.0) for _, lent in exchanged),
            preempted=fmean(play.figures.get(f"queue:{name}", {}).get("preempted", 0.0) for play in plays),
            waits_ms=tuple(sorted(wait for play in plays for wait in play.waits.get(name, ()))),
        )
        for name in names
    ]


def _at(play: Played, queue: str, place: int) -> int:
    used: Sequence[int] = play.used_mb.get(queue, ())
    return used[place] if place < len(used) else 0


def _exchange(play: Played, step_ms: int) -> tuple[dict[str, float], dict[str, float]]:
    """What each queue borrowed and lent. At each moment lenders share what is borrowed by what they left."""
    borrowed: dict[str, float] = {}
    lent: dict[str, float] = {}
    names = [name for name in play.used_mb if play.guarantee_mb.get(name)]
    for place in range(max((len(play.used_mb[name]) for name in names), default=0)):
        over = {name: _at(play, name, place) - play.guarantee_mb[name] for name in names}
        taken = sum(amount for amount in over.values() if amount > 0)
        left = -sum(amount for amount in over.values() if amount < 0)
        for name, amount in over.items():
            if amount > 0:
                borrowed[name] = borrowed.get(name, 0.0) + amount * step_ms / _GB_HOUR
            elif amount < 0 and taken:
                given = -amount * min(1.0, taken / left)
                lent[name] = lent.get(name, 0.0) + given * step_ms / _GB_HOUR
    return borrowed, lent
