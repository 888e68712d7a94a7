"""What long-lived processes change in Python: when it looks for cyclic garbage, and how it ends.

By default Python looks at every object that stays several times: after 700 more, then with ten times as many,
then whenever a quarter has been added to all of them. A ResourceManager with a compiled core that allocates
20,000 containers a second spends a quarter of its time on that, and few of the objects it drops are cyclic.

At its end Python frees every module and object one by one, although the memory goes with the process: 80 ms
of processor time for a ResourceManager, more for one that was forked, whose memory is copied for it.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn, TextIO

YOUNG, MIDDLE, OLD = 20_000, 20, 100
"""So many objects more than before have the youngest looked at, in a millisecond or two; so many times that
the middle generation; so many times that all that is not frozen.
"""
YOUNG_OF_A_PLAY = 100_000
"""A play does not mind a pause. Most of what it makes is gone by itself by then, and each look at what stays
costs more than the making, where ten thousand nodes fill the processor's caches.
"""
_UNFLUSHED = 120
"""Python's own status when the streams could not be flushed at its end."""


def reduce_garbage_collection() -> None:
    """What is there now stays, and is never looked at again; what comes is looked at seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Garbage is looked for seldom meanwhile, and as before afterwards: a play is a guest in its process."""
    before = gc.get_threshold()
    gc.set_threshold(YOUNG_OF_A_PLAY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def drop_what_cannot_be_printed(out: TextIO) -> None:
    """Where a pipe is closed or a disk is full: Python would try once more at its end, and complain."""
    try:
        out.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def leave(status: int) -> NoReturn:
    """Ends the process with this status, as sys.exit would: runs the exit handlers, waits for threads and
    flushes streams, but leaves out the rest of Python's shutdown. Not where code of users runs: that code may
    rely on the shutdown to close its files.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # what multiprocessing does at the end of its forks
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # whoever read it has gone; ValueError: it was closed
            status = status or _UNFLUSHED
    os._exit(status & 0xFF)
