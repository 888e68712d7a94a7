"""Differences with their certainty: the bootstrap over seeds, paired, since both sides had the same chance.

The interval is Hesterberg's expanded percentile interval ("What Teachers Should Know About the Bootstrap",
The American Statistician 69, 2015): the plain one is too narrow for few seeds by about as much as the normal
distribution is narrower than Student's t. With up to MOST_EXACT seeds all resamples are counted out; with
more of them RESAMPLES are drawn, always the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import combinations_with_replacement
from math import atan, ceil, cos, factorial, isclose, log2, pi, sin, sqrt
from operator import mul
from random import Random
from statistics import NormalDist, fmean

MOST_EXACT = 7
RESAMPLES = 2000
_SEED = 20150401


class Verdict(Enum):
    """What can be said of a difference."""

    WORSE = "worse"
    BETTER = "better"
    CHANGED = "changed"
    """It is certain, and of a figure that is neither good nor bad."""
    NOISE = "noise"
    """The interval holds no difference at all: other seeds could show the opposite."""
    SAME = "same"
    UNKNOWN = "unknown"
    """There are too few seeds, or the figure is missing on one side."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Change minus base: the mean over seeds, and the confidence interval of that mean."""

    mean: float
    low: float | None
    high: float | None
    """None where there are fewer than `fewest_seeds` pairs, and the seed matters."""
    pairs: int

    @property
    def is_none(self) -> bool:
        """Whether both sides are the same under every seed."""
        return self.mean == self.low == self.high == 0

    @property
    def is_certain(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def fewest_seeds(confidence: float) -> int:
    """With fewer, differences of one sign under all seeds come about by chance too often: with a probability
    of two to the power of 1 - seeds.
    """
    return ceil(1 - log2(1 - confidence))


def difference(base: Sequence[float], change: Sequence[float], confidence: float) -> Difference:
    """Of pairs with the same seed."""
    deltas = [after - before for before, after in zip(base, change, strict=True)]
    mean = fmean(deltas)
    is_without_chance = _is_all(deltas, 0.0) or (_is_all(base, base[0]) and _is_all(deltas, deltas[0]))
    if len(deltas) > 1 and is_without_chance:
        return Difference(mean, deltas[0], deltas[0], len(deltas))
    if len(deltas) < fewest_seeds(confidence):
        return Difference(mean, None, None, len(deltas))
    low, high = interval(deltas, confidence)
    return Difference(mean, low, high, len(deltas))


def _is_all(values: Sequence[float], value: float) -> bool:
    return all(isclose(one, value, rel_tol=1e-12, abs_tol=1e-12) for one in values)


def interval(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """The confidence interval of the mean."""
    count = len(values)
    tail = NormalDist().cdf(-sqrt(count / (count - 1)) * student_t((1 + confidence) / 2, count - 1))
    if count > MOST_EXACT:
        means = sorted(sum(map(mul, counts, values)) / count for counts in _drawn(count))
        place = ceil(tail * RESAMPLES) - 1
        return means[place], means[-1 - place]
    weighed = sorted((sum(map(mul, counts, values)) / count, weight) for counts, weight in _all(count))
    return _quantile(weighed, tail), _quantile(weighed[::-1], tail)


def _quantile(ordered: Iterable[tuple[float, float]], share: float) -> float:
    """The first value up to which so much of the weight lies."""
    total = found = 0.0
    for found, weight in ordered:  # noqa: B007 - it is the answer
        total += weight
        if total >= share:
            break
    return found


@cache
def _all(count: int) -> tuple[tuple[tuple[int, ...], float], ...]:
    """How often each value is taken in a resample, and how probable that is."""
    found = []
    for taken in combinations_with_replacement(range(count), count):
        counts = [0] * count
        for place in taken:
            counts[place] += 1
        ways = factorial(count)
        for one in counts:
            ways //= factorial(one)
        found.append((tuple(counts), ways / count**count))
    return tuple(found)


@cache
def _drawn(count: int) -> tuple[tuple[int, ...], ...]:
    """How often each value is taken, in each of the resamples."""
    chance = Random(_SEED)
    found = []
    for _ in range(RESAMPLES):
        counts = [0] * count
        for place in chance.choices(range(count), k=count):
            counts[place] += 1
        found.append(tuple(counts))
    return tuple(found)


@cache
def student_t(probability: float, freedom: int) -> float:
    """The quantile of Student's t distribution, for a probability of at least 0.5."""
    low, high = 0.0, 1.0
    while _student_cdf(high, freedom) < probability:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _student_cdf(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _student_cdf(t: float, freedom: int) -> float:
    """By the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = atan(t / sqrt(freedom))
    if freedom % 2:
        term, total = cos(angle), cos(angle) if freedom > 1 else 0.0
        for step in range(3, freedom - 1, 2):
            term *= (step - 1) / step * cos(angle) ** 2
            total += term
        inside = 2 / pi * (angle + sin(angle) * total)
    else:
        term = total = 1.0
        for step in range(2, freedom - 1, 2):
            term *= (step - 1) / step * cos(angle) ** 2
            total += term
        inside = sin(angle) * total
    return 0.5 + inside / 2
