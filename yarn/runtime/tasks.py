"""Asyncio tasks and their ends. Hadoop: the interrupts of Hadoop's service threads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

_PATIENCE_S = 0.2


async def end_tasks(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancels tasks until they have ended: a cancellation that meets the end of a call may be lost in it.
    What they raised is nobody's concern any more.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        ended, left = await asyncio.wait(left, timeout=_PATIENCE_S)
        for task in ended:
            if not task.cancelled():
                task.exception()
