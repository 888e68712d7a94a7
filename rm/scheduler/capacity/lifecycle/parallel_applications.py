"""max-parallel-apps: how many applications may run at once, per user and per queue.

Hadoop: CSMaxRunningAppsEnforcer.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue


class ParallelLimits:
    """Counts running applications, and makes waiting attempts runnable when one has ended."""

    def __init__(self, context: QueueContext) -> None:
        self._context = context
        self._by_user: dict[str, int] = {}
        self._waiting: dict[CapacityAttempt, LeafQueue] = {}

    def admit(self, attempt: CapacityAttempt, leaf: LeafQueue) -> bool:
        """Counts one more application in the leaf if the limits allow it; returns whether they do."""
        if not self._may_run(attempt.user, leaf):
            self._waiting[attempt] = leaf
            return False
        self._count(attempt.user, leaf, 1)
        return True

    def leave(self, attempt: CapacityAttempt, leaf: LeafQueue) -> None:
        """An attempt left the leaf. `admit_waiting` makes waiting ones runnable."""
        if self._waiting.pop(attempt, None) is None:
            self._count(attempt.user, leaf, -1)

    def admit_waiting(self) -> None:
        """Makes waiting attempts runnable in the order of their arrival, as far as limits allow; those of one
        moment in the order of their queues.
        """
        if not self._waiting:
            return
        order = sorted(self._waiting, key=lambda one: (one.start_ms, _place(self._waiting[one])))
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


def _place(leaf: LeafQueue) -> tuple[int, ...]:
    """Where it stands among all leaves."""
    return tuple(queue.position for queue in reversed(list(leaf.ancestors())))
