"""max-parallel-apps: how many applications may run at once, per user and per queue; the others wait.

Hadoop: CSMaxRunningAppsEnforcer.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue


class ParallelLimits:
    """Counts what runs, and lets waiting attempts in when something ended."""

    def __init__(self, context: QueueContext) -> None:
        self._context = context
        self._by_user: dict[str, int] = {}
        self._waiting: dict[CapacityAttempt, LeafQueue] = {}

    def admit(self, attempt: CapacityAttempt, leaf: LeafQueue) -> bool:
        """Whether one more may run in the leaf; if so it is counted."""
        if not self._may_run(attempt.user, leaf):
            self._waiting[attempt] = leaf
            return False
        self._count(attempt.user, leaf, 1)
        return True

    def leave(self, attempt: CapacityAttempt, leaf: LeafQueue) -> None:
        """An attempt left the leaf. Waiting ones are let in by `admit_waiting`."""
        if self._waiting.pop(attempt, None) is None:
            self._count(attempt.user, leaf, -1)

    def admit_waiting(self) -> None:
        """Lets waiting attempts run in the order in which they came, as far as limits allow."""
        if not self._waiting:
            return
        order = sorted(self._waiting, key=lambda one: (one.start_ms, one.application_id))
        for attempt in order:
            leaf = self._waiting[attempt]
            if self._may_run(attempt.user, leaf):
                del self._waiting[attempt]
                self._count(attempt.user, leaf, 1)
                leaf.make_runnable(attempt)

    def _may_run(self, user: str, leaf: LeafQueue) -> bool:
        settings = self._context.settings
        limit = settings.user_max_parallel.get(user, settings.user_max_parallel_apps)
        if self._by_user.get(user, 0) >= limit:
            return False
        return all(queue.runnable_apps < queue.settings.max_parallel_apps for queue in leaf.ancestors())

    def _count(self, user: str, leaf: LeafQueue, change: int) -> None:
        self._by_user[user] = self._by_user.get(user, 0) + change
        for queue in leaf.ancestors():
            queue.runnable_apps += change
