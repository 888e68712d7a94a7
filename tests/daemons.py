"""Daemons that tests start alone, as a cluster starts them: by a fork of what is imported already."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import wait_until
from yarnbox.cluster.forkserver import ForkServer

ROOT = Path(__file__).resolve().parents[1]
_LOOK_EVERY_S = 0.02


class Daemon:
    """An RM or an NM as a process; it ends when nobody here knows it any more, so a test that fails leaves
    nothing behind.
    """

    def __init__(self, module: str, words: Sequence[str], output: Path) -> None:
        self.returncode: int | None = None
        output.write_bytes(b"")  # the daemon opens it when it begins
        self._output = output
        self._server = ForkServer({})
        self.pid = self._server.start([module, *words, "--exit-with-parent"], ROOT, output)

    def said(self) -> str:
        """All that it has printed."""
        return self._output.read_text()

    def poll(self) -> int | None:
        """With what status it has ended, None while it runs."""
        if self.returncode is None:
            self.returncode = self._server.exit_status(self.pid)
            if self.returncode is not None:
                self._server.close()
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """None, when it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Until it has ended; with what status."""
        assert wait_until(lambda: self.poll() is not None, PATIENCE_S, _LOOK_EVERY_S), self.said()
        assert self.returncode is not None
        return self.returncode

    async def ended(self) -> int:
        """Until it has ended; with what status."""
        deadline = time.monotonic() + PATIENCE_S
        while (status := self.poll()) is None:
            assert time.monotonic() < deadline, self.said()
            await asyncio.sleep(_LOOK_EVERY_S)
        return status
