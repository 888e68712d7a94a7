"""The event log of an RM: each dispatched event with its time, type and subject, and each booking of a
container with its queue, node and resource, a JSON object a line.

Owns the file: appending in batches, starting a new one when it is full, reading it from behind and following
it. Whoever dispatches hands in events; formatting them waits until a batch is written, so that an event costs
its turn one append. Hadoop shows the same with debug logging of AsyncDispatcher.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

FILE = "events.jsonl"
MAX_BYTES = 16 * 1024 * 1024
_LONGEST_BATCH = 10_000


class LoggedEvent(NamedTuple):
    """One line."""

    time_ms: int
    type: str
    subject: str
    details: Mapping[str, Any] = MappingProxyType({})
    """What else the event says of itself."""


class EventLog:
    """The writing end. Two files at most: the current one, and the one before with `.1` behind its name."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._max_bytes = max_bytes
        self._file = path.open("ab")
        self._pending: list[tuple[int, Any]] = []

    def add(self, now_ms: int, event: Any) -> None:
        """Takes note of an event; it is in the file after the next `flush`."""
        self._pending.append((now_ms, event))
        if len(self._pending) >= _LONGEST_BATCH:
            self.flush()

    def flush(self) -> None:
        """Writes what was noted."""
        if not self._pending:
            return
        pending, self._pending = self._pending, []
        self._file.write("".join(_line(now_ms, event) for now_ms, event in pending).encode())
        self._file.flush()
        if self._file.tell() >= self._max_bytes:
            self._file.close()
            os.replace(self._path, previous(self._path))
            self._file = self._path.open("ab")

    def close(self) -> None:
        """Writes the rest and lets go of the file."""
        self.flush()
        self._file.close()


def _line(now_ms: int, event: Any) -> str:
    subject = event.subject
    entry = {
        "time": now_ms,
        "type": getattr(event, "type", None) or type(event).__name__,
        "subject": "" if subject is None else str(subject),
        **getattr(event, "details", {}),
    }
    return json.dumps(entry, ensure_ascii=False) + "\n"


def previous(path: Path) -> Path:
    """Where the full file before `path` is."""
    return path.with_name(path.name + ".1")


class EventLogReader:
    """The reading end: what is there, and then what comes. Half a line waits for its other half."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inode: int | None = None
        self._offset = 0
        self._rest = b""

    def read_all(self) -> Iterator[LoggedEvent]:
        """Every event that is kept, oldest first; afterwards `read_new` goes on from here."""
        earlier = previous(self._path)
        if earlier.exists():
            yield from _parsed(earlier.read_bytes().splitlines())
        yield from self.read_new()

    def read_new(self) -> Iterator[LoggedEvent]:
        """What was written since the last reading, also when a new file was begun meanwhile."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return
        if self._inode is not None and status.st_ino != self._inode:
            yield from self._rest_of_previous()
            self._offset, self._rest = 0, b""
        self._inode = status.st_ino
        yield from self._read_from(self._path)

    def _rest_of_previous(self) -> Iterator[LoggedEvent]:
        earlier = previous(self._path)
        if earlier.exists() and earlier.stat().st_ino == self._inode:
            yield from self._read_from(earlier)

    def _read_from(self, path: Path) -> Iterator[LoggedEvent]:
        with path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        self._offset += len(data)
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        yield from _parsed(lines)


def _parsed(lines: list[bytes]) -> Iterator[LoggedEvent]:
    for line in lines:
        try:
            entry = json.loads(line)
            time_ms, kind, subject = (entry.pop(key) for key in ("time", "type", "subject"))
            yield LoggedEvent(int(time_ms), str(kind), str(subject), entry)
        except (ValueError, KeyError, TypeError):  # torn by a kill -9 in the middle of a write
            continue
