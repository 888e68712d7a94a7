"""How many applications may run, per queue and per user, and which one becomes runnable when another leaves.

Hadoop: MaxRunningAppsEnforcer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from yarnbox.rm.scheduler.admission.start_order import by_start
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.queue import FairQueue, ParentQueue


class RunningApps:
    """The number of running applications, and the applications that are not runnable."""

    def __init__(self, fair: FairContext, root: ParentQueue) -> None:
        self._fair = fair
        self._root = root
        self._running: dict[str, int] = {}
        """By user, over all queues."""
        self._waiting: dict[str, dict[FSAppAttempt, None]] = {}

    def refusal(self, leaf: LeafQueue, user: str) -> str | None:
        """Why an application of that user may not run in that queue now; None when it may."""
        if self._running.get(user, 0) >= self._fair.allocations.max_apps_of_user(user):
            return f'The user "{user}" has reached the maximum limit of runnable applications.'
        for queue in leaf.ancestry:
            if queue.runnable_count >= queue.max_running_apps:
                return f'The queue "{leaf.path}" has reached the maximum limit of runnable applications.'
        return None

    def track_runnable(self, app: FSAppAttempt) -> None:
        """Counts a runnable application."""
        self._running[app.user] = self._running.get(app.user, 0) + 1
        self._change_parents(app.queue, 1)

    def untrack_runnable(self, app: FSAppAttempt, leaf: LeafQueue) -> None:
        """Uncounts a runnable application that has left that queue."""
        left = self._running[app.user] - 1
        if left:
            self._running[app.user] = left
        else:
            del self._running[app.user]
        self._change_parents(leaf, -1)

    def track_non_runnable(self, app: FSAppAttempt) -> None:
        """Adds an application that limits keep from running."""
        self._waiting.setdefault(app.user, {})[app] = None

    def untrack_non_runnable(self, app: FSAppAttempt) -> None:
        """Removes an application that has become runnable, or has left."""
        waiting = self._waiting.get(app.user)
        if waiting is not None:
            waiting.pop(app, None)
            if not waiting:
                del self._waiting[app.user]

    def update_runnability_on_removal(self, user: str, leaf: LeafQueue) -> None:
        """An application of that user has left that queue: makes at most one runnable for the queue and one
        for the user.
        """
        highest: FairQueue | None = None
        for queue in leaf.ancestry:
            if queue.runnable_count == queue.max_running_apps - 1:
                highest = queue
        lists = list(_waiting_lists(highest)) if highest is not None else []
        if self._running.get(user, 0) == self._fair.allocations.max_apps_of_user(user) - 1:
            lists.append(list(self._waiting.get(user, ())))
        self._make_runnable(lists, len(lists))

    def update_runnability_on_reload(self) -> None:
        """Limits have changed: makes every application runnable that they allow."""
        self._make_runnable(list(_waiting_lists(self._root)), None)

    def _make_runnable(self, lists: Sequence[list[FSAppAttempt]], most: int | None) -> None:
        """Makes applications runnable in the order of start times, at most `most` of them; one that is in two
        lists counts once.
        """
        count, previous = 0, None
        for app in by_start(lists):
            if app is previous:
                continue
            leaf: LeafQueue = app.queue
            if app not in leaf.runnable and self.refusal(leaf, app.user) is None:
                self.track_runnable(app)
                self.untrack_non_runnable(app)
                leaf.add(app, is_runnable=True)
                count += 1
                if most is not None and count >= most:
                    return
            previous = app

    def _change_parents(self, leaf: LeafQueue, change: int) -> None:
        for queue in leaf.ancestry:
            if isinstance(queue, ParentQueue):
                queue.runnable_below += change


def _waiting_lists(queue: FairQueue) -> Iterator[list[FSAppAttempt]]:
    """The waiting applications of each leaf below that is not full, nor anything above it."""
    if queue.runnable_count >= queue.max_running_apps:
        return
    if isinstance(queue, LeafQueue):
        yield list(queue.waiting)
    elif isinstance(queue, ParentQueue):
        for child in queue.children.values():
            yield from _waiting_lists(child)
