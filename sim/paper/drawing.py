"""Plots as SVG files that stand alone: theory dashed, what was played with a mark at each point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from yarnbox.sim.paper.figures import Line, Plot, Unit
from yarnbox.yarn.drawing.markup import Html, element
from yarnbox.yarn.drawing.ticks import number_ticks

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 340, 64, 190, 34, 46
_COLOURS = ("#3b6fb6", "#c0562f", "#3f8f5b", "#8455a8", "#a8862b", "#3aa0a8", "#b5487a", "#6b6b6b")
_FONT = "font-family:sans-serif;font-size:12px;fill:#333"
_LINE_HEIGHT = 18


class _Axis:
    """From values to places on the drawing."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high = low, high if high > low else low + 1
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self._start + share * (self._end - self._start), 1)


def drawn(plot: Plot) -> str:
    """The plot as a whole file."""
    points = [point for line in plot.lines for point in line.points]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    top = 1.0 if plot.unit is Unit.SHARE else max(ys)
    across = _Axis(min(0.0, *xs), max(xs), _LEFT, _WIDTH - _RIGHT)
    up = _Axis(min(0.0, *ys), top, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        element("rect", width=_WIDTH, height=_HEIGHT, fill="#fff"),
        element("text", plot.title, x=_LEFT, y=18, style=f"{_FONT};font-weight:bold"),
        *_axes(plot, across, up),
        *(
            part
            for place, line in enumerate(plot.lines)
            for part in _line(line, _colour(plot, place), across, up)
        ),
        *_legend(plot),
    ]
    label = f"{plot.title}: {', '.join(line.name for line in plot.lines)}"
    drawing = element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=_WIDTH,
        height=_HEIGHT,
        role="img",
        aria_label=label.replace("_", " "),
    )
    return f"{drawing}\n"


def _colour(plot: Plot, place: int) -> str:
    """A theory and what was played of the same name share a colour."""
    names = list(dict.fromkeys(_kind(line) for line in plot.lines))
    return _COLOURS[names.index(_kind(plot.lines[place])) % len(_COLOURS)]


def _kind(line: Line) -> str:
    return line.name.removeprefix("theory, ")


def _axes(plot: Plot, across: _Axis, up: _Axis) -> Iterator[Html]:
    floor, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for value in number_ticks(up.low, up.high, 5):
        at = up(value)
        yield element("line", x1=_LEFT, x2=right, y1=at, y2=at, stroke="#ddd")
        yield element("text", _tick(value, plot.unit), x=_LEFT - 6, y=at + 4, text_anchor="end", style=_FONT)
    for value in number_ticks(across.low, across.high, 8):
        at = across(value)
        yield element("line", x1=at, x2=at, y1=floor, y2=floor + 4, stroke="#333")
        yield element("text", f"{value:g}", x=at, y=floor + 18, text_anchor="middle", style=_FONT)
    yield element("line", x1=_LEFT, x2=right, y1=floor, y2=floor, stroke="#333")
    middle = (_LEFT + right) / 2
    yield element("text", plot.x, x=middle, y=_HEIGHT - 8, text_anchor="middle", style=_FONT)
    yield element("text", plot.y, x=right + 12, y=_TOP - 16, style=_FONT)


def _tick(value: float, unit: Unit) -> str:
    return f"{100 * value:g} %" if unit is Unit.SHARE else f"{value:g}"


def _line(line: Line, colour: str, across: _Axis, up: _Axis) -> Iterator[Html]:
    places = [(across(x), up(y)) for x, y in line.points]
    path = "M" + "L".join(f"{x} {y}" for x, y in places)
    dashes = "5 4" if line.is_theory else None
    yield element("path", d=path, fill="none", stroke=colour, stroke_width=1.6, stroke_dasharray=dashes)
    if not line.is_theory:
        yield from _marks(places, colour)


def _marks(places: Sequence[tuple[float, float]], colour: str) -> Iterator[Html]:
    for x, y in places:
        yield element("circle", cx=x, cy=y, r=3, fill=colour)


def _legend(plot: Plot) -> Iterator[Html]:
    left = _WIDTH - _RIGHT + 14
    for place, line in enumerate(plot.lines):
        y = _TOP + 14 + place * _LINE_HEIGHT
        dashes = "5 4" if line.is_theory else None
        colour = _colour(plot, place)
        yield element(
            "line", x1=left, x2=left + 22, y1=y, y2=y, stroke=colour, stroke_width=2, stroke_dasharray=dashes
        )
        yield element("text", line.name, x=left + 28, y=y + 4, style=_FONT)
