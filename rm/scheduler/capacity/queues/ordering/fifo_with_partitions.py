"""As fifo, with partitions that serve their own applications alone.

Hadoop: FifoOrderingPolicyWithExclusivePartitions.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.config.settings import QueueSettings
from yarnbox.rm.scheduler.capacity.queues.ordering.fifo import FifoOrderingPolicy


class FifoOrderingPolicyWithExclusivePartitions(FifoOrderingPolicy):
    """`fifo-with-partitions`."""

    def __init__(self, settings: QueueSettings) -> None:
        super().__init__(settings)
        self.exclusive_partitions = settings.exclusive_partitions
