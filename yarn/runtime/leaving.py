"""Ends a process that has done its work: runs the exit handlers, waits for threads and flushes streams, but
leaves out the rest of Python's shutdown.

The rest is to free every module and object one by one, although the memory goes with the process: 80 ms of
processor time for a ResourceManager, more for one that was forked, whose memory is copied for it. Do not use
this where code of users runs: that code may rely on the shutdown to close its files.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn

_UNFLUSHED = 120
"""Python's own status when the streams could not be flushed at its end."""


def leave(status: int) -> NoReturn:
    """Ends the process with this status, as sys.exit would, but for the taking apart."""
    threading._shutdown()  # type: ignore[attr-defined]  # what multiprocessing does at the end of its forks
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # whoever read it has gone; ValueError: it was closed
            status = status or _UNFLUSHED
    os._exit(status & 0xFF)
