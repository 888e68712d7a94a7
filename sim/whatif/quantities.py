"""Figures as people read them: 12.3 s, 4 min, 45.2 %, +3.1 points."""

from __future__ import annotations

from yarnbox.sim.whatif.metrics import Unit

_SHORT_MS, _LONG_MS, _VERY_LONG_MS = 100, 10 * 60_000, 10 * 3_600_000
_TINY = 0.0005


def shown(value: float | None, unit: Unit, beside: float | None = None) -> str:
    """A value; one that stands beside a larger one is in the same unit of time."""
    if value is None:
        return "-"
    if unit is Unit.TIME:
        return _span(value, max(abs(value), abs(beside or 0.0)))
    if unit is Unit.SHARE:
        return f"{100 * value:.1f} %"
    if unit is Unit.COUNT:
        return f"{value:.0f}" if value == round(value) else f"{value:.1f}"
    return f"{value:.2f}"


def signed(value: float | None, unit: Unit, beside: float | None = None) -> str:
    if value is None:
        return "-"
    sign = "+" if value > 0 else "-" if value < 0 else "±"
    if unit is Unit.SHARE:
        return f"{sign}{abs(100 * value):.1f} points"
    return sign + shown(abs(value), unit, beside)


def relative(value: float | None) -> str:
    """A part of the base, with its sign."""
    if value is None:
        return "from 0"
    if value and abs(value) < _TINY:
        return f"{100 * value:+.1g} %"
    return f"{100 * value:+.0f} %" if abs(value) >= 0.1 else f"{100 * value:+.1f} %"


def _span(value_ms: float, largest_ms: float) -> str:
    if 0 < largest_ms < _SHORT_MS:
        return f"{value_ms:.3g} ms"
    if largest_ms < _LONG_MS:
        return f"{value_ms / 1000:.1f} s"
    minutes = value_ms / 60_000
    return f"{minutes:.1f} min" if largest_ms < _VERY_LONG_MS else f"{minutes / 60:.1f} h"
