"""From an answer and what was asked to a file.

`save` is the kind of file. `part` is the key of a list among the parts of the page that the answer says, and
may be left out where there is one. `columns` and `sort` are those of the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from yarnbox.rm.web.pages.lists import containers
from yarnbox.rm.web.refusals import RestError
from yarnbox.rm.web.saved import table
from yarnbox.rm.web.values import Answer

Query = Mapping[str, Sequence[str]]
"""The parameters, with all their values."""
_TYPES = {"csv": "text/csv", "json": "application/json", "svg": "image/svg+xml"}
_UNSAFE = re.compile(r"[^A-Za-z0-9_.]+")
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class File:
    """What is saved."""

    name: str
    kind: str
    """The media type."""
    text: str

    @property
    def headers(self) -> dict[str, str]:
        """A browser saves it, and shows nothing."""
        return {"Content-Disposition": f'attachment; filename="{self.name}"'}


def is_asked(query: Mapping[str, Any]) -> bool:
    """Whether an answer is wanted as a file."""
    return "save" in query


def file_of(answer: Any, query: Query) -> File:
    """The file; RestError where there is no such part, or it cannot be had as that."""
    kind, wanted = _first(query, "save"), _first(query, "part")
    if kind not in _TYPES:
        raise _wrong(f"save has to be {', '.join(_TYPES)}, not {kind}")
    parts = {one["id"]: one for one in _parts(answer)}
    if not parts:
        raise _wrong("there is nothing here that can be saved")
    if wanted not in parts and (wanted or len(parts) > 1):
        raise _wrong(f"part has to be one of: {', '.join(parts)}")
    part = parts[wanted or next(iter(parts))]
    if kind == "svg":
        raise _wrong(f"{part['id']} can be saved as csv or json")
    return File(_name(part["id"], kind), _TYPES[kind], _rows(answer, part, query, kind))


def _parts(answer: Any) -> Iterator[Answer]:
    if isinstance(answer, dict):
        yield from _lists(answer.get("block", ()))
        if "traits" in answer:
            yield containers("", "")


def _lists(block: Iterable[Answer]) -> Iterator[Answer]:
    for one in block:
        if "grid" in one:
            yield one
        yield from _lists(one.get("section") or one.get("folded") or ())


def _rows(answer: Answer, grid: Answer, query: Query, kind: str) -> str:
    columns, found = grid["columns"], grid["grid"]
    rows = answer.get(found, ()) if isinstance(found, str) else found
    if "traits" in answer:
        rows = [{**row, "elapsed": (row["finished"] or answer["now"]) - row["started"]} for row in rows]
    if not grid.get("isSorted"):
        rows = table.ordered(columns, rows, _first(query, "sort") or grid.get("order", ""))
    if kind == "json":
        return table.json_rows(rows)
    shown = table.chosen(columns, _first(query, "columns"), rows)
    cells = ([table.value_of(column, row) for column in shown] for row in rows)
    return table.csv([one["name"] for one in shown], cells)


def _first(query: Query, name: str) -> str:
    return next(iter(query.get(name, ())), "")


def _name(part: str, kind: str) -> str:
    """What every file system takes."""
    return f"{_UNSAFE.sub('-', part).strip('-.')[:_LONGEST_NAME] or 'saved'}.{kind}"


def _wrong(message: str) -> RestError:
    return RestError(400, "org.apache.hadoop.yarn.webapp.BadRequestException", message)
