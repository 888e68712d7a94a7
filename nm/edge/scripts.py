"""Scripts that the node runs about itself: for its health, its labels, its attributes.

Runs one with a time limit and returns what it printed. Answers for NodeHealthScriptRunner and
NodeDescriptorsScriptRunner.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence


class ScriptFailedError(Exception):
    """It could not be started."""


class ScriptTimedOutError(Exception):
    """It ran for too long, and was killed."""


async def run_script(path: str, options: Sequence[str], timeout_s: float) -> str:
    """What the script printed, whatever its exit code."""
    try:
        process = await asyncio.create_subprocess_exec(
            path,
            *options,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise ScriptFailedError(f"{path} could not be run: {error.strerror}") from error
    try:
        output, _ = await asyncio.wait_for(process.communicate(), timeout_s)
    except (TimeoutError, asyncio.CancelledError) as stopped:
        _kill(process.pid)
        await process.wait()
        if isinstance(stopped, TimeoutError):
            raise ScriptTimedOutError(f"{path} ran for more than {timeout_s:.0f} s") from None
        raise
    return output.decode("utf-8", "replace")


def _kill(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
