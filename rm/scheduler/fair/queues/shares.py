"""Fair shares of siblings: one resource type at a time, by a search for the ratio at which all is given away.

Pure: amounts in, amounts out. Shares do not depend on demand. The result is taken at the upper end of the
search, so that the sum may exceed the total a little, as in Hadoop. Hadoop: ComputeFairShares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from yarnbox.yarn.resources.units import MAXIMUM

BISECTIONS = 25
_BAND = 1e-6


class Claim(NamedTuple):
    """One sibling's input: its weight, its bounds, and whether it takes part."""

    weight: float
    minimum: int = 0
    maximum: int = MAXIMUM
    is_active: bool = True
    """Inactive queues have no instantaneous share; all are active where steady shares are computed."""


def fixed_share(claim: Claim) -> int | None:
    """The share of one who does not take part in the search; None for those who do."""
    if claim.maximum <= 0:
        return 0
    if not claim.is_active:
        return 0
    if claim.weight <= 0:
        return max(0, claim.minimum)
    return None


def compute_shares(claims: Sequence[Claim], total: int) -> list[int]:
    """The share of each, in the order of the claims."""
    counts: dict[Claim, int] = {}
    for claim in claims:
        counts[claim] = counts.get(claim, 0) + 1
    fixed = {claim: fixed_share(claim) for claim in counts}
    taken = sum(share * counts[claim] for claim, share in fixed.items() if share is not None)
    moving = [claim for claim, share in fixed.items() if share is None]
    if moving:
        free = {claim.weight: counts[claim] for claim in moving if _is_free(claim)}
        bounded = [(claim, counts[claim]) for claim in moving if not _is_free(claim)]
        ratio = _find_ratio(_Sum(free, bounded), total, taken)
        shares = {claim: share_at(claim, ratio) for claim in moving}
    else:
        shares = {}
    return [shares[claim] if fixed[claim] is None else fixed[claim] or 0 for claim in claims]


def compute_free_shares(weights: Sequence[float], total: int) -> list[int]:
    """What `compute_shares` gives to claims that bring nothing but these weights."""
    counts: dict[float, int] = {}
    for weight in weights:
        counts[weight] = counts.get(weight, 0) + 1
    moving = {weight: count for weight, count in counts.items() if weight > 0}
    if not moving:
        return [0] * len(weights)
    ratio = _find_ratio(_Sum(moving, ()), total, 0)
    shares = {weight: min(int(weight * ratio), MAXIMUM) if weight > 0 else 0 for weight in counts}
    return [shares[weight] for weight in weights]


def share_at(claim: Claim, ratio: float) -> int:
    """The share at that ratio of weight to amount, within the bounds, cut."""
    share = claim.weight * ratio
    if share < claim.minimum:
        return claim.minimum
    if share > claim.maximum:
        return claim.maximum
    return int(share)


def _find_ratio(used: _Sum, total: int, taken: int) -> float:
    target = min(max(total - taken, 0), used.most)
    high = 1.0
    while used.compare(high, target) < 0:
        high *= 2.0
    low = 0.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        order = used.compare(middle, target)
        if order == 0:
            return middle
        if order < 0:
            low = middle
        else:
            high = middle
    return high


class _Sum:
    """The sum of the shares at a ratio; equal claims are counted once.

    Among many free claims (no bound can matter) the sum of the uncut shares tells on which side of the target
    the cut ones lie, unless it is closer than what cutting can take off: a walk saved, nothing approximated.
    """

    def __init__(self, free: Mapping[float, int], bounded: Sequence[tuple[Claim, int]]) -> None:
        self._free = list(free.items())
        self._bounded = bounded
        self._weight = sum(weight * count for weight, count in self._free)
        self._cut = sum(count for _, count in self._free)
        most = sum(claim.maximum * count for claim, count in self._bounded) + MAXIMUM * self._cut
        self.most = min(most, MAXIMUM)

    def compare(self, ratio: float, target: int) -> int:
        """Negative, zero or positive as the sum at this ratio is below, at or above the target."""
        used = sum(share_at(claim, ratio) * count for claim, count in self._bounded)
        uncut = self._weight * ratio
        slack = uncut * _BAND + 1.0
        if used + uncut + slack < target:
            return -1
        if used + uncut - self._cut - slack > target and uncut < MAXIMUM:
            return 1
        if uncut < MAXIMUM:
            used += sum([int(weight * ratio) * count for weight, count in self._free])
        else:
            used += sum(min(int(weight * ratio), MAXIMUM) * count for weight, count in self._free)
        used = min(used, MAXIMUM)
        return -1 if used < target else int(used > target)


def _is_free(claim: Claim) -> bool:
    return claim.minimum <= 0 and claim.maximum >= MAXIMUM
