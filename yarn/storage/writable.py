"""Hadoop's variable length integers: what stands before texts and blocks in token files and shuffle headers.

Pure bytes. Hadoop: WritableUtils' VInt and VLong, which are written alike.
"""

from __future__ import annotations

from collections.abc import Callable


def write_vint(value: int) -> bytes:
    """One byte from -112 to 127, else a length byte and the magnitude."""
    if -112 <= value <= 127:
        return bytes([value & 0xFF])
    first, magnitude = (-112, value) if value > 0 else (-120, -value - 1)
    body = magnitude.to_bytes((magnitude.bit_length() + 7) // 8, "big")
    return bytes([(first - len(body)) & 0xFF]) + body


def read_vint(take: Callable[[int], bytes]) -> int:
    """The integer that comes next; `take` gives exactly so many bytes, or raises."""
    first = take(1)[0]
    if first <= 127:
        return first
    signed = first - 256
    if signed >= -112:
        return signed
    if signed >= -120:
        return int.from_bytes(take(-112 - signed), "big")
    return -int.from_bytes(take(-120 - signed), "big") - 1
