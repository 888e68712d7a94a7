"""Answers that many clients request at once are computed once for all of them, and clients take turns.

A request joins the computation that has not begun yet, never one that is running: its answer is at least as
new as the request. So however many clients poll a page, at most two computations of its list are pending.
Different answers are computed one at a time, and a client that requests many waits behind each of the others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
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


class FairGate:
    """Lets one in at a time; of those that wait, the first of each client, one client after the other."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        self._is_taken = False

    @asynccontextmanager
    async def entered(self, client: Hashable) -> AsyncIterator[None]:
        """Waits for its turn, and has it until the end of the block."""
        if self._is_taken:
            await self._wait(client)
        self._is_taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, client: Hashable) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had just got its turn
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """To the next client, whose others then wait behind those of all clients."""
        while self._waiting:
            client, turns = next(iter(self._waiting.items()))
            del self._waiting[client]
            turn = turns.popleft()
            if turns:
                self._waiting[client] = turns
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False
