"""Records of 100 bytes, made, sorted by their first ten, and checked.

A record is a key of 10 bytes, 2 bytes, the row's number as 32 hexadecimal digits, 4 bytes, 48 letters, 4
bytes, as in Hadoop's TeraGen, TeraSort and TeraValidate, whose keys are others. Keys follow from the row's
number, so that the same rows are the same bytes in every run.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

from yarnbox.am.mapreduce.api import Emit, MapContext, Mapper, Reducer
from yarnbox.am.mapreduce.input import FixedLengthInputFormat
from yarnbox.am.mapreduce.splits import Chunk
from yarnbox.yarn.configuration import Configuration

KEY_BYTES = 10
RECORD_BYTES = 100
_LETTERS = [bytes([letter]) * 48 for letter in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"]


def record_of(row: int) -> bytes:
    """One row."""
    key = blake2b(row.to_bytes(16, "big"), digest_size=KEY_BYTES).digest()
    return b"".join(
        (key, b"\x00\x11", b"%032X" % row, b"\x88\x99\xaa\xbb", _LETTERS[key[0] % 26], b"\xcc\xdd\xee\xff")
    )


class GenerateMapper(Mapper):
    """Makes the rows of a stretch; key and value are its first row and their number."""

    def map(self, key: Any, value: Any, context: MapContext) -> None:
        """One stretch."""
        context.emit_all((record_of(row), None) for row in range(key, key + value))


class SortMapper(Mapper):
    """Records to keys and the rest."""

    def run(self, context: MapContext) -> None:
        """The whole split."""
        context.emit_all((value[:KEY_BYTES], value[KEY_BYTES:]) for _, value in context.records())


class WholeTeraFile(FixedLengthInputFormat):
    """Records of whole files, each with the path and the offset."""

    def is_splittable(self, path: Path) -> bool:
        """Never: a file is looked at from its first record to its last."""
        return False

    def records(self, chunk: Chunk, configuration: Configuration) -> Iterator[tuple[Any, Any]]:
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
