"""What a user holds on average over a window of time, as CapacityOverTimePolicy reckons it.

The integral of what is held, from the first moment on, is taken where it changes and after each whole window
without a change; from each of these the one of a window before is deducted. All is rounded to whole units.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from yarnbox.rm.reservation.profile import Profile
from yarnbox.yarn.resources.resource import NONE, Resource

_LONG, _INT = 1 << 64, 1 << 32
_LAST = (1 << 63) - 1
"""The end of time."""


def averages(others: Profile, own: Profile, start_ms: int, end_ms: int, window_ms: int) -> list[Resource]:
    """Each average between the two moments of `others`, what the user has already, and `own` together.

    Hadoop looks at the others between the two moments only, and closes the sum of both at the end of time:
    what is held at the second moment is held till then, and the integral to that end, which overflows, is
    deducted before the first window is over.
    """
    held = _between(others, start_ms, end_ms)
    changes = _sum(held, own) if held else {at_ms: own.at(at_ms) for at_ms in own.points()}
    up = _integrals(changes, window_ms)
    down = {_signed(at_ms + window_ms, _LONG): it for at_ms, it in up.items()}
    rising, falling = _steps(up), _steps(down)
    difference = {at_ms: rising.at(at_ms) - falling.at(at_ms) for at_ms in (*up, *down)}
    first = max((at_ms for at_ms in difference if at_ms <= start_ms), default=start_ms)
    return [it for at_ms, it in difference.items() if first <= at_ms <= end_ms]


def _between(profile: Profile, start_ms: int, end_ms: int) -> dict[int, Resource]:
    """The changes from the last one before the start on, to the end."""
    points = profile.points()
    first = max((at_ms for at_ms in points if at_ms <= start_ms), default=start_ms)
    return {at_ms: profile.at(at_ms) for at_ms in points if first <= at_ms <= end_ms}


def _sum(held: Mapping[int, Resource], own: Profile) -> dict[int, Resource]:
    others = _steps(held)
    found: dict[int, Resource] = {}
    last: Resource | None = None
    for at_ms in sorted({**held, **dict.fromkeys(own.points())}):
        amount = others.at(at_ms) + own.at(at_ms)
        if amount != last:
            found[at_ms] = last = amount
    found[_LAST] = NONE
    return found


def _integrals(changes: Mapping[int, Resource], window_ms: int) -> dict[int, Resource]:
    moments: dict[int, Resource] = {}
    for at_ms, next_ms in pairwise(changes):
        if next_ms != _LAST:
            whole = (next_ms - at_ms) // window_ms
            moments |= {at_ms + number * window_ms: changes[at_ms] for number in range(1, whole + 1)}
    moments |= changes
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


def _steps(changes: Mapping[int, Resource]) -> Profile:
    points = sorted(changes)
    return Profile(tuple(points), tuple(changes[at_ms] for at_ms in points))


def _signed(amount: int, size: int) -> int:
    amount %= size
    return amount - size if amount >= size // 2 else amount
