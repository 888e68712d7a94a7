"""Rows as CSV and JSON: what is in a file, in which order, under which heads."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from yarnbox.rm.web.pages.blocks import column
from yarnbox.rm.web.saved import table

COLUMNS = (
    column("id", "ID", "link", isCard=True),
    column("ended", "Ended", "moment", "finished"),
    column("size", "Capability", "amount"),
    column("note", "Note"),
    column("user", "User", isOff=True),
)


def read(text: str) -> list[list[str]]:
    assert text.endswith("\r\n")
    return list(csv.reader(io.StringIO(text, newline="")))


CELLS = some.one_of(some.none(), some.booleans(), some.integers(), some.text())


@given(some.lists(some.lists(CELLS, min_size=2, max_size=2), max_size=5))
def test_a_spreadsheet_reads_what_was_written(rows: list[list[Any]]) -> None:
    heads, *found = read(table.csv(["one", "two"], rows))
    assert heads == ["one", "two"]
    for wanted, cells in zip(rows, found, strict=True):
        for value, cell in zip(wanted, cells, strict=True):
            if isinstance(value, str):
                assert cell.removeprefix("'") == value.removeprefix("'")
                assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
            else:
                assert cell == ("" if value is None else json.dumps(value))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"),
        ('say "no", please', '"say ""no"", please"'),
        ("two\nlines", '"two\nlines"'),
        (-1, "-1"),
        (50.0, "50"),
        (0.25, "0.25"),
        (["-a", "b"], '"[""-a"",""b""]"'),
    ],
)
def test_a_cell(value: object, written: str) -> None:
    assert table.csv(["head"], [[value]]) == f"head\r\n{written}\r\n"


def test_a_file_has_values_and_what_has_not_happened_has_none() -> None:
    row = {"id": "a", "finished": 0, "size": {"memory": 1024, "vCores": 1}}
    assert [table.value_of(one, row) for one in COLUMNS] == ["a", None, 1024, None, None]
    assert table.value_of(COLUMNS[1], {"finished": 7}) == 7
    assert table.value_of(COLUMNS[2], {"size": None}) is None


def test_the_columns_are_those_that_were_asked_for_in_their_order() -> None:
    def keys(asked: str, rows: list[dict[str, Any]]) -> list[str]:
        return [one["key"] for one in table.chosen(COLUMNS, asked, rows)]

    row = {"id": "", "finished": 0, "size": {"memory": 0}, "note": ""}
    assert keys("user,size,of-old,id", [row]) == ["user", "size", "id"]
    assert keys("", []) == ["id", "ended", "size", "note"], "all but those on request"
    assert keys("of-old", [row]) == ["id", "size"], "those in which there is something, and what rows are"


def test_rows_are_ordered_as_people_order_names_and_numbers() -> None:
    rows = [{"note": one} for one in ("n10", "n2", None, 5, 30.5)]

    def order(sort: str) -> list[Any]:
        return [row["note"] for row in table.ordered(COLUMNS, rows, sort)]

    assert order("note") == [None, 5, 30.5, "n2", "n10"]
    assert order("-note") == ["n10", "n2", 30.5, 5, None]
    assert order("of-old") == [row["note"] for row in rows]


@given(some.lists(some.dictionaries(some.text(max_size=3), some.one_of(some.text(), some.integers()))))
def test_json_is_the_rows_as_they_are(rows: list[dict[str, Any]]) -> None:
    text = table.json_rows(rows)
    assert json.loads(text) == rows
