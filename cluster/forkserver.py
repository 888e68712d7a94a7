"""The fork server: a process that has imported what daemons need, and becomes each of them by a fork.

    server = ForkServer(variables)
    pid = server.start(["yarnbox.nm", "--name", "nm1"], directory, output)
    server.close()

A daemon made so costs a tenth of the processor time of one that imports its modules itself, and the modules'
memory is there once for all of them. The server ends when it is closed or whoever started it has ended; its
daemons go on.

Programs that start one cluster after the other, as tests do, import once for all of them:

    with imported_once():
        ...

Each fork server of this process, or of one that it starts, is then a fork of a template.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from yarnbox import CORE, SOURCES
from yarnbox.cluster.processes import environment_of, title_of
from yarnbox.yarn.runtime.interpreter import leave

TEMPLATE_VARIABLE = "YARNBOX_TEMPLATE"
"""The environment variable that names the socket of a template."""

_ROOM = "." * 4096
"""An argument whose place in memory takes the title of a daemon: `ps` shows what it is."""
_CLOSE_S = 5.0
_IMPORTED_LATE = (
    "concurrent.futures.thread",
    "defusedxml.sax",
    "encodings.idna",
    "xml.sax.expatreader",
    "yarnbox.rm.scheduler.capacity",
    "yarnbox.rm.scheduler.fair",
    "yarnbox.rm.scheduler.fifo",
)
"""What daemons import when they first use it."""


class ForkServer:
    """One of them, from the side of whoever starts daemons."""

    def __init__(self, variables: Mapping[str, str], link: socket.socket | None = None) -> None:
        """Starts it, with these environment variables besides our own; it gets ready meanwhile. With `link`
        it is there already.
        """
        self._process: subprocess.Popen[bytes] | None = None
        self._link = link or _of_template(variables) or self._started(variables)
        self._answers = self._link.makefile("rb")
        with contextlib.suppress(BrokenPipeError):  # who asks for a daemon is told
            self._send({"environment": environment_of(variables)})

    @classmethod
    def of_template(cls, variables: Mapping[str, str]) -> Self | None:
        """One that costs no more than a daemon: a fork of the template; None where there is none that will
        do.
        """
        link = _of_template(variables)
        return None if link is None else cls(variables, link)

    def _started(self, variables: Mapping[str, str]) -> socket.socket:
        """A link to a process of our own."""
        ours, its = socket.socketpair()
        with its:
            self._process = _start(variables, its)
        return ours

    def start(self, arguments: Sequence[str], directory: Path, output: Path) -> int:
        """Makes a daemon of a module of ours, in a session of its own; what it prints replaces `output`. Its
        pid. RuntimeError when the server has ended.
        """
        output.parent.mkdir(parents=True, exist_ok=True)
        pid: int = self._ask({"start": list(arguments), "in": str(directory), "output": str(output)})
        return pid

    def exit_status(self, pid: int) -> int | None:
        """With what status a daemon has ended; None while it runs, or where nobody knows."""
        try:
            status: int | None = self._ask({"status": pid})
        except RuntimeError:
            return None
        return status

    def close(self) -> None:
        """Ends it; what it has not read of an order is nobody's any more."""
        self._answers.close()
        self._link.close()
        if self._process is not None:
            _wait(self._process)

    def _ask(self, order: Mapping[str, object]) -> Any:
        try:
            self._send(order)
            line = self._answers.readline()
        except OSError:
            line = b""
        if not line:
            raise RuntimeError("the fork server has ended")
        return json.loads(line)

    def _send(self, order: Mapping[str, object]) -> None:
        self._link.sendall(json.dumps(order).encode() + b"\n")


