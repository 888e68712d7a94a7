"""Collections whose order is stated: what the core uses where others would reach for a set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any, TypeVar

T = TypeVar("T")


class OrderedSet(MutableSet[T]):
    """A set that is iterated in the order of insertion."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items: dict[T, None] = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def add(self, value: T) -> None:
        """Adds at the end; an item that is there keeps its place."""
        self._items[value] = None

    def discard(self, value: T) -> None:
        """Removes the item if it is there."""
        self._items.pop(value, None)

    def update(self, items: Iterable[T]) -> None:
        """Adds all, in their order."""
        for item in items:
            self._items[item] = None

    def take_all(self) -> list[T]:
        """Empties the set and returns what was in it."""
        items = list(self._items)
        self._items.clear()
        return items

    def __repr__(self) -> str:
        return f"OrderedSet({list(self._items)!r})"

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> OrderedSet[Any]:
        return OrderedSet(it)
