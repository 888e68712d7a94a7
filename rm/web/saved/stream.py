"""Containers over time as a picture: what taskstream.js draws, with the words of its colours below."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from yarnbox.rm.web.pages.taskstream import Look, Looks, chosen, value_read
from yarnbox.rm.web.saved.chart import Clock
from yarnbox.rm.web.saved.lanes import Lanes, Span
from yarnbox.rm.web.saved.shapes import COLOURS, FIELD, INK, LINE, picture, rect, word
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.drawing.markup import Html, element
from yarnbox.yarn.drawing.ticks import time_ticks

_GUTTER, _WIDTH = 150, 1050
_LANE, _TALLEST, _FOOT = 15, 420, 18
_LABEL, _CHARACTER = 12, 6.5
_PX_OF_A_TIME, _EDGE = 90, 30
_ROW = 18
_ANGLES = (0, 45, -45, 0)
_STRIPES = (0, 1, 1, 2)
_APPLICATION = re.compile(r"application_\d+_")
Parts = Iterator[Html]
Ends = tuple[float | None, float | None]
"""From one to the other; None where all there is begins or ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown, and how: "" is what is usual."""

    time: Ends = (None, None)
    """In ms."""
    rows: Ends = (None, None)
    """Lanes."""
    lanes: str = ""
    colour: str = ""
    present_ms: float | None = None
    """A moment that is marked."""
    name: str = ""


def stream_svg(answer: Answer, view: View, clock: Clock) -> str:
    """Of the containers of an answer."""
    containers = answer["container"]
    lanes = Lanes(containers, chosen("lanes", view.lanes)["key"], answer["now"])
    colour = chosen("colour", view.colour)
    values = [value_read(colour, one) for one in containers]
    looks = Looks(colour, Counter(values), answer.get("names", {}))
    fills = {one.key: _fill(place, one) for place, one in enumerate(looks.all)}
    height = max(2 * _LANE, min(_TALLEST, _LANE * lanes.count))
    time, rows = _part(lanes.time, view.time), _part(lanes.rows, view.rows)
    shapes = [
        element("defs", *_hatches(looks)),
        *(
            rect(_GUTTER + bar.x, bar.y, bar.width, bar.height, fills.get(values[bar.of], INK))
            for bar in lanes.bars(time, rows, _WIDTH, height)
        ),
        *_heads(lanes, rows, height),
        *_axis(time, height, clock, view.present_ms),
        *_legend(looks, fills, height + _FOOT),
    ]
    tall = height + _FOOT + _ROW * (1 + len(looks.named) + (len(looks.present) > len(looks.named)))
    return picture(view.name or "Containers", _GUTTER + _WIDTH, tall, shapes)


def _part(whole: Span, ends: Ends) -> Span:
    begin, end = (usual if one is None else one for usual, one in zip(whole, ends, strict=True))
    return Span(begin, end if end > begin else begin + 1)


def _fill(place: int, look: Look) -> str:
    return f"url(#look{place})" if look.hatch else COLOURS[look.hue]


def _hatches(looks: Looks) -> Parts:
    """What went wrong is hatched, and colours that come again."""
    for place, look in enumerate(looks.all):
        if look.hatch and look.count:
            own, ground = rect(0, 0, 4, 4, COLOURS[look.hue]), rect(0, 0, _STRIPES[look.hatch], 4, FIELD)
            how = {"patternUnits": "userSpaceOnUse", "patternTransform": f"rotate({_ANGLES[look.hatch]})"}
            yield element("pattern", own, ground, id=f"look{place}", width=4, height=4, **how)


def _heads(lanes: Lanes, rows: Span, height: int) -> Parts:
    """Where groups begin, with the names of as many as have room; of an application its number, because the
    beginnings of its id are the same for all.
    """
    free = 0.0
    for group in lanes.groups:
        y = max(0.0, rows.place(group.top, height))
        is_seen = rows.place(group.top + group.lanes, height) > y
        if not is_seen or y < free or y + _LABEL > height + 2:
            continue
        free = y + _LABEL
        name = _APPLICATION.sub("… ", group.name, count=1)[: int(_GUTTER / _CHARACTER)]
        yield word(4, y + _LABEL - 1, name)
        yield rect(_GUTTER, y, _WIDTH, 1, LINE)


def _axis(time: Span, height: int, clock: Clock, present_ms: float | None) -> Parts:
    for ms in time_ticks(time.begin, time.end, _WIDTH // _PX_OF_A_TIME):
        x = _GUTTER + time.place(ms, _WIDTH)
        yield rect(x, 0, 1, height, LINE)
        if _EDGE < x - _GUTTER < _WIDTH - _EDGE:
            yield word(x, height + 14, clock(int(ms)), anchor="middle")
    if present_ms is not None and time.begin <= present_ms < time.end:
        yield rect(_GUTTER + time.place(present_ms, _WIDTH), 0, 2, height, COLOURS["--accent"])


def _legend(looks: Looks, fills: Mapping[str, str], top: int) -> Parts:
    for row, look in enumerate(looks.named):
        y = top + _ROW * row
        yield rect(4, y + 4, 11, 11, fills[look.key])
        yield word(22, y + 14, f"{look.text}: {look.count}")
    if more := len(looks.present) - len(looks.named):
        yield word(22, top + _ROW * len(looks.named) + 14, f"and {more} more")
