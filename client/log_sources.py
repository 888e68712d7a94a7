"""Where logs are read: from the files of finished applications, and from the NodeManagers of running
containers.

Both sources list the log files of containers and copy the framed text of one of them. Do not know which of
them is wanted, nor where the text goes. Hadoop: the reading halves of LogCLIHelpers and LogsCLI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from yarnbox.client.printing.logs import AGGREGATED, FileInfo, header, trailer
from yarnbox.client.text import timestamp
from yarnbox.client.web import NODE, WebService
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.storage.aggregated_logs import AggregatedLog, AggregatedLogReader

Sink = Callable[[bytes], object]
"""Takes bytes, one part after the other."""

_PART = 1 << 16


class ContainerFiles(NamedTuple):
    """The log files of a container on a node."""

    container_id: ContainerId
    node: str
    files: tuple[FileInfo, ...]


class AggregatedLogs:
    """The files that NodeManagers left of one finished application."""

    def __init__(self, paths: Sequence[Path], zone: tzinfo | None, complain: Callable[[str], None]) -> None:
        """A damaged file is passed over, after a complaint."""
        self._paths = paths
        self._zone = zone
        self._complain = complain

    def nodes(self) -> list[str]:
        """The names of the files."""
        return [path.name for path in self._paths]

    def containers(self, node: str | None = None) -> list[ContainerFiles]:
        """All containers in the files, or in those of one node."""
        found: list[ContainerFiles] = []
        for reader in self._readers(node):
            modified = timestamp(reader.modified_ms, self._zone)
            by_container: dict[ContainerId, list[FileInfo]] = {}
            for log in reader.logs():
                info = FileInfo(log.name, str(log.length), modified, AGGREGATED)
                by_container.setdefault(log.container_id, []).append(info)
            found += [ContainerFiles(one, reader.node, tuple(files)) for one, files in by_container.items()]
        return found

    def copy(self, container: ContainerFiles, name: str, size: int | None, sink: Sink) -> None:
        """The framed text of one log: all of it, its first `size` bytes, or its last if that is negative."""
        for reader in self._readers(container.node):
            for log in reader.logs():
                if (log.container_id, log.name) == (container.container_id, name):
                    self._copy(reader, log, size, sink)

    def _copy(self, reader: AggregatedLogReader, log: AggregatedLog, size: int | None, sink: Sink) -> None:
        modified = timestamp(reader.modified_ms, self._zone)
        sink(header(str(log.container_id), reader.node, log.name, modified, log.length).encode())
        with reader.open(log) as source:
            _copy_part(source, log.length, size, sink)
        sink(trailer(log.name).encode())

    def _readers(self, node: str | None) -> Iterator[AggregatedLogReader]:
        """Each file while it is open; `node` may be written host:port or host_port."""
        wanted = "" if node is None else node.replace(":", "_")
        for path in self._paths:
            if wanted not in path.name:
                continue
            try:
                with AggregatedLogReader(path) as reader:
                    yield reader
            except OSError as error:
                self._complain(f"Skipping empty or corrupt file {path}: {error}")


def _copy_part(source: BinaryIO, length: int, size: int | None, sink: Sink) -> None:
    left = length if size is None else min(abs(size), length)
    if size is not None and size < 0:
        source.seek(length - left)
    while left and (part := source.read(min(left, _PART))):
        sink(part)
        left -= len(part)


class NodeLogs:
    """The web service of NodeManagers."""

    def __init__(self, web: WebService) -> None:
        self._web = web

    def files(self, address: str, container_id: ContainerId) -> tuple[FileInfo, ...]:
        """The log files of a container by name; none if the node does not know it."""
        answer = self._web.get(address, f"{NODE}/containers/{container_id}/logs")
        if not answer.is_ok:
            return ()
        try:
            found = [
                FileInfo(
                    str(info.get("fileName", "N/A")),
                    str(info.get("fileSize", "N/A")),
                    str(info.get("lastModifiedTime", "N/A")),
                    str(group.get("logAggregationType", "N/A")),
                )
                for group in _one_or_many((answer.json or {}).get("containerLogsInfo"))
                for info in _one_or_many(group.get("containerLogInfo"))
            ]
        except (ValueError, AttributeError) as error:
            raise YarnError(f"Unable to parse json from webservice. Error: {error}") from error
        return tuple(sorted(found))

    def copy(self, address: str, container: ContainerFiles, name: str, size: int | None, sink: Sink) -> None:
        """The text of one log as its node frames it, or why there is none."""
        path = f"{NODE}/containers/{container.container_id}/logs/{name}"
        query = {} if size is None else {"size": str(size)}
        answer = self._web.stream(address, path, sink, **query)
        if answer.is_ok:
            sink(b"\n")
            return
        sink(f"Can not get any logs for the log file: {name}\n".encode())
        sink(
            f"Response from the NodeManager:{container.node} WebService is not successful, "
            f"HTTP error code: {answer.status}, Server response:\n".encode()
        )
        sink(answer.body + b"\n")


def _one_or_many(value: Any) -> list[Any]:
    """A list of one comes as the bare element, an empty one not at all."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
