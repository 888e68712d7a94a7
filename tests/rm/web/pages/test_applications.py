"""The columns of the list of applications."""

from __future__ import annotations

from yarnbox.rm.web.finding import NUMBERS, TEXTS
from yarnbox.rm.web.pages.applications import APPLICATIONS

NUMERIC = ("progress", "count", "time", "memory", "share", "lengthOfTime")


def test_every_column_can_be_sorted_and_filtered_by() -> None:
    keys = [one["key"] for one in APPLICATIONS]
    assert sorted(keys) == sorted({*TEXTS, *NUMBERS})
    for one in APPLICATIONS:
        assert (one["kind"] in NUMERIC) == (one["key"] in NUMBERS), one["key"]


def test_a_phone_shows_what_it_is_and_how_it_went() -> None:
    cards = [one["key"] for one in APPLICATIONS if one.get("isCard")]
    assert cards == ["id", "name", "state", "final"]
