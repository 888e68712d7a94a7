"""Hadoop's own NodeManager as a node of our cluster: a cluster that has no node yet, and nodes to join it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.clients.jvm import environment
from tests.clients.site import PROPERTIES
from tests.hadoop.installed import jars
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster, Options, wait_until
from yarnbox.cluster.directory import RunDirectory
from yarnbox.yarn.enums import NodeState

MAIN = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
HOST = "127.0.2.1"
JOIN_S = PATIENCE_S
_LEAVE_S = 20
_JAVA = (
    *("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
    *("--add-opens", "java.base/java.lang=ALL-UNNAMED"),
)


@contextmanager
def empty_cluster(scratch: Path) -> Iterator[Cluster]:
    """A ResourceManager that serves Hadoop's wire, and no node."""
    cluster = Cluster(RunDirectory(scratch / "run"), stays_with_us=True)
    options = Options(nodes=0, port=0, web_port=0, for_hadoop=True, definitions=PROPERTIES)
    try:
        cluster.up(options)
        cluster.wait_until_ready()
        yield cluster
    finally:
        cluster.down()


@dataclass(frozen=True)
class HadoopNode:
    """A NodeManager of Hadoop's, and where it writes."""

    cluster: Cluster
    process: subprocess.Popen[bytes]
    directory: Path

    @property
    def state(self) -> NodeState | None:
        """What the ResourceManager says of it."""
        return (self.cluster.node_states(self.cluster.run.load()) or {}).get(HOST)

    @property
    def said(self) -> str:
        """What it printed."""
        return (self.directory / "out.txt").read_text(encoding="utf-8", errors="replace")

    def wait_for(self, state: NodeState) -> None:
        """Waits until the ResourceManager says so of it; AssertionError with what it printed."""
        assert wait_until(lambda: self.state is state, JOIN_S), self.said

    def places(self) -> list[Path]:
        """The working directories of containers here."""
        return sorted(self.directory.glob("local/usercache/*/appcache/*/container_*"))


@contextmanager
def joined(cluster: Cluster, directory: Path) -> Iterator[HadoopNode]:
    """A NodeManager of Hadoop's that is RUNNING; it leaves at the end of the block if it is still there."""
    (directory / "tmp").mkdir(parents=True)
    path = ":".join(map(str, [cluster.run.path, *jars()]))
    properties = {
        "yarn.nodemanager.hostname": HOST,
        "yarn.nodemanager.address": f"{HOST}:0",
        "yarn.nodemanager.local-dirs": str(directory / "local"),
        "yarn.nodemanager.log-dirs": str(directory / "logs"),
        "yarn.nodemanager.aux-services": "",
    }
    line = [*_JAVA, f"-Djava.io.tmpdir={directory}/tmp", "-cp", path, MAIN]
    for name, value in properties.items():
        line += ["-D", f"{name}={value}"]
    with (directory / "out.txt").open("wb") as out:
        process = subprocess.Popen(line, stdout=out, stderr=out, env=environment())
    node = HadoopNode(cluster, process, directory)
    try:
        node.wait_for(NodeState.RUNNING)
        yield node
    finally:
        process.terminate()  # it ends its containers
        try:
            process.wait(_LEAVE_S)
        finally:
            process.kill()
            process.wait()
