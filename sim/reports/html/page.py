"""A page as a whole: title, sections, styles. It loads nothing from elsewhere and runs no script."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from yarnbox.sim.reports.html.markup import Html, element, joined

_STYLE = Path(__file__).with_name("style.css")


def page(title: str, *children: object, about: str = "") -> str:
    """The text of the file."""
    head = joined(
        (
            element("meta", charset="utf-8"),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("title", title),
            element("style", Html(_STYLE.read_text(encoding="utf-8"))),
        )
    )
    intro = (element("h1", title), element("p", about, class_="soft") if about else None)
    body = element("body", *intro, *children)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n{body}</html>\n'


def section(title: str, *children: object, about: str = "") -> Html:
    """A part of the page under a heading."""
    said = element("p", about, class_="soft") if about else None
    return Html(element("section", element("h2", title), said, *children) + "\n")


def side_by_side(*children: object) -> Html:
    """Things next to each other where the page is wide enough."""
    return element("div", *children, class_="side")


def figures(pairs: Iterable[tuple[str, object]]) -> Html:
    """A few figures that matter most: what it is, and its value."""
    boxes = (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    return element("dl", *boxes, class_="figures")
