"""The applications that wait to be preempted for: a priority queue, the least starved first.

The order of several that are equally starved, or of whom each lacks more of another type, is that of the
comparisons which Java's PriorityBlockingQueue happens to make. Hadoop: FSStarvedApps.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.fair.application import FSAppAttempt


class StarvedApps:
    """A binary heap in a list, as in java.util.concurrent.PriorityBlockingQueue."""

    def __init__(self) -> None:
        self._heap: list[FSAppAttempt] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, app: FSAppAttempt) -> None:
        """Adds an application that is not there yet."""
        if app in self._heap:
            return
        heap, place = self._heap, len(self._heap)
        heap.append(app)
        while place > 0:
            above = (place - 1) // 2
            if not _is_before(app, heap[above]):
                break
            heap[place] = heap[above]
            place = above
        heap[place] = app

    def take(self) -> FSAppAttempt:
        """Removes the first and returns it."""
        heap = self._heap
        first, last = heap[0], heap.pop()
        if heap:
            self._sift_down(last)
        return first

    def _sift_down(self, app: FSAppAttempt) -> None:
        """Puts it into the place of the first, or as far below as it belongs."""
        heap, place = self._heap, 0
        count = len(heap)
        while place < count // 2:
            below = 2 * place + 1
            if below + 1 < count and not _is_before(heap[below], heap[below + 1]):
                below += 1
            if _is_before(app, heap[below]):
                break
            heap[place] = heap[below]
            place = below
        heap[place] = app


def _is_before(one: FSAppAttempt, other: FSAppAttempt) -> bool:
    """Of two that are equally starved each is before the other."""
    return one.starvation().fits_in(other.starvation())
