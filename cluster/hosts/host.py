"""What a cluster asks of the place where its NodeManagers run: this machine, or the workers of an engine.

Whoever asks hands in nodes as the record has them and never looks at their processes, which mean something on
the node's own host alone.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from yarnbox.cluster.directory import ClusterRecord, NodeRecord


class NodeHosts(Protocol):
    """The hosts of one cluster's NodeManagers."""

    def place(self, record: ClusterRecord, nodes: Iterable[NodeRecord]) -> list[NodeRecord]:
        """Chooses hosts for nodes that have none, or whose host is gone; those that have another one now."""

    def start(self, node: NodeRecord, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
        """Starts a node where it was placed."""

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
