"""Where results go: lines of key, tab and value, or key and value as they are.

A value None leaves the key alone on its line. Hadoop: TextOutputFormat.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from yarnbox.am.mapreduce.api import Tally
from yarnbox.am.mapreduce.shuffle.records import text_of

if TYPE_CHECKING:
    from yarnbox.yarn.configuration import Configuration

_LINES_AT_ONCE = 1000
_BYTES_AT_ONCE = 1 << 20


OUTPUT_FORMATS = ("TextOutputFormat", "BytesOutputFormat")
_SEPARATOR = "mapreduce.output.textoutputformat.separator"


def output_format_name(text: str) -> str:
    """The name, without Hadoop's package."""
    name = text.strip().rpartition(".")[2]
    if name not in OUTPUT_FORMATS:
        raise ValueError("one of " + ", ".join(OUTPUT_FORMATS))
    return name


def part_file(
    path: Path, output_format: str, configuration: Configuration, tally: Tally, counter: str
) -> PartFile:
    """The file, with the separators that the job's properties ask for."""
    if output_format == "BytesOutputFormat":
        return PartFile(path, b"", b"", tally, counter)
    separator = configuration.untrimmed(_SEPARATOR)
    return PartFile(path, (separator if separator is not None else "\t").encode(), b"\n", tally, counter)


class PartFile:
    """The file that one attempt writes."""

    def __init__(self, path: Path, separator: bytes, end: bytes, tally: Tally, counter: str) -> None:
        self._stream = path.open("wb", buffering=0)
        self._separator = separator
        self._end = end
        self._tally = tally
        self._counter = counter
        self._lines: list[bytes] = []
        self._bytes = 0

    @property
    def pending_bytes(self) -> int:
        """What is not written yet: it changes with every pair."""
        return self._bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with self._stream:
            self._write()

    def emit(self, key: Any, value: Any) -> None:
        """Takes one pair."""
        if value is None:
            line = text_of(key) + self._end
        else:
            line = b"".join((text_of(key), self._separator, text_of(value), self._end))
        self._lines.append(line)
        self._bytes += len(line)
        if len(self._lines) >= _LINES_AT_ONCE or self._bytes >= _BYTES_AT_ONCE:
            self._write()

    def emit_all(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Takes pairs as they come."""
        for key, value in pairs:
            self.emit(key, value)

    def _write(self) -> None:
        self._stream.write(b"".join(self._lines))
        self._tally.add(self._counter, len(self._lines))
        self._lines, self._bytes = [], 0
