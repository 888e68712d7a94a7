"""A real ZooKeeper for tests: one server for each process that tests run in, a tree of its own for each test.

Its jars come by Maven into the cache of tests/clients/installed.py. Run as a program this fetches them; where
they are not there, or no Java is, the tests that need them are skipped.
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.clients import installed
from tests.waiting import PATIENCE_S
from yarnbox.cluster.ports import free_ports

TICK_MS = 200
"""How often it looks for sessions that have ended; they last from two of them to LONGEST_SESSION_MS."""
LONGEST_SESSION_MS = 300_000
"""A session that outlasts any test: no pause of a busy machine ends it."""


def lacking() -> str | None:
    """Why there can be no server here."""
    if shutil.which("java") is None:
        return "no java on the PATH: a ZooKeeper cannot be started"
    if not installed.zookeeper_home().exists():
        return "ZooKeeper's jars are not there; `python -m tests.zookeeper` fetches them"
    return None


MARKS = [pytest.mark.long, pytest.mark.skipif(lacking() is not None, reason=str(lacking()))]
"""Of a file whose tests need a server."""


class Server:
    """One server on the loopback; it can be stopped, and started again on its data."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.port = free_ports("127.0.0.1", 1)[0]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def new_tree(self) -> str:
        """An address below which nothing is yet."""
        from yarnbox.rm.edge.ha.zookeeper import new_client

        client = new_client(self.address, LONGEST_SESSION_MS / 1000)
        client.start()
        name = uuid4().hex
        client.create(f"/{name}")
        client.stop()
        client.close()
        return f"{self.address}/{name}"

    def start(self) -> None:
        assert self._process is None
        line = ["java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        line += ["-Dzookeeper.admin.enableServer=false", "-Dzookeeper.4lw.commands.whitelist=ruok"]
        line += ["-Dzookeeper.forceSync=no", "-cp", f"{installed.zookeeper_home()}/*"]
        line += ["org.apache.zookeeper.server.ZooKeeperServerMain"]
        configuration = self._directory / "zoo.cfg"
        configuration.write_text(
            f"clientPortAddress=127.0.0.1\nclientPort={self.port}\nmaxClientCnxns=0\n"
            f"tickTime={TICK_MS}\nmaxSessionTimeout={LONGEST_SESSION_MS}\n"
            f"dataDir={self._directory / 'data'}\n"
        )
        with (self._directory / "out").open("ab") as out:
            self._process = subprocess.Popen([*line, str(configuration)], stdout=out, stderr=out)
        deadline = time.monotonic() + PATIENCE_S
        while not self._is_well():
            assert self._process.poll() is None, f"ZooKeeper does not start: {self._directory / 'out'}"
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def _is_well(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1.0) as one:
                one.sendall(b"ruok")
                return one.recv(4) == b"imok"
        except OSError:
            return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Lets it stand still until `thaw`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def running(directory: Path) -> Iterator[Server]:
    """A server for as long as the block lasts."""
    server = Server(directory)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def main() -> int:
    """Fetches the jars; the exit status."""
    try:
        if shutil.which("java") is None:
            raise OSError("no java on the PATH")
        installed.install_by_maven(installed.ZOOKEEPER)
    except OSError as error:
        print(f"zookeeper: {error}: the tests of high availability are skipped")
        return installed.LACKING
    return 0


if __name__ == "__main__":
    sys.exit(main())
