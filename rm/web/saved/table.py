"""Rows as CSV and JSON: every one, in the order and with the columns that a list shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from yarnbox.rm.web.grids import value_in
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.http import notation

_FORMULA = re.compile(r"[=+\-@\t\r]")
_QUOTED = re.compile(r'[",\n\r]')


def csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe: the name of an
    application is anybody's.
    """
    return "".join(f"{','.join(map(_cell, row))}\r\n" for row in (heads, *rows))


def list_csv(columns: Sequence[Answer], rows: Iterable[Answer]) -> str:
    """Rows of a list, by its columns."""
    cells = ([value_in(column, row) for column in columns] for row in rows)
    return csv([one["name"] for one in columns], cells)


def _cell(value: object) -> str:
    text = _text(value)
    if not isinstance(value, int | float) and _FORMULA.match(text):
        text = f"'{text}"
    if _QUOTED.search(text):
        text = text.replace('"', '""')
        return f'"{text}"'
    return text


def _text(value: object) -> str:
    """As a browser writes it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return notation.natural(value)


def json_rows(rows: Iterable[Answer]) -> str:
    """A list of objects, one a line."""
    return "[" + ",".join("\n" + notation.natural(row) for row in rows) + "\n]\n"
