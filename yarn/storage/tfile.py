"""TFiles: the key-value files in which NodeManagers, Hadoop's and ours, collect logs.

Owns the format: numbers, the index of blocks at the end, records of a key and a value in chunks; keys are not
sorted. A block that is compressed (gz) is unpacked into a temporary file. Values are views of a file, however
long they are, and are written piece by piece. Knows nothing of what the keys mean. What cannot be read is an
OSError and nothing worse. Hadoop: TFile.Reader and Writer, BCFile.Reader and Writer, Chunk.
"""

from __future__ import annotations

import io
import os
import tempfile
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Self

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MAGIC = bytes.fromhex("d111d36891b5d7b639df414092bae150")
_OFFSET_BYTES = 8
_VERSION_BYTES = 4
_TRAILER_BYTES = _OFFSET_BYTES + _VERSION_BYTES + len(_MAGIC)
_VERSION = bytes.fromhex("00010000")
_INDEX = "data:BCFile.index"
_KEYS = "data:TFile.index"
_ABOUT = "data:TFile.meta"
_UNPACKED, _ZLIB = "none", "gz"
COMPRESSIONS = (_UNPACKED, _ZLIB)
"""Hadoop's names of those that can be read and written here: its gz has zlib's header."""
_LEAST_BLOCK = 256 * 1024
"""A block with so many bytes ends with its record."""
_PIECE = 1 << 16
_LONGEST = 1 << 26
"""Of a name, a key or an index: what is longer is damaged."""


def is_tfile(path: Path) -> bool:
    """Whether the file ends as a TFile does."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) < len(_MAGIC) + _TRAILER_BYTES:
            return False
        file.seek(-len(_MAGIC), os.SEEK_END)
        return file.read() == _MAGIC


# Numbers and names


def read_exactly(source: io.IOBase | BinaryIO, count: int) -> bytes:
    """So many bytes, or an OSError."""
    if not 0 <= count <= _LONGEST:
        raise OSError(f"a length of {count} bytes where there is none")
    data: bytes = source.read(count)
    if len(data) < count:
        raise OSError("the file ends too early")
    return data


def read_number(source: io.IOBase | BinaryIO) -> int:
    """A number: all of it in one byte, or its first part, or how many bytes follow."""
    first = int.from_bytes(read_exactly(source, 1), "big", signed=True)
    if first >= -32:
        return first
    for least, middle, more in (-72, -52, 1), (-104, -88, 2), (-120, -112, 3):
        if first >= least:
            return (first - middle) << 8 * more | int.from_bytes(read_exactly(source, more), "big")
    return int.from_bytes(read_exactly(source, first + 129), "big", signed=True)


def number_bytes(number: int) -> bytes:
    """A number as `read_number` reads it: as short as it can be."""
    if -32 <= number < 128:
        return (number & 0xFF).to_bytes(1, "big")
    for most, middle, more in (20, -52, 1), (16, -88, 2), (8, -112, 3):
        high = number >> 8 * more
        if -most <= high < most:
            return (high + middle & 0xFF).to_bytes(1, "big") + _low(number, more)
    size = next(size for size in range(4, 9) if -1 << 8 * size - 1 <= number < 1 << 8 * size - 1)
    return (size - 129 & 0xFF).to_bytes(1, "big") + _low(number, size)


def _low(number: int, size: int) -> bytes:
    return (number & (1 << 8 * size) - 1).to_bytes(size, "big")


def _name_bytes(name: str) -> bytes:
    return _with_length(name.encode())


def _with_length(data: bytes) -> bytes:
    return number_bytes(len(data)) + data


def _read_name(source: io.IOBase | BinaryIO) -> str:
    return read_exactly(source, read_number(source)).decode(errors="replace")


# Parts of files


class Piece(NamedTuple):
    """Where a piece begins, and how long it is."""

    at: int
    length: int


class View(io.RawIOBase):
    """Pieces of a file, one behind the other, as a file of their own."""

    def __init__(self, file: BinaryIO, pieces: list[Piece]) -> None:
        self.file = file
        self.pieces = pieces
        self._starts = [0, *accumulate(piece.length for piece in pieces)]
        self._at = 0
        self.length = self._starts.pop()

    def part(self, start: int, length: int) -> View:
        """What lies there; OSError when there is not so much."""
        if start < 0 or length < 0 or start + length > self.length:
            raise OSError("the file ends too early")
        return View(self.file, list(self._within(start, length)))

    def _within(self, start: int, length: int) -> Iterator[Piece]:
        number = bisect_right(self._starts, start) - 1
        while length > 0 and 0 <= number < len(self.pieces):
            piece, skipped = self.pieces[number], start - self._starts[number]
            taken = min(length, piece.length - skipped)
            if taken > 0:
                yield Piece(piece.at + skipped, taken)
                start, length = start + taken, length - taken
            number += 1

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Goes to a place."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.length}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Some of what comes next."""
        target = memoryview(buffer).cast("B")
        piece = next(self._within(self._at, len(target)), None)
        if piece is None:
            return 0
        self.file.seek(piece.at)
        data = self.file.read(piece.length)
        target[: len(data)] = data
        self._at += len(data)
        return len(data)


# The file


