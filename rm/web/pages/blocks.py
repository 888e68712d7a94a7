"""What a page consists of, part by part, as pages draw them one below the other (blocks.js).

A text, the cell of a table and the value of a fact are said in the same way: see `facts`.
"""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.rm.web.pages.terms import meaning, term
from yarnbox.rm.web.values import Answer

Values = Sequence[float | None]
"""One for each moment; None where nothing is known."""


def heading(text: object, level: int = 2) -> Answer:
    """The title of a page has the level 1."""
    return {"heading": text, "level": level}


def paragraph(said: object, kind: str = "") -> Answer:
    """`kind` is a class of the style sheet, such as `legend`."""
    return {"paragraph": said, "kind": kind}


def items(found: Sequence[object], kind: str = "") -> Answer:
    """A list. An entry may be an `item` with a `kind` of the style sheet."""
    return {"items": list(found), "kind": kind}


def facts(found: Sequence[Answer]) -> Answer:
    """Figures by their names; those that are explained have what they mean, too."""
    return {"facts": [{**one, "means": meaning(one["name"])} for one in found]}


def section(parts: Sequence[Answer], kind: str = "") -> Answer:
    """Parts that belong together; `kind` is a class of the style sheet, such as `card`."""
    return {"section": list(parts), "kind": kind}


def folded(summary: str, parts: Sequence[Answer]) -> Answer:
    """What is shown on request."""
    return {"folded": list(parts), "summary": summary}


def table(name: str, columns: Sequence[object], rows: Sequence[Sequence[object]], none: str = "") -> Answer:
    """A few rows; `none` is what is said where there are none."""
    return {
        "table": [list(row) for row in rows],
        "name": name,
        "columns": [term(one) for one in columns],
        "none": none,
    }


def line(name: str, values: Values, **how: object) -> Answer:
    """A series of a chart. `hue` is the number of its colour, its place among the series otherwise; `dashed`
    is "dashed" or "dotted".
    """
    return {"name": name, "values": list(values), **how}


def chart(what: str, times: Sequence[int], series: Sequence[Answer], **how: object) -> Answer:
    """Series over moments. `unit` is percent (when nothing else is said), count, memory or index; `top` what
    the axis reaches at least; `marks` are moments with a kind and a text; `ceiling` is a line that series
    which are stacked (`isStacked`) should stay below; `isWhole` is said of runs that are over.
    """
    return {"chart": what, "times": list(times), "series": list(series), **how}


def column(key: str, name: str, kind: str = "text", read: str = "", **how: object) -> Answer:
    """A column of a grid. `key` names it in addresses, `read` is the field of a row, the key otherwise; the
    kinds are those of columns.js. `isCard` shows it on a phone, `isOff` on request alone, `isFixed` keeps the
    list from being sorted by it.
    """
    return {"key": key, "name": name, "kind": kind, "read": read or key, **how}


def grid(key: str, name: str, columns: Sequence[Answer], rows: Sequence[Answer], **how: object) -> Answer:
    """A list whose columns can be chosen and sorted. `key` names it in addresses, `of` the field that tells
    its rows apart, `order` the column by which it is sorted at first (`-` before it: the largest on top),
    `calls` where else its rows can be had, `none` what is said where there are none, `isMain` that it is what
    its page is about.
    """
    return {"grid": list(rows), "id": key, "name": name, "columns": list(columns), **how}
