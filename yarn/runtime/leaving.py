"""The end of a process that has done its work: what is registered for the end happens, threads are waited
for, streams are flushed, and that is all.

Python would then take apart every module and object that there is, to give back memory which goes with the
process anyway: 80 ms of processor time for a ResourceManager, more for one that was forked, whose memory is
copied for it. Not for processes in which code of users runs: it may rely on that, for files it never closed.
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
