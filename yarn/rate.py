"""How often something was done, and how long it took on average. Answers for MutableRate."""

from __future__ import annotations


class Rate:
    """A number of times, and their mean."""

    __slots__ = ("count", "total_ms")

    def __init__(self) -> None:
        self.count = 0
        self.total_ms = 0.0

    def add(self, spent_ms: float) -> None:
        """One more."""
        self.count += 1
        self.total_ms += spent_ms

    def mean(self) -> tuple[int, float]:
        """How many, and their mean in milliseconds."""
        return self.count, self.total_ms / self.count if self.count else 0.0
