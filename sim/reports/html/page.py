"""A page as a whole, its sections, figures and tables. It loads nothing from elsewhere and runs no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from yarnbox.yarn.drawing.markup import Html, element, joined

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
    body = element("body", element("main", *intro, *children))
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


_CARDS_FROM = 5
"""On a phone a row of so many columns is a card, whose cells say what they are."""


def wide(child: object, name: str) -> Html:
    """What may be wider than the screen, and is scrolled then, also with the keyboard."""
    return element("div", child, class_="wide", tabindex=0, role="group", aria_label=name)


def table(columns: Sequence[Column], rows: Iterable[Sequence[object]], *, caption: str = "") -> Html:
    """Cells are text, or Html; None is shown as a dash."""
    is_cards = len(columns) >= _CARDS_FROM
    classes = ["number" if column.is_number else None for column in columns]
    names = [column.name if is_cards else None for column in columns]
    head = (
        element("th", column.name, scope="col", class_=kind, title=column.meaning or None)
        for column, kind in zip(columns, classes, strict=True)
    )
    body = (
        element(
            "tr",
            *(
                element("td", "-" if cell is None else cell, class_=kind, data_name=name)
                for cell, kind, name in zip(row, classes, names, strict=True)
            ),
        )
        for row in rows
    )
    whole = element(
        "table",
        element("caption", caption) if caption else None,
        element("thead", element("tr", *head)),
        element("tbody", *body),
        class_="cards" if is_cards else None,
    )
    return wide(whole, caption or ", ".join(column.name for column in columns))
