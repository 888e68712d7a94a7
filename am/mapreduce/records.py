"""Keys and values as bytes: one encoding, whose order is the order of the values.

Map output is sorted, merged and grouped as bytes, without looking inside: text and bytes in their own order,
numbers by size, everything else by its JSON. A segment is a run of records with an end mark and a check sum.
Answers for Text, IntWritable and their RawComparators, and for IFile.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

Pair = tuple[bytes, bytes]
"""An encoded key and an encoded value."""

_LENGTHS = struct.Struct(">II")
_CHECKSUM = struct.Struct(">I")
_END = 0xFFFFFFFF
_DOUBLE = struct.Struct(">Q")
_SIGN = 1 << 63


class CorruptSegmentError(Exception):
    """A segment that does not end with its mark and check sum."""


def encode(value: Any) -> bytes:
    """The bytes of a key or value; of two values of one kind the smaller has the smaller bytes."""
    kind = type(value)
    if kind is bytes:
        return b"b" + bytes(value)
    if kind is str:
        return b"s" + str(value).encode("utf-8", "surrogateescape")
    if kind is int:
        return _encode_integer(int(value))
    if kind is float:
        bits: int = _DOUBLE.unpack(struct.pack(">d", value))[0]
        return b"f" + _DOUBLE.pack(bits ^ (0xFFFFFFFFFFFFFFFF if bits & _SIGN else _SIGN))
    return b"j" + json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def decode(data: bytes) -> Any:
    """The value of those bytes; a tuple comes back as a list."""
    kind = data[:1]
    if kind == b"b":
        return data[1:]
    if kind == b"s":
        return data[1:].decode("utf-8", "surrogateescape")
    if kind == b"i":
        return _decode_integer(data)
    if kind == b"f":
        (bits,) = _DOUBLE.unpack(data[1:])
        bits ^= _SIGN if bits & _SIGN else 0xFFFFFFFFFFFFFFFF
        return struct.unpack(">d", _DOUBLE.pack(bits))[0]
    return json.loads(data[1:])


def _encode_integer(value: int) -> bytes:
    """The length first, for more digits are a larger number; a negative one as its complement."""
    magnitude = value if value >= 0 else -value - 1
    length = (magnitude.bit_length() + 7) // 8
    if length > 127:
        raise OverflowError("an integer of more than 1016 bits is no key or value")
    if value >= 0:
        return b"i" + bytes([128 + length]) + magnitude.to_bytes(length, "big")
    return b"i" + bytes([127 - length]) + ((1 << 8 * length) - 1 - magnitude).to_bytes(length, "big")


def _decode_integer(data: bytes) -> int:
    first = data[1]
    if first >= 128:
        return int.from_bytes(data[2:], "big")
    length = 127 - first
    return -((1 << 8 * length) - 1 - int.from_bytes(data[2:], "big")) - 1


def text_of(value: Any) -> bytes:
    """A key or value as output files show it."""
    if isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogateescape")


def write_segment(records: Iterable[Pair], stream: BinaryIO) -> tuple[int, int]:
    """Writes the records and the end of the segment; the number of records and of bytes."""
    count = size = checksum = 0
    for key, value in records:
        record = b"".join((_LENGTHS.pack(len(key), len(value)), key, value))
        checksum = zlib.crc32(record, checksum)
        stream.write(record)
        count += 1
        size += len(record)
    end = _LENGTHS.pack(_END, _END) + _CHECKSUM.pack(checksum)
    stream.write(end)
    return count, size + len(end)


def read_segment(stream: BinaryIO) -> Iterator[Pair]:
    """The records of a segment; CorruptSegmentError at its end when something is wrong with it."""
    checksum = 0
    while True:
        header = stream.read(8)
        if len(header) != 8:
            raise CorruptSegmentError("the segment ends too early")
        key_length, value_length = _LENGTHS.unpack(header)
        if key_length == _END:
            break
        body = stream.read(key_length + value_length)
        if len(body) != key_length + value_length:
            raise CorruptSegmentError("the segment ends within a record")
        checksum = zlib.crc32(body, zlib.crc32(header, checksum))
        yield body[:key_length], body[key_length:]
    if stream.read(4) != _CHECKSUM.pack(checksum):
        raise CorruptSegmentError("the segment's check sum is wrong")
