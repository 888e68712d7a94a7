"""Starts daemons on this machine, by the fork server or by an interpreter of their own, and reads their
output.

Owns the form in which a daemon is started, its output file and its pid file. Knows nothing of what daemons
do.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from yarnbox.cluster import processes
from yarnbox.cluster.directory import ClusterError, RunDirectory
from yarnbox.cluster.forkserver import ForkServer
from yarnbox.cluster.processes import ProcessId

HISTORY = "historyserver"
"""What the MapReduce history server is called among the daemons."""

CONFIGURATION_STATUS = 2  # of a daemon that does not start because of its configuration
_TOLD_WITHIN_S = 10.0
_LOOK_S = 0.01


class Launcher:
    """Starts the daemons of one run directory."""

    def __init__(self, run: RunDirectory, *, stays_with_us: bool = False) -> None:
        """`stays_with_us`: what is started here ends when this process does, however that happens."""
        self.stays_with_us = stays_with_us
        self._run = run
        self._fork_server: ForkServer | None = None
        self._variables: Mapping[str, str] = {}
        self._pids: set[int] = set()
        """Of those that were started here."""

    def get_ready(self, variables: Mapping[str, str]) -> None:
        """For many daemons with these environment variables, until `close`."""
        self.close()
        self._fork_server, self._variables = ForkServer(variables), variables

    def start(self, name: str, arguments: Sequence[str], variables: Mapping[str, str]) -> ProcessId:
        """Starts a daemon; ClusterError when it has ended at once."""
        if self.stays_with_us:
            arguments = [*arguments, "--exit-with-parent"]
        run, output = self._run, self._run.logs / f"{name}.out"
        server = None if name == HISTORY else self._server(variables)  # which has not imported that one
        if server is None:
            pid = processes.start(arguments, run.path, output, variables)
        else:
            pid = server.start(arguments, run.path, output)
        self._pids.add(pid)
        started = ProcessId.of(pid)
        if started is None:
            raise self.ended(name, pid)
        run.write_pid(name, started)
        return started

    def _server(self, variables: Mapping[str, str]) -> ForkServer | None:
        """The fork server that is there; None where a daemon alone starts sooner without one."""
        if self._fork_server is None:
            self._fork_server, self._variables = ForkServer.of_template(variables), variables
        return self._fork_server if self._variables == variables else None

    def ended(self, name: str, pid: int) -> ClusterError:
        """The error of a daemon that ended: with what it said, and its status if it was ours to start."""
        said = self._said(name)
        if self._exit_status(pid) == CONFIGURATION_STATUS and said:
            return ClusterError(f"{name} does not start: {_after_name(said, name)}", CONFIGURATION_STATUS)
        last = _after_name(said.rpartition("\n")[2], name)
        return ClusterError(f"{name} has ended: {last or f'look into {self._run.logs}'}")

    def exit_reason(self, name: str) -> str:
        """Why a daemon has ended, in one line."""
        last = self._said(name).rpartition("\n")[2].strip()
        role = name if name == HISTORY else "rm" if name.startswith("rm") else "nm"
        return (
            last.removeprefix(f"{role}: ")
            or f"killed, or the machine stopped; see {self._run.logs}/{name}.log"
        )

    def close(self) -> None:
        """Lets go of the fork server: daemons that stay with us end, others go on."""
        if self._fork_server is not None:
            self._fork_server.close()
            self._fork_server = None

    def _said(self, name: str) -> str:
        """All that a daemon has printed."""
        try:
            return (self._run.logs / f"{name}.out").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def _exit_status(self, pid: int) -> int | None:
        """That of a daemon that was seen to be gone; None where it was not ours to start. Whoever started it
        may learn that a moment later: as long as threads of it still end.
        """
        deadline = time.monotonic() + _TOLD_WITHIN_S
        while True:
            status = self._fork_server.exit_status(pid) if self._fork_server is not None else None
            status = processes.exit_status(pid) if status is None else status
            if status is not None or pid not in self._pids or time.monotonic() >= deadline:
                return status
            time.sleep(_LOOK_S)


def _after_name(said: str, name: str) -> str:
    """What a daemon said, without its program's name in front: of rm1 `rm: `."""
    program, colon, why = said.partition(": ")
    return why if colon and name.startswith(program) else said
