"""The FIFO policies: the higher application priority first, then the earlier application.

Hadoop: FifoOrderingPolicy, FifoOrderingPolicyForPendingApps and FifoOrderingPolicyWithExclusivePartitions.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.config.settings import QueueSettings
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.ordering.policy import Key, OrderingPolicy


class FifoOrderingPolicy(OrderingPolicy):
    """`fifo`, the default."""

    def key(self, attempt: CapacityAttempt) -> Key:
        """Priority, then age."""
        return (-attempt.app_priority, attempt.application_id)


def pending_key(attempt: CapacityAttempt) -> Key:
    """The order in which every leaf activates its applications: recovering first, then priority and age."""
    return (not attempt.is_recovering, -attempt.app_priority, attempt.application_id)


class FifoOrderingPolicyForPendingApps(OrderingPolicy):
    """`fifo-for-pending-apps`: recovering applications first, then as `fifo`."""

    def key(self, attempt: CapacityAttempt) -> Key:
        """As `pending_key`."""
        return pending_key(attempt)


class FifoOrderingPolicyWithExclusivePartitions(FifoOrderingPolicy):
    """`fifo-with-partitions`: as `fifo`, with partitions that serve their own applications alone."""

    def __init__(self, settings: QueueSettings) -> None:
        super().__init__(settings)
        self.exclusive_partitions = settings.exclusive_partitions
