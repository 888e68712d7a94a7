"""Charts as SVG. Under the pointer the browser shows the values, by the titles of invisible stripes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from yarnbox.sim.reports.html.axes import (
    Point,
    amount_text,
    moment_text,
    percent_text,
    span_text,
    span_ticks,
    thinned,
)
from yarnbox.sim.reports.html.page import wide
from yarnbox.yarn.drawing.markup import Html, element
from yarnbox.yarn.drawing.ticks import number_ticks, time_ticks

COLOURS = 8
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 260, 60, 30, 10, 34
_MOST_POINTS, _STRIPES = 1200, 90
MOST_MOMENTS = 20_000
"""More points than that need not be kept for a line that is drawn with _MOST_POINTS."""
_BAR, _GAP = 13, 9
Naming = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Series:
    """One line: points in order of x; a point without a y interrupts it."""

    name: str
    points: Sequence[Point]
    is_dashed: bool = False
    colour: int | None = None
    """Its number, 0 to 7; None: by its place."""

    def number(self, place: int) -> int:
        return (place if self.colour is None else self.colour) % COLOURS


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to places on the drawing."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        low, high = (math.log10(self.low), math.log10(self.high)) if self.is_log else (self.low, self.high)
        at = math.log10(max(value, self.low)) if self.is_log else value
        share = (at - low) / (high - low) if high > low else 0.0
        return round(self.start + share * (self.end - self.start), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axes:
    """How values are named along and up, and where the y axis ends at least."""

    x: Naming
    y: Naming
    top: float = 0.0
    step: bool = True


def time_chart(
    title: str, series: Sequence[Series], *, y: Naming = amount_text, top: float = 0.0, step: bool = True
) -> Html:
    """Amounts over time in ms. The y axis ends at `top` at least; `step`: a value holds to the next one."""
    low, high = _bounds([x for one in series for x, _ in one.points])
    across = _Scale(low, high, _LEFT, _WIDTH - _RIGHT)
    return _plot(title, series, across, time_ticks(low, high), _Axes(x=moment_text, y=y, top=top, step=step))


def distribution_chart(title: str, samples: Sequence[tuple[str, Sequence[float]]]) -> Html:
    """For each name the share of its times, in ms and in order, that are at most x; x is logarithmic, from
    1 on.
    """
    series = []
    for name, ordered in samples:
        count = len(ordered)
        points = ((max(value, 1.0), place / count) for place, value in enumerate(ordered, start=1))
        series.append(Series(name, thinned(points, count, MOST_MOMENTS)))
    low, high = _bounds([at for one in series for at, _ in one.points])
    low, high = max(low, 1.0), max(high, low * 10, 10.0)
    across = _Scale(low, high, _LEFT, _WIDTH - _RIGHT, is_log=True)
    return _plot(title, series, across, span_ticks(low, high), _Axes(x=span_text, y=percent_text, top=1.0))


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (0.0, 1.0)


def _plot(
    title: str, series: Sequence[Series], across: _Scale, x_ticks: Sequence[float], axes: _Axes
) -> Html:
    values = [value for one in series for _, value in one.points if value is not None]
    up = _Scale(min([0.0, *values]), max([axes.top, *values]) or 1.0, _HEIGHT - _BOTTOM, _TOP)
    parts = [*_grid(across, x_ticks, axes.x, up, axes.y)]
    for place, one in enumerate(series):
        kind = f"series c{one.number(place)}{' dashed' if one.is_dashed else ''}"
        path = _path(thinned(one.points, len(one.points), _MOST_POINTS), across, up, axes.step)
        parts.append(element("path", d=path, class_=kind))
    parts += _stripes(series, across, axes.x, axes.y)
    label = f"{title}: {', '.join(one.name for one in series)}"
    drawing = element("svg", *parts, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", aria_label=label)
    return element("figure", element("figcaption", title), drawing, _legend(series))


def _grid(across: _Scale, x_ticks: Sequence[float], x: Naming, up: _Scale, y: Naming) -> list[Html]:
    floor = _HEIGHT - _BOTTOM
    parts = []
    for value in number_ticks(up.low, up.high, 5):
        at = up(value)
        parts.append(element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, class_="grid"))
        parts.append(element("text", y(value), x=_LEFT - 6, y=at + 4, text_anchor="end"))
    for value in x_ticks:
        at = across(value)
        parts.append(element("line", x1=at, x2=at, y1=floor, y2=floor + 4, class_="axis"))
        parts.append(element("text", x(value), x=at, y=floor + 17, text_anchor="middle"))
    parts.append(element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=floor, y2=floor, class_="axis"))
    return parts


def _path(points: Sequence[Point], across: _Scale, up: _Scale, step: bool) -> str:
    words: list[str] = []
    is_down = False
    for x, y in points:
        if y is None:
            is_down = False
            continue
        if not is_down:
            words.append(f"M{across(x)} {up(y)}")
        elif step:
            words.append(f"H{across(x)}V{up(y)}")
        else:
            words.append(f"L{across(x)} {up(y)}")
        is_down = True
    return "".join(words)


def _stripes(series: Sequence[Series], across: _Scale, x: Naming, y: Naming) -> list[Html]:
    """Each says what holds in its middle."""
    width = (across.end - across.start) / _STRIPES
    places = [[at for at, _ in one.points] for one in series]
    parts = []
    for number in range(_STRIPES):
        share = (number + 0.5) / _STRIPES
        value = across.low + share * (across.high - across.low)
        if across.is_log:
            value = across.low * (across.high / across.low) ** share
        told = [x(value)]
        for one, xs in zip(series, places, strict=True):
            found = bisect_right(xs, value) - 1
            held = one.points[found][1] if found >= 0 else None
            if held is not None:
                told.append(f"{one.name}: {y(held)}")
        left = round(across.start + number * width, 1)
        parts.append(
            element(
                "rect",
                element("title", "\n".join(told)),
                x=left,
                y=_TOP,
                width=round(width, 1),
                height=_HEIGHT - _BOTTOM - _TOP,
                class_="hover",
            )
        )
    return parts


def _legend(series: Sequence[Series]) -> Html:
    items = []
    for place, one in enumerate(series):
        kind = f"c{one.number(place)}{' dashed' if one.is_dashed else ''}"
        items.append(element("li", element("i"), one.name, class_=kind))
    return element("ul", *items, class_="legend")


@dataclass(frozen=True, slots=True)
class Bars:
    """One colour of a bar chart: a value for each row; None draws nothing."""

    name: str
    values: Sequence[float | None]


def bar_chart(title: str, rows: Sequence[str], groups: Sequence[Bars], *, naming: Naming = span_text) -> Html:
    """Horizontal bars: for each row one of each group, with its value."""
    left, right = 150, 70
    most = max([value for one in groups for value in one.values if value is not None], default=0.0) or 1.0
    across = _Scale(0.0, most, left, _WIDTH - right)
    height = _GAP + len(rows) * (len(groups) * _BAR + _GAP)
    parts = []
    for row, name in enumerate(rows):
        start = _GAP + row * (len(groups) * _BAR + _GAP)
        middle = start + len(groups) * _BAR / 2 + 4
        label = name if len(name) <= 24 else f"…{name[-23:]}"
        parts.append(element("text", element("title", name), label, x=left - 6, y=middle, text_anchor="end"))
        for number, one in enumerate(groups):
            value = one.values[row]
            if value is None:
                continue
            y, end = start + number * _BAR, across(value)
            told = element("title", f"{name}, {one.name}: {naming(value)}")
            parts.append(
                element(
                    "rect",
                    told,
                    x=left,
                    y=y,
                    width=max(round(end - left, 1), 1),
                    height=_BAR - 2,
                    class_=f"filled c{number % COLOURS}",
                )
            )
            parts.append(element("text", naming(value), x=end + 4, y=y + 10))
    drawing = element("svg", *parts, viewBox=f"0 0 {_WIDTH} {height}", role="img", aria_label=title)
    series = [Series(one.name, ()) for one in groups]
    legend = _legend(series) if len(groups) > 1 else None
    return element("figure", element("figcaption", title), wide(drawing, title), legend)
