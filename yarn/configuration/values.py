"""The grammars of property values, as the typed getters of Hadoop's Configuration read them.

Every function takes the text of a value, surrounding blanks included, and returns the value, or raises
ValueError whose text says what is allowed ("an integer"), for the fault that names property and place. Where
Hadoop's getters shrug and take a default (a boolean that is neither `true` nor `false`), these refuse: a
misspelt `ture` is a mistake.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import TypeVar

E = TypeVar("E", bound=Enum)

MAXIMUM_INT = 2**31 - 1
MAXIMUM_LONG = 2**63 - 1

_DECIMAL = re.compile(r"[+-]?[0-9]+")
_HEXADECIMAL = re.compile(r"-?0[xX][0-9a-fA-F]+")
_FLOAT = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")
_SIZE = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)) *([a-z]*)")
_SEPARATOR = re.compile(r"[,\n]")
_CLASS_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:[.:][A-Za-z_$][\w$]*)*")

# Longest suffix first, as Hadoop looks for them: `ms` is not minutes of something ending in `s`.
_DURATION_NS = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60 * 1_000_000_000,
    "h": 3_600 * 1_000_000_000,
    "d": 86_400 * 1_000_000_000,
}
TIME_UNITS = {**_DURATION_NS, "secs": _DURATION_NS["s"], "min": _DURATION_NS["m"], "days": _DURATION_NS["d"]}

_SIZE_NAMES = (
    ("b", "bytes"),
    ("k", "kb", "kilobytes"),
    ("m", "mb", "megabytes"),
    ("g", "gb", "gigabytes"),
    ("t", "tb", "terabytes"),
    ("p", "pb", "petabytes"),
    ("e", "eb", "exabytes"),
)
SIZE_UNITS: Mapping[str, int] = {
    name: 1 << 10 * power for power, names in enumerate(_SIZE_NAMES) for name in names
}


def integer(text: str, maximum: int = MAXIMUM_INT) -> int:
    """A decimal integer or `0x...`, within Java's int; `long` for the wider range."""
    trimmed = text.strip()
    if _HEXADECIMAL.fullmatch(trimmed):
        value = int(trimmed, 16)
    elif _DECIMAL.fullmatch(trimmed):
        value = int(trimmed)
    else:
        raise ValueError("an integer (decimal, or hexadecimal as 0x...)")
    if not -maximum - 1 <= value <= maximum:
        raise ValueError(f"an integer from {-maximum - 1} to {maximum}")
    return value


def long(text: str) -> int:
    """An integer within Java's long."""
    return integer(text, MAXIMUM_LONG)


def number(text: str) -> float:
    """A finite floating point number; Java's suffixes `f` and `d` are allowed."""
    match = _FLOAT.fullmatch(text.strip())
    value = float(match.group(1)) if match else math.inf
    if not math.isfinite(value):
        raise ValueError("a number")
    return value


def single(text: str) -> float:
    """A number as Java's float holds it: `0.2` becomes 0.20000000298, and comparisons end as Java's do."""
    try:
        value: float = struct.unpack("<f", struct.pack("<f", number(text)))[0]
    except OverflowError:
        raise ValueError("a number of at most 3.4e38") from None
    return value


def boolean(text: str) -> bool:
    """`true` or `false`, in any case."""
    lowered = text.strip().lower()
    if lowered not in ("true", "false"):
        raise ValueError("true or false")
    return lowered == "true"


def strings(text: str) -> tuple[str, ...]:
    """The parts between commas or line ends, trimmed; empty ones at the end do not count."""
    parts = [part.strip() for part in _SEPARATOR.split(text.strip())]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def duration(text: str, unit: str = "ms", default_unit: str | None = None) -> int:
    """`10s`, `5m`, `2h`, `1d`, `500ms`, `7us`, `9ns`, or a plain number of `default_unit`.

    The answer is in whole `unit`s, cut.
    """
    lowered = text.strip().lower()
    suffix = next((s for s in _DURATION_NS if lowered.endswith(s)), None)
    digits = lowered if suffix is None else lowered[: -len(suffix)]
    if not _DECIMAL.fullmatch(digits):
        raise ValueError(
            f"a duration: an integer of {default_unit or unit}, or with a unit (ns, us, ms, s, m, h, d)"
        )
    if suffix is None and (default_unit is None or default_unit == unit):
        value = int(digits)
    else:
        nanoseconds = int(digits) * TIME_UNITS[suffix or default_unit or unit]
        value = abs(nanoseconds) // TIME_UNITS[unit]
        value = value if nanoseconds >= 0 else -value
    if abs(value) > MAXIMUM_LONG:
        raise ValueError(f"a duration of at most {MAXIMUM_LONG} {unit}")
    return value


def size_bytes(text: str, default_unit: str = "b") -> int:
    """`512`, `64k`, `1.5GB`, `100 megabytes`: whole bytes, rounded down; prefixes are powers of 1024."""
    match = _SIZE.fullmatch(text.strip().lower())
    if match is None or (match.group(2) and match.group(2) not in SIZE_UNITS):
        raise ValueError(
            "a size: a number with an optional unit (b, k, m, g, t, p, e, or kb, mb, gb, tb, pb, eb)"
        )
    value = Fraction(match.group(1)) * SIZE_UNITS[match.group(2) or default_unit]
    if abs(value) > MAXIMUM_LONG:
        raise ValueError(f"a size of at most {MAXIMUM_LONG} bytes")
    return math.floor(value)


def percent(text: str) -> float:
    """`12.5` or `12.5%`: a number from 0 to 100."""
    try:
        value = number(text.strip().removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise ValueError("a percentage from 0 to 100")
    return value


def enumerated(text: str, kind: type[E]) -> E:
    """A member of `kind` by its value, if that is a string, or by its name; case does not matter."""
    wanted = text.strip().lower()
    for member in kind:
        if wanted == enumeration_word(member).lower():
            return member
    raise ValueError("one of " + ", ".join(enumeration_word(member) for member in kind))


def enumeration_word(member: Enum) -> str:
    """How a member is written in a file: by its value if that is a string, else by its name."""
    return member.value if isinstance(member.value, str) else member.name


def class_name(text: str, aliases: Mapping[str, str] | None = None) -> str:
    """A dotted class name (`:` may stand before the last part), or a short alias for a known one."""
    trimmed = text.strip()
    known = aliases or {}
    if trimmed.lower() in known:
        return known[trimmed.lower()]
    if trimmed in known.values() or ("." in trimmed and _CLASS_NAME.fullmatch(trimmed)):
        return trimmed
    raise ValueError(("one of " + ", ".join(known) + ", or " if known else "") + "a dotted class name")
