"""How often something was done, and how long it took on average. Hadoop: MutableRate."""

from __future__ import annotations


class Rate:
    """A number of times, and their mean."""

    __slots__ = ("count", "longest_ms", "shortest_ms", "total_ms")

    def __init__(self) -> None:
        self.count = 0
        self.total_ms = 0.0
        self.shortest_ms = 0.0
        self.longest_ms = 0.0

    def add(self, spent_ms: float) -> None:
        self.shortest_ms = min(self.shortest_ms, spent_ms) if self.count else spent_ms
        self.longest_ms = max(self.longest_ms, spent_ms)
        self.count += 1
        self.total_ms += spent_ms

    def mean(self) -> tuple[int, float]:
        """How many, and their mean in milliseconds."""
        return self.count, self.total_ms / self.count if self.count else 0.0
