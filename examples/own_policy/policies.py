"""Two orders of one's own: applications with the least left to do first, queues of smallest jobs first."""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.ordering.custom import QueueForSorting, QueueOrderingPolicy
from yarnbox.rm.scheduler.capacity.queues.ordering.policy import Key, OrderingPolicy


class ShortestRemainingFirst(OrderingPolicy):
    """Among the applications of a leaf: who has least memory asked for and in use goes first."""

    changes_with_use = True  # a booking may move an application to another place

    def key(self, attempt: CapacityAttempt) -> Key:
        return (attempt.noted_used_mb + attempt.noted_pending_mb, attempt.application.application_id)

    def note(self, attempt: CapacityAttempt) -> None:
        attempt.noted_used_mb = attempt.usage.total_used().memory_mb
        attempt.noted_pending_mb = attempt.usage.total_pending().memory_mb


class SmallestFirst(QueueOrderingPolicy):
    """Among queues named by the size of their jobs, maps-10 and so on: the smallest one goes first."""

    def key(self, queue: QueueForSorting) -> tuple[int, float]:
        size = queue.path.rpartition("-")[2]
        return (int(size) if size.isdigit() else 0, queue.used)
