"""The event log of an RM: each dispatched event with its time, type and subject, and each booking of a
container with its queue, node and resource, one JSON object per line.

Owns the file: appending in batches, starting a new one when it is full, reading it from behind and following
it. Whoever dispatches hands in events; formatting them waits until a batch is written, so that an event costs
its turn one append. Hadoop shows the same with debug logging of AsyncDispatcher.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.runtime.event import Event, hadoop_constant

FILE = "events.jsonl"
MAX_BYTES = 16 * 1024 * 1024
_LONGEST_BATCH = 10_000
_KNOWN_NODES = 50_000
_NAMING = (
    "application_id",
    "attempt_id",
    "container_id",
    "container_ids",
    "node_id",
    "node_ids",
    "queue",
    "user",
)


class LoggedEvent(NamedTuple):
    """One line."""

    time_ms: int
    type: str
    subject: str
    details: Mapping[str, Any] = MappingProxyType({})
    """What else the event says of itself: containers, applications, nodes and queues that it names, first."""
    constant: str = ""
    """Hadoop's name of such events; "" where it has none."""


STARTED, RECOVERED = "ResourceManagerStarted", "ResourceManagerRecovered"
MILESTONES = (STARTED, RECOVERED)


class Milestone(NamedTuple):
    """A line of the ResourceManager's own. At STARTED the books are empty, whatever the lines before add up
    to; at RECOVERED it knows again the applications of its state store, whose containers are booked anew as
    their nodes report them.
    """

    type: str
    subject: str
    details: Mapping[str, Any]


class EventLog:
    """The writing end. Two files at most: the current one, and the one before with `.1` behind its name."""

    def __init__(
        self, path: Path, max_bytes: int = MAX_BYTES, begun: Callable[[], object] = lambda: None
    ) -> None:
        """`begun` is called when there is something to write, after nothing was: `flush` should follow."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._max_bytes = max_bytes
        self._file = path.open("ab")
        self._begun = begun
        self._pending: list[tuple[int, Any]] = []
        self.failure: OSError | None = None
        """Why the file could not be written. From then on nothing is noted any more."""

    def add(self, now_ms: int, event: Any) -> None:
        """Takes note of an event; it is in the file after the next `flush`."""
        if self.failure is not None:
            return
        if not self._pending:
            self._begun()
        self._pending.append((now_ms, event))
        if len(self._pending) >= _LONGEST_BATCH:
            self.flush()

    def flush(self) -> None:
        """Writes what was noted."""
        if not self._pending:
            return
        pending, self._pending = self._pending, []
        try:
            self._write("".join(_line(now_ms, event) for now_ms, event in pending).encode())
        except OSError as error:
            self.failure = error

    def _write(self, lines: bytes) -> None:
        self._file.write(lines)
        self._file.flush()
        if self._file.tell() >= self._max_bytes:
            self._file.close()
            os.replace(self._path, previous(self._path))
            self._file = self._path.open("ab")

    def close(self) -> None:
        """Writes the rest and lets go of the file."""
        self.flush()
        self._file.close()


def logged(now_ms: int, event: Any) -> LoggedEvent:
    """The line of an event, or of a booking, as a reader sees it."""
    entry = _entry(now_ms, event)
    time_ms, kind, constant, subject = (entry.pop(key) for key in ("time", "type", "constant", "subject"))
    return LoggedEvent(time_ms, kind, subject, entry, constant)


def _line(now_ms: int, event: Any) -> str:
    kind = type(event)
    if isinstance(event, Event) and isinstance(event.subject, NodeId) and _names_nobody_else(event):
        return f'{{"time": {now_ms}, {_of_node(kind.__name__, hadoop_constant(kind), event.subject)}\n'
    return json.dumps(_entry(now_ms, event), ensure_ascii=False) + "\n"


def _names_nobody_else(event: Event) -> bool:
    subject = event.subject
    for field, _ in _naming_fields(type(event)):
        value = getattr(event, field)
        if value and value is not subject:
            return False
    return not getattr(event, "details", None)


@lru_cache(_KNOWN_NODES)
def _of_node(kind: str, constant: str, node_id: NodeId) -> str:
    """What such an event's line says behind its time: two for each heartbeat, always the same."""
    said = {"type": kind, "constant": constant, "subject": str(node_id)}
    return json.dumps(said, ensure_ascii=False).removeprefix("{")


def _entry(now_ms: int, event: Any) -> dict[str, Any]:
    subject = event.subject
    is_event = isinstance(event, Event)
    entry: dict[str, Any] = {
        "time": now_ms,
        "type": type(event).__name__ if is_event else event.type,
        "constant": hadoop_constant(type(event)) if is_event else "",
        "subject": "" if subject is None else str(subject),
    }
    for field, name in _naming_fields(type(event)) if is_event else ():
        value = getattr(event, field)
        if value and value is not subject:
            entry[name] = [str(one) for one in value] if field.endswith("_ids") else str(value)
    entry.update(getattr(event, "details", {}))
    return entry


_FIELDS: dict[type[Event], tuple[tuple[str, str], ...]] = {}
"""Those that were asked for, which is at each line."""


def _naming_fields(kind: type[Event]) -> tuple[tuple[str, str], ...]:
    """The fields that name somebody, with their names in the log: `node_id` is `node` there."""
    found = _FIELDS.get(kind)
    if found is None:
        names = [name for name in _NAMING if name in getattr(kind, "__dataclass_fields__", ())]
        short = [name.removesuffix("_ids").removesuffix("_id") for name in names]
        found = _FIELDS[kind] = tuple(zip(names, short, strict=True))
    return found


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
            constant = str(entry.pop("constant", ""))
            yield LoggedEvent(int(time_ms), str(kind), str(subject), entry, constant)
        except (ValueError, KeyError, TypeError):  # torn by a kill -9 in the middle of a write
            continue
