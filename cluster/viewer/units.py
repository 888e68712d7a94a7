"""Times and indexes in words, as the pages of recordings say them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60, 3_600, 86_400
_TWO_DAYS = 2 * _DAY


def since(ms: int) -> str:
    """How long after the beginning of its run something was."""
    seconds, rest = divmod(ms, _SECOND)
    minutes = f"{seconds // _HOUR}:{seconds // _MINUTE % _MINUTE:02}:{seconds % _MINUTE:02}"
    return f"{minutes}.{rest:03}" if rest else minutes


def span(ms: float | None) -> str:
    """How long something took, with as much as matters."""
    if ms is None:
        return "N/A"
    if ms < _MINUTE * _SECOND:
        return f"{_rounded(ms / _SECOND, '0.1')} s"
    seconds = int(ms) // _SECOND
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min {seconds % _MINUTE} s"
    if seconds < _TWO_DAYS:
        return f"{seconds // _HOUR} h {seconds % _HOUR // _MINUTE} min"
    return f"{seconds // _DAY} d {seconds % _DAY // _HOUR} h"


def index(value: float | None) -> str:
    """A number from 0 to 1."""
    return "N/A" if value is None else str(_rounded(value, "0.001"))


def _rounded(value: float, digits: str) -> Decimal:
    """What is halfway goes up, as browsers round."""
    return Decimal(value).quantize(Decimal(digits), ROUND_HALF_UP)
