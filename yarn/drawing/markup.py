"""HTML and SVG elements as text. What is not Html already is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_EMPTY = ("meta", "br", "line", "rect", "path", "circle", "polyline")


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, /, *children: object, **attributes: object) -> Html:
    """One element. None is no child and no attribute; `class_` is class, `stroke_width` stroke-width."""
    words = [name]
    for key, value in attributes.items():
        if value is not None:
            words.append(f'{key.rstrip("_").replace("_", "-")}="{escape(str(value))}"')
    if name in _EMPTY and not children:
        return Html(f"<{' '.join(words)}/>")
    return Html(f"<{' '.join(words)}>{joined(children)}</{name}>")


def joined(parts: Iterable[object]) -> Html:
    """Markup one behind the other."""
    given = (part for part in parts if part is not None)
    return Html("".join(part if isinstance(part, Html) else escape(str(part)) for part in given))
