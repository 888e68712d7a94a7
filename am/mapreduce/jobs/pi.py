"""An estimate of pi: the share of evenly strewn points of a square that lie in the circle within it.

The points are those of Halton's sequence in bases 2 and 3, so the estimate is always the same; every map
takes its own stretch of it. Hadoop: QuasiMonteCarlo, whose printed result it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from yarnbox.am.mapreduce.api import Emit, MapContext, Mapper, Reducer
from yarnbox.am.mapreduce.output import read_part
from yarnbox.am.mapreduce.splits import Split

INSIDE, OUTSIDE = "numInside", "numOutside"
_SCALE = Decimal(1).scaleb(-20)


class VanDerCorput:
    """The radical inverses of 1, 2, 3, ... in a base: the digits of the number, mirrored at the point."""

    def __init__(self, base: int, index: int) -> None:
        self._base = base
        self._digits: list[int] = []
        while index:
            index, digit = divmod(index, base)
            self._digits.append(digit)

    def next(self) -> float:
        """The inverse of the next number."""
        digits, base = self._digits, self._base
        for place, digit in enumerate(digits):
            if digit + 1 < base:
                digits[place] = digit + 1
                break
            digits[place] = 0
        else:
            digits.append(1)
        value = 0.0
        for digit in reversed(digits):
            value = (value + digit) / base
        return value


def count_inside(offset: int, size: int) -> int:
    """How many of `size` points behind the first `offset` lie in the circle."""
    across, up = VanDerCorput(2, offset), VanDerCorput(3, offset)
    inside = 0
    for _ in range(size):
        x, y = across.next() - 0.5, up.next() - 0.5
        if x * x + y * y <= 0.25:
            inside += 1
    return inside


class PiMapper(Mapper):
    """Counts the points of a stretch; key and value are where it begins and how long it is."""

    def map(self, key: Any, value: Any, context: MapContext) -> None:
        inside = count_inside(key, value)
        context.emit(INSIDE, inside)
        context.emit(OUTSIDE, value - inside)


class PiReducer(Reducer):
    """Adds up the points."""

    def reduce(self, key: Any, values: Iterator[Any], emit: Emit) -> None:
        emit(key, sum(values))


def splits(maps: int, samples: int) -> list[Split]:
    """The stretches, one per map."""
    return [Split(records=((number * samples, samples),)) for number in range(maps)]


def properties() -> dict[str, str]:
    """What makes a job an estimate of pi."""
    return {
        "mapreduce.job.map.class": "yarnbox.am.mapreduce.jobs.pi.PiMapper",
        "mapreduce.job.reduce.class": "yarnbox.am.mapreduce.jobs.pi.PiReducer",
        "mapreduce.job.reduces": "1",
        "mapreduce.job.name": "QuasiMonteCarlo",
    }


def estimate(output: str | Path, maps: int, samples: int) -> Decimal:
    """Pi, by what the job has written."""
    counts = dict(line.split("\t") for line in read_part(output, "part-r-00000").splitlines())
    return estimate_of(int(counts[INSIDE]), maps * samples)


def estimate_of(inside: int, samples: int) -> Decimal:
    """Four times the share of points inside, to twenty places."""
    return (Decimal(4) * Decimal(inside) / Decimal(samples)).quantize(_SCALE, rounding=ROUND_HALF_UP)
