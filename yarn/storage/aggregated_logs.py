"""Aggregated logs: where the NodeManagers put the logs of finished containers, and what is inside a file.

Owns the layout below yarn.nodemanager.remote-app-log-dir (that of Hadoop's TFile controller) and the format
of one node's file, a TFile, so that Hadoop's clients read our logs and we read those of Hadoop's own
NodeManagers. A file appears whole or not at all. Does not know which containers' logs are worth keeping (nm),
nor how they are printed (client). Hadoop: LogAggregationUtils, LogAggregationTFileController and
AggregatedLogFormat.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self
from urllib.parse import unquote, urlsplit

from yarnbox.yarn.enums import ApplicationAccessType
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.storage.tfile import TFile, TFileWriter, View, is_tfile, read_exactly

ROOT_PROPERTY = "yarn.nodemanager.remote-app-log-dir"
SUFFIX_PROPERTY = "yarn.nodemanager.remote-app-log-dir-suffix"
DEFAULT_ROOT = "/tmp/logs"
DEFAULT_SUFFIX = "logs"
DEFAULT_COMPRESSION = "none"
UNFINISHED_SUFFIX = ".tmp"

_BUCKETS = 10_000
_COPY_BYTES = 1 << 16
_UTF_LENGTH_BYTES = 2
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class LogLayout:
    """The directory tree of all aggregated logs: user, bucket, application, one file (or more) per node."""

    root: Path
    suffix: str = DEFAULT_SUFFIX

    @classmethod
    def of(cls, root: str, suffix: str = DEFAULT_SUFFIX) -> Self:
        """The layout below `root`, a path or a `file:` URI; another file system is refused."""
        parts = urlsplit(root)
        if parts.scheme not in ("", "file") or parts.netloc:
            raise IllegalArgumentError(
                f"{ROOT_PROPERTY} = {root}: only a directory of this machine or a file: URI can be used"
            )
        return cls(Path(unquote(parts.path) if parts.scheme else root), suffix)

    def application_directory(self, user: str, application_id: ApplicationId) -> Path:
        """Where the files of that application lie."""
        bucket = f"{application_id.id % _BUCKETS:04d}"
        return self.root / _plain(user) / self._bucket_root / bucket / str(application_id)

    def node_file(
        self, user: str, application_id: ApplicationId, node_id: NodeId, cycle_ms: int | None = None
    ) -> Path:
        """One node's file; with `cycle_ms`, that of one cycle of rolling aggregation."""
        cycle = "" if cycle_ms is None else f"_{cycle_ms}"
        return self.application_directory(user, application_id) / _plain(f"{node_name(node_id)}{cycle}")

    def node_files(self, user: str, application_id: ApplicationId) -> list[Path]:
        """The finished files of that application by name; FileNotFoundError when nothing was aggregated."""
        directory = self.application_directory(user, application_id)
        return sorted(path for path in directory.iterdir() if not _is_unfinished_or_hidden(path))

    def owner_of(self, application_id: ApplicationId, guess: str) -> str | None:
        """Whose logs those are: `guess`, or the only other user who has some; None if that is not clear."""
        if self.application_directory(guess, application_id).is_dir():
            return guess
        bucket = f"{application_id.id % _BUCKETS:04d}"
        found = list(self.root.glob(f"*/{self._bucket_root}/{bucket}/{application_id}"))
        return found[0].relative_to(self.root).parts[0] if len(found) == 1 else None

    def applications(self) -> Iterator[tuple[ApplicationId, Path]]:
        """Every application that has a directory, and the directory."""
        for path in self.root.glob(f"*/{self._bucket_root}/*/application_*"):
            try:
                yield ApplicationId.parse(path.name), path
            except ValueError:
                continue  # somebody else's

    @property
    def _bucket_root(self) -> str:
        return _plain(f"bucket-{self.suffix.lower()}-tfile")


def is_of_node(path: Path, node_id: NodeId) -> bool:
    """Whether a node has written the file, at once or in cycles."""
    return path.name == _plain(node_name(node_id)) or path.name.startswith(f"{_plain(node_name(node_id))}_")


def node_name(node_id: NodeId) -> str:
    """A node as file names spell it: `host_port`."""
    return str(node_id).replace(":", "_")


@dataclass(frozen=True, slots=True)
class AggregatedLog:
    """One log in a node's file."""

    container_id: ContainerId
    name: str
    length: int


