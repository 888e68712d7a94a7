"""Moments as people and servers write them, in ms since 1970."""

from __future__ import annotations

import re
from calendar import monthrange, timegm

from yarnbox.sim.load.jobs import InvalidTraceError

_SPAN = re.compile(r"(\d{1,6})([mhd])", re.ASCII)
_UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DATE = r"(\d{4})-(\d\d)-(\d\d)"
_TIME = r"(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?(Z|GMT|[+-]\d\d:\d\d)?)?"
_MOMENT = re.compile(_DATE + _TIME, re.ASCII)


def moment_ms(text: str, now_ms: int | None) -> int:
    """`1795391508945`, `2026-11-01`, `2026-11-01T08:00` (UTC) or `7d` before now; 0 for "", since ever."""
    if not text:
        return 0
    if text.isascii() and text.isdigit() and len(text) <= 15:
        return int(text)
    span = _SPAN.fullmatch(text)
    if span is not None:
        if now_ms is None:
            raise InvalidTraceError(
                f"--since {text}: when these answers were given is not known; name a date"
            )
        return max(0, now_ms - int(span[1]) * _UNITS_MS[span[2]])
    found_ms = date_ms(text)
    if found_ms is None:
        wanted = "a date like 2026-11-01T08:00, a span like 7d or 12h, or ms since 1970"
        raise InvalidTraceError(f"--since {text}: has to be {wanted}")
    return found_ms


def date_ms(text: str) -> int | None:
    """`2026-11-01`, `2026-11-01T08:00+01:00`, `2026-11-01T08:00:00.000GMT`; UTC where no zone is named."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    if not (year and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]):
        return None
    seconds = timegm((year, month, day, hour, minute, second))
    zone = match[8]
    if zone is not None and zone[0] in "+-":
        away_s = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
        seconds += -away_s if zone[0] == "+" else away_s
    return seconds * 1000 + int((match[7] or "").ljust(3, "0"))
