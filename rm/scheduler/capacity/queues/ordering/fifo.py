"""The higher application priority first, then the earlier application. Hadoop: FifoOrderingPolicy."""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.ordering.policy import Key, OrderingPolicy


class FifoOrderingPolicy(OrderingPolicy):
    """`fifo`, the default."""

    def key(self, attempt: CapacityAttempt) -> Key:
        """Priority, then age."""
        return (-attempt.app_priority, attempt.application_id)
