"""Input formats: how the bytes of files become records, and which files may be cut.

A file whose name ends in .gz, .bz2, .deflate or .zst is decompressed on the way, and is one split: none of
these is read from its middle. Hadoop: InputFormat and RecordReader; TextInputFormat,
KeyValueTextInputFormat, FixedLengthInputFormat; whole files as in Hadoop's guide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from yarnbox.am.mapreduce.api import NotAClassError, named
from yarnbox.am.mapreduce.codecs import is_compressed, open_input
from yarnbox.am.mapreduce.shuffle.records import Record
from yarnbox.am.mapreduce.splits import Chunk, text_blocks, text_lines

if TYPE_CHECKING:
    from yarnbox.yarn.configuration import Configuration

Records = list[Record]

_RECORDS_AT_ONCE = 1000
_SEPARATOR = "mapreduce.input.keyvaluelinerecordreader.key.value.separator"
_RECORD_LENGTH = "fixedlengthinputformat.record.length"


class InputFormat:
    """Parts of files to records. Override `records`; `is_splittable` where a part is not to be read alone."""

    def is_splittable(self, path: Path) -> bool:
        """Whether the file may be cut into several splits."""
        return not is_compressed(path)

    def records(self, chunk: Chunk, configuration: Configuration) -> Iterator[Record]:
        """The records that begin in this part of a file."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its records are")

    def batches(self, chunk: Chunk, configuration: Configuration) -> Iterator[Records]:
        """The same records, some at a time."""
        return in_batches(self.records(chunk, configuration))

    def size_of(self, records: Records) -> int:
        """About how many bytes of the file these were: for the task's progress."""
        parts = (part for record in records for part in record if isinstance(part, str | bytes))
        return sum(len(part) + 1 for part in parts)

    def blocks(self, chunk: Chunk) -> Iterator[bytes]:
        """Of lines of text: some whole lines at a time."""
        raise TypeError(f"the input of {type(self).__name__} is not read as blocks of lines")


class TextInputFormat(InputFormat):
    """Lines, each with its offset: of a compressed file the offset in what it holds."""

    def batches(self, chunk: Chunk, configuration: Configuration) -> Iterator[Records]:
        """Offsets and lines."""
        return text_lines(chunk)

    def size_of(self, records: Records) -> int:
        """By the offsets, unless a class below this one has other keys."""
        (first, _), (last, line) = records[0], records[-1]
        if isinstance(first, int) and isinstance(last, int) and isinstance(line, str):
            return last - first + len(line) + 1
        return super().size_of(records)

    def blocks(self, chunk: Chunk) -> Iterator[bytes]:
        """Lines as bytes."""
        return text_blocks(chunk)


class KeyValueTextInputFormat(InputFormat):
    """Lines, of which the part before the first separator is the key."""

    def batches(self, chunk: Chunk, configuration: Configuration) -> Iterator[Records]:
        """Keys and values; of a line without separator all is the key."""
        separator = configuration.untrimmed(_SEPARATOR) or "\t"
        for lines in text_lines(chunk):
            yield [line.partition(separator)[::2] for _, line in lines]


class WholeFileInputFormat(InputFormat):
    """Files as they are: the path, and the content as bytes."""

    def is_splittable(self, path: Path) -> bool:
        return False

    def records(self, chunk: Chunk, configuration: Configuration) -> Iterator[Record]:
        with open_input(chunk.path) as stream:
            yield chunk.path, stream.read()


class FixedLengthInputFormat(InputFormat):
    """Records of `fixedlengthinputformat.record.length` bytes, each with its offset."""

    def records(self, chunk: Chunk, configuration: Configuration) -> Iterator[Record]:
        """Offsets and records."""
        length = configuration.integer(_RECORD_LENGTH, 0)
        if length < 1:
            raise ValueError(f"{_RECORD_LENGTH} = {length}: set it to the number of bytes of a record")
        at = -(-chunk.start // length) * length
        with open_input(chunk.path) as stream:
            stream.seek(at)
            while at < chunk.start + chunk.length or is_compressed(chunk.path):
                record = stream.read(length)
                if not record:
                    return
                if len(record) < length:
                    raise ValueError(f"{chunk.path} ends within a record of {length} bytes")
                yield at, record
                at += length


_FORMATS = {
    one.__name__: one
    for one in (TextInputFormat, KeyValueTextInputFormat, WholeFileInputFormat, FixedLengthInputFormat)
}


def input_format_name(text: str) -> str:
    """The name without Hadoop's package where it is one of ours; else a dotted name, as it is."""
    last = text.strip().rpartition(".")[2]
    if last in _FORMATS:
        return last
    if "." not in text.replace(":", "."):
        raise ValueError("one of " + ", ".join(_FORMATS) + ", or a dotted name")
    return text.strip()


def input_format_named(name: str) -> InputFormat:
    """The input format; NotAClassError when there is none."""
    found = _FORMATS.get(name) or named(name)
    if isinstance(found, type) and issubclass(found, InputFormat):
        return found()
    raise NotAClassError(f"{name} is not an InputFormat")


def in_batches(records: Iterable[Record]) -> Iterator[Records]:
    rest = iter(records)
    while batch := list(islice(rest, _RECORDS_AT_ONCE)):
        yield batch
