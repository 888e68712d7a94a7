"""Where results go: lines of key, tab and value, or key and value as they are.

A value None leaves the key alone on its line. Hadoop: TextOutputFormat, and the part of FileOutputFormat that
compresses.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from yarnbox.am.mapreduce.api import Tally
from yarnbox.am.mapreduce.codecs import RESULT_CODECS, open_input, open_result, result_codec_name
from yarnbox.am.mapreduce.shuffle.records import Record, text_of
from yarnbox.yarn.storage.urls import is_remote, joined

if TYPE_CHECKING:
    from yarnbox.yarn.configuration import Configuration

_LINES_AT_ONCE = 1000
_BYTES_AT_ONCE = 1 << 20


OUTPUT_FORMATS = ("TextOutputFormat", "BytesOutputFormat")
_SEPARATOR = "mapreduce.output.textoutputformat.separator"
COMPRESS = "mapreduce.output.fileoutputformat.compress"
CODEC = "mapreduce.output.fileoutputformat.compress.codec"


def output_format_name(text: str) -> str:
    """The name, without Hadoop's package."""
    name = text.strip().rpartition(".")[2]
    if name not in OUTPUT_FORMATS:
        raise ValueError("one of " + ", ".join(OUTPUT_FORMATS))
    return name


def part_file(
    path: Path, output_format: str, configuration: Configuration, tally: Tally, counter: str
) -> PartFile:
    """The file, compressed if the job's properties ask for it, with the separators that they ask for."""
    stream: BinaryIO
    if configuration.boolean(COMPRESS, False):
        codec = result_codec_name(configuration.value(CODEC) or "DefaultCodec")
        stream = open_result(path.with_name(path.name + RESULT_CODECS[codec]), codec)
    else:
        stream = path.open(
            "wb"
        )  # buffered: a raw write to a disk that fills up writes a part, and says so to nobody
    if output_format == "BytesOutputFormat":
        return PartFile(stream, b"", b"", tally, counter)
    separator = configuration.untrimmed(_SEPARATOR)
    return PartFile(stream, (separator if separator is not None else "\t").encode(), b"\n", tally, counter)


def read_part(output: str | Path, name: str) -> str:
    """A small part of a result, compressed or not."""
    if is_remote(str(output)):
        from yarnbox.yarn.storage.remote_files import files_below

        below = [url for url, _ in files_below(str(output), recursive=False)]
    else:
        below = [str(path) for path in Path(output).iterdir() if path.is_file()]
    plain = joined(str(output), name)
    with open_input(next((path for path in below if path.startswith(f"{plain}.")), plain)) as stream:
        return stream.read().decode()


class PartFile:
    """The file that one attempt writes."""

    def __init__(self, stream: BinaryIO, separator: bytes, end: bytes, tally: Tally, counter: str) -> None:
        self._stream = stream
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

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        """Writes the rest, unless something went wrong, and closes; what went wrong first is what is told."""
        has_failed = kind is not None
        try:
            if not has_failed:
                self._write()
        except BaseException:
            has_failed = True
            raise
        finally:
            with suppress(OSError) if has_failed else nullcontext():
                self._stream.close()

    def emit(self, key: Any, value: Any) -> None:
        """Takes one pair."""
        self.emit_all(((key, value),))

    def emit_all(self, pairs: Iterable[Record]) -> None:
        """Takes pairs as they come."""
        separator, end = self._separator, self._end
        for key, value in pairs:
            if value is None:
                line = text_of(key) + end
            else:
                line = b"".join((text_of(key), separator, text_of(value), end))
            self._lines.append(line)
            self._bytes += len(line)
            if len(self._lines) >= _LINES_AT_ONCE or self._bytes >= _BYTES_AT_ONCE:
                self._write()

    def _write(self) -> None:
        self._stream.write(b"".join(self._lines))
        self._tally.add(self._counter, len(self._lines))
        self._lines, self._bytes = [], 0
