"""An amount over time: a step function, nothing before its first point and nothing after its last.

Immutable and pure. Hadoop: RLESparseResourceAllocation and PeriodicRLESparseResourceAllocation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from yarnbox.yarn.resources.resource import NONE, Resource


class Piece(NamedTuple):
    """From `start_ms`, up to but not including `end_ms`, so much."""

    start_ms: int
    end_ms: int
    amount: Resource


class Profile:
    """The step function. `points` are where it changes; `values` what it is from there on."""

    __slots__ = ("_points", "_values")

    def __init__(self, points: tuple[int, ...] = (), values: tuple[Resource, ...] = ()) -> None:
        self._points = points
        self._values = values

    @classmethod
    def of(cls, pieces: Iterable[Piece]) -> Profile:
        """The sum of the pieces."""
        changes: dict[int, Resource] = {}
        for start_ms, end_ms, amount in pieces:
            if start_ms < end_ms:
                changes[start_ms] = changes.get(start_ms, NONE) + amount
                changes[end_ms] = changes.get(end_ms, NONE) - amount
        points, values, present = [], [], NONE
        for point in sorted(changes):
            if changes[point]:
                present = present + changes[point]
                points.append(point)
                values.append(present)
        return cls(tuple(points), tuple(values))

    def __bool__(self) -> bool:
        return bool(self._points)

    def at(self, moment_ms: int) -> Resource:
        """The amount at that moment."""
        index = bisect_right(self._points, moment_ms) - 1
        return self._values[index] if index >= 0 else NONE

    def pieces(self) -> Iterator[Piece]:
        """The pieces that are not nothing, in order."""
        for index, value in enumerate(self._values[:-1]):
            if value:
                yield Piece(self._points[index], self._points[index + 1], value)

    def within(self, start_ms: int, end_ms: int) -> Iterator[Piece]:
        """The whole interval in pieces, those of nothing included."""
        inside = [point for point in self._points if start_ms < point < end_ms]
        bounds = [start_ms, *inside, end_ms]
        for index, start in enumerate(bounds[:-1]):
            yield Piece(start, bounds[index + 1], self.at(start))

    def points(self) -> tuple[int, ...]:
        """The moments at which it changes."""
        return self._points

    def __add__(self, other: Profile) -> Profile:
        return Profile.of((*self.pieces(), *other.pieces()))

    def moved(self, by_ms: int) -> Profile:
        """The same, later."""
        return Profile(tuple(point + by_ms for point in self._points), self._values)

    def mirrored(self) -> Profile:
        """The same with time running backwards."""
        return Profile.of(Piece(-end_ms, -start_ms, amount) for start_ms, end_ms, amount in self.pieces())

    def start_ms(self) -> int:
        """Where it begins; it must not be nothing."""
        return self._points[0]

    def end_ms(self) -> int:
        """Where it ends; it must not be nothing."""
        return self._points[-1]

    def repeated(self, period_ms: int, start_ms: int, end_ms: int) -> Profile:
        """What falls between the two moments; with a period it comes again and again, for ever."""
        if not self or period_ms <= 0:
            return self
        first = max((start_ms - self.end_ms()) // period_ms, 0)
        pieces: list[Piece] = []
        number = first
        while self.start_ms() + number * period_ms < end_ms:
            pieces.extend(self.moved(number * period_ms).pieces())
            number += 1
        return Profile.of(pieces)
