"""A queue as a row of the scheduler's page: its shares of the whole, and what REST says of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from yarnbox.rm.web.values import Answer

LIMITS = "applicationLimits"
"""Which rule says how many applications a queue may have, by path, in the answer about the root."""


@dataclass(slots=True, eq=False)
class Row:
    """Shares are percentages of the partition or the cluster; `now` is the fair share, where there is one."""

    path: str
    queue: Answer
    parent: Row | None
    used: float
    floor: float
    most: float
    used_mb: int
    due_mb: int | None
    pending: str
    now: float | None = None
    capacity: Answer | None = None
    usage: Answer | None = None

    @property
    def name(self) -> str:
        """The last word of its path."""
        return self.path.rpartition(".")[2]

    @property
    def root(self) -> Row:
        """The root of its tree."""
        return self if self.parent is None else self.parent.root

    @property
    def application_limit(self) -> Answer | None:
        """By which rule it may have so many applications; older recordings do not tell."""
        found: Answer | None = self.root.queue.get(LIMITS, {}).get(self.path)
        return found

    @property
    def whole(self) -> Answer | None:
        """All of the partition."""
        root = self.root
        return root.capacity["effectiveMaxResource"] if root.capacity else None


def in_partition(found: Iterable[Answer], partition: str) -> Answer | None:
    """The one of them that is about a partition."""
    return next((one for one in found if one["partitionName"] == partition), None)


def below(queue: Answer, children: str) -> list[Answer]:
    """The queues right below one."""
    found: list[Answer] = queue.get(children, {}).get("queue", [])
    return found


def is_leaf(row: Row) -> bool:
    """Whether applications run in it."""
    return "numActiveApplications" in row.queue or "numActiveApps" in row.queue
