"""The tree of live queues: built from settings, found by name, changed by a refresh.

A refresh keeps every queue that stays what it is, with its applications, and gives it new settings. Answers
for CapacitySchedulerQueueManager, CapacitySchedulerQueueStore and the reinitialize methods of the queues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rm.scheduler.capacity.checks import LiveQueue
from rm.scheduler.capacity.frame import Frame
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.ordering import AppOrder
from rm.scheduler.capacity.parent import ParentQueue
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.settings import ROOT, QueueSettings
from yarn.enums import QueueState


class QueueTree:
    """All queues, by path and by short name."""

    def __init__(self, frame: Frame, root: QueueSettings) -> None:
        self.frame = frame
        self.root = ParentQueue(frame, root, None)
        self._by_path: dict[str, CapacityQueue] = {}
        self._by_name: dict[str, list[CapacityQueue]] = {}
        self.reread: Callable[[CapacityQueue], QueueSettings]
        """Gives the settings of a dynamic queue anew."""
        self._build_below(self.root)
        self.index()
        for queue in self.walk():
            start_state(queue)

    def walk(self) -> Iterator[CapacityQueue]:
        """All queues, a parent before its children."""
        return self.root.walk()

    def leaves(self) -> Iterator[LeafQueue]:
        """All leaves, in the order of the file."""
        return self.root.leaves()

    def index(self) -> None:
        """Takes note of which queues there are."""
        self._by_path = {queue.path: queue for queue in self.walk()}
        self._by_name = {}
        for queue in self.walk():
            self._by_name.setdefault(queue.name, []).append(queue)

    # Finding

    def at(self, path: str) -> CapacityQueue | None:
        """The queue of exactly this path."""
        return self._by_path.get(path)

    def find(self, name: str) -> CapacityQueue | None:
        """By full path, else by short name if one queue alone bears it."""
        found = self._by_path.get(name)
        if found is not None:
            return found
        if name == ROOT:
            return self.root
        bearers = self._by_name.get(name, [])
        return bearers[0] if len(bearers) == 1 else None

    def is_ambiguous(self, name: str) -> bool:
        """Whether several queues bear the short name."""
        return name not in self._by_path and len(self._by_name.get(name, ())) > 1

    # Building

    def make(self, settings: QueueSettings, parent: ParentQueue) -> CapacityQueue:
        """A new queue with all that is configured below it."""
        if settings.kind.is_leaf:
            return LeafQueue(self.frame, settings, parent)
        queue = ParentQueue(self.frame, settings, parent)
        self._build_below(queue)
        return queue

    def _build_below(self, queue: ParentQueue) -> None:
        queue.set_children([self.make(child, queue) for child in queue.settings.children])

    def add(self, settings: QueueSettings, parent: ParentQueue) -> CapacityQueue:
        """A dynamic queue below `parent`, of which it becomes the last child."""
        queue = self.make(settings, parent)
        parent.add_child(queue)
        start_state(queue)
        self.index()
        return queue

    def remove(self, queue: CapacityQueue) -> None:
        """Takes a dynamic queue away."""
        assert queue.parent is not None
        queue.parent.remove_child(queue)
        self.index()

    # Refreshing

    def live(self) -> list[LiveQueue]:
        """What the rules of a refresh have to know."""
        return [
            LiveQueue(
                queue.path,
                queue.kind,
                queue.state.name,
                queue.settings.maximum_allocation,
                is_dynamic=queue.is_dynamic,
                has_applications=queue.app_count > 0,
            )
            for queue in self.walk()
        ]

    def replace(self, root: QueueSettings) -> None:
        """Gives the tree its new shape; checked before, so nothing can fail here."""
        fresh: list[CapacityQueue] = []
        self._replace(self.root, root, fresh)
        self.index()
        for queue in list(self.walk()):
            if any(queue is other for other in fresh):
                start_state(queue)
            else:
                refresh_state(queue)

    def _replace(self, queue: ParentQueue, settings: QueueSettings, fresh: list[CapacityQueue]) -> None:
        queue.settings = settings
        queue.shares_of_settings()
        known = {child.path: child for child in queue.children}
        children: list[CapacityQueue] = []
        for wanted in settings.children:
            child = known.pop(wanted.path, None)
            if isinstance(child, ParentQueue) and not wanted.kind.is_leaf:
                self._replace(child, wanted, fresh)
            elif isinstance(child, LeafQueue) and wanted.kind.is_leaf:
                set_leaf_settings(child, wanted)
            else:
                child = self.make(wanted, queue)
                fresh.extend(child.walk())
            children.append(child)
        kept = [child for child in known.values() if child.is_dynamic or child.app_count]
        queue.set_children([*children, *kept])
        for child in kept:
            if child.is_dynamic:
                self._reread(child)
            else:
                # Taken out of the file while applications run in it: it goes with the last of them, and its
                # capacity at once.
                child.holds_template = False
                child.shares_of_settings()
                stop(child)

    def _reread(self, queue: CapacityQueue) -> None:
        """A dynamic queue follows its template."""
        settings = self.reread(queue)
        if isinstance(queue, LeafQueue):
            set_leaf_settings(queue, settings)
        elif isinstance(queue, ParentQueue):
            queue.settings = settings
            queue.shares_of_settings()
            queue.set_children(queue.children)
            for child in queue.children:
                self._reread(child)


def set_leaf_settings(leaf: LeafQueue, settings: QueueSettings) -> None:
    """A leaf goes on under new settings; its applications come along into a new order."""
    old = leaf.settings
    leaf.settings = settings
    leaf.shares_of_settings()
    leaf.users.set_settings(settings)
    same_order = (
        old.leaf_order is settings.leaf_order
        and old.size_based_weight == settings.size_based_weight
        and old.exclusive_partitions == settings.exclusive_partitions
    )
    if not same_order:
        order = AppOrder(settings)
        for attempt in leaf.order:
            order.add(attempt)
        leaf.order = order


# States


def start_state(queue: CapacityQueue) -> None:
    """The state of a queue that is new: as configured; a stopped parent stops what says nothing."""
    parent = queue.parent
    configured = queue.settings.state
    if configured is None and parent is not None and parent.state is not QueueState.RUNNING:
        queue.state = QueueState.STOPPED
    else:
        queue.state = QueueState.STOPPED if configured == "STOPPED" else QueueState.RUNNING


def refresh_state(queue: CapacityQueue) -> None:
    """A queue that goes on: stopped or started if its configuration says so, else as it was."""
    if queue.settings.state == "STOPPED" and queue.state is QueueState.RUNNING:
        stop(queue)
    elif queue.settings.state == "RUNNING" and queue.state is not QueueState.RUNNING:
        if queue.parent is None or queue.parent.state is QueueState.RUNNING:
            queue.state = QueueState.RUNNING


def stop(queue: CapacityQueue) -> None:
    """Stops a queue, its children first; what still has applications drains."""
    if isinstance(queue, ParentQueue):
        for child in queue.children:
            stop(child)
        has_work = any(child.state is not QueueState.STOPPED for child in queue.children)
    else:
        has_work = queue.app_count > 0
    queue.state = QueueState.DRAINING if has_work else QueueState.STOPPED
