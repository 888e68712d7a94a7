"""The fork server: a process that has imported what daemons need, and becomes each of them by a fork.

    server = ForkServer(variables)
    pid = server.start(["yarnbox.nm", "--name", "nm1"], directory, output)
    server.close()

A daemon made so costs a tenth of the processor time of one that imports its modules itself, and the modules'
memory is there once for all of them. The server has its daemons' environment from its own start: forked
processes show that of their parent in /proc, by which a cluster's processes are known (cluster/processes.py).
It ends when it is closed or whoever started it has ended; its daemons go on.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from yarnbox.cluster.processes import environment_of

_ROOM = "." * 4096
"""An argument whose place in memory takes the title of a daemon: `ps` shows what it is."""
_CLOSE_S = 5.0


class ForkServer:
    """One of them, from the side of whoever starts daemons."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Starts it, with these environment variables besides our own; it gets ready meanwhile."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, _ROOM],
            env={**environment_of(variables), "SPT_NOENV": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def start(self, arguments: Sequence[str], directory: Path, output: Path) -> int:
        """Makes a daemon of a module of ours, in a session of its own; what it prints replaces `output`. Its
        pid. RuntimeError when the server has ended.
        """
        output.parent.mkdir(parents=True, exist_ok=True)
        pid: int = self._ask({"start": list(arguments), "in": str(directory), "output": str(output)})
        return pid

    def exit_status(self, pid: int) -> int | None:
        """With what status a daemon has ended; None while it runs, or where nobody knows."""
        if self._process.poll() is not None:
            return None
        status: int | None = self._ask({"status": pid})
        return status

    def close(self) -> None:
        """Ends it; what it has not read of an order is nobody's any more."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # the stream is closed all the same
                    stream.close()
        try:
            self._process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, order: Mapping[str, Any]) -> Any:
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answered is not None
        try:
            asked.write(json.dumps(order).encode() + b"\n")
            asked.flush()
            line = answered.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise RuntimeError(f"the fork server has ended with status {self._process.wait()}")
        return json.loads(line)


def main() -> int:
    """The server's own process, and in a daemon's the daemon."""
    from yarnbox.nm.edge.main import main as node_manager
    from yarnbox.rm.edge.process import main as resource_manager

    daemons = {"yarnbox.rm": resource_manager, "yarnbox.nm": node_manager}
    gc.collect()
    gc.freeze()  # what is shared stays shared: no collection writes into it
    arguments = _serve(sys.stdin.buffer, sys.stdout.buffer)
    return 0 if arguments is None else daemons[arguments[0]](arguments[1:])


def _serve(asked: IO[bytes], answered: IO[bytes]) -> list[str] | None:
    """Carries out orders until there are no more. Returns the arguments in each process that is to be a
    daemon, None in the server.
    """
    ended: dict[int, int] = {}

    def reap(*_: object) -> None:
        while (found := _ended_child()) is not None:
            ended[found[0]] = found[1]

    signal.signal(signal.SIGCHLD, reap)
    for line in iter(asked.readline, b""):
        order = json.loads(line)
        if "status" in order:
            answer = ended.get(order["status"])
        else:
            answer = os.fork()
            if answer == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _become(order["start"], order["in"], order["output"])
                return list(order["start"])
        answered.write(json.dumps(answer).encode() + b"\n")
        answered.flush()
    return None


def _ended_child() -> tuple[int, int] | None:
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, os.waitstatus_to_exitcode(status)) if pid else None


def _become(arguments: Sequence[str], directory: str, output: str) -> None:
    """Makes a process of its own of this one, with its own session, directory, streams and title."""
    from setproctitle import setproctitle

    os.setsid()
    os.chdir(directory)
    streams = os.open(os.devnull, os.O_RDONLY), os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    for descriptor, place in zip((streams[0], streams[1], streams[1]), range(3), strict=True):
        os.dup2(descriptor, place)
    for descriptor in streams:
        os.close(descriptor)
    setproctitle(" ".join([sys.executable, "-m", *arguments]))


if __name__ == "__main__":
    sys.exit(main())
