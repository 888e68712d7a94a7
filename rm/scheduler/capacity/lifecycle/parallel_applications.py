"""max-parallel-apps: how many applications may run at once, per user and per queue.

Hadoop: CSMaxRunningAppsEnforcer.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.yarn.runtime.java_order import JavaHeap

_NEVER = 2**63 - 1


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
            of_user = [one for one in self._waiting if one.user == attempt.user]
            if of_user:
                lines.append(of_user)
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
        """Goes through several lines at once, by the start of whoever stands first in each."""
        heads = JavaHeap[_Head](_by_start)
        for line in lines:
            heads.add(_Head(line))
        admitted = 0
        while len(heads) and admitted < most:
            head = heads.take()
            attempt = head.take()
            if attempt is None:
                continue
            heads.add(head)
            leaf = self._waiting.get(attempt)
            if leaf is not None and self._may_run(attempt.user, leaf):
                del self._waiting[attempt]
                self._count(attempt.user, leaf, 1)
                leaf.make_runnable(attempt)
                admitted += 1

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


class _Head:
    """How far a line has been gone through."""

    __slots__ = ("_line", "_position")

    def __init__(self, line: list[CapacityAttempt]) -> None:
        self._line = line
        self._position = 0

    @property
    def start_ms(self) -> int:
        """When the one at the front started; past all others where there is none."""
        return self._line[self._position].start_ms if self._position < len(self._line) else _NEVER

    def take(self) -> CapacityAttempt | None:
        """The one at the front, who goes."""
        if self._position == len(self._line):
            return None
        self._position += 1
        return self._line[self._position - 1]


def _by_start(one: _Head, other: _Head) -> int:
    return (one.start_ms > other.start_ms) - (one.start_ms < other.start_ms)
