"""The smallest use of memory first, whatever the priority. Hadoop: FairOrderingPolicy."""

from __future__ import annotations

import math
from typing import ClassVar

from yarnbox.rm.scheduler.capacity.config.settings import QueueSettings
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.ordering.policy import Key, OrderingPolicy


class FairOrderingPolicy(OrderingPolicy):
    """`fair`; with enable-size-based-weight a large demand makes use count for less."""

    changes_with_use: ClassVar[bool] = True

    def __init__(self, settings: QueueSettings) -> None:
        super().__init__(settings)
        self._is_sized = settings.size_based_weight
        self.changes_with_demand = self._is_sized

    def key(self, attempt: CapacityAttempt) -> Key:
        """Memory used, then age, then whether it had pending requests."""
        used = float(attempt.noted_used_mb)
        demand = attempt.noted_used_mb + attempt.noted_pending_mb
        if self._is_sized and demand:
            used = used / (math.log1p(demand) / math.log(2))
        return (used, attempt.start_ms, not demand, attempt.application.application_id)

    def note(self, attempt: CapacityAttempt) -> None:
        """Notes its present use and demand."""
        attempt.noted_used_mb = attempt.usage.total_used().memory_mb
        attempt.noted_pending_mb = attempt.usage.total_pending().memory_mb
