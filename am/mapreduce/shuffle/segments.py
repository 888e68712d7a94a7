"""Segments: sorted records in a file or in memory, some thousand at a time.

    block     count, raw length, stored length, check sum; then the stored bytes
    stored    the raw bytes, or what a codec makes of them where that is shorter
    raw       the lengths of all keys and all values, then all keys, then all values
    the end   a block that counts 0, with the number of the segment's records in place of the raw length

Keys and values stand together by kind, so that a block is taken apart and put together by loops that run in
C, and compresses better. A damaged block is noticed before anything of it is used. Hadoop: IFile.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from itertools import accumulate
from typing import BinaryIO, NamedTuple

from yarnbox.am.mapreduce.codecs import Codec
from yarnbox.am.mapreduce.shuffle.records import Pair

Batch = list[Pair]
"""Some records, in order."""

BLOCK_RECORDS = 2048
BLOCK_BYTES = 64 * 1024
"""A block has at most so many records and, unless a single record is larger, about so many bytes."""

_HEADER = struct.Struct(">III")
_CHECKSUM = struct.Struct(">I")
_HEADER_BYTES = _HEADER.size + _CHECKSUM.size


class CorruptSegmentError(Exception):
    """A segment that is damaged, or does not end as it should."""


class Written(NamedTuple):
    """What became of the records: how many, and the segment's length before and after compression."""

    records: int
    raw_length: int
    length: int


class _Block(NamedTuple):
    records: int
    raw_length: int
    stored: bytes


# Writing.


class SegmentWriter:
    """A segment on its way into a stream: batch by batch, small ones put together, large ones cut."""

    def __init__(self, stream: BinaryIO, codec: Codec | None = None) -> None:
        self._stream = stream
        self._codec = codec
        self._pending: Batch = []
        self._pending_bytes = 0
        self._records = 0
        self._raw_length = 0
        self._length = 0

    def write(self, batch: Batch) -> None:
        for at in range(0, len(batch), BLOCK_RECORDS):
            for part, size in _halved(batch[at : at + BLOCK_RECORDS]):
                records = len(self._pending) + len(part)
                if self._pending and (
                    self._pending_bytes + size > 2 * BLOCK_BYTES or records > BLOCK_RECORDS
                ):
                    self._write_block()
                self._pending.extend(part)
                self._pending_bytes += size

    def close(self) -> Written:
        """Writes the rest and the end of the segment."""
        if self._pending:
            self._write_block()
        self._put(_Block(0, self._records & 0xFFFFFFFF, b""), 0)
        return Written(self._records, self._raw_length, self._length)

    def _write_block(self) -> None:
        raw = _packed(self._pending)
        stored = raw if self._codec is None else self._codec.compress(raw)
        if len(stored) >= len(raw):
            stored = raw
        self._put(_Block(len(self._pending), len(raw), stored), len(raw))
        self._records += len(self._pending)
        self._pending, self._pending_bytes = [], 0

    def _put(self, block: _Block, raw_length: int) -> None:
        self._stream.write(_framed(block))
        self._raw_length += _HEADER_BYTES + raw_length
        self._length += _HEADER_BYTES + len(block.stored)


def _halved(block: Batch) -> Iterator[tuple[Batch, int]]:
    size = sum(map(len, map(b"".join, block)))
    if size <= 2 * BLOCK_BYTES or len(block) == 1:
        yield block, size
        return
    middle = len(block) // 2
    yield from _halved(block[:middle])
    yield from _halved(block[middle:])


def _packed(block: Batch) -> bytes:
    keys, values = zip(*block, strict=True)
    lengths = struct.pack(f"<{2 * len(block)}I", *map(len, keys), *map(len, values))
    return b"".join((lengths, *keys, *values))


def _framed(block: _Block) -> bytes:
    header = _HEADER.pack(block.records, block.raw_length, len(block.stored))
    checksum = zlib.crc32(block.stored, zlib.crc32(header))
    return b"".join((header, _CHECKSUM.pack(checksum), block.stored))


def _end(records: int) -> bytes:
    return _framed(_Block(0, records & 0xFFFFFFFF, b""))


# Reading.


def read_segment(stream: BinaryIO, codec: Codec | None = None) -> Iterator[Batch]:
    """The records of a segment; CorruptSegmentError at what is damaged."""
    for block in _blocks(stream):
        yield _unpacked(_raw(block, codec), block.records)


def decompressed(stream: BinaryIO, codec: Codec | None) -> bytes:
    """The segment as it would be without compression."""
    out = io.BytesIO()
    records = 0
    for block in _blocks(stream):
        out.write(_framed(block._replace(stored=_raw(block, codec))))
        records += block.records
    out.write(_end(records))
    return out.getvalue()


def copy_segment(stream: BinaryIO, file: BinaryIO) -> int:
    """Copies a segment as it is stored, having looked at every block; its length."""
    records = length = 0
    for block in _blocks(stream):
        length += file.write(_framed(block))
        records += block.records
    return length + file.write(_end(records))


def _blocks(stream: BinaryIO) -> Iterator[_Block]:
    records = 0
    while True:
        head = stream.read(_HEADER_BYTES)
        if len(head) != _HEADER_BYTES:
            raise CorruptSegmentError("the segment ends too early")
        count, raw_length, length = _HEADER.unpack_from(head)
        checksum = zlib.crc32(head[: _HEADER.size])
        if count == 0 and head[_HEADER.size :] == _CHECKSUM.pack(checksum):
            if raw_length != records & 0xFFFFFFFF:
                raise CorruptSegmentError(f"the segment has {records} records, not {raw_length}")
            return
        stored = _exactly(stream, length)
        if head[_HEADER.size :] != _CHECKSUM.pack(zlib.crc32(stored, checksum)):
            raise CorruptSegmentError("a check sum of the segment is wrong")
        records += count
        yield _Block(count, raw_length, stored)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    parts = []
    while length:
        data = stream.read(length)
        if not data:
            raise CorruptSegmentError("the segment ends within a block")
        parts.append(data)
        length -= len(data)
    return b"".join(parts)


def _raw(block: _Block, codec: Codec | None) -> bytes:
    if len(block.stored) == block.raw_length:
        return block.stored
    if codec is None:
        raise CorruptSegmentError("the segment is compressed, and nobody says how")
    try:
        raw = codec.decompress(block.stored)
    except codec.errors as error:
        raise CorruptSegmentError(f"a block cannot be decompressed: {error}") from error
    if len(raw) != block.raw_length:
        raise CorruptSegmentError(f"a block has {len(raw)} bytes, not {block.raw_length}")
    return raw


def _unpacked(raw: bytes, count: int) -> Batch:
    head = 8 * count
    if len(raw) < head:
        raise CorruptSegmentError("a block is shorter than its lengths")
    ends = list(accumulate(struct.unpack_from(f"<{2 * count}I", raw), initial=head))
    if ends[-1] != len(raw):
        raise CorruptSegmentError("a block is not as long as its records")
    parts = list(map(raw.__getitem__, map(slice, ends, ends[1:])))
    return list(zip(parts[:count], parts[count:], strict=True))
