"""Journals: records appended one after the other, durable before the call that made them is answered.

A journal is a mirror (all that was so, written whole at each start) and a log of what came since, JSON a line
each. A torn last line of the log, which a crash in the middle of an append leaves, is passed over. Knows
nothing of what the records mean. Answers for FileSystemNodeLabelsStore, FileSystemNodeAttributeStore and
AbstractFSNodeStore.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

Record = Mapping[str, Any]


class JournalError(Exception):
    """A journal that cannot be read; the message names the file and the line."""


class Journal:
    """One journal in a directory, by its name: `<name>.mirror` and `<name>.editlog`."""

    def __init__(self, directory: Path, name: str) -> None:
        self._directory = directory
        self._mirror = directory / f"{name}.mirror"
        self._old = directory / f"{name}.mirror.old"
        self._writing = directory / f"{name}.mirror.writing"
        self._log = directory / f"{name}.editlog"
        self._file: BinaryIO | None = None

    def load(self) -> list[Record]:
        """Everything that was kept, in order. JournalError for a bad line that is not the torn last."""
        mirror = self._mirror if self._mirror.exists() else self._old
        return [*_read(mirror, may_be_torn=False), *_read(self._log, may_be_torn=True)]

    def begin(self, records: Iterable[Record]) -> None:
        """Starts anew from records that stand for all that was kept: a mirror of them, and an empty log."""
        self.close()
        lines = b"".join(_line(record) for record in records)
        if not lines and not self._mirror.exists() and not self._log.exists():
            return
        self._directory.mkdir(parents=True, exist_ok=True)
        with self._writing.open("wb") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        if self._mirror.exists():
            self._mirror.replace(self._old)
        self._writing.replace(self._mirror)
        self._log.unlink(missing_ok=True)
        self._old.unlink(missing_ok=True)
        _sync_directory(self._directory)

    def append(self, record: Record) -> None:
        """Keeps one record more; it is on the disk when this returns."""
        if self._file is None:
            self._directory.mkdir(parents=True, exist_ok=True)
            self._file = self._log.open("ab")
            _sync_directory(self._directory)
        self._file.write(_line(record))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Appends no more."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _line(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _read(path: Path, *, may_be_torn: bool) -> list[Record]:
    if not path.exists():
        return []
    records: list[Record] = []
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        is_last = number == len(lines)
        if is_last and (not line or may_be_torn):
            break  # what follows the last line end was never finished
        try:
            records.append(json.loads(line))
        except ValueError as error:
            remedy = "Hadoop's own stores have another format; move the file away to start without it"
            raise JournalError(f"{path}:{number}: not a record: {error} ({remedy})") from error
    return records


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
