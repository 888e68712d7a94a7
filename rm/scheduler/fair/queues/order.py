"""Siblings with demand in the order in which they are served, kept up to date instead of sorted at each
heartbeat.

A sibling whose figures changed is noted, and moved to its new position at the next access. Siblings whose
policy has no keys for them (a user's own policy, ratios that are NaN) are sorted by comparison at each
access.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from functools import cmp_to_key
from typing import Any, Generic, Protocol, TypeVar

FullKey = tuple[object, ...]
"""A policy's key, the start time and the name: no two members have the same."""


class Sibling(Protocol):
    """A child queue or an application."""

    number: int
    """The order of creation."""

    def has_unmet_demand(self) -> bool:
        """Whether it is in the order at all."""
        ...

    def sort_key(self) -> FullKey | None:
        """What sorts it; None where only comparisons tell."""
        ...

    def compare(self, other: Any) -> float:
        """Negative, zero or positive as it is served before the other, alike, or after it."""
        ...


M = TypeVar("M", bound=Sibling)


class ServingOrder(Generic[M]):
    """The children or applications of one queue, in the order in which they are served."""

    __slots__ = ("_key_of", "_line", "_loose", "_stale")

    def __init__(self) -> None:
        self._line: list[tuple[FullKey, M]] = []
        self._key_of: dict[M, FullKey] = {}
        self._loose: dict[M, None] = {}
        """Members in the line without a key."""
        self._stale: dict[M, None] = {}

    def mark_changed(self, member: M) -> None:
        """The sibling's figures have changed, or it is new."""
        self._stale[member] = None

    def mark_all_changed(self, members: Iterable[M]) -> None:
        """Something changed that all keys depend on."""
        self._stale.update(dict.fromkeys(members))

    def drop(self, member: M) -> None:
        """Removes the sibling."""
        self._stale.pop(member, None)
        self._loose.pop(member, None)
        key = self._key_of.pop(member, None)
        if key is not None:
            del self._line[bisect_left(self._line, (key,))]

    def is_empty(self) -> bool:
        """Whether no sibling has demand."""
        if self._stale:
            self._move_stale()
        return not self._line and not self._loose

    def members(self) -> Iterator[M]:
        """All siblings in order. It must not change during the iteration."""
        if self._stale:
            self._move_stale()
        if self._loose:
            return iter(self._compared())
        return (member for _, member in self._line)

    def _move_stale(self) -> None:
        stale, self._stale = self._stale, {}
        line, key_of = self._line, self._key_of
        if len(stale) > 8 and len(stale) * 8 > len(line):
            self._rebuild(stale)
            return
        for member in stale:
            old = key_of.get(member)
            new = member.sort_key() if member.has_unmet_demand() else None
            if old is not None:
                if old == new:
                    continue
                del line[bisect_left(line, (old,))]
                del key_of[member]
            if new is not None:
                key_of[member] = new
                insort(line, (new, member))
                self._loose.pop(member, None)
            elif member.has_unmet_demand():
                self._loose[member] = None
            else:
                self._loose.pop(member, None)

    def _rebuild(self, stale: dict[M, None]) -> None:
        """So much changed that one sort is cheaper than many insertions."""
        key_of, loose = self._key_of, self._loose
        for member in stale:
            key_of.pop(member, None)
            loose.pop(member, None)
            if member.has_unmet_demand():
                key = member.sort_key()
                if key is None:
                    loose[member] = None
                else:
                    key_of[member] = key
        self._line = sorted((key, member) for member, key in key_of.items())

    def _compared(self) -> list[M]:
        members = [*(member for _, member in self._line), *self._loose]
        members.sort(key=lambda member: member.number)
        return sorted(members, key=cmp_to_key(_compare))


def _compare(one: Sibling, two: Sibling) -> int:
    difference = one.compare(two)
    return (difference > 0) - (difference < 0)
