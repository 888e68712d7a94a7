"""What a user holds on average over a window of time, as CapacityOverTimePolicy reckons it.

The integral of what is held, from the first moment on, is taken where it changes and after each whole window
without a change; from each of these the one of a window before is deducted. All is rounded to whole units.
"""

from __future__ import annotations

import math
from itertools import pairwise

from yarnbox.rm.reservation.timeline import FIRST, LAST, Timeline
from yarnbox.yarn.resources.resource import NONE, Resource

_LONG, _INT = 1 << 64, 1 << 32


def averages(held: Timeline, window_ms: int) -> Timeline:
    """The average over the window that ends at each moment.

    What is held at the end of the timeline is held to the end of time; the integral to there overflows, and
    is deducted before the first window is over.
    """
    rising = _integrals(held, window_ms)
    falling = {_signed(at_ms + window_ms, _LONG): it for at_ms, it in rising.items()}
    return _steps(rising).minus(_steps(falling), FIRST, LAST)


def _integrals(held: Timeline, window_ms: int) -> dict[int, Resource]:
    moments: dict[int, Resource] = {}
    for (at_ms, amount), (next_ms, following) in pairwise(held.items()):
        if amount is not None and following is not None:
            whole = (next_ms - at_ms) // window_ms
            moments |= {at_ms + number * window_ms: amount for number in range(1, whole + 1)}
    moments |= {at_ms: NONE if amount is None else amount for at_ms, amount in held.items()}
    found: dict[int, Resource] = {}
    total, last, last_ms = NONE, NONE, min(moments)
    for at_ms in sorted(moments):
        total = total + last * (at_ms - last_ms)
        found[at_ms] = Resource(_mean(total.memory_mb, window_ms), _mean(total.vcores, window_ms))
        last, last_ms = moments[at_ms], at_ms
    return found


def _mean(amount: int, window_ms: int) -> int:
    """Amounts are Java's longs, means are its ints."""
    return _signed(math.floor(_signed(amount, _LONG) / window_ms + 0.5), _INT)


def _steps(changes: dict[int, Resource]) -> Timeline:
    points = sorted(changes)
    return Timeline(tuple(points), tuple(changes[at_ms] for at_ms in points))


def _signed(amount: int, size: int) -> int:
    amount %= size
    return amount - size if amount >= size // 2 else amount
