"""Rows as CSV and JSON: every one, in the order and with the columns that a list shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from yarnbox.rm.web.pages.heat import natural
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.http import notation

_FORMULA = re.compile(r"[=+\-@\t\r]")
_QUOTED = re.compile(r'[",\n\r]')


def csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe: the name of an
    application is anybody's.
    """
    return "".join(f"{','.join(map(_cell, row))}\r\n" for row in (heads, *rows))


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


def value_of(column: Answer, row: Answer) -> object:
    """What is sorted and saved. What has not happened yet has the moment 0: that is no value."""
    value = row.get(column["read"])
    if column["kind"] in ("moment", "logged"):
        return value or None
    if column["kind"] == "amount":
        return value["memory"] if value else None
    return value


def chosen(columns: Sequence[Answer], keys: str, rows: Sequence[Answer]) -> list[Answer]:
    """The columns with these keys, separated by commas; without any those that are shown at first, which are
    not on request alone, and in which there is something.
    """
    by_key = {one["key"]: one for one in columns}
    found = [by_key[key] for key in keys.split(",") if key in by_key]
    return found or [one for one in columns if not one.get("isOff") and _is_used(one, rows)]


def _is_used(column: Answer, rows: Sequence[Answer]) -> bool:
    is_kept = column.get("isFixed") or column.get("isCard") or not rows
    return is_kept or any(value_of(column, row) not in (None, "") for row in rows)


def ordered(columns: Sequence[Answer], rows: Sequence[Answer], sort: str) -> list[Answer]:
    """The rows by the column with that key, with `-` before it the largest first."""
    column = next((one for one in columns if one["key"] == sort.removeprefix("-")), None)
    if column is None:
        return list(rows)
    return sorted(rows, key=lambda row: _place(value_of(column, row)), reverse=sort.startswith("-"))


def _place(value: object) -> tuple[int, float, tuple[str | int, ...]]:
    """Nothing, numbers, and texts as people order them."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 1, value, ()
    text = _text(value)
    return (2, 0, natural(text)) if text else (0, 0, ())
