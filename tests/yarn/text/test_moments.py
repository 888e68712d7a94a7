"""Moments as Hadoop writes them, the farthest included."""

from __future__ import annotations

import pytest

from yarnbox.yarn.text.moments import iso8601, parse_iso8601, weekday_first

LAST_OF_9999 = 253_402_300_799_999


@pytest.mark.parametrize(
    ("moment_ms", "text", "with_weekday"),
    [
        (0, "1970-01-01T00:00:00.000+0000", "Thu Jan 01 00:00:00 +0000 1970"),
        (-1, "1969-12-31T23:59:59.999+0000", "Wed Dec 31 23:59:59 +0000 1969"),
        (1_795_224_155_007, "2026-11-21T01:22:35.007+0000", "Sat Nov 21 01:22:35 +0000 2026"),
        (LAST_OF_9999, "9999-12-31T23:59:59.999+0000", "Fri Dec 31 23:59:59 +0000 9999"),
        (LAST_OF_9999 + 1, "+10000-01-01T00:00:00.000+0000", "Sat Jan 01 00:00:00 +0000 +10000"),
        (2**63 - 1, "+292278994-08-17T07:12:55.807+0000", "Sun Aug 17 07:12:55 +0000 +292278994"),
        (10**22, "+292278994-08-17T07:12:55.807+0000", "Sun Aug 17 07:12:55 +0000 +292278994"),
    ],
)
def test_moments_near_and_far(moment_ms: int, text: str, with_weekday: str) -> None:
    assert iso8601(moment_ms) == text
    assert weekday_first(moment_ms) == with_weekday
    if moment_ms <= LAST_OF_9999:
        assert parse_iso8601(text) == moment_ms
