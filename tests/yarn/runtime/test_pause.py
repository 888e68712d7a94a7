"""A process that stood still notices it, and holds nobody's silence against him."""

from __future__ import annotations

import asyncio

from tests.waiting import PATIENCE_S
from yarnbox.yarn.runtime.liveliness import LivelinessMonitor
from yarnbox.yarn.runtime.pause import PauseMonitor
from yarnbox.yarn.runtime.tasks import end_tasks


def test_a_gap_is_told_once_and_a_short_one_not_at_all() -> None:
    seconds = iter([0.0, 0.9, 1.8, 10.8, 11.0])
    told: list[int] = []
    watch = PauseMonitor(told.append, lambda: next(seconds))
    for _ in range(4):
        watch.look()
    assert told == [9000]


def test_where_nobody_calls_pulses_keep_looking() -> None:
    looks = 0

    def seconds() -> float:
        nonlocal looks
        looks += 1
        return 0.0

    async def scene() -> None:
        pulses = asyncio.create_task(PauseMonitor(lambda gap_ms: None, seconds).run())
        async with asyncio.timeout(PATIENCE_S):
            while looks < 4:
                await asyncio.sleep(0.01)
        await end_tasks([pulses])

    asyncio.run(scene())


def test_who_missed_a_look_gives_everybody_one_interval_more() -> None:
    monitor: LivelinessMonitor[str] = LivelinessMonitor(3000)
    monitor.register("a", 0)
    monitor.after_pause(999, 3500)
    assert monitor.take_expired(3500) == ["a"]
    monitor.register("b", 0)
    monitor.after_pause(9000, 9500)
    assert monitor.take_expired(12_500) == []
    assert monitor.take_expired(12_501) == ["b"]
