"""What a cluster needs from the place where its NodeManagers run: this machine, or the workers of an engine.

Callers pass nodes as the record has them. They do not look at process ids, which mean something only on the
node's own host.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from yarnbox.cluster import processes
from yarnbox.cluster.directory import ClusterRecord, NodeRecord, RunDirectory
from yarnbox.cluster.hosts.launching import Launcher


class NodeHosts(Protocol):
    """The hosts of one cluster's NodeManagers."""

    def place(self, record: ClusterRecord, nodes: Iterable[NodeRecord]) -> list[NodeRecord]:
        """Chooses hosts for nodes that have none, or whose host is gone; those that have another one now."""

    def start(self, node: NodeRecord, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
        """Starts a node where it was placed."""

    def start_all(self, nodes: Iterable[NodeRecord], start: Callable[[NodeRecord], None]) -> None:
        """Starts nodes, each by that function; where their hosts are others than this one, many at once."""

    def share(self, nodes: Iterable[NodeRecord]) -> None:
        """Makes known to the hosts of these nodes what has changed in the run directory."""

    def collect(self, nodes: Iterable[NodeRecord]) -> None:
        """Brings into the run directory what nodes have written on hosts that do not share it."""

    def running(self, nodes: Iterable[NodeRecord]) -> set[str]:
        """The names of those whose process runs."""

    def send(self, node: NodeRecord, number: signal.Signals) -> bool:
        """Signals a node and, but for SIGTERM, the containers on it. False when the node does not run."""

    def end(self, nodes: Iterable[NodeRecord]) -> None:
        """Ends nodes, and what is left of their containers."""

    def forget(self, nodes: Iterable[NodeRecord]) -> None:
        """Removes what nodes that have ended keep where the next cluster would not find it."""

    def close(self) -> None:
        """Lets go of the hosts."""


NODES = 3


class ThisMachine:
    """The host of a cluster on a desk."""

    def __init__(self, run: RunDirectory, launcher: Launcher) -> None:
        self._run = run
        self._launcher = launcher

    def place(self, record: ClusterRecord, nodes: Iterable[NodeRecord]) -> list[NodeRecord]:
        """There is nothing to choose."""
        return []

    def start(self, node: NodeRecord, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
        """As a process of ours, or of the fork server's."""
        node.process = self._launcher.start(node.name, arguments, variables)

    def start_all(self, nodes: Iterable[NodeRecord], start: Callable[[NodeRecord], None]) -> None:
        """One after the other."""
        for node in nodes:
            start(node)

    def share(self, nodes: Iterable[NodeRecord]) -> None:
        """Nodes read the run directory itself."""

    def collect(self, nodes: Iterable[NodeRecord]) -> None:
        """Nodes write into the run directory itself."""

    def running(self, nodes: Iterable[NodeRecord]) -> set[str]:
        """Those that the operating system knows."""
        return {node.name for node in nodes if node.process is not None and node.process.is_alive()}

    def send(self, node: NodeRecord, number: signal.Signals) -> bool:
        """To the process that was started."""
        directory = self._run.node(node.name)
        return node.process is not None and processes.send_to_node(node.process, directory, number)

    def end(self, nodes: Iterable[NodeRecord]) -> None:
        started = {self._run.node(node.name): node.process for node in nodes if node.process is not None}
        processes.end_nodes(started)

    def forget(self, nodes: Iterable[NodeRecord]) -> None:
        """All is in the run directory, for people to look at until the next cluster begins there."""

    def close(self) -> None:
        """Nothing is held."""