class Template:
    """A process that has imported what daemons need, and becomes fork servers."""

    def __init__(self) -> None:
        """Starts it; whoever asks it for a fork server waits until it is ready."""
        self._directory = tempfile.TemporaryDirectory(prefix="yarnbox-template-")
        self.address = Path(self._directory.name) / "socket"
        listener = socket.socket(socket.AF_UNIX)
        with listener:
            listener.bind(str(self.address))
            listener.listen(64)
            self._lifeline, its = socket.socketpair()
            with its:
                self._process = _start({}, its, listener)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends it; fork servers that it has become go on."""
        self._lifeline.close()
        _wait(self._process)
        self._directory.cleanup()


@contextlib.contextmanager
def imported_once() -> Iterator[None]:
    """Fork servers that begin meanwhile are forks of one template: of the one that there is, if any."""
    if os.environ.get(TEMPLATE_VARIABLE):
        yield
        return
    with Template() as template:
        os.environ[TEMPLATE_VARIABLE] = str(template.address)
        try:
            yield
        finally:
            del os.environ[TEMPLATE_VARIABLE]


def _start(
    variables: Mapping[str, str], end: socket.socket, *listener: socket.socket
) -> subprocess.Popen[bytes]:
    """A process that reads orders from its end of a pair of sockets, or becomes others that read them."""
    passed = [str(each.fileno()) for each in listener]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __spec__.name, _ROOM, *passed],
        env={**environment_of(variables), "SPT_NOENV": "1"},
        stdin=end.fileno(),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=[each.fileno() for each in listener],
    )


def _wait(process: subprocess.Popen[bytes]) -> None:
    """For the end of a process that has been told to end."""
    try:
        process.wait(_CLOSE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _interpreter(variables: Mapping[str, str]) -> list[object]:
    """What is settled when an interpreter starts: a template makes the daemons of one that agrees."""
    environment = environment_of(variables)
    told = {name: value for name, value in environment.items() if name.startswith("PYTHON")}
    return [sys.executable, str(SOURCES), CORE, told]


def _of_template(variables: Mapping[str, str]) -> socket.socket | None:
    """A link to a fork of the template, if there is one that will do."""
    address = os.environ.get(TEMPLATE_VARIABLE)
    if not address:
        return None
    link = socket.socket(socket.AF_UNIX)
    with contextlib.suppress(OSError):
        link.connect(address)
        link.sendall(json.dumps(_interpreter(variables)).encode() + b"\n")
        if link.recv(1):
            return link
    link.close()
    return None


def main() -> int:
    """The server's own process, and in a daemon's the daemon."""
    from setproctitle import setproctitle

    from yarnbox.nm.edge.main import main as node_manager
    from yarnbox.rm.edge.process import main as resource_manager

    setproctitle(" ".join([sys.executable, "-m", __spec__.name]))  # while the environment is as it began
    daemons = {"yarnbox.rm": resource_manager, "yarnbox.nm": node_manager}
    is_template = len(sys.argv) > 2
    if is_template:
        _prepare()
    gc.collect()
    gc.freeze()  # what is shared stays shared: no collection writes into it
    end = socket.socket(fileno=os.dup(sys.stdin.fileno()))
    link = _multiply(end, socket.socket(fileno=int(sys.argv[2]))) if is_template else end
    arguments = None if link is None else _serve(link)
    return 0 if arguments is None else daemons[arguments[0]](arguments[1:])


def _prepare() -> None:
    """Does once what each of many daemons would do when it first needs it. A few daemons are there sooner
    without.
    """
    from yarnbox.rm.edge.http.server import compile_paths
    from yarnbox.yarn import wire
    from yarnbox.yarn.connection.rpc import SERVICES

    for module in _IMPORTED_LATE:
        import_module(module)
    compile_paths()
    wire.prepare(record for rpcs in SERVICES.values() for pair in rpcs.values() for record in pair)


def _multiply(lifeline: socket.socket, listener: socket.socket) -> socket.socket | None:
    """Becomes a fork server for everyone who connects, until the other end of the lifeline is closed. Returns
    its link in each process that is to be a fork server, None in the template.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # which reaps them
    while lifeline not in select.select([lifeline, listener], [], [])[0]:
        link, _ = listener.accept()
        if os.fork() == 0:
            lifeline.close()
            listener.close()
            os.setsid()
            with link.makefile("rb", buffering=0) as asked:
                if json.loads(asked.readline()) != _interpreter({}):
                    return None
            link.sendall(b"\n")
            return link
        link.close()
    with contextlib.suppress(OSError):  # whoever made it may have been killed
        address = Path(listener.getsockname())
        address.unlink()
        address.parent.rmdir()
    return None


def _serve(link: socket.socket) -> list[str] | None:
    """Carries out orders until there are no more. Returns the arguments in each process that is to be a
    daemon, None in the server.
    """
    ended: dict[int, int] = {}

    def reap(*_: object) -> None:
        while (found := _ended_child()) is not None:
            ended[found[0]] = found[1]

    signal.signal(signal.SIGCHLD, reap)
    asked = link.makefile("rb")
    for line in iter(asked.readline, b""):
        order = json.loads(line)
        if "environment" in order:
            _take(order["environment"])
            continue
        if "status" in order:
            answer = ended.get(order["status"])
        else:
            answer = os.fork()
            if answer == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                asked.close()
                link.close()
                _become(order["start"], order["in"], order["output"])
                return list(order["start"])
        link.sendall(json.dumps(answer).encode() + b"\n")
    return None


def _ended_child() -> tuple[int, int] | None:
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, os.waitstatus_to_exitcode(status)) if pid else None


def _take(environment: Mapping[str, str]) -> None:
    """Takes the environment of whoever starts daemons, and a title by which the processes of the cluster are
    known: /proc shows the environment that a process had when it began, here the template's.
    """
    from setproctitle import setproctitle

    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    setproctitle(title_of([sys.executable, "-m", __spec__.name], environment))


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
    setproctitle(title_of([sys.executable, "-m", *arguments], os.environ))


if __name__ == "__main__":
    leave(main())
