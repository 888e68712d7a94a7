"""Lists that many ask for at once are made once for all who wait.

A request joins the making that has not begun yet, never one under way: what it is answered is at least as new
as its question. So a page that a hundred clients poll costs two of its makings at most for each of them,
however many they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field

Make = Callable[[], Awaitable[bytes]]


@dataclass(slots=True)
class _Makings:
    """The makings of one list: one under way, and the one after it."""

    gate: asyncio.Lock = field(default_factory=asyncio.Lock)
    following: asyncio.Task[bytes] | None = None


class Sharing:
    """Who makes which list, and who waits for it."""

    def __init__(self) -> None:
        self._lists: dict[Hashable, _Makings] = {}

    async def get(self, key: Hashable, make: Make) -> bytes:
        """The list of that key, made from now on; `make` is called for it unless somebody did so already."""
        makings = self._lists.setdefault(key, _Makings())
        if makings.following is None:
            makings.following = asyncio.ensure_future(self._make(key, makings, make))
        return await asyncio.shield(makings.following)  # who goes away leaves it to the others

    async def _make(self, key: Hashable, makings: _Makings, make: Make) -> bytes:
        async with makings.gate:
            makings.following = None
            try:
                return await make()
            finally:
                if makings.following is None:
                    self._lists.pop(key, None)
