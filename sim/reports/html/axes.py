"""Axes: how amounts and times are named, spans of time, and points thinned out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

Point = tuple[float, float | None]

_NAMED_MS = (1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 360_000_000)


def span_ticks(low_ms: float, high_ms: float) -> list[float]:
    """Spans of time between two, about a power of ten apart."""
    return [one for one in _NAMED_MS if low_ms <= one <= high_ms]


def amount_text(value: float) -> str:
    """`950`, `12.5k`, `3.2M`: three digits are enough for a tick."""
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            return f"{value / (1e3 if suffix == 'k' else limit):.4g}{suffix}"
    return f"{value:.4g}"


def percent_text(value: float) -> str:
    """A share of 1."""
    return f"{100 * value:.3g} %"


def moment_text(value_ms: float) -> str:
    """`1:05:00` since the start, or `3d 0:00:00`."""
    minutes, seconds = divmod(round(value_ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    clock = f"{hours}:{minutes:02d}:{seconds:02d}"
    return f"{days}d {clock}" if days else clock


_SPANS = ((3 * 3_600_000, 3_600_000, "h"), (300_000, 60_000, "min"), (1000, 1000, "s"))


def span_text(value_ms: float) -> str:
    """`850 ms`, `12.5 s`, `42 min`, `3.1 h`."""
    for limit_ms, unit_ms, unit in _SPANS:
        if abs(value_ms) >= limit_ms:
            amount = value_ms / unit_ms
            return f"{amount:.3g} {unit}" if amount < 1000 else f"{amount:.0f} {unit}"
    return f"{value_ms:.3g} ms" if value_ms else "0"


def thinned(points: Iterable[Point], count: int, most: int) -> list[Point]:
    """Of `count` points, or fewer, at most about so many: of each run of neighbours the lowest and the
    highest stay.
    """
    if count <= most:
        return list(points)
    width = -(-2 * count // most)
    found: list[Point] = []
    rest = iter(points)
    while run := list(islice(rest, width)):
        known = [(y, x) for x, y in run if y is not None]
        if not known:
            found.append(run[0])
            continue
        kept = dict.fromkeys((x, y) for y, x in (min(known), max(known)))
        found += sorted(kept, key=lambda one: one[0])
    return found
