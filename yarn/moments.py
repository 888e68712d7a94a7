"""Moments as Hadoop's clients write them: `2026-11-21T01:22:35.000+0000`. Answers for Times.formatISO8601."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:[+-]\d{4}|Z)")


def iso8601(moment_ms: int) -> str:
    """The moment in ISO 8601 with milliseconds, in UTC."""
    moment = _EPOCH + timedelta(milliseconds=moment_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}+0000"


def weekday_first(moment_ms: int) -> str:
    """The moment as `EEE MMM dd HH:mm:ss Z yyyy`, in UTC."""
    moment = _EPOCH + timedelta(milliseconds=moment_ms)
    return moment.strftime("%a %b %d %H:%M:%S +0000 %Y")


def parse_iso8601(text: str) -> int:
    """The moment in milliseconds since 1970; ValueError when the text is not of this form."""
    if _FORM.fullmatch(text) is None:
        raise ValueError(f"a moment as yyyy-MM-dd'T'HH:mm:ss.SSSZ, which `{text}` is not")
    return (datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z") - _EPOCH) // _MILLISECOND
