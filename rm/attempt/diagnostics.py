"""Diagnostics of limited length: the newest part is kept, and it is said how much was cut.

Hadoop: BoundedAppender.
"""

from __future__ import annotations


class Diagnostics:
    """A text that grows at its end and is cut at its beginning."""

    __slots__ = ("_limit", "_text", "_total")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._text = ""
        self._total = 0

    def append(self, text: str) -> None:
        """Adds to the end; what no longer fits is cut off at the beginning."""
        self._total += len(text)
        self._text = (self._text + text)[-self._limit :]

    def __str__(self) -> str:
        if self._total <= self._limit:
            return self._text
        return (
            f"Diagnostic messages truncated, showing last {len(self._text)} chars out of {self._total}:\n"
            f"...{self._text}"
        )
