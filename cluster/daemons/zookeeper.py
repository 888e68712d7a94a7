"""A ZooKeeper of the cluster's own, for several ResourceManagers: found, started, waited for.

Needs Java, and ZooKeeper's jars: in $ZOOKEEPER_HOME as its distribution has them, as Debian's package
installs them, or in the cache of yarnbox. Listens on the loopback alone.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from yarnbox.cluster.directory import ClusterError
from yarnbox.cluster.processes import environment_of, remember_child

TICK_MS = 200
"""How often it looks for sessions that have ended, and half of the shortest session."""
LONGEST_SESSION_MS = 60_000
_DEBIAN = Path("/usr/share/java")
_MAIN = "org.apache.zookeeper.server.ZooKeeperServerMain"
_START_S = 60.0
_LOOK_S = 0.05
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def class_path() -> str:
    """Where Java finds ZooKeeper; ClusterError says what there has to be."""
    if shutil.which("java") is None:
        raise ClusterError(f"there is no java on the PATH, which a ZooKeeper needs: {_REMEDY}")
    home = os.environ.get("ZOOKEEPER_HOME")
    if home:
        return os.pathsep.join((f"{home}/*", f"{home}/lib/*"))
    cache = Path(os.environ.get("YARNBOX_CACHE") or _user_cache(), "clients")
    cached = [*sorted(cache.glob("zookeeper-*/zookeeper-3*.jar"))]
    if cached:
        return f"{cached[-1].parent}/*"
    if (_DEBIAN / "zookeeper.jar").exists():
        return os.pathsep.join((str(_DEBIAN / "zookeeper.jar"), f"{_DEBIAN}/*"))
    raise ClusterError(f"ZooKeeper's jars are not there: {_REMEDY}")


_REMEDY = (
    "install Java, and Debian's package zookeeper or a distribution that ZOOKEEPER_HOME names"
    " (`python -m tests.zookeeper` of a checkout fetches the jars); or name one that runs with --zookeeper"
)


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "yarnbox")


def start(
    path: str, directory: Path, port: int, output: Path, variables: Mapping[str, str], *, stays: bool
) -> int:
    """Starts a server with its data in the directory; its pid. `stays`: it ends when this process does."""
    directory.mkdir(parents=True, exist_ok=True)
    configuration = directory / "zoo.cfg"
    configuration.write_text(
        f"clientPortAddress=127.0.0.1\nclientPort={port}\nmaxClientCnxns=0\n"
        f"tickTime={TICK_MS}\nmaxSessionTimeout={LONGEST_SESSION_MS}\n"
        f"dataDir={directory / 'data'}\n",
        encoding="utf-8",
    )
    line = ["java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    line += ["-Dzookeeper.admin.enableServer=false", "-Dzookeeper.4lw.commands.whitelist=ruok"]
    with output.open("wb") as stream:
        server = subprocess.Popen(
            [*line, "-cp", path, _MAIN, str(configuration)],
            cwd=directory,
            env=environment_of(variables),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_ends_with_parent() if stays else None,
        )
    remember_child(server)
    return server.pid


def _ends_with_parent() -> Callable[[], None]:
    library = ctypes.CDLL(None)
    return lambda: library.prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def wait_until_well(port: int, is_alive: Callable[[], bool]) -> None:
    """Until the server answers; ClusterError when it has ended, or does not."""
    deadline = time.monotonic() + _START_S
    while not is_well(port):
        if not is_alive() or time.monotonic() > deadline:
            raise ClusterError("the ZooKeeper of the cluster does not start; look into logs/zookeeper.out")
        time.sleep(_LOOK_S)


def is_well(port: int) -> bool:
    """Whether the server on this port of the loopback answers."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1.0) as connection:
            connection.sendall(b"ruok")
            return connection.recv(4) == b"imok"
    except OSError:
        return False
