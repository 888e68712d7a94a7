"""Recovering applications first, then as fifo; also the order in which all leaves activate.

Hadoop: FifoOrderingPolicyForPendingApps.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.ordering.policy import Key, OrderingPolicy


def pending_key(attempt: CapacityAttempt) -> Key:
    """Recovering first, then priority and age."""
    return (not attempt.is_recovering, -attempt.app_priority, attempt.application_id)


class FifoOrderingPolicyForPendingApps(OrderingPolicy):
    """`fifo-for-pending-apps`."""

    def key(self, attempt: CapacityAttempt) -> Key:
        """As `pending_key`."""
        return pending_key(attempt)
