"""The language of the filter, which all lists have."""

from __future__ import annotations

import pytest

from yarnbox.rm.web.filters import Facets, Listed, parse

TEXTS = {"id": "id", "state": "state", "queue": "queue", "user": "owner"}
NUMBERS = {"mem": "usedMB"}
ROW = {"id": "n1:1", "state": "RUNNING", "queue": "root.etl.day", "usedMB": 4096, "owner": "Mei"}


@pytest.mark.parametrize(
    "text, holds",
    [
        ("n1", True),
        ("N1 lost", False),
        ("state:running", True),
        ("state:lost|running", True),
        ("state:run", False),
        ("state:", True),
        ("queue:etl", False),
        ("queue:day", True),
        ("queue:root.etl", True),
        ("queue:root.e", False),
        ("mem>4095", True),
        ("mem>=4097", False),
        ("mem=4096", True),
        ("usedmb=4096", False),
        ("depth>3", False),
        ('"n1:1"', True),
        ("id:n1:1", True),
        ("user:me", True),
    ],
)
def test_a_row_matches(text: str, holds: bool) -> None:
    row = Listed(ROW, TEXTS, NUMBERS)
    assert parse(text, TEXTS, NUMBERS).holds(row) is holds


def test_what_a_row_lacks_is_empty_and_nothing() -> None:
    row = Listed({}, TEXTS, NUMBERS)
    assert (row.texts["user"], row.number("mem")) == ("", 0)
    assert parse("mem<1", TEXTS, NUMBERS).holds(row)


def test_a_facet_counts_what_another_choice_of_it_would_bring() -> None:
    facets = Facets({"state": ["LOST"], "user": [], "queue": ["root.etl"]})
    rows = [("RUNNING", "ann", "root.etl.day"), ("LOST", "bob", "root.etl"), ("LOST", "eve", "root.adhoc")]
    passed = [facets.passes(dict(zip(("state", "user", "queue"), one, strict=True))) for one in rows]
    assert passed == [False, True, False]
    assert facets.counts() == {
        "state": {"RUNNING": 1, "LOST": 1},
        "user": {"bob": 1},
        "queue": {"root.etl": 1, "root.adhoc": 1},
    }
