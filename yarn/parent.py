"""The process that started this one: a daemon that belongs to another ends with it, however that ends.

Linux tells of the end of a process through a file descriptor (pidfd_open(2)), which costs nothing until then.
Where it does not, as in some sandboxes, the parent is looked at again and again.
"""

from __future__ import annotations

import asyncio
import os

LOOK_S = 0.25


async def end_of_parent(parent: int) -> None:
    """Waits until process `parent` is not the parent of this one any more."""
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):
        while os.getppid() == parent:
            await asyncio.sleep(LOOK_S)
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        if os.getppid() == parent:  # else the descriptor may be somebody else's who got its pid
            await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
