"""Lists that many ask for at once: made seldom, and never older than the question."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from yarnbox.rm.edge.http.sharing import FairGate, Sharing


class Maker:
    """Makes a list of how often it was called, when it is let."""

    def __init__(self) -> None:
        self.made = 0
        self.may = asyncio.Event()

    async def make(self) -> bytes:
        self.made += 1
        number = self.made
        await self.may.wait()
        return str(number).encode()


async def begun() -> None:
    """Lets all that can begin begin: a few turns of the loop, however long they take."""
    for _ in range(10):
        await asyncio.sleep(0)


def play(scene: Callable[[Sharing[bytes], Maker], Awaitable[None]]) -> None:
    async def body() -> None:
        await scene(Sharing[bytes](), Maker())

    asyncio.run(body())


def test_a_hundred_who_ask_at_once_cost_two_makings() -> None:
    async def scene(sharing: Sharing[bytes], maker: Maker) -> None:
        first = asyncio.ensure_future(sharing.get("apps", maker.make))
        await begun()
        others = [asyncio.ensure_future(sharing.get("apps", maker.make)) for _ in range(100)]
        await begun()
        maker.may.set()
        assert await first == b"1"
        assert set(await asyncio.gather(*others)) == {b"2"}, "what was under way was too old for them"
        assert await sharing.get("apps", maker.make) == b"3"

    play(scene)


def test_different_lists_are_made_side_by_side() -> None:
    async def scene(sharing: Sharing[bytes], maker: Maker) -> None:
        both = [asyncio.ensure_future(sharing.get(key, maker.make)) for key in ("apps", "nodes")]
        await begun()
        assert maker.made == 2
        maker.may.set()
        await asyncio.gather(*both)

    play(scene)


def test_who_goes_away_leaves_the_list_to_the_others() -> None:
    async def scene(sharing: Sharing[bytes], maker: Maker) -> None:
        waiting = [asyncio.ensure_future(sharing.get("apps", maker.make)) for _ in range(2)]
        await begun()
        waiting[0].cancel()
        maker.may.set()
        assert await waiting[1] == b"1"

    play(scene)


def test_what_goes_wrong_is_told_to_all_and_forgotten() -> None:
    async def scene(sharing: Sharing[bytes], maker: Maker) -> None:
        async def fail() -> bytes:
            raise LookupError("no queue")

        told = await asyncio.gather(*(sharing.get("apps", fail) for _ in range(3)), return_exceptions=True)
        assert [str(error) for error in told] == ["no queue"] * 3
        maker.may.set()
        assert await sharing.get("apps", maker.make) == b"1"
        with pytest.raises(LookupError):
            await sharing.get("apps", fail)

    play(scene)


# Turns


async def enter(gate: FairGate, client: str, name: str, entered: list[str], stay: asyncio.Event) -> None:
    async with gate.entered(client):
        entered.append(name)
        await stay.wait()
        await asyncio.sleep(0)


def test_a_client_that_asks_for_much_waits_behind_each_of_the_others() -> None:
    async def scene() -> None:
        gate, stay = FairGate(), asyncio.Event()
        entered: list[str] = []
        names = ("a1", "a2", "a3", "a4", "b1", "b2", "c1")
        tasks = []
        for name in names:
            tasks.append(asyncio.ensure_future(enter(gate, name[0], name, entered, stay)))
            await begun()
        assert entered == ["a1"]
        stay.set()
        await asyncio.gather(*tasks)
        assert entered == ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]

    asyncio.run(scene())


@pytest.mark.parametrize("is_let_in", [False, True])
def test_who_goes_away_loses_nobody_his_turn(*, is_let_in: bool) -> None:
    async def scene() -> None:
        gate, stay = FairGate(), asyncio.Event()
        entered: list[str] = []
        first, second, third = (
            asyncio.ensure_future(enter(gate, name, name, entered, stay)) for name in "abc"
        )
        await begun()
        if is_let_in:  # its turn has come, but it has not seen that yet
            first.cancel()
            while not first.done():
                await asyncio.sleep(0)
        second.cancel()
        stay.set()
        await asyncio.gather(first, second, third, return_exceptions=True)
        assert entered == ["a", "c"]
        async with gate.entered("d"):
            entered.append("d")

    asyncio.run(scene())
