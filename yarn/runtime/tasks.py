"""Asyncio tasks and their ends, and the end of the process that started this one. Hadoop: the interrupts of
Hadoop's service threads.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable

PARENT_LOOK_S = 0.25
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


async def end_of_parent(parent: int) -> None:
    """Waits until process `parent` is not the parent of this one any more: a daemon that belongs to another
    ends with it, however that ends. Linux tells of it through a file descriptor (pidfd_open(2)), which costs
    nothing until then; where it does not, as in some sandboxes, the parent is looked at again and again.
    """
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):
        while os.getppid() == parent:
            await asyncio.sleep(PARENT_LOOK_S)
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        if os.getppid() == parent:  # else the descriptor may be somebody else's who got its pid
            await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
