"""Keys and values as bytes: one encoding, whose order is the order of the values.

Map output is sorted, merged and grouped as bytes, without looking inside: text and bytes in their own order,
numbers by size, everything else by its JSON. Hadoop: Text, IntWritable and their RawComparators.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

Pair = tuple[bytes, bytes]
"""An encoded key and an encoded value."""
Record = tuple[Any, Any]
"""A key and a value as the job's own classes know them."""
Group = tuple[Any, Iterator[Any]]
"""A key and all its values."""

_INTEGER, _STRING, _BYTES, _FLOAT = b"isbf"
_DOUBLE = struct.Struct(">Q")
_SIGN = 1 << 63


def encode(value: Any) -> bytes:
    """The bytes of a key or value; of two values of one kind the smaller has the smaller bytes."""
    kind = type(value)
    if kind is int:
        return _SMALL[value] if 0 <= value < len(_SMALL) else _encode_integer(value)
    if kind is str:
        return b"s" + str(value).encode("utf-8", "surrogateescape")
    if kind is bytes:
        return b"b" + bytes(value)
    if kind is float:
        bits: int = _DOUBLE.unpack(struct.pack(">d", value))[0]
        return b"f" + _DOUBLE.pack(bits ^ (0xFFFFFFFFFFFFFFFF if bits & _SIGN else _SIGN))
    return b"j" + json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def decode(data: bytes) -> Any:
    """The value of those bytes; a tuple comes back as a list."""
    kind = data[0]
    if kind == _INTEGER:
        return int.from_bytes(data[2:], "big") if data[1] >= 128 else _decode_negative(data)
    if kind == _STRING:
        return data[1:].decode("utf-8", "surrogateescape")
    if kind == _BYTES:
        return data[1:]
    if kind == _FLOAT:
        (bits,) = _DOUBLE.unpack(data[1:])
        bits ^= _SIGN if bits & _SIGN else 0xFFFFFFFFFFFFFFFF
        return struct.unpack(">d", _DOUBLE.pack(bits))[0]
    return json.loads(data[1:])


def _encode_integer(value: int) -> bytes:
    """The length first, for more digits are a larger number; a negative one as its complement."""
    magnitude = value if value >= 0 else -value - 1
    length = (magnitude.bit_length() + 7) // 8
    if length > 127:
        raise OverflowError("an integer of more than 1016 bits cannot be a key or value")
    if value >= 0:
        return b"i" + bytes([128 + length]) + magnitude.to_bytes(length, "big")
    return b"i" + bytes([127 - length]) + ((1 << 8 * length) - 1 - magnitude).to_bytes(length, "big")


def _decode_negative(data: bytes) -> int:
    length = 127 - data[1]
    return -((1 << 8 * length) - 1 - int.from_bytes(data[2:], "big")) - 1


_SMALL = [_encode_integer(value) for value in range(256)]
"""Counts are small most of the time."""


def text_of(value: Any) -> bytes:
    """A key or value as output files show it."""
    if isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogateescape")
