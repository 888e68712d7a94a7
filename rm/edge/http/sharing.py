"""Answers that many clients request at once are computed once for all of them.

A request joins the computation that has not begun yet, never one that is running: its answer is at least as
new as the request. So however many clients poll a page, at most two computations of its list are pending.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Builds(Generic[T]):
    """The computations of one answer: one that is running, and the next one."""

    gate: asyncio.Lock = field(default_factory=asyncio.Lock)
    following: asyncio.Task[T] | None = None


class Sharing(Generic[T]):
    """Answers that several requests share: each is computed once for all that wait for it."""

    def __init__(self) -> None:
        self._lists: dict[Hashable, _Builds[T]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """The answer of that key, computed from now on; `make` is called for it unless somebody did so
        already.
        """
        builds = self._lists.setdefault(key, _Builds())
        if builds.following is None:
            builds.following = asyncio.ensure_future(self._make(key, builds, make))
        return await asyncio.shield(builds.following)  # who goes away leaves it to the others

    async def _make(self, key: Hashable, builds: _Builds[T], make: Callable[[], Awaitable[T]]) -> T:
        async with builds.gate:
            builds.following = None
            try:
                return await make()
            finally:
                if builds.following is None:
                    self._lists.pop(key, None)