class AggregatedLogWriter:
    """Writes one node's file. Leaving the `with` block in order makes it appear; an exception, or no log at
    all, leaves nothing behind.
    """

    def __init__(
        self,
        path: Path,
        owner: str,
        acls: Mapping[ApplicationAccessType, str] | None = None,
        compression: str = DEFAULT_COMPRESSION,
    ) -> None:
        self._path = path
        self._unfinished = path.with_name(path.name + UNFINISHED_SUFFIX)
        self._owner = owner
        self._acls = acls or {}
        self._compression = compression
        self._empty = True

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._stream = open(self._unfinished, "wb")
        self._file = TFileWriter(self._stream, self._compression)
        self._file.append(_utf_bytes("VERSION"), [_FORMAT.to_bytes(4, "big")])
        self._file.append(_utf_bytes("APPLICATION_OWNER"), [_utf_bytes(self._owner)])
        acls = (_utf_bytes(kind.name) + _utf_bytes(who) for kind, who in self._acls.items())
        self._file.append(_utf_bytes("APPLICATION_ACL"), acls)
        return self

    def append(self, container_id: ContainerId, logs: Iterable[tuple[str, BinaryIO]]) -> None:
        """Adds the log files of a container, by their names: what is in them now."""
        self._file.append(_utf_bytes(str(container_id)), self._value(logs))

    def _value(self, logs: Iterable[tuple[str, BinaryIO]]) -> Iterator[bytes]:
        for name, source in logs:
            self._empty = False
            length = left = source.seek(0, os.SEEK_END)
            source.seek(0)
            yield _utf_bytes(_plain(name)) + _utf_bytes(str(length))
            while left:
                piece = source.read(min(left, _COPY_BYTES))
                if not piece:  # somebody has cut it since
                    piece = bytes(min(left, _COPY_BYTES))
                yield piece
                left -= len(piece)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        is_wanted = kind is None and not self._empty
        with self._stream:
            if is_wanted:
                self._file.close()
                self._stream.flush()
                os.fsync(self._stream.fileno())
        if is_wanted:
            os.replace(self._unfinished, self._path)
        else:
            self._unfinished.unlink()


class AggregatedLogReader:
    """Reads one node's file; OSError when it is damaged or none. A record is a container, in it name, length
    and bytes of each log; other records have keys that are no container's.
    """

    def __init__(self, path: Path) -> None:
        self.node = path.name
        self.modified_ms = path.stat().st_mtime_ns // 1_000_000
        self._found: dict[AggregatedLog, View] = {}
        if not is_tfile(path):
            raise OSError(f"{path} is not a file of aggregated logs")
        with ExitStack() as undo:
            for key, value in undo.enter_context(TFile(path)).records():
                try:
                    container_id = ContainerId.parse(key[_UTF_LENGTH_BYTES:].decode(errors="replace"))
                except ValueError:
                    continue
                self._take(container_id, value)
            self._close = undo.pop_all().close

    def _take(self, container_id: ContainerId, value: View) -> None:
        source = io.BufferedReader(value)
        while source.tell() < value.length:
            name, length = _utf(source), _utf(source)
            if not length.isdecimal():
                raise OSError(f"the log {name!r} of {container_id} is {length!r} bytes long")
            log = AggregatedLog(container_id, name, int(length))
            self._found[log] = value.part(source.tell(), log.length)
            source.seek(log.length, os.SEEK_CUR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def logs(self) -> Iterator[AggregatedLog]:
        """The logs in it, by container, then by file name."""
        return iter(sorted(self._found, key=lambda log: (log.container_id, log.name)))

    def open(self, log: AggregatedLog) -> BinaryIO:
        """The bytes of a log, from its beginning; seekable."""
        view = self._found[log]
        return io.BufferedReader(view.part(0, view.length))


def _utf_bytes(text: str) -> bytes:
    """A name as Java's DataOutput writes it: characters beyond U+FFFF as two halves. What a file name has of
    bytes that are no text becomes a question mark.
    """
    units = text.encode("utf-16-be", "replace")
    halves = "".join(chr(int.from_bytes(units[at : at + 2], "big")) for at in range(0, len(units), 2))
    data = halves.encode("utf-8", "surrogatepass")
    return len(data).to_bytes(_UTF_LENGTH_BYTES, "big") + data


def _utf(source: BinaryIO) -> str:
    data = read_exactly(source, int.from_bytes(read_exactly(source, _UTF_LENGTH_BYTES), "big"))
    try:
        halves = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode(errors="replace")
    return halves.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")


def _is_unfinished_or_hidden(path: Path) -> bool:
    """Hadoop's local file system hides its checksums (`.name.crc`)."""
    return path.suffix == UNFINISHED_SUFFIX or path.name.startswith(".")


def _plain(name: str) -> str:
    """A name that stays in its directory."""
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise IllegalArgumentError(f"{name!r} cannot be the name of a file")
    return name
