"""Amounts over time as Hadoop's plans keep them: known from some moment on, up to a moment, or not known.

What is not known counts as nothing, except that two timelines are joined only where both are known; else the
one that is known stands. What is planned and what is admitted depends on that. Hadoop:
RLESparseResourceAllocation and PeriodicRLESparseResourceAllocation.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from yarnbox.rm.reservation.profile import Piece, Profile
from yarnbox.yarn.resources.resource import NONE, Resource

FIRST, LAST = -(1 << 63), (1 << 63) - 1
"""The ends of time."""

Join = Callable[[Resource, Resource], Resource]


class Timeline:
    """Immutable: at each of the points the amount changes to the value beside it; None is not known."""

    __slots__ = ("points", "values")

    def __init__(self, points: tuple[int, ...] = (), values: tuple[Resource | None, ...] = ()) -> None:
        self.points = points
        self.values = values

    @classmethod
    def of(cls, pieces: Iterable[Piece]) -> Timeline:
        """The sum of the pieces, by pairs: what comes again does so thousands of times a day."""
        found = [cls((start_ms, end_ms), (amount, NONE)) for start_ms, end_ms, amount in pieces if amount]
        while len(found) > 1:
            pairs = zip(found[::2], found[1::2], strict=False)
            alone = found[-1:] if len(found) % 2 else []
            found = [one.joined(two, Resource.__add__, FIRST, LAST) for one, two in pairs] + alone
        return found[0] if found else cls()

    @classmethod
    def since(cls, start_ms: int, amount: Resource) -> Timeline:
        """The amount from that moment on."""
        return cls((start_ms,), (amount,))

    def __bool__(self) -> bool:
        return bool(self.points)

    def items(self) -> Iterator[tuple[int, Resource | None]]:
        """Points and values."""
        return zip(self.points, self.values, strict=True)

    def is_nothing(self) -> bool:
        """Whether nothing is left of what was added."""
        return not self or (len(self.points) == 2 and not self.values[0] and self.values[1] is None)

    def with_piece(self, piece: Piece) -> Timeline:
        """With the piece added."""
        return self.changed(piece, Resource.__add__)

    def changed(self, piece: Piece, join: Join) -> Timeline:
        """Joined with the piece; it is the piece where nothing is known yet."""
        start_ms, end_ms, amount = piece
        if not amount:
            return self
        change = Timeline((start_ms, end_ms), (amount, NONE))
        return self.joined(change, join, FIRST, LAST) if self else change

    def last_known_ms(self) -> int:
        """The last point but the end of what is known; -1 without any."""
        known = self.points[:-1] if self.points and self.values[-1] is None else self.points
        return known[-1] if known else -1

    def between(self, start_ms: int, end_ms: int) -> Timeline:
        """From the point at or before the one moment to the point at or before the other."""
        first = max(bisect_right(self.points, start_ms) - 1, 0)
        last = bisect_right(self.points, end_ms)
        return Timeline(self.points[first:last], self.values[first:last])

    def moved(self, by_ms: int) -> Timeline:
        """The same, later."""
        return Timeline(tuple(point + by_ms for point in self.points), self.values)

    def plus(self, other: Timeline, start_ms: int, end_ms: int) -> Timeline:
        """The sum of both between two moments."""
        return self.joined(other, Resource.__add__, start_ms, end_ms)

    def minus(self, other: Timeline, start_ms: int, end_ms: int) -> Timeline:
        """The difference of both between two moments; what only the other knows is negative."""
        negative = Timeline(other.points, tuple(None if it is None else NONE - it for it in other.values))
        return self.joined(negative, Resource.__add__, start_ms, end_ms)

    def joined(self, other: Timeline, join: Join, start_ms: int, end_ms: int) -> Timeline:
        """Both between two moments: the join of what both know, or what one of them knows. It ends with the
        second moment, and with the first one at which neither knows anything; where one of the two is not
        there at all, the other stands as it is.
        """
        one, two = self.between(start_ms, end_ms), other.between(start_ms, end_ms)
        if not one:
            return two
        if not two:
            return one
        found: dict[int, Resource | None] = {}
        last: Resource | None = None
        for point in sorted(dict.fromkeys((*one.points, *two.points))):
            value = _joined(one.at(point), two.at(point), join)
            if not found or value is None or (last is not None and value != last):
                found[max(point, start_ms)] = last = value
        found[end_ms] = None
        points = sorted(found)
        return Timeline(tuple(points), tuple(found[point] for point in points))

    def at(self, moment_ms: int) -> Resource | None:
        """The amount at that moment."""
        index = bisect_right(self.points, moment_ms) - 1
        return self.values[index] if index >= 0 else None

    def profile(self, end_ms: int = LAST) -> Profile:
        """The same up to the moment, with nothing where nothing is known."""
        values = tuple(NONE if value is None else value for value in self.values)
        if values and values[-1] and self.points[-1] < end_ms:
            return Profile((*self.points, end_ms), (*values, NONE))
        return Profile(self.points, values)


class Recurring:
    """Immutable: amounts that come again after each period, by the time modulo the period: they were always
    there, and always will be.
    """

    __slots__ = ("once", "period_ms")

    def __init__(self, period_ms: int, once: Timeline | None = None) -> None:
        self.period_ms = period_ms
        self.once = Timeline() if once is None else once

    @classmethod
    def of(cls, period_ms: int, pieces: Iterable[Piece]) -> Recurring:
        """The sum of pieces that lie within one period."""
        return cls(period_ms, Timeline.of(pieces))

    def joined(self, other: Recurring, join: Join) -> Recurring:
        """Both, of the same period."""
        return Recurring(self.period_ms, self.once.joined(other.once, join, FIRST, LAST))

    def at(self, moment_ms: int) -> Resource:
        """The amount at that moment."""
        return self.once.at(moment_ms % self.period_ms) or NONE

    def between(self, start_ms: int, end_ms: int) -> Timeline:
        """From the point at or before the one moment, in the same period, to the point at or before the
        other. What is before the first moment of all is not moved to its period: so in Hadoop.
        """
        points, values = self.once.points, self.once.values
        if not points:
            return Timeline()
        place_ms = start_ms % self.period_ms if start_ms >= 0 else 0
        from_ms = points[max(bisect_right(points, place_ms) - 1, 0)]
        if from_ms > place_ms:
            from_ms = 0
        by_ms, until_ms = start_ms - place_ms, end_ms - start_ms + place_ms
        known = len(points) - (points[-1] == LAST)
        found: dict[int, Resource | None] = {}
        for passed_ms in range(0, until_ms + 1, self.period_ms):
            first = bisect_left(points, from_ms - passed_ms, hi=known)
            last = bisect_right(points, until_ms - passed_ms, hi=known)
            for index in range(first, last):
                found[points[index] + passed_ms + by_ms] = values[index]
        if by_ms > 0 and known < len(points):
            found[LAST] = None
        return Timeline(tuple(found), tuple(found.values()))


def _joined(one: Resource | None, two: Resource | None, join: Join) -> Resource | None:
    if one is None:
        return two
    return one if two is None else join(one, two)
