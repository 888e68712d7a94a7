"""In which order waiting attempts of several queues are asked whether they may run.

Hadoop: MaxRunningAppsEnforcer.MultiListStartTimeIterator, of the FairScheduler and of the CapacityScheduler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from yarnbox.yarn.runtime.java_order import JavaHeap

_NEVER = 2**63 - 1


class _Started(Protocol):
    start_ms: int


A = TypeVar("A", bound=_Started)


def by_start(lines: Sequence[Sequence[A]]) -> Iterator[A]:
    """All of them, the earlier start first; each line stays in its own order. Of those that started in one
    moment Java's PriorityQueue decides, in which lines without anybody have a place, too.
    """
    heads = JavaHeap[_Head[A]](_compare)
    for line in lines:
        heads.add(_Head(line))
    while len(heads):
        head = heads.take()
        attempt = head.take()
        if attempt is None:
            return  # nobody is left in any line
        heads.add(head)
        yield attempt


class _Head(Generic[A]):
    """How far a line has been gone through."""

    __slots__ = ("_line", "_position")

    def __init__(self, line: Sequence[A]) -> None:
        self._line = line
        self._position = 0

    @property
    def start_ms(self) -> int:
        """When the one at the front started; past all others where there is none."""
        return self._line[self._position].start_ms if self._position < len(self._line) else _NEVER

    def take(self) -> A | None:
        """The one at the front, who goes."""
        if self._position == len(self._line):
            return None
        self._position += 1
        return self._line[self._position - 1]


def _compare(one: _Head[A], other: _Head[A]) -> int:
    return (one.start_ms > other.start_ms) - (one.start_ms < other.start_ms)
