"""The processes of one container as a whole: signals to all of them, and who of them is left.

A container is a process group; what left the group on purpose is found as a descendant while its ancestors
live. Hadoop: the signals of DefaultContainerExecutor and ProcfsBasedProcessTree's search.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable

import psutil

from yarnbox.yarn.processes import runs

_LOOK_EVERY_S = 0.01


def descendants(pid: int) -> list[psutil.Process]:
    """The process and all below it; those that end meanwhile are left out."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def signal_group(group: int, number: int) -> bool:
    """Sends a signal to the group; whether anybody was there to get it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # somebody is there who is not ours to signal
    return True


def is_alive(group: int) -> bool:
    """Whether the group has a member that is more than a zombie."""
    if not signal_group(group, 0):
        return False
    try:
        return runs(psutil.Process(group)) or _has_living_member(group)
    except psutil.NoSuchProcess:
        return _has_living_member(group)


def _has_living_member(group: int) -> bool:
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and runs(process):
                return True
        except (OSError, psutil.Error):
            continue
    return False


async def end_group(group: int, sigkill_delay_ms: int, stragglers: Iterable[psutil.Process] = ()) -> None:
    """Ends the group and those who left it: SIGTERM, and SIGKILL to whoever is left after the delay."""
    others = [process for process in stragglers if _group_of(process) not in (None, group)]
    if sigkill_delay_ms > 0:
        signal_group(group, signal.SIGTERM)
        signal_group(group, signal.SIGCONT)  # one that stands still cannot end
        _signal_each(others, signal.SIGTERM)
        if await _gone(group, others, sigkill_delay_ms / 1000):
            return
    signal_group(group, signal.SIGKILL)
    _signal_each(others, signal.SIGKILL)
    await _gone(group, others, 5.0)


async def _gone(group: int, others: list[psutil.Process], within_s: float) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within_s
    while is_alive(group) or any(runs(process) for process in others):
        if loop.time() >= deadline:
            return False
        await asyncio.sleep(_LOOK_EVERY_S)
    return True


def _group_of(process: psutil.Process) -> int | None:
    try:
        return os.getpgid(process.pid)
    except OSError:
        return None


def _signal_each(processes: list[psutil.Process], number: int) -> None:
    for process in processes:
        try:
            process.send_signal(number)
        except psutil.Error:
            continue
