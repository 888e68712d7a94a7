"""From an answer and what was asked to a file.

`save` is the kind of file. `part` is the key of a list or the name of a chart among the parts of the page
that the answer says, and may be left out where there is one. Lists come with the columns that are shown, and
their rows in their order. Of a chart the picture goes from `begin` to `end`, in ms, `without` the series of
these names.

The part of an answer of containers is called `containers`: a list of their lives, and a stream, of which the
picture goes from `begin` to `end` and from the lane `first` to `last`. `lanes` and `colour` are keys of its
choices, `present` is a moment that is marked, `name` what the picture is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from yarnbox.rm.web.refusals import RestError
from yarnbox.rm.web.saved import chart, stream, table
from yarnbox.rm.web.saved.chart import Clock
from yarnbox.rm.web.values import Answer

Query = Mapping[str, Sequence[str]]
"""The parameters, with all their values."""
_TYPES = {"csv": "text/csv", "json": "application/json", "svg": "image/svg+xml"}
_UNSAFE = re.compile(r"[^A-Za-z0-9_.]+")
"""What some file system does not take."""
_LONGEST_NAME = 80
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,20})?(e-[0-9]{1,2})?")
"""As browsers write them; larger ones are no moments."""
_LEAST_TIMES = 2


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


def file_of(answer: Any, query: Query, clock: Clock) -> File:
    """The file; RestError where there is no such part, or it cannot be had as that. Moments in words are by
    the clock.
    """
    kind, wanted = _first(query, "save"), _first(query, "part")
    if kind not in _TYPES:
        raise _wrong(f"save has to be {', '.join(_TYPES)}, not {kind}")
    parts = dict(_parts(answer))
    if not parts:
        raise _wrong("there is nothing here that can be saved")
    if wanted not in parts and (wanted or len(parts) > 1):
        raise _wrong(f"part has to be one of: {', '.join(parts)}")
    name = wanted or next(iter(parts))
    part = parts[name]
    write = _CHART if "chart" in part else _STREAM if "stream" in part else _LIST
    if kind not in write:
        raise _wrong(f"{name} can be saved as {' or '.join(write)}")
    text = write[kind](_Wanted(answer, part, query, clock))
    called = _UNSAFE.sub("-", f"{_first(query, 'name')} {name}").strip("-.")[:_LONGEST_NAME]
    return File(f"{called or 'saved'}.{kind}", _TYPES[kind], text)


def _parts(answer: Any) -> Iterator[tuple[str, Answer]]:
    """By the names by which they are asked for."""
    if isinstance(answer, dict):
        yield from _shown(answer.get("block", ()))
        if "traits" in answer:
            life = answer["traits"]["life"]
            yield "containers", {"stream": "containers", "grid": "container", "columns": life}


def _shown(block: Iterable[Answer]) -> Iterator[tuple[str, Answer]]:
    for one in block:
        if "grid" in one:
            yield one["id"], one
        if "chart" in one:
            yield one["chart"], one
        yield from _shown(one.get("section") or one.get("folded") or ())


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A part of an answer, and how it is to be shown."""

    answer: Answer
    part: Answer
    query: Query
    clock: Clock


def _rows(wanted: _Wanted) -> list[Answer]:
    found = wanted.part["grid"]
    return list(wanted.answer.get(found, ()) if isinstance(found, str) else found)


def _chart_svg(wanted: _Wanted) -> str:
    if len(wanted.part["times"]) < _LEAST_TIMES:
        raise _wrong("there are no samples yet")
    begin_ms, end_ms = (_number(wanted.query, name) for name in ("begin", "end"))
    part = chart.Part(begin_ms, end_ms, wanted.query.get("without", ()))
    return chart.chart_svg(wanted.part, part, wanted.clock)


def _stream_svg(wanted: _Wanted) -> str:
    if not wanted.answer["container"]:
        raise _wrong("there are no containers yet")
    query = wanted.query
    begin_ms, end_ms, first, last, present_ms = (
        _number(query, name) for name in ("begin", "end", "first", "last", "present")
    )
    view = stream.View(
        time=(begin_ms, end_ms),
        rows=(first, last),
        lanes=_first(query, "lanes"),
        colour=_first(query, "colour"),
        present_ms=present_ms,
        name=_first(query, "name"),
    )
    return stream.stream_svg(wanted.answer, view, wanted.clock)


_Write = Mapping[str, Callable[[_Wanted], str]]
"""A part as a file of each kind."""
_LIST: _Write = {
    "csv": lambda wanted: table.list_csv(wanted.part["columns"], _rows(wanted)),
    "json": lambda wanted: table.json_rows(_rows(wanted)),
}
_CHART: _Write = {"csv": lambda wanted: chart.chart_csv(wanted.part, wanted.clock), "svg": _chart_svg}
_STREAM: _Write = {**_LIST, "svg": _stream_svg}


def _first(query: Query, name: str) -> str:
    return next(iter(query.get(name, ())), "")


def _number(query: Query, name: str) -> float | None:
    text = _first(query, name)
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise _wrong(f"{name} has to be a number, not {text}")
    return float(text)


def _wrong(message: str) -> RestError:
    return RestError(400, "org.apache.hadoop.yarn.webapp.BadRequestException", message)
