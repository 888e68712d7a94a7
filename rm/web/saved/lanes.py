"""Containers on lanes: on which each lies, and which bars the picture of a part of them has.

Knows no colours and no file. As streamlanes.js has it for the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from yarnbox.rm.web.grids import natural
from yarnbox.rm.web.values import Answer

_LEAST_MS = 1000
_GAP_FROM = 5


class Span(NamedTuple):
    """A part of an axis."""

    begin: float
    end: float

    def place(self, value: float, size: int) -> float:
        """Where a value lies on so many pixels."""
        return (value - self.begin) * size / (self.end - self.begin)


class Bar(NamedTuple):
    """What is seen of a container, in whole pixels; `of` is its place among the containers."""

    x: int
    y: int
    width: int
    height: int
    of: int


@dataclass(slots=True)
class Group:
    """Lanes that belong together, from `top` on: so many."""

    name: str
    lanes: int = 0
    top: int = 0
    free: list[int] = field(default_factory=list)
    """A heap, as the following one: those that are not free, by when they will be."""
    busy: list[tuple[int, int]] = field(default_factory=list)

    def take(self, begin: int) -> int:
        """The topmost lane that is free then."""
        while self.busy and self.busy[0][0] <= begin:
            heappush(self.free, heappop(self.busy)[1])
        if self.free:
            return heappop(self.free)
        self.lanes += 1
        return self.lanes - 1


class Lanes:
    """Each container lies on the topmost lane of its group that is free when it begins; a lane of one that
    lives is not free again.
    """

    def __init__(self, containers: Sequence[Answer], key: str, now_ms: int) -> None:
        """They are grouped by the field that is the key."""
        self.begin = [one["started"] for one in containers]
        self.end = [max(one["started"], one["finished"] or now_ms) for one in containers]
        self.order = sorted(range(len(containers)), key=self.begin.__getitem__)
        groups = {name: Group(name) for name in dict.fromkeys(one[key] for one in containers)}
        self.lane = [0] * len(containers)
        for place in self.order:
            one = containers[place]
            group = groups[one[key]]
            self.lane[place] = lane = group.take(self.begin[place])
            if one["finished"]:
                heappush(group.busy, (self.end[place], lane))
        self.groups = sorted(groups.values(), key=lambda group: natural(group.name))
        self.count = 0
        for group in self.groups:
            group.top = self.count
            self.count += group.lanes
        self.lane = [lane + groups[one[key]].top for lane, one in zip(self.lane, containers, strict=True)]
        first = min(self.begin, default=0)
        self.time = Span(first, max(first + _LEAST_MS, max(self.end, default=0)))
        self.rows = Span(0, max(1, self.count))

    def bars(self, time: Span, rows: Span, width: int, height: int) -> Iterator[Bar]:
        """Of what is visible, no two at one place. The container that began first hides others at its place:
        narrow ones, and those of other lanes where lanes are low.
        """
        reach = [0] * height
        for place in self.order:
            begin, end, lane = self.begin[place], self.end[place], self.lane[place]
            if begin >= time.end:
                break
            if end < time.begin or lane + 1 <= rows.begin:
                continue
            y = max(0, int(rows.place(lane, height)))
            below = min(height, max(y + 1, int(rows.place(lane + 1, height))))
            if below <= y:
                continue
            left, right = (max(0, int(time.place(ms, width))) for ms in (begin, end))
            x, past = max(left, reach[y]), min(width, max(left + 1, right))
            if past > x:
                reach[y] = past
                yield Bar(x, y, _with_gap(past - x), _with_gap(below - y), place)


def _with_gap(size: int) -> int:
    """Where there is room, a little of the ground parts a bar from the next."""
    return size - 1 if size >= _GAP_FROM else size
