"""Values as Java prints them: printf lines, DecimalFormat patterns, floats, and dates.

Scripts cut what `yarn` prints, so shapes are exact. Knows nothing of reports; a time zone is handed in, None
being that of the machine. Hadoop: PrintWriter.printf, DecimalFormat, Float.toString, Times,
FastDateFormat, StringUtils.center and FormattingCLIUtils.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from decimal import ROUND_HALF_EVEN, Decimal
from enum import Enum
from typing import Any

from yarnbox.yarn.errors import IllegalArgumentError

NOT_AVAILABLE = "N/A"

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FLOAT = struct.Struct("<f")


def java(value: Any) -> str:
    """A value as Java's string conversion shows it: null, true, the name of a constant."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return value.name
    return str(value)


def line(pattern: str, *values: Any) -> str:
    """A printf line; the pattern has %s conversions only, and nothing is cut."""
    return pattern % tuple(java(value) for value in values) + "\n"


def java_set(values: Iterable[Any]) -> str:
    """A collection in brackets."""
    return "[" + ", ".join(java(value) for value in values) + "]"


def or_na(value: Any) -> str:
    """The value, `N/A` when there is none."""
    return NOT_AVAILABLE if value is None else java(value)


# Numbers


def float32(value: float) -> float:
    """The nearest Java float; beyond the largest one, infinity."""
    try:
        return float(_FLOAT.unpack(_FLOAT.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def java_float(value: float) -> str:
    """Float.toString: the shortest digits that mean this float, at least one behind the point."""
    value = float32(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    shortest = next(text for digits in range(1, 10) if float32(float(text := f"{value:.{digits}g}")) == value)
    sign, digits_, exponent = Decimal(shortest).as_tuple()
    digits = "".join(map(str, digits_)).rstrip("0") or "0"
    point = len(digits_) + int(exponent)  # of 0.digits times ten to the power of point
    minus = "-" if sign else ""
    if value == 0:
        return f"{minus}0.0"
    if not 1e-3 <= abs(value) < 1e7:
        return f"{minus}{digits[0]}.{digits[1:] or '0'}E{point - 1}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
    return f"{minus}{whole}.{fraction or '0'}"


def decimal(pattern: str, value: float) -> str:
    """DecimalFormat for the patterns of the commands: `#` shows a digit if there is one, `0` always; a `%` at
    the end multiplies by hundred. Half goes to the even neighbour, and a zero before the point is left out
    unless the pattern has it or nothing else would be left.
    """
    percent = "%" if pattern.endswith("%") else ""
    whole_pattern, _, fraction_pattern = pattern.removesuffix("%").partition(".")
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("" if value > 0 else "-") + "∞" + percent
    exact = Decimal(value) * (100 if percent else 1)
    rounded = exact.quantize(Decimal(1).scaleb(-len(fraction_pattern)), ROUND_HALF_EVEN)
    whole, _, fraction = f"{abs(rounded):f}".partition(".")
    kept = fraction.rstrip("0").ljust(fraction_pattern.count("0"), "0")
    shown = whole.lstrip("0").rjust(whole_pattern.count("0"), "0")
    if not shown and not kept:
        shown = "0"
    minus = "-" if math.copysign(1, value) < 0 else ""
    return minus + shown + ("." + kept if kept else "") + percent


# Times


def timestamp(ms: int | None, zone: tzinfo | None) -> str:
    """`Tue Nov 14 22:13:21 +0000 2023`; `N/A` for no time at all (Times.format)."""
    if not ms or ms < 0:
        return NOT_AVAILABLE
    at = _moment(ms, zone)
    day, month = _DAYS[at.weekday()], _MONTHS[at.month - 1]
    return f"{day} {month} {at.day:02d} {at:%H:%M:%S} {at:%z} {at.year:04d}"


def iso8601(ms: int, zone: tzinfo | None) -> str:
    """`2026-05-01T10:00:00.000+0000` (Times.formatISO8601)."""
    at = _moment(ms, zone)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}{at:%z}"


def health_time(ms: int, zone: tzinfo | None) -> str:
    """`Tue 14/Nov/23 10:13:21:42UTC`, of FastDateFormat's pattern `E dd/MMM/yy hh:mm:ss:SSzz`: twelve hours,
    and the ms in at least two digits.
    """
    at = _moment(ms, zone)
    day, month = _DAYS[at.weekday()], _MONTHS[at.month - 1]
    hour = at.hour % 12 or 12
    clock = f"{hour:02d}:{at:%M:%S}:{ms % 1000:02d}{at:%Z}"
    return f"{day} {at.day:02d}/{month}/{at.year % 100:02d} {clock}"


def time_of_day(ms: int, zone: tzinfo | None) -> str:
    """`22:13:21`."""
    return f"{_moment(ms, zone):%H:%M:%S}"


def _moment(ms: int, zone: tzinfo | None) -> datetime:
    try:
        at = datetime.fromtimestamp(ms // 1000, UTC)
        return at.astimezone() if zone is None else at.astimezone(zone)
    except (OverflowError, OSError, ValueError):
        raise IllegalArgumentError(f"{ms} ms since 1970 cannot be written as a date") from None


# A box


def box(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A titled table with borders, each cell centred with at least one blank on either side; a title that is
    longer than the row is cut.
    """
    widths = [max(len(cell) for cell in column) + 2 for column in zip(heads, *rows, strict=True)]
    inner = sum(widths) + len(widths) - 1
    border = "+" + "+".join("-" * width for width in widths) + "+"
    lines = ["+" + "-" * inner + "+", "|" + _centred(title[: inner - 2], inner) + "|", border]
    lines += [_row(heads, widths), border]
    lines += [_row(row, widths) for row in rows]
    return "\n".join([*lines, border, ""] if rows else [*lines, ""])


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "|" + "|".join(_centred(cell, width) for cell, width in zip(cells, widths, strict=True)) + "|"


def _centred(cell: str, width: int) -> str:
    """The surplus blank stands on the right."""
    return (" " * ((width - len(cell)) // 2) + cell).ljust(width)
