"""Processes of a cluster: started apart from us, known again later, ended with all that they started.

A process is known by its pid and its start time together, so that a pid which the system gave to somebody
else is never signalled. What belongs to a cluster can be found without any record, too: every daemon has the
cluster's id in its environment or in its title, and containers have the run directory in their environment.
Knows nothing of what the processes do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import psutil

from yarnbox import SOURCES
from yarnbox.yarn.processes import runs

RUN_ID_VARIABLE = "YARNBOX_RUN_ID"
"""The environment variable that marks every process of a cluster."""

RUN_DIR_VARIABLE = "YARNBOX_RUN_DIR"
"""The environment variable that names a cluster's run directory."""

_CONTAINER_VARIABLES = ("LOCAL_DIRS", "LOG_DIRS")
_POLL_S = 0.01
_KILL_PATIENCE_S = 1.0
_NODE_PATIENCE_S = 1.2  # an NM gives its containers 250 ms and says good-bye to the RM
_CLOCK_SLACK_S = 2.0  # start times are told in wall clock time, which may be set meanwhile
_children: dict[int, subprocess.Popen[bytes]] = {}
"""Those that we started and that have not been seen to end."""


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process, told apart from a later one with the same pid by its start time."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> ProcessId | None:
        """The process that has the pid now, if there is one."""
        try:
            return cls(pid, psutil.Process(pid).create_time())
        except psutil.Error:
            return None

    def age_s(self) -> float:
        """How long ago it was started."""
        return max(0.0, time.time() - self.started)

    def is_alive(self) -> bool:
        """Whether it still runs; one that ended and waits to be reaped does not."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started) < _CLOCK_SLACK_S
            return same and runs(process)
        except psutil.Error:
            return False

    def send(self, number: signal.Signals) -> bool:
        """Signals it; False when it is gone."""
        if not self.is_alive():
            return False
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True


def start(arguments: Sequence[str], directory: Path, output: Path, variables: Mapping[str, str]) -> int:
    """Starts a Python module of ours in a session of its own; what it prints replaces `output`.

    It goes on when we end; while we do not, its end is noted by `exit_status` and `wait_until_gone`.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("wb") as stream:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", *arguments],
            cwd=directory,
            env=environment_of(variables),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _children[child.pid] = child
    return child.pid


def remember_child(child: subprocess.Popen[bytes]) -> None:
    """Notes a process that was started otherwise, so that its end is noticed, too."""
    _children[child.pid] = child


def environment_of(variables: Mapping[str, str]) -> dict[str, str]:
    """That of a Python module of ours: our own, the path to our sources, and these variables."""
    paths = [str(SOURCES), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), **variables}


def title_of(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """What `ps` shows of a process that was forked, ending with the id of its cluster."""
    return " ".join([*arguments, f"{RUN_ID_VARIABLE}={environment.get(RUN_ID_VARIABLE, '')}"])


def _has_title(process: psutil.Process, run_id: str) -> bool:
    """Whether the process was forked for the cluster."""
    title = " ".join(process.cmdline()).rstrip()  # the rest of the room that it has is empty
    return title.startswith(f"{sys.executable} -m yarnbox.") and title.endswith(
        f" {RUN_ID_VARIABLE}={run_id}"
    )


def exit_status(pid: int) -> int | None:
    """With what status a process that we started has ended; None while it runs, or if it is not ours."""
    child = _children.get(pid)
    return None if child is None else child.poll()


def _reap() -> None:
    for pid, child in list(_children.items()):  # threads may be here, or start another one
        if child.poll() is not None:
            _children.pop(pid, None)


def wait_until_gone(processes: Iterable[ProcessId], timeout_s: float) -> list[ProcessId]:
    """Waits for the end of all; those that still run when the time is over."""
    left = list(processes)
    deadline = time.monotonic() + timeout_s
    while True:
        _reap()
        left = [one for one in left if one.is_alive()]
        if not left or time.monotonic() >= deadline:
            return left
        time.sleep(_POLL_S)


def end(processes: Iterable[ProcessId], patience_s: float) -> None:
    """SIGTERM, and SIGKILL to those that have not ended in time; a stopped process is continued first."""
    asked = [one for one in processes if one.send(signal.SIGTERM)]
    for one in asked:
        one.send(signal.SIGCONT)
    stubborn = wait_until_gone(asked, patience_s)
    kill(stubborn)


def kill(doomed: Sequence[ProcessId]) -> None:
    """SIGKILL, and waits a moment for their end."""
    for one in doomed:
        one.send(signal.SIGKILL)
    wait_until_gone(doomed, _KILL_PATIENCE_S)


def belonging_to(run_id: str, *directories: Path) -> list[ProcessId]:
    """Every process of the cluster that can be recognised by its environment, ourselves and our parents
    excepted. The directories narrow it down: processes of one node name only that node's directories.
    """
    inside = tuple(f"{directory}{os.sep}" for directory in directories)
    ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        if process.pid in ours:
            continue
        try:
            environment = process.environ()
            marked = bool(run_id) and (
                environment.get(RUN_ID_VARIABLE) == run_id or _has_title(process, run_id)
            )
            named = [environment.get(name, "").split(",") for name in _CONTAINER_VARIABLES]
            placed = any(each.startswith(inside) for each in chain.from_iterable(named))
            if (marked or placed) and runs(process):
                found.append(ProcessId(process.pid, process.create_time()))
        except (psutil.Error, OSError):
            continue
    return found


def containers_of(*node_directories: Path) -> list[ProcessId]:
    """The processes of the containers of these nodes."""
    return belonging_to("", *node_directories)


def send_to_node(process: ProcessId, directory: Path, number: signal.Signals) -> bool:
    """Signals a node and, but for SIGTERM, the containers on it: SIGTERM is the node's own to pass on. False
    when the node does not run.
    """
    if not process.send(number):
        return False
    if number is not signal.SIGTERM:
        for container in containers_of(directory):
            container.send(number)
    if number is signal.SIGKILL:
        wait_until_gone([process], _KILL_PATIENCE_S)
    return True


def end_nodes(nodes: Mapping[Path, ProcessId]) -> None:
    """Ends nodes, each known by its directory, and what is left of their containers."""
    end(nodes.values(), _NODE_PATIENCE_S)
    kill(containers_of(*nodes))
