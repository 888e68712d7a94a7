"""A page as a whole, its sections, figures and tables. It loads nothing from elsewhere and runs no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading and what it means."""

    name: str
    is_number: bool = True
    meaning: str = ""


def table(columns: Sequence[Column], rows: Iterable[Sequence[object]], *, caption: str = "") -> Html:
    """Cells are text, or Html; None is shown as a dash."""
    classes = ["number" if column.is_number else None for column in columns]
    head = (
        element("th", column.name, scope="col", class_=kind, title=column.meaning or None)
        for column, kind in zip(columns, classes, strict=True)
    )
    body = (
        element(
            "tr",
            *(
                element("td", "-" if cell is None else cell, class_=kind)
                for cell, kind in zip(row, classes, strict=True)
            ),
        )
        for row in rows
    )
    whole = element(
        "table",
        element("caption", caption) if caption else None,
        element("thead", element("tr", *head)),
        element("tbody", *body),
    )
    return element("div", whole, class_="wide")
