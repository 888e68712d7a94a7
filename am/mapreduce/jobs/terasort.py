"""Records of 100 bytes, made, sorted by their first ten, and checked.

The rows are those of Hadoop's TeraGen, which are gensort's: a key of 10 bytes, 2 bytes, the row's number as
32 hexadecimal digits, 4 bytes, 48 digits, 4 bytes. Key and digits are those of a number of 128 bits that
follows from the one of the row before; the check sum of ten million rows is 4c49607ac53602.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from yarnbox.am.mapreduce.api import Emit, MapContext, Mapper, Reducer
from yarnbox.am.mapreduce.input import FixedLengthInputFormat
from yarnbox.am.mapreduce.shuffle.records import Record
from yarnbox.am.mapreduce.splits import Chunk
from yarnbox.yarn.configuration import Configuration

KEY_BYTES = 10
RECORD_BYTES = 100
_BITS = (1 << 128) - 1
_FACTOR = 0x2360ED051FC65DA44385DF649FCCF645
_ADDEND = 0x4A696D47726179524950202020202001
"""Both of gensort's, which is a linear congruential generator that begins with 0."""


def records(first: int, count: int) -> Iterator[bytes]:
    """So many rows from that one on."""
    drawn = _drawn(first)
    for row in range(first, first + count):
        drawn = drawn * _FACTOR + _ADDEND & _BITS
        digits = b"%032X" % drawn
        filling = b"".join([digits[at : at + 1] * 4 for at in range(20, 32)])
        key = drawn.to_bytes(16, "big")[:KEY_BYTES]
        yield b"".join((key, b"\x00\x11", b"%032X" % row, b"\x88\x99\xaa\xbb", filling, b"\xcc\xdd\xee\xff"))


def _drawn(count: int) -> int:
    """The number after so many: as many squarings as `count` has bits."""
    addend = 0
    square, sum_ = _FACTOR, _ADDEND
    while count:
        if count & 1:
            addend = addend * square + sum_ & _BITS
        square, sum_ = square * square & _BITS, sum_ * square + sum_ & _BITS
        count >>= 1
    return addend


class GenerateMapper(Mapper):
    """Makes the rows of a stretch; key and value are its first row and their number."""

    def map(self, key: Any, value: Any, context: MapContext) -> None:
        context.emit_all((record, None) for record in records(key, value))


class SortMapper(Mapper):
    """Records to keys and the rest."""

    def run(self, context: MapContext) -> None:
        context.emit_all((value[:KEY_BYTES], value[KEY_BYTES:]) for _, value in context.records())


class WholeTeraFile(FixedLengthInputFormat):
    """Records of whole files, each with the path and the offset."""

    def is_splittable(self, path: Path) -> bool:
        """Never: a file is looked at from its first record to its last."""
        return False

    def records(self, chunk: Chunk, configuration: Configuration) -> Iterator[Record]:
        """Paths, offsets and records."""
        for offset, record in super().records(chunk, configuration):
            yield (chunk.path, offset), record


class ValidateMapper(Mapper):
    """Says of each file its first and last key, its check sum, and what is out of order."""

    def run(self, context: MapContext) -> None:
        """All files of the split."""
        path, first, last, checksum = "", b"", b"", 0
        for (now, offset), record in context.records():
            key = record[:KEY_BYTES]
            if now != path:
                self._say(context, path, first, last, checksum)
                path, first, checksum = now, key, 0
            elif key < last:
                context.emit("error", f"misorder in {Path(path).name} at {offset}: {last.hex()} {key.hex()}")
            last = key
            checksum += zlib.crc32(record)
        self._say(context, path, first, last, checksum)

    @staticmethod
    def _say(context: MapContext, path: str, first: bytes, last: bytes, checksum: int) -> None:
        if path:
            context.emit("file", [Path(path).name, first.hex(), last.hex()])
            context.emit("checksum", checksum)


class ValidateReducer(Reducer):
    """Looks at the bounds between files, and adds up the check sums."""

    def reduce(self, key: Any, values: Iterator[Any], emit: Emit) -> None:
        """All that was said under one word."""
        if key == "checksum":
            emit(key, f"{sum(values):x}")
        elif key == "error":
            for text in values:
                emit(key, text)
        else:
            for (one, _, last), (other, first, _) in pairwise(sorted(values)):
                if first < last:
                    emit(
                        "error", f"bad key partitioning: {one} ends with {last}, {other} begins with {first}"
                    )
