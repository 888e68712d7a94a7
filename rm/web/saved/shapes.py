"""Shapes and words of a picture that stands alone: SVG without a style sheet, in light colours."""

from __future__ import annotations

from collections.abc import Iterable

from yarnbox.rm.web.pages.taskstream import HUES
from yarnbox.yarn.drawing.markup import Html, element
from yarnbox.yarn.http.notation import allowed

COLOURS = {
    "--ink": "#1b1f24",
    "--soft": "#57606a",
    "--field": "#f3f5f7",
    "--line": "#d0d7de",
    "--accent": "#0b5cad",
    "--used": "#1a7f5a",
    "--over": "#a84a08",
    "--bad": "#b42318",
    "--line0": "#0b5cad",
    "--line1": "#a84a08",
    "--line2": "#1a7f5a",
    "--line3": "#b5588f",
    "--line4": "#a87400",
    "--line5": "#2383b8",
}
"""The light ones of style.css, by their names there."""
INK, FIELD, LINE = (COLOURS[name] for name in ("--ink", "--field", "--line"))
CHARACTER = 6.0
"""About so wide is one."""
_FONT = {"font_family": "system-ui, sans-serif", "font_size": 11}


def hue(number: int) -> str:
    """The colour of a series or a name by its number."""
    return COLOURS[f"--line{number % HUES}"]


def mixed(colour: str, percent: int) -> str:
    """So much of a colour upon the ground of the picture."""
    parts = []
    for at in (1, 3, 5):
        own, ground = (int(one[at : at + 2], 16) for one in (colour, FIELD))
        parts.append(round((percent * own + (100 - percent) * ground) / 100))
    return "#" + "".join(f"{one:02x}" for one in parts)


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, **how: object) -> Html:
    """From one place to another."""
    return element("line", x1=_place(x1), y1=_place(y1), x2=_place(x2), y2=_place(y2), stroke=stroke, **how)


def rect(x: float, y: float, width: float, height: float, fill: str, **how: object) -> Html:
    """A rectangle, by its left upper corner."""
    size = {"width": _place(width), "height": _place(height)}
    return element("rect", x=_place(x), y=_place(y), **size, fill=fill, **how)


def word(x: float, y: float, text: str, fill: str = INK, anchor: str | None = None) -> Html:
    """A text on its base line; the place is where it begins, or its middle or end."""
    return element("text", allowed(text), x=_place(x), y=_place(y), fill=fill, text_anchor=anchor)


def picture(title: str, width: float, height: float, shapes: Iterable[Html]) -> str:
    """The whole as a file."""
    ground = rect(0, 0, width, height, FIELD)
    named = element("title", allowed(title))
    size = {"width": _place(width), "height": _place(height)}
    return element("svg", named, ground, *shapes, xmlns="http://www.w3.org/2000/svg", **size, **_FONT) + "\n"


def _place(value: float) -> str:
    """A tenth of a pixel is enough."""
    return f"{value:.1f}".removesuffix(".0")