class TFile:
    """One file, open until the end of the block; so long its values can be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._file = self._open.enter_context(self._path.open("rb"))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def records(self) -> Iterator[tuple[bytes, View]]:
        """Each key and its value, in their order."""
        for block in self._blocks():
            end = block.seek(0, os.SEEK_END)
            block.seek(0)
            while block.tell() < end:
                key = read_exactly(block, read_number(block))
                yield key, self._value(block)

    def _value(self, block: io.BufferedReader[View]) -> View:
        """The chunks that begin here; the block is left behind the last. A negative length says that more
        follow.
        """
        pieces: list[Piece] = []
        while True:
            length = read_number(block)
            chunk = block.raw.part(block.tell(), abs(length))
            pieces += chunk.pieces
            block.seek(abs(length), os.SEEK_CUR)
            if length >= 0:
                return View(chunk.file, pieces)

    def _blocks(self) -> Iterator[io.BufferedReader[View]]:
        whole = View(self._file, [Piece(0, self._file.seek(0, os.SEEK_END))])
        index = self._index(whole)
        compression = _read_name(index)
        for _ in range(read_number(index)):
            yield self._block(whole, compression, index)

    def _index(self, whole: View) -> io.BufferedReader[View]:
        """The table of the blocks with data: the table of all others, at the end, says where it is."""
        self._file.seek(-_TRAILER_BYTES, os.SEEK_END)
        start = int.from_bytes(self._file.read(_OFFSET_BYTES), "big", signed=True)
        table = io.BufferedReader(whole.part(start, whole.length - _TRAILER_BYTES - start))
        for _ in range(read_number(table)):
            name, compression = _read_name(table), _read_name(table)
            block = self._block(whole, compression, table)
            if name == _INDEX:
                return block
        raise OSError("the file has no index")

    def _block(
        self, whole: View, compression: str, table: io.BufferedReader[View]
    ) -> io.BufferedReader[View]:
        offset, stored, _raw = read_number(table), read_number(table), read_number(table)
        block = whole.part(offset, stored)
        if compression == _UNPACKED:
            return io.BufferedReader(block)
        if compression != _ZLIB:
            raise OSError(f"it is compressed by {compression}, which is not read here")
        return io.BufferedReader(self._unpacked(block))

    def _unpacked(self, block: View) -> View:
        target = self._open.enter_context(_temporary())
        unpacking = zlib.decompressobj()
        try:
            while data := block.read(_PIECE):
                target.write(unpacking.decompress(data))
            target.write(unpacking.flush())
        except zlib.error as error:
            raise OSError(f"a compressed block is damaged: {error}") from error
        return View(target, [Piece(0, target.tell())])


@contextmanager
def _temporary() -> Iterator[BinaryIO]:
    with tempfile.TemporaryFile() as file:
        yield file


# Writing


class _Region(NamedTuple):
    """Where a block lies, and how long it is when it is unpacked."""

    at: int
    stored: int
    raw: int

    def to_bytes(self) -> bytes:
        return b"".join(map(number_bytes, self))


class _Block:
    """A block that is being written."""

    def __init__(self, file: BinaryIO, compression: str) -> None:
        self._file = file
        self._start = file.tell()
        self._raw = 0
        self._packing = zlib.compressobj() if compression == _ZLIB else None

    def write(self, data: bytes) -> None:
        self._raw += len(data)
        self._file.write(data if self._packing is None else self._packing.compress(data))

    @property
    def stored(self) -> int:
        return self._file.tell() - self._start

    def end(self) -> _Region:
        if self._packing is not None:
            self._file.write(self._packing.flush())
        return _Region(self._start, self.stored, self._raw)


class TFileWriter:
    """Writes a TFile into an empty file; without `close` it is none."""

    def __init__(self, file: BinaryIO, compression: str = _UNPACKED) -> None:
        self._file = file
        self._compression = compression
        self._block: _Block | None = None
        self._regions: list[_Region] = []
        self._keys: list[bytes] = []
        self._first_key: bytes | None = None
        self._last_key = b""
        self._records = 0
        self._records_of_block = 0
        file.write(_MAGIC)

    def append(self, key: bytes, value: Iterable[bytes]) -> None:
        """Adds a record; each piece of the value is a chunk."""
        block = self._block = self._block or _Block(self._file, self._compression)
        block.write(_with_length(key))
        last = b""
        for piece in value:
            if last:
                block.write(number_bytes(-len(last)) + last)
            last = piece
        block.write(_with_length(last))
        if self._first_key is None:
            self._first_key = key
        self._last_key = key
        self._records += 1
        self._records_of_block += 1
        if block.stored >= _LEAST_BLOCK:
            self._end_block(block)

    def close(self) -> None:
        """Writes the index; the file stays open."""
        if self._block is not None:
            self._end_block(self._block)
        about = _VERSION + number_bytes(self._records) + _name_bytes("")  # the name of an order
        keys = [] if self._first_key is None else [_with_length(self._first_key), *self._keys]
        blocks = _name_bytes(self._compression) + number_bytes(len(self._regions))
        blocks += b"".join(region.to_bytes() for region in self._regions)
        entries = {
            _ABOUT: self._entry(_ABOUT, _UNPACKED, about),
            _KEYS: self._entry(
                _KEYS, self._compression, b"".join(map(_with_length, keys)) or number_bytes(0)
            ),
            _INDEX: self._entry(_INDEX, self._compression, blocks),
        }
        at = self._file.tell()
        self._file.write(number_bytes(len(entries)) + b"".join(entries[name] for name in sorted(entries)))
        self._file.write(at.to_bytes(_OFFSET_BYTES, "big") + _VERSION + _MAGIC)

    def _end_block(self, block: _Block) -> None:
        self._regions.append(block.end())
        self._keys.append(_with_length(self._last_key) + number_bytes(self._records_of_block))
        self._block, self._records_of_block = None, 0

    def _entry(self, name: str, compression: str, content: bytes) -> bytes:
        """Writes a block that is no data; how it is found."""
        block = _Block(self._file, compression)
        block.write(content)
        return _name_bytes(name) + _name_bytes(compression) + block.end().to_bytes()
