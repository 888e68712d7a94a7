"""A policy as a user writes it: whoever uses least goes first, and all get the same share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rm.scheduler.fair.policies import Policy, Standing, by_start
from yarn.resource import Resource


class LeastFirst(Policy):
    """By memory used, whatever the weights."""

    name: ClassVar[str] = "least"

    def compare(self, one: Standing, two: Standing, cluster: Resource) -> float:
        """The smaller use."""
        return one.used.memory_mb - two.used.memory_mb or by_start(one, two)

    def shares(self, siblings: Sequence[Standing], total: Resource) -> list[Resource]:
        """Equal parts for the active ones."""
        count = sum(one.is_active for one in siblings) or 1
        part = Resource(total.memory_mb // count, total.vcores // count)
        return [part if one.is_active else Resource() for one in siblings]
