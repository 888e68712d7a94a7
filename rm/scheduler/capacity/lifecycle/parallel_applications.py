"""max-parallel-apps: how many applications may run at once, per user and per queue.

Hadoop: CSMaxRunningAppsEnforcer.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.admission.start_order import by_start
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue


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
        """An attempt left the leaf. `admit_after` makes waiting ones runnable."""
        if self._waiting.pop(attempt, None) is None:
            self._count(attempt.user, leaf, -1)

    def admit_after(self, attempt: CapacityAttempt, leaf: LeafQueue) -> None:
        """Makes waiting attempts runnable once this one has left the leaf: of the queues that were full until
        now, and of the user, if the user had as many applications as may run; at most one for each of these.
        See tests/scenarios/queues/parallel-apps-of-one-user.yaml.
        """
        if not self._waiting or not attempt.is_runnable:
            return
        highest: CapacityQueue | None = None
        for queue in leaf.ancestors():
            if queue.runnable_apps == queue.settings.max_parallel_apps - 1:
                highest = queue
        lines: list[list[CapacityAttempt]] = []
        if highest is not None:
            self._gather(highest, lines)
        if self._by_user.get(attempt.user, 0) == self._user_limit(attempt.user) - 1:
            lines.append([one for one in self._waiting if one.user == attempt.user])
        self._admit_from(lines, len(lines))

    def admit_waiting(self) -> None:
        """Makes waiting attempts of all queues runnable, as far as limits allow."""
        leaf = next(iter(self._waiting.values()), None)
        if leaf is not None:
            lines: list[list[CapacityAttempt]] = []
            self._gather(list(leaf.ancestors())[-1], lines)
            self._admit_from(lines, len(self._waiting))

    def _gather(self, queue: CapacityQueue, lines: list[list[CapacityAttempt]]) -> None:
        """Adds those who wait in each leaf below that is not full."""
        if queue.runnable_apps >= queue.settings.max_parallel_apps:
            return
        if isinstance(queue, LeafQueue):
            lines.append([one for one, leaf in self._waiting.items() if leaf is queue])
        elif isinstance(queue, ParentQueue):
            for child in queue.children:
                self._gather(child, lines)

    def _admit_from(self, lines: list[list[CapacityAttempt]], most: int) -> None:
        admitted = 0
        for attempt in by_start(lines):
            leaf = self._waiting.get(attempt)
            if leaf is not None and self._may_run(attempt.user, leaf):
                del self._waiting[attempt]
                self._count(attempt.user, leaf, 1)
                leaf.make_runnable(attempt)
                admitted += 1
                if admitted >= most:
                    return

    def _may_run(self, user: str, leaf: LeafQueue) -> bool:
        if self._by_user.get(user, 0) >= self._user_limit(user):
            return False
        return all(queue.runnable_apps < queue.settings.max_parallel_apps for queue in leaf.ancestors())

    def _user_limit(self, user: str) -> int:
        settings = self._context.settings
        return settings.user_max_parallel.get(user, settings.user_max_parallel_apps)

    def _count(self, user: str, leaf: LeafQueue, change: int) -> None:
        self._by_user[user] = self._by_user.get(user, 0) + change
        for queue in leaf.ancestors():
            queue.runnable_apps += change
