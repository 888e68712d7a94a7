"""Scripts that the node runs about itself: for its health, its labels, its attributes.

Runs one with a time limit and returns what it printed. Hadoop: NodeHealthScriptRunner and
NodeDescriptorsScriptRunner.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from yarnbox.nm.executor.process import wait_for

MOST_OUTPUT = 1024 * 1024
"""Bytes that are read of what a script prints."""


class ScriptFailedError(Exception):
    """It could not be started, or ended with an error where that counts."""


class ScriptTimedOutError(Exception):
    """It ran for too long, and was killed."""


async def run_script(path: str, options: Sequence[str], timeout_s: float) -> str:
    """What the script printed, whatever its exit code."""
    return (await _run(path, options, timeout_s, subprocess.STDOUT, os.environ))[0]


async def ask_script(path: str, options: Sequence[str], timeout_s: float, host: str) -> str:
    """What the script says of the node: its standard output. It finds the node's name in NM_HOST.

    ScriptFailedError when it ends with an error: what it printed before does not count.
    """
    environment = {**os.environ, "NM_HOST": host}
    output, status = await _run(path, options, timeout_s, subprocess.DEVNULL, environment)
    if status != 0:
        raise ScriptFailedError(f"{path} ended with exit code {status}")
    return output


async def _run(
    path: str, options: Sequence[str], timeout_s: float, errors: int, environment: Mapping[str, str]
) -> tuple[str, int]:
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                [path, *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ScriptFailedError(f"{path} could not be run: {error.strerror}") from error
        try:
            async with asyncio.timeout(timeout_s):
                await wait_for(process)
        except TimeoutError:
            raise ScriptTimedOutError(f"{path} ran for more than {timeout_s:.0f} s") from None
        finally:
            _kill(process.pid)
            process.wait()
        output.seek(0)
        return output.read(MOST_OUTPUT).decode("utf-8", "replace"), process.returncode


def _kill(group: int) -> None:
    """Ends the script and whatever it left behind."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
