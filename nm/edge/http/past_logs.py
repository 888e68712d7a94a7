"""Logs of this node that were collected: of applications that are over, or still run and roll theirs.

Reads what `nm.edge.collection` wrote, with yarn/storage/aggregated_logs.py. Hadoop: the reading half of
LogAggregationFileController as the NM uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.storage.aggregated_logs import AggregatedLog, AggregatedLogReader, LogLayout, node_name

_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class PastLog:
    """One log, and the file it lies in."""

    file: Path
    log: AggregatedLog
    modified_ms: int

    def read(self, start: int, count: int) -> bytes:
        """A part of it."""
        with AggregatedLogReader(self.file) as reader, reader.open(self.log) as stream:
            left = start
            while left > 0 and (skipped := len(stream.read(min(left, _PIECE)))):
                left -= skipped
            return stream.read(count)


class PastLogs:
    """The collected logs of one node."""

    def __init__(self, root: str, suffix: str, node_id: NodeId) -> None:
        self._remote = LogLayout.of(root, suffix)
        self._name = node_name(node_id)

    def of(self, container_id: ContainerId, owner: str | None) -> list[PastLog]:
        """The logs of a container, if there are some; `owner` is a guess that is corrected."""
        user = self._remote.owner_of(container_id.application_id, owner or "nobody")
        if user is None:
            return []
        return list(self._found(container_id, user))

    def _found(self, container_id: ContainerId, user: str) -> Iterator[PastLog]:
        try:
            files = self._remote.node_files(user, container_id.application_id)
        except OSError:  # nothing was collected
            return
        for file in files:
            if file.name != self._name and not file.name.startswith(f"{self._name}_"):
                continue
            with AggregatedLogReader(file) as reader:
                for log in reader.logs():
                    if log.container_id == container_id:
                        yield PastLog(file, log, reader.modified_ms)
