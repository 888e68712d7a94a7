"""Pages as they are said to browsers (rm/web/pages/blocks.py), read by tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Block = dict[str, Any]


def every(found: Any) -> Iterator[Block]:
    """All blocks, those within others included."""
    for one in found:
        yield one
        yield from every(one.get("section") or one.get("folded") or ())


def of_kind(found: Any, kind: str) -> list[Any]:
    """What the blocks of one kind show."""
    return [one[kind] for one in every(found) if kind in one]


def named(found: Any, name: str) -> Block:
    """The table, grid or chart of that name."""
    (one,) = [one for one in every(found) if name in (one.get("name"), one.get("chart"))]
    return one


def facts_of(found: Any) -> dict[str, Any]:
    """Figures by their names."""
    return {one["name"]: one["value"] for facts in of_kind(found, "facts") for one in facts}


def paragraphs(found: Any, kind: str | None = None) -> list[Any]:
    """Of all kinds, or of one."""
    return [
        one["paragraph"]
        for one in every(found)
        if "paragraph" in one and (kind is None or one.get("kind") == kind)
    ]
