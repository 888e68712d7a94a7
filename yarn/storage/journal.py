"""Journals: records appended one after the other, durable before the call that made them is answered.

A journal is a mirror (all that was so, written whole at each start) and a log of what came since, JSON a line
each. A line ends with a checksum of itself and of all lines before it, from the mirror's first: one that was
changed, or that is missing, is an error. A torn last line of the log, which a crash in the middle of an
append leaves, is passed over. Knows nothing of what the records mean. Hadoop: FileSystemNodeLabelsStore,
FileSystemNodeAttributeStore and AbstractFSNodeStore.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

Record = Mapping[str, Any]

_SUM_DIGITS = 16
_BEGINNING = ""
"""The checksum before the first line."""
_END = b"end"
"""The last line of a mirror."""


class JournalError(Exception):
    """A journal that cannot be used; the message names the file, and the property that moves it."""


class Journal:
    """One journal in a directory, by its name: `<name>.mirror` and `<name>.editlog`."""

    def __init__(self, directory: Path, name: str, setting: str) -> None:
        """`setting` is the property that names the directory."""
        self._directory = directory
        self._setting = setting
        self._mirror = directory / f"{name}.mirror"
        self._old = directory / f"{name}.mirror.old"
        self._writing = directory / f"{name}.mirror.writing"
        self._log = directory / f"{name}.editlog"
        self._file: BinaryIO | None = None
        self._sum: str | None = None
        """The checksum of the last line; None while nothing was read or written."""

    def load(self) -> list[Record]:
        """Everything that was kept, in order. JournalError where it cannot be read, or for a bad line that is
        not the torn last.
        """
        try:
            mirror = self._mirror if self._mirror.exists() else self._old
            records, self._sum = self._read_mirror(mirror)
            if not self._is_superseded():
                records += self._read_log()
            return records
        except OSError as error:
            raise self._unusable(error) from error

    def _read_mirror(self, path: Path) -> tuple[list[Record], str]:
        """What it holds, and the checksum with which its log begins."""
        lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
        records, sum_ = self._read(path, lines[:-1], _BEGINNING)
        if lines[-1]:  # it was written whole before it got its name
            raise self._damaged(path, len(lines), "not a record: it is cut off")
        if sum_ and (len(lines) < 2 or _record_part(lines[-2]) != _END):
            raise self._damaged(path, len(lines), "its end is missing")
        return records, sum_

    def _is_superseded(self) -> bool:
        """Whether the log is that of the mirror before: the RM died between two steps of a beginning."""
        if not self._mirror.exists() or not self._log.exists():
            return False
        first = self._log.read_bytes().partition(b"\n")[0]
        before = self._read_mirror(self._old)[1] if self._old.exists() else _BEGINNING
        return before != self._sum and _is_next(first, before)

    def _read_log(self) -> list[Record]:
        *lines, last = self._log.read_bytes().split(b"\n") if self._log.exists() else [b""]
        records, self._sum = self._read(self._log, lines, self._sum or _BEGINNING)
        whole = last[: last.find(b"\t") + 1 + _SUM_DIGITS]
        if len(last) > len(whole) and _is_next(whole, self._sum):  # not torn: its line end was changed
            records.append(_record(_record_part(whole)))
        return records

    def begin(self, records: Iterable[Record]) -> None:
        """Starts anew from records that stand for all that was kept: a mirror of them, and an empty log.
        JournalError when they cannot be written.
        """
        try:
            self._begin(records)
        except OSError as error:
            raise self._unusable(error) from error

    def _begin(self, records: Iterable[Record]) -> None:
        self.close()
        sum_, lines = _BEGINNING, b""
        for record in records:
            line, sum_ = _line(_json(record), sum_)
            lines += line
        if not lines and not self._mirror.exists() and not self._log.exists():
            return
        end, self._sum = _line(_END, sum_)
        self._directory.mkdir(parents=True, exist_ok=True)
        with self._writing.open("wb") as file:
            file.write(lines + end)
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
        if self._sum is None:
            self.load()
        if self._file is None:
            self._directory.mkdir(parents=True, exist_ok=True)
            self._file = self._log.open("ab")
            _sync_directory(self._directory)
        line, self._sum = _line(_json(record), self._sum or _BEGINNING)
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self, path: Path, lines: Iterable[bytes], sum_: str) -> tuple[list[Record], str]:
        """The records of whole lines, and the checksum of the last. Lines of a version without checksums
        are taken as they are; none may follow one that has a checksum.
        """
        records: list[Record] = []
        for number, line in enumerate(lines, start=1):
            part = _record_part(line)
            if part != line or sum_:
                if not _is_next(line, sum_):
                    raise self._damaged(
                        path, number, "its checksum is wrong: it was changed, or a line before it is missing"
                    )
                sum_ = line[-_SUM_DIGITS:].decode()
            if part == _END and sum_:
                continue
            try:
                records.append(_record(part))
            except ValueError as error:
                raise self._damaged(path, number, f"not a record: {error}") from error
        return records, sum_

    def _damaged(self, path: Path, number: int, why: str) -> JournalError:
        remedy = (
            "Hadoop's own stores have another format; move the file away to start without it, or let "
            f"{self._setting} name another directory"
        )
        return JournalError(f"{path}:{number}: {why} ({remedy})")

    def _unusable(self, error: OSError) -> JournalError:
        reason = error.strerror or error
        return JournalError(f"{self._directory} cannot be used: {reason}; {self._setting} changes it")

    def close(self) -> None:
        """Appends no more."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _record(part: bytes) -> Record:
    record = json.loads(part)
    if not isinstance(record, dict):
        raise ValueError("it is not an object")
    return record


def _record_part(line: bytes) -> bytes:
    """What stands before the checksum; JSON has no tab of its own."""
    return line.partition(b"\t")[0]


def _is_next(line: bytes, before: str) -> bool:
    """Whether the line has the checksum of one that follows another with the checksum `before`."""
    part, _, sum_ = line.partition(b"\t")
    return sum_ == _sum_of(part, before).encode()


def _json(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def _line(part: bytes, before: str) -> tuple[bytes, str]:
    sum_ = _sum_of(part, before)
    return part + b"\t" + sum_.encode() + b"\n", sum_


def _sum_of(part: bytes, before: str) -> str:
    return blake2b(before.encode() + b"\t" + part, digest_size=_SUM_DIGITS // 2).hexdigest()


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
