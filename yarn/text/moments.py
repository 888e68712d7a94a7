"""Moments as Hadoop's clients write them: `2026-11-21T01:22:35.000+0000`. Hadoop: Times.formatISO8601."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_ERA_YEARS = 400
_ERA_MS = 146_097 * 24 * 3600 * 1000
"""After so many years the calendar begins again, weekdays included."""
_LAST_MS = 2**63 - 1
_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:[+-]\d{4}|Z)")


def iso8601(moment_ms: int) -> str:
    """The moment in ISO 8601 with milliseconds, in UTC."""
    year, moment = _calendar(moment_ms)
    return f"{year}{moment:-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}+0000"


def weekday_first(moment_ms: int) -> str:
    """The moment as `EEE MMM dd HH:mm:ss Z yyyy`, in UTC."""
    year, moment = _calendar(moment_ms)
    return f"{moment:%a %b %d %H:%M:%S} +0000 {year}"


def _calendar(moment_ms: int) -> tuple[str, datetime]:
    """The year as Java writes it, and the moment within one that has the same calendar: a lifetime may end
    when no datetime can tell it.
    """
    eras, rest_ms = divmod(min(moment_ms, _LAST_MS), _ERA_MS)
    moment = _EPOCH + timedelta(milliseconds=rest_ms)
    year = moment.year + eras * _ERA_YEARS
    return (f"{year:04d}" if year <= datetime.max.year else f"+{year}"), moment


def parse_iso8601(text: str) -> int:
    """The moment in milliseconds since 1970; ValueError when the text is not of this form."""
    if _FORM.fullmatch(text) is None:
        raise ValueError(f"a moment as yyyy-MM-dd'T'HH:mm:ss.SSSZ, not `{text}`")
    return (datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z") - _EPOCH) // _MILLISECOND
