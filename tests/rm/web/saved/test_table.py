"""Rows as CSV and JSON: what is in a file, in which order, under which heads."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from yarnbox.rm.web.saved import table


def read(text: str) -> list[list[str]]:
    assert text.endswith("\r\n")
    return list(csv.reader(io.StringIO(text, newline="")))


CELLS = some.one_of(some.none(), some.booleans(), some.integers(), some.text())


@given(some.lists(some.lists(CELLS, min_size=2, max_size=2), max_size=5))
def test_a_spreadsheet_reads_what_was_written(rows: list[list[Any]]) -> None:
    heads, *found = read(table.csv_text(["one", "two"], rows))
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
    assert table.csv_text(["head"], [[value]]) == f"head\r\n{written}\r\n"


@given(some.lists(some.dictionaries(some.text(max_size=3), some.one_of(some.text(), some.integers()))))
def test_json_is_the_rows_as_they_are(rows: list[dict[str, Any]]) -> None:
    text = table.json_rows(rows)
    assert json.loads(text) == rows
