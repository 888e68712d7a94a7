"""Java's notations: numbers, dates, null, and the box around a table."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.client import text
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.errors import IllegalArgumentError

NOVEMBER = 1_700_000_001_042


@pytest.mark.parametrize(
    "value, shown",
    [
        (0.0, "0%"),
        (0.125, "12.5%"),
        (1.0, "100%"),
        (0.375, "37.5%"),
        (0.005, ".5%"),
        (1 / 3, "33.33%"),
        (0.00001, "0%"),
        (12.5, "1250%"),
        (float("nan"), "NaN"),
    ],
)
def test_progress(value: float, shown: str) -> None:
    assert text.decimal("###.##%", value) == shown


@pytest.mark.parametrize(
    "value, shown",
    [
        (0, ".00"),
        (60.0, "60.00"),
        (41.666668, "41.67"),
        (-1, "-1.00"),
        (0.5, ".50"),
        (0.125, ".12"),
        (-0.0, "-.00"),
    ],
)
def test_two_places_without_a_zero_before_the_point(value: float, shown: str) -> None:
    assert text.decimal("#.00", value) == shown


def test_two_places_with_it() -> None:
    assert text.decimal("0.00", 0) == "0.00"
    assert text.decimal("0.00", 2) == "2.00"


@pytest.mark.parametrize(
    "value, shown",
    [
        (0.0, "0.0"),
        (1.5, "1.5"),
        (0.7, "0.7"),
        (41.666666666666664, "41.666668"),
        (100.0, "100.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (12345678.0, "1.2345678E7"),
        (1e7, "1.0E7"),
        (-2.25, "-2.25"),
        (1e10, "1.0E10"),
    ],
)
def test_floats(value: float, shown: str) -> None:
    assert text.java_float(value) == shown


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_reads_back(value: float) -> None:
    assert text.float32(float(text.java_float(value))) == value


def test_values() -> None:
    assert [text.java(v) for v in (None, True, NodeState.LOST, 7)] == ["null", "true", "LOST", "7"]
    assert text.java_set([]) == "[]"
    assert text.java_set([NodeState.LOST, "a"]) == "[LOST, a]"
    assert text.line("%4s\t%-3s|", "longer", None) == "longer\tnull|\n"


def test_times() -> None:
    assert text.timestamp(NOVEMBER, UTC) == "Tue Nov 14 22:13:21 +0000 2023"
    assert text.timestamp(NOVEMBER, timezone(timedelta(hours=-8))) == "Tue Nov 14 14:13:21 -0800 2023"
    assert text.timestamp(0, UTC) == text.timestamp(None, UTC) == "N/A"
    assert text.iso8601(1_777_629_600_000, UTC) == "2026-05-01T10:00:00.000+0000"
    assert text.time_of_day(NOVEMBER, UTC) == "22:13:21"


def test_health_time_has_a_twelve_hour_clock_and_two_digits_of_ms() -> None:
    assert text.health_time(NOVEMBER, UTC) == "Tue 14/Nov/23 10:13:21:42UTC"
    assert text.health_time(NOVEMBER + 300, ZoneInfo("Europe/Berlin")) == "Tue 14/Nov/23 11:13:21:342CET"
    assert text.health_time(1_699_920_000_005, UTC) == "Tue 14/Nov/23 12:00:00:05UTC"


def test_a_time_beyond_all_calendars_is_refused() -> None:
    with pytest.raises(IllegalArgumentError):
        text.iso8601(1 << 62, UTC)


def test_box_centres_with_the_surplus_blank_on_the_right() -> None:
    assert text.box("2 found", ["Name", "State"], [["a", "RUNNING"], ["long one", "x"]]) == (
        "+--------------------+\n"
        "|      2 found       |\n"
        "+----------+---------+\n"
        "|   Name   |  State  |\n"
        "+----------+---------+\n"
        "|    a     | RUNNING |\n"
        "| long one |    x    |\n"
        "+----------+---------+\n"
    )


def test_box_without_rows_ends_after_the_heads_and_cuts_the_title() -> None:
    assert text.box("0 queues were found", ["A", "B"], []) == (
        "+-------+\n| 0 que |\n+---+---+\n| A | B |\n+---+---+\n"
    )
