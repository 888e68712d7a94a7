"""Scripts that the node runs about itself: for its health, its labels, its attributes.

Runs one with a time limit and returns what it printed. Answers for NodeHealthScriptRunner and
NodeDescriptorsScriptRunner.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence

from nm.executor.process import wait_for

MOST_OUTPUT = 1024 * 1024
"""Bytes that are read of what a script prints."""


class ScriptFailedError(Exception):
    """It could not be started."""


class ScriptTimedOutError(Exception):
    """It ran for too long, and was killed."""


async def run_script(path: str, options: Sequence[str], timeout_s: float) -> str:
    """What the script printed, whatever its exit code."""
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                [path, *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise ScriptFailedError(f"{path} could not be run: {error.strerror}") from error
        try:
            await asyncio.wait_for(wait_for(process), timeout_s)
        except TimeoutError:
            raise ScriptTimedOutError(f"{path} ran for more than {timeout_s:.0f} s") from None
        finally:
            _kill(process.pid)
            process.wait()
        output.seek(0)
        return output.read(MOST_OUTPUT).decode("utf-8", "replace")


def _kill(group: int) -> None:
    """Ends the script and whatever it left behind."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
