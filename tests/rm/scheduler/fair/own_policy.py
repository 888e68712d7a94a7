"""A policy as a user writes it: whoever uses least goes first, and all get the same share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from yarnbox.rm.scheduler.fair.queues.policies import Policy, Schedulable, by_start
from yarnbox.yarn.resources.resource import Resource


class LeastFirst(Policy):
    """By memory used, whatever the weights."""

    name: ClassVar[str] = "least"

    def compare(self, one: Schedulable, two: Schedulable, cluster: Resource) -> float:
        """The smaller use."""
        return one.used.memory_mb - two.used.memory_mb or by_start(one, two)

    def shares(self, siblings: Sequence[Schedulable], total: Resource) -> list[Resource]:
        """Equal parts, as the manual has it: a policy is never asked about nobody."""
        part = Resource(total.memory_mb // len(siblings), total.vcores // len(siblings))
        return [part for _ in siblings]
