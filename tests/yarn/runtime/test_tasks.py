"""Tasks that do not want to end."""

from __future__ import annotations

import asyncio

from tests.waiting import PATIENCE_S
from yarnbox.yarn.runtime.tasks import end_tasks


def test_a_task_that_loses_a_cancellation_is_cancelled_again() -> None:
    lost: list[str] = []

    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                if lost:
                    raise
                lost.append("the first")

    async def broken() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            raise ValueError("what it says in the end")

    async def scene() -> None:
        tasks = [asyncio.create_task(stubborn()), asyncio.create_task(broken())]
        await asyncio.sleep(0)
        await end_tasks(tasks)
        assert all(task.done() for task in tasks)

    asyncio.run(asyncio.wait_for(scene(), PATIENCE_S))
    assert lost == ["the first"]


def test_without_tasks_nothing_is_waited_for() -> None:
    asyncio.run(end_tasks([]))
