"""The network of a walk: calls are lost, delayed, carried twice, carried when their caller has given up, and
never answered.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from yarnbox.yarn.connection.rpc import ConnectionFailedError, RpcError
from yarnbox.yarn.errors import YarnError

NEVER_REPEATED = ("registerApplicationMaster",)
"""An AM whose registration was taken and not answered is refused when it registers again, as in Hadoop."""
NOTICED_S = 1
"""When a caller notices that its connection is gone."""
HALF_OPEN_S = 20
"""When a caller gives a connection up that is there and silent."""
LATEST_MS = 15_000
"""How late a request arrives whose caller has given it up, at the most."""

Send = Callable[[bool], Awaitable[Any]]
"""Has a request carried out; whether its caller has given it up."""


@dataclass(slots=True)
class Weather:
    """What the network does to calls."""

    chance: Random
    loses: int = 0
    """How many of a hundred requests, and as many answers, are lost."""
    delays_ms: int = 0
    """The longest delay."""
    repeats: int = 0
    """How many of a hundred requests are carried twice."""
    lags: int = 0
    """How many of a hundred requests arrive only after their caller has given up, behind later ones."""
    hangs: int = 0
    """How many of a hundred connections are half-open: the request arrives, and there is no answer."""
    stops_ms: int = 0
    """The longest time for which a container that is told to stop goes on."""
    parted: dict[str, None] = field(default_factory=dict)
    """Nodes from which and to which nothing comes through."""
    deaf: dict[Hashable, None] = field(default_factory=dict)
    """Nodes and AMs whose calls arrive, and that hear no answer."""
    coverage: Counter[str] = field(default_factory=Counter)
    under_way: dict[asyncio.Task[None], None] = field(default_factory=dict)
    """Requests that their callers have given up."""

    def calm(self) -> None:
        """Nothing is lost any more."""
        self.loses = self.delays_ms = self.repeats = self.lags = self.hangs = self.stops_ms = 0
        self.parted.clear()
        self.deaf.clear()

    def stop_ms(self) -> int:
        """How long a container that is told to stop now goes on."""
        return self.chance.randrange(self.stops_ms) if self.stops_ms else 0

    async def carry(self, rpc: str, host: str | None, caller: Hashable, send: Send) -> Any:
        """The answer to a request that goes to that node, or comes from it, if there is one.
        ConnectionFailedError: it has not come through, or its answer has not.
        """
        if self.delays_ms:
            await asyncio.sleep(self.chance.randrange(self.delays_ms + 1) / 1000)
        if host in self.parted or self._draws(self.loses, "lost"):
            await asyncio.sleep(NOTICED_S)
            raise ConnectionFailedError(f"{rpc}: the request was lost")
        if rpc in NEVER_REPEATED:
            return await send(False)
        if self._draws(self.lags, "late"):
            self._carry_late(send)
            await asyncio.sleep(NOTICED_S)
            raise ConnectionFailedError(f"{rpc}: the request is late")
        if self._draws(self.repeats, "twice"):
            with suppress(YarnError, RpcError):
                await send(False)
        answer = await send(False)
        if self._draws(self.hangs, "half-open"):
            await asyncio.sleep(HALF_OPEN_S)
            raise ConnectionFailedError(f"{rpc}: the connection was half-open")
        if caller in self.deaf:
            self.coverage["no answer heard"] += 1
        if host in self.parted or caller in self.deaf or self._draws(self.loses, "answer lost"):
            await asyncio.sleep(NOTICED_S)
            raise ConnectionFailedError(f"{rpc}: the answer was lost")
        return answer

    def _draws(self, percent: int, what: str) -> bool:
        if not percent or self.chance.randrange(100) >= percent:
            return False
        self.coverage[what] += 1
        return True

    def _carry_late(self, send: Send) -> None:
        async def carry() -> None:
            await asyncio.sleep(NOTICED_S + self.chance.randrange(LATEST_MS) / 1000)
            with suppress(YarnError, RpcError):
                await send(True)

        task = asyncio.get_running_loop().create_task(carry())
        self.under_way[task] = None
        task.add_done_callback(lambda done: self.under_way.pop(done, None))
