"""SimulatedExecutor: containers that only take time, for nodes of which thousands live in one process.

How long is in the container's environment (YARNBOX_SIMULATED_MS) or its command (`sleep N`); a container that
says neither runs until it is ended. `exit N` in the command, or YARNBOX_SIMULATED_EXIT, is the exit code.
Hadoop has none; its scheduler load simulator does the same inside one JVM.
"""

from __future__ import annotations

import asyncio
import re

from yarnbox.nm.effects import Launch
from yarnbox.nm.executor.process import TERMINATED, Answers
from yarnbox.yarn.enums import SignalContainerCommand
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import ContainerLaunchContext

DURATION_VARIABLE = "YARNBOX_SIMULATED_MS"
EXIT_VARIABLE = "YARNBOX_SIMULATED_EXIT"

_SLEEP = re.compile(r"\bsleep\s+(\d+(?:\.\d+)?)")
_EXIT = re.compile(r"\bexit\s+(\d+)")


def duration_ms(context: ContainerLaunchContext) -> int | None:
    """How long the container runs; None for until it is ended."""
    given = context.environment.get(DURATION_VARIABLE)
    if given is not None and given.isdigit():
        return int(given)
    found = _SLEEP.search(" ".join(context.command))
    return None if found is None else int(float(found.group(1)) * 1000)


def exit_code(context: ContainerLaunchContext) -> int:
    """What it ends with."""
    given = context.environment.get(EXIT_VARIABLE)
    if given is not None and given.isdigit():
        return int(given)
    found = _EXIT.search(" ".join(context.command))
    return 0 if found is None else int(found.group(1))


class SimulatedExecutor:
    """The containers of one virtual node."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._ends: dict[ContainerId, asyncio.TimerHandle | None] = {}
        self._codes: dict[ContainerId, int] = {}

    def launch(self, order: Launch) -> None:
        """It runs at once, and ends by itself if it says when."""
        takes_ms, code = self.plan(order)
        self._codes[order.container_id] = code
        self._ends[order.container_id] = (
            None if takes_ms is None else self._later(order.container_id, takes_ms / 1000)
        )
        self._answers.launched(order.container_id)

    def plan(self, order: Launch) -> tuple[int | None, int]:
        """How long it runs, None for until it is ended, and what it ends with."""
        return duration_ms(order.context), exit_code(order.context)

    def reacquire(self, order: Launch) -> None:
        """There is nothing to find again: it starts anew."""
        self.launch(order)

    def clean_up(self, container_id: ContainerId) -> None:
        """It ends as a process would by SIGTERM."""
        self._exit(container_id, TERMINATED)

    def signal(self, container_id: ContainerId, command: SignalContainerCommand) -> None:
        """Signals that end processes end it."""
        if command is not SignalContainerCommand.OUTPUT_THREAD_DUMP:
            is_kill = command is SignalContainerCommand.FORCEFUL_SHUTDOWN
            self._exit(container_id, 137 if is_kill else TERMINATED)

    def pause(self, container_id: ContainerId) -> None:
        """It stands still: its time does not pass."""
        end = self._ends.get(container_id)
        if end is not None:
            end.cancel()
        self._answers.paused(container_id)

    def resume(self, container_id: ContainerId) -> None:
        """What was left of its time passes."""
        end = self._ends.get(container_id)
        if end is not None:
            left_s = max(0.0, end.when() - asyncio.get_running_loop().time())
            self._ends[container_id] = self._later(container_id, left_s)
        self._answers.resumed(container_id)

    def running(self) -> list[ContainerId]:
        """What runs."""
        return list(self._ends)

    def vanish(self) -> None:
        """The machine is gone, with all that runs on it: nobody hears of it."""
        for end in self._ends.values():
            if end is not None:
                end.cancel()
        self._ends.clear()

    def _later(self, container_id: ContainerId, seconds: float) -> asyncio.TimerHandle:
        loop = asyncio.get_running_loop()
        return loop.call_later(seconds, self._exit, container_id, None)

    def _exit(self, container_id: ContainerId, code: int | None) -> None:
        if container_id not in self._ends:
            return
        end = self._ends.pop(container_id)
        if end is not None:
            end.cancel()
        own = self._codes.pop(container_id)
        self._answers.exited(container_id, own if code is None else code, "")
