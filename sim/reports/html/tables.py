"""Tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from yarnbox.sim.reports.html.markup import Html, element


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
