"""Whether a process of the system still runs."""

from __future__ import annotations

import psutil


def runs(process: psutil.Process) -> bool:
    """Whether any of it still runs: one that waits to be reaped does not. The system shows a process as a
    zombie as soon as its first thread has ended; until the others have, it keeps its files and their locks.
    """
    try:
        if not process.is_running():
            return False
        return process.status() != psutil.STATUS_ZOMBIE or process.num_threads() > 1
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # somebody is there who is not ours to look at
        return True
