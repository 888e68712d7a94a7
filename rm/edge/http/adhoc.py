"""The scheduler's log of a short time: every decision and transition, in a file of its own.

Nothing is written before somebody asks, and nothing after the time is over; one at a time. Hadoop:
AdHocLogDumper, of which RMWebServices.dumpSchedulerLogs makes use.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from yarnbox.rm.core import Core
from yarnbox.rm.web.refusals import RestError
from yarnbox.yarn.log import Log
from yarnbox.yarn.runtime.story import Line

log = Log("rm.scheduler")

_FILES = {
    "CapacityScheduler": "yarn-capacity-scheduler-debug.log",
    "FairScheduler": "yarn-fair-scheduler-debug.log",
}
_OTHERS = "yarn-scheduler-debug.log"


class AdHocLog:
    """Writes one core's story to a file for a limited time."""

    def __init__(self, core: Core, directory: Path | None) -> None:
        self._story = core.context.story
        self._scheduler = core.context.scheduler
        self._directory = directory
        self._dump: _Dump | None = None

    def begin(self, period_s: int) -> None:
        """Starts writing; replaces what was written the last time."""
        if self._dump is not None:
            raise _failure("Appender is already dumping logs")
        if self._directory is None:
            raise _failure("this ResourceManager has no directory for logs")
        path = self._directory / _FILES.get(self._scheduler.name, _OTHERS)
        file = path.open("w", encoding="utf-8")
        self._dump = _Dump(file, asyncio.get_running_loop().call_later(period_s, self.end))
        self._story.listeners.append(self._dump.note)
        log.info("dumping the scheduler's decisions", file=path, seconds=period_s)

    def end(self) -> None:
        """Stops writing."""
        if self._dump is None:
            return
        self._dump.timer.cancel()
        self._story.listeners.remove(self._dump.note)
        self._dump.file.close()
        self._dump = None
        log.info("done dumping the scheduler's decisions")


@dataclass(frozen=True, slots=True)
class _Dump:
    """A dump under way: where it is written, and what ends it."""

    file: IO[str]
    timer: asyncio.TimerHandle

    def note(self, line: Line) -> None:
        """Writes a line of the story."""
        change = f"{line.before} -> {line.after}" if line.before else line.after
        self.file.write(
            f"{line.now_ms} DEBUG {line.kind} {line.subject}: {line.event} {change} {line.because}".rstrip()
            + "\n"
        )
        self.file.flush()


def _failure(message: str) -> RestError:
    return RestError(503, "org.apache.hadoop.yarn.exceptions.YarnRuntimeException", message)
