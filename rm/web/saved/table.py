"""Rows as CSV and JSON: every one, in the order and with the columns that a list shows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from yarnbox.rm.web.grids import value_in
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.http import notation

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe: the name of an
    application is anybody's.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows([_cell(value) for value in row] for row in (heads, *rows))
    return text.getvalue()


def list_csv(columns: Sequence[Answer], rows: Iterable[Answer]) -> str:
    """Rows of a list, by its columns."""
    cells = ([value_in(column, row) for column in columns] for row in rows)
    return csv_text([one["name"] for one in columns], cells)


def _cell(value: object) -> object:
    """Numbers and nothing as they are, all else as a browser writes it."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    text = value if isinstance(value, str) else notation.natural(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def json_rows(rows: Iterable[Answer]) -> str:
    """A list of objects, one a line."""
    return "[" + ",".join("\n" + notation.natural(row) for row in rows) + "\n]\n"
