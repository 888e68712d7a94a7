"""The story: a line for each transition and each decision, structured and deterministic.

A line costs nothing while nobody listens: tellers ask `if story.listeners` first. Listeners are called in the
order in which they came; they may keep, count or print, and must not change the world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Line(NamedTuple):
    """What happened: an entity left `before` for `after` because `event` reached it, or decided something."""

    now_ms: int
    kind: str
    subject: Any
    before: str
    event: str
    after: str
    because: str


Listener = Callable[[Line], None]


class Story:
    """Where lines are told."""

    __slots__ = ("listeners",)

    def __init__(self) -> None:
        self.listeners: list[Listener] = []

    def tell(self, line: Line) -> None:
        """Hands the line to every listener."""
        for listener in self.listeners:
            listener(line)
