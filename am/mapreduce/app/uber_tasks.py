"""Tasks as processes beside their AM, in its container. Hadoop: LocalContainerLauncher, with threads."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from yarnbox.am.environment import ContainerEnvironment
from yarnbox.am.launch import python_path
from yarnbox.am.mapreduce.cache_files import named_files
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.credentials import TOKEN_FILE, Credentials

Ended = Callable[[TaskAttemptId, int], None]


class LocalTasks:
    """The tasks of one uber job."""

    def __init__(
        self,
        environment: ContainerEnvironment,
        token: Token,
        paths: Sequence[str],
        files: Sequence[str],
        ended: Ended,
    ) -> None:
        self._environment = environment
        self._token = token
        self._paths = paths
        self._files = files
        self._ended = ended
        self._running: dict[TaskAttemptId, asyncio.subprocess.Process] = {}
        self._waits: dict[TaskAttemptId, asyncio.Task[None]] = {}

    async def start(self, attempt_id: TaskAttemptId, host: str, port: int) -> None:
        """Starts the process of an attempt; OSError when that fails."""
        here = self._environment
        work = here.working_directory / str(attempt_id)
        work.mkdir()
        for name, path in named_files(self._files).items():
            (work / name).symlink_to(path)
        (work / TOKEN_FILE).write_bytes(Credentials({"JobToken": self._token}).to_bytes())
        logs = here.log_dirs[0] if here.log_dirs else work
        environment = {
            **os.environ,
            "PWD": str(work),
            "LOCAL_DIRS": ",".join(map(str, here.local_dirs)),
            "HADOOP_TOKEN_FILE_LOCATION": str(work / TOKEN_FILE),
            "PYTHONPATH": python_path(self._paths),
        }
        words = ["-P", "-m", "yarnbox.am.mapreduce.child", host, str(port), str(attempt_id)]
        with _log(logs, attempt_id, "stdout") as out, _log(logs, attempt_id, "stderr") as err:
            process = await asyncio.create_subprocess_exec(
                sys.executable, *words,
                cwd=work, env=environment, stdout=out, stderr=err, start_new_session=True,
            )  # fmt: skip
        self._running[attempt_id] = process
        self._waits[attempt_id] = asyncio.create_task(self._wait(attempt_id, process))

    def stop(self, attempt_id: TaskAttemptId) -> None:
        """Ends the process, and what it has started."""
        process = self._running.get(attempt_id)
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    async def stop_all(self) -> None:
        """Ends every process, and sees it end."""
        for attempt_id in list(self._running):
            self.stop(attempt_id)
        await asyncio.gather(*self._waits.values())

    async def _wait(self, attempt_id: TaskAttemptId, process: asyncio.subprocess.Process) -> None:
        status = await process.wait()
        self.stop(attempt_id)
        del self._running[attempt_id]
        self._ended(attempt_id, status if status >= 0 else 128 - status)  # as a shell tells of signals


def _log(directory: Path, attempt_id: TaskAttemptId, name: str) -> BinaryIO:
    return (directory / f"{attempt_id}.{name}").open("wb")
