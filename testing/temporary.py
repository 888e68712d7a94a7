"""A directory that is removed when it is closed, or else when the process that made it has ended, however
that happened: a test run that is killed, or is interrupted twice, leaves nothing behind.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

_SWEEP = """
trap '' INT TERM HUP QUIT
read -r closed && exit
sleep 2
for again in 1 2 3 4 5 6 7 8 9; do rm -rf "$1"; sleep 1; done
"""
"""Waits for a line, or for the end of whoever would send it. Daemons that end with him have two seconds in
which their directories are still there, and may leave things behind for some more.
"""


class TemporaryDirectory:
    """One of them, new. A process waits beside us to remove it."""

    def __init__(self, prefix: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self._sweeper = subprocess.Popen(
            ["/bin/sh", "-c", _SWEEP, "sweeper", str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def close(self) -> None:
        """Removes it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._sweeper.poll() is None:
            self._sweeper.communicate(b"closed\n")
