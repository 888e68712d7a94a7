"""A chart of rm/web/pages/blocks.py as a file: all values as CSV, the part that is shown as a picture.

The picture is what charts.js draws, with a legend below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from yarnbox.rm.web.pages.blocks import Values
from yarnbox.rm.web.saved import table
from yarnbox.rm.web.saved.shapes import CHARACTER, COLOURS, INK, LINE, hue, line, mixed, picture, word
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.drawing.markup import Html, element
from yarnbox.yarn.drawing.ticks import number_ticks, time_ticks
from yarnbox.yarn.http.notation import allowed

Clock = Callable[[int], str]
"""A moment in words."""
Parts = Iterator[Html]
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 900, 66, 872, 8, 170
_ROW = 16
_LEAST_MS = 1000
_PX_OF_A_TIME, _MOST_VALUES = 90, 5
_FILLED = 45
_HEADROOM = 1.05
_DASHES = {"dashed": "6 4", "dotted": "2 4"}
_MARKS = {"now": COLOURS["--accent"], "node joined": COLOURS["--used"]}


@dataclass(frozen=True, slots=True)
class Part:
    """What is shown: from when to when, and which series are not."""

    begin_ms: float | None = None
    end_ms: float | None = None
    without: Sequence[str] = ()


def chart_csv(chart: Answer, clock: Clock) -> str:
    """Every value of every series."""
    series = chart["series"]
    rows = ([clock(ms), *(one["values"][at] for one in series)] for at, ms in enumerate(chart["times"]))
    return table.csv_text(["time", *(one["name"] for one in series)], rows)


def chart_svg(chart: Answer, part: Part, clock: Clock) -> str:
    """Of what is stacked the topmost is drawn first, so that each fill covers less."""
    times = chart["times"]
    begin = times[0] if part.begin_ms is None else part.begin_ms
    end = max(begin + _LEAST_MS, times[-1] if part.end_ms is None else part.end_ms)
    lines = _lines(chart, part.without)
    field = _Field(begin, end, _highest(chart, lines, begin, end))
    shapes = [*_grid(field, chart, clock)]
    for one in reversed(lines) if chart.get("isStacked") else lines:
        shapes += _path(field, times, one, is_filled=bool(chart.get("isStacked")))
    shapes += _marks(field, chart["marks"])
    if ceiling := chart.get("ceiling"):
        y = field.y(ceiling)
        shapes.append(line(_LEFT, y, _RIGHT, y, INK, stroke_width=2, stroke_dasharray="8 4"))
    shapes += _legend(lines)
    return picture(chart["chart"], _WIDTH, _BOTTOM + _ROW * (len(lines) + 2.5), shapes)


@dataclass(frozen=True, slots=True)
class _Line:
    """A series, of what is stacked on top of those below it."""

    name: str
    values: Values
    colour: str
    dashes: str | None


@dataclass(frozen=True, slots=True)
class _Field:
    """From moments and values to places."""

    begin: float
    end: float
    highest: float

    def x(self, ms: float) -> float:
        share = (ms - self.begin) / (self.end - self.begin)
        return _LEFT + min(1.0, max(0.0, share)) * (_RIGHT - _LEFT)

    def y(self, value: float) -> float:
        return _BOTTOM - value / self.highest * (_BOTTOM - _TOP)

    def holds(self, ms: float) -> bool:
        return self.begin <= ms <= self.end


def _lines(chart: Answer, without: Sequence[str]) -> list[_Line]:
    sums = [0.0] * len(chart["times"])
    found = []
    for number, one in enumerate(chart["series"]):
        if one["name"] in without:
            continue
        values = one["values"]
        if chart.get("isStacked"):
            sums = [low + (value or 0) for low, value in zip(sums, values, strict=True)]
            values = [None if value is None else top for top, value in zip(sums, values, strict=True)]
        colour, dashes = hue(one.get("hue", number)), _DASHES.get(one.get("dashed", ""))
        found.append(_Line(one["name"], values, colour, dashes))
    return found


def _highest(chart: Answer, lines: Sequence[_Line], begin: float, end: float) -> float:
    shown = [at for at, ms in enumerate(chart["times"]) if begin <= ms <= end]
    values = (one.values[at] or 0 for one in lines for at in shown)
    return _HEADROOM * max(chart["top"], chart.get("ceiling") or 0, *values, 0) or 1.0


def _grid(field: _Field, chart: Answer, clock: Clock) -> Parts:
    for ms in time_ticks(field.begin, field.end, (_RIGHT - _LEFT) // _PX_OF_A_TIME):
        x = field.x(ms)
        yield line(x, _TOP, x, _BOTTOM, LINE)
        yield word(x, _BOTTOM + 14, clock(int(ms)), anchor="middle")
    for value in number_ticks(0, field.highest, _MOST_VALUES):
        y = field.y(value)
        yield line(_LEFT, y, _RIGHT, y, LINE)
        yield word(_LEFT - 6, y + 4, f"{value:.{chart['digits']}f}{chart['suffix']}", anchor="end")


def _path(field: _Field, times: Sequence[int], one: _Line, *, is_filled: bool) -> Parts:
    """Steps hold until the next moment; where nothing is known there is a gap. Below them lie areas."""
    steps: list[str] = []
    areas: list[str] = []
    is_begun = False
    for value, ms, until in zip(one.values, times, [*times[1:], times[-1]], strict=True):
        is_seen = value is not None and until >= field.begin and ms <= field.end
        if value is not None and is_seen:
            x, end, y = (f"{place:.1f}" for place in (field.x(ms), field.x(until), field.y(value)))
            steps.append(f"V{y}H{end}" if is_begun else f"M{x},{y}H{end}")
            areas.append(f"M{x},{y}H{end}V{_BOTTOM}H{x}Z")
        is_begun = is_seen
    if is_filled:
        fill = mixed(one.colour, _FILLED)
        yield element("path", d="".join(areas), fill=fill, shape_rendering="crispEdges")
    how = {"stroke": one.colour, "stroke_width": 1.6, "stroke_dasharray": one.dashes}
    yield element("path", d="".join(steps), fill="none", **how)


def _marks(field: _Field, marks: Sequence[Answer]) -> Parts:
    """A line for each, with its word where there is room for it."""
    free = float(_LEFT)
    for one in sorted(marks, key=lambda mark: mark["time"]):
        if not field.holds(one["time"]):
            continue
        kind, x = one["kind"], field.x(one["time"])
        colour, end = _MARKS.get(kind, COLOURS["--bad"]), x + CHARACTER * len(kind)
        how = {"stroke_width": 2} if kind == "now" else {"stroke_dasharray": "3 3"}
        parts = [
            element("title", allowed(f"{kind} {one['text']}".strip())),
            line(x, _TOP, x, _BOTTOM, colour, **how),
        ]
        if x >= free and end < _RIGHT:
            free = end + _ROW
            parts.append(word(x + 3, _TOP + 10, kind, colour))
        yield element("g", *parts)


def _legend(lines: Sequence[_Line]) -> Parts:
    for row, one in enumerate(lines, 2):
        y = _BOTTOM + row * _ROW
        how = {"stroke_width": 3, "stroke_dasharray": one.dashes}
        yield line(4, y, 22, y, one.colour, **how)
        yield word(28, y + 4, one.name)
