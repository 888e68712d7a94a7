"""The tree of live queues: built from settings, found by name, changed by a refresh.

A refresh keeps every queue that stays what it is, with its applications, and gives it new settings. Hadoop:
 CapacitySchedulerQueueManager, CapacitySchedulerQueueStore and the reinitialize methods of the queues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from yarnbox.rm.scheduler.application import Application
from yarnbox.rm.scheduler.capacity.config.settings import QueueKind, QueueSettings
from yarnbox.rm.scheduler.capacity.config.validation import LiveQueue
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue, leaves_below
from yarnbox.rm.scheduler.capacity.queues.ordering.applications import AppOrder
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.yarn.enums import QueueState
from yarnbox.yarn.resources.resource import NONE
from yarnbox.yarn.runtime.java_order import in_hash_order, text_hash

Reread = Callable[[CapacityQueue], QueueSettings]


class QueueTree:
    """All queues, by path and by short name.

    The only access to them, and to the leaf of an application: it brings the shares of all queues up to date
    with the cluster first.
    """

    def __init__(self, context: QueueContext, root: QueueSettings) -> None:
        self._context = context
        self._root = ParentQueue(context, root, None)
        self._by_path: dict[str, CapacityQueue] = {}
        self._by_name: dict[str, list[CapacityQueue]] = {}
        self.is_stale = False
        """Whether nodes came or went and the shares have not been worked out anew yet."""
        self._build_below(self._root)
        self._index()
        self.start_states()

    def start_states(self) -> None:
        """Every queue begins as it is configured."""
        for queue in self._root.subtree():
            start_state(queue)
            queue.allows_zero_sum = queue.settings.allow_zero_sum

    def _index(self) -> None:
        self._by_path = {queue.path: queue for queue in self._root.subtree()}
        self._by_name = {}
        for queue in self._by_path.values():
            self._by_name.setdefault(queue.name, []).append(queue)

    # Shares

    def start(self) -> None:
        """Computes shares and limits for a cluster without nodes."""
        self._root.cluster_changed(NONE)

    def mark_cluster_changed(self) -> None:
        """Every share follows the cluster: at once if applications wait for it, or if some of it is kept
        when the last node has gone, else before the next look.
        """
        context = self._context
        self.is_stale = True
        context.version += 1
        is_kept = not context.settings.is_legacy
        if is_kept or context.pending_apps or context.cluster.memory_mb == 0 or not context.tracker.nodes:
            self.update_shares()

    def update_shares(self) -> None:
        """Works the shares out anew if the cluster has changed since the last time."""
        if self.is_stale:
            self.derive_shares()

    def derive_shares(self, *, activates: bool = True) -> None:
        """Works out shares and limits of all queues, from the root down, and activates what they allow."""
        self.is_stale = False
        context = self._context
        context.cluster = context.tracker.total
        context.version += 1
        self._root.cluster_changed(context.cluster, activates=activates)

    def derive_below(self, parent: ParentQueue) -> None:
        """A dynamic queue came or went below `parent`: what is below it is worked out anew, and nothing else.

        Each queue there may use what it could in an empty cluster. See
        tests/scenarios/queues/created-queue-changes-its-siblings-only.yaml. With capacity vectors the parent
        and its siblings are worked out anew as well. See
        tests/scenarios/queues/created-queue-changes-vectors-above.yaml.
        """
        context = self._context
        context.version += 1
        above = parent if context.settings.is_legacy else parent.parent
        (above or parent).cluster_changed(context.cluster)

    # Finding

    @property
    def root(self) -> ParentQueue:
        """The queue above all others."""
        if self.is_stale:
            self.derive_shares()
        return self._root

    def all_queues(self) -> Iterator[CapacityQueue]:
        """All queues, a parent before its children."""
        return self.root.subtree()

    def leaves(self) -> Iterator[LeafQueue]:
        """All leaves, in the order of the file."""
        return leaves_below(self.root)

    def leaf_of(self, application: Application[CapacityAttempt]) -> LeafQueue:
        """The leaf that the application is in."""
        self.update_shares()
        leaf: LeafQueue = application.queue
        return leaf

    def at(self, path: str) -> CapacityQueue | None:
        """The queue of exactly this path."""
        self.update_shares()
        return self._by_path.get(path)

    def find(self, name: str) -> CapacityQueue | None:
        """By full path, else by short name if it is unambiguous."""
        self.update_shares()
        found = self._by_path.get(name)
        if found is not None:
            return found
        bearers = self._by_name.get(name, [])
        return bearers[0] if len(bearers) == 1 else None

    def is_ambiguous(self, name: str) -> bool:
        """Whether several queues have the short name."""
        return name not in self._by_path and len(self._by_name.get(name, ())) > 1

    # Building

    def make(self, settings: QueueSettings, parent: ParentQueue) -> CapacityQueue:
        """A new queue with all that is configured below it."""
        if settings.kind.is_leaf:
            return LeafQueue(self._context, settings, parent)
        queue = ParentQueue(self._context, settings, parent)
        self._build_below(queue)
        return queue

    def _build_below(self, queue: ParentQueue) -> None:
        queue.set_children([self.make(child, queue) for child in queue.settings.children])

    def add(self, settings: QueueSettings, parent: ParentQueue) -> CapacityQueue:
        """A dynamic queue below `parent`, of which it becomes the last child."""
        queue = self.make(settings, parent)
        parent.add_child(queue)
        start_state(queue)
        self._index()
        return queue

    def remove(self, queue: CapacityQueue) -> None:
        """Takes a dynamic queue away."""
        assert queue.parent is not None
        queue.parent.remove_child(queue)
        self._index()

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
                allows_zero_sum=queue.allows_zero_sum,
            )
            for queue in self._root.subtree()
        ]

    def replace(self, root: QueueSettings, reread: Reread) -> None:
        """Replaces the tree; it was checked before, so nothing can fail here. `reread` gives the settings of
        a dynamic queue anew. What is new begins as the file says, whatever its parent has become in the
        meantime: see tests/scenarios/queues/new-queue-below-a-stopped-one.yaml.
        """
        fresh: list[CapacityQueue] = []
        self._replace(self._root, root, fresh, reread)
        self._index()
        stopped = dict.fromkeys(root.stopped())
        for queue in list(self._root.subtree()):
            if any(queue is other for other in fresh):
                queue.state = QueueState.STOPPED if queue.path in stopped else QueueState.RUNNING
            else:
                refresh_state(queue)

    def _replace(
        self, queue: ParentQueue, settings: QueueSettings, fresh: list[CapacityQueue], reread: Reread
    ) -> None:
        queue.settings = settings
        queue.shares_of_settings()
        before = {child.path: child for child in queue.children}
        children: list[CapacityQueue] = []
        for wanted in settings.children:
            child = before.pop(wanted.path, None)
            if isinstance(child, ParentQueue) and not wanted.kind.is_leaf:
                self._replace(child, wanted, fresh, reread)
            elif isinstance(child, LeafQueue) and wanted.kind.is_leaf:
                set_leaf_settings(child, wanted)
            else:
                child = self.make(wanted, queue)
                fresh.extend(child.subtree())
            children.append(child)
        kept = [child for child in before.values() if child.is_dynamic or child.app_count]
        queue.set_children(_rearranged(queue, [*children, *kept]))
        for child in kept:
            if child.is_dynamic:
                _follow_template(child, reread)
            else:
                # Taken out of the file while applications run in it: it goes with the last of them, and its
                # capacity at once.
                child.holds_template = False
                child.shares_of_settings()
                stop(child)

    # Books

    def check_books(self) -> None:
        """What applications hold, their users and leaves hold; what leaves hold, parents hold; AssertionError
        if not.
        """
        for queue in self._root.subtree():
            if isinstance(queue, LeafQueue | ParentQueue):
                queue.check_books()


def _rearranged(queue: ParentQueue, children: list[CapacityQueue]) -> list[CapacityQueue]:
    """The children in their order after a refresh: where nothing else decides, it says who is served first.

    Hadoop: AbstractParentQueue.reinitialize lists them as a HashMap by path does. A queue whose children no
    file names keeps their order.
    """
    if queue.kind in (QueueKind.PLAN, QueueKind.MANAGED_PARENT):
        return children
    by_path = {child.path: child for child in children}
    known = dict.fromkeys([*(child.path for child in queue.children), *by_path])
    return [by_path[path] for path in in_hash_order(known, text_hash) if path in by_path]


def _follow_template(queue: CapacityQueue, reread: Reread) -> None:
    """A dynamic queue, and all below it, after a refresh."""
    settings = reread(queue)
    if isinstance(queue, LeafQueue):
        set_leaf_settings(queue, settings)
    elif isinstance(queue, ParentQueue):
        queue.settings = settings
        queue.shares_of_settings()
        queue.set_children(queue.children)
        for child in queue.children:
            _follow_template(child, reread)


def set_leaf_settings(leaf: LeafQueue, settings: QueueSettings) -> None:
    """Gives a leaf new settings; its applications are put into a new order, by what the old one knew of them.

    See tests/scenarios/capacity/refresh-forgets-changes-of-the-order.yaml.
    """
    old = leaf.settings
    leaf.settings = settings
    leaf.shares_of_settings()
    leaf.users.set_settings(settings)
    same_order = (
        old.leaf_order == settings.leaf_order
        and old.size_based_weight == settings.size_based_weight
        and old.exclusive_partitions == settings.exclusive_partitions
    )
    if not same_order:
        order = AppOrder(settings)
        for attempt in leaf.order:
            order.add(attempt)
        leaf.order = order
    leaf.order.forget_changes()


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


def drain_again(leaf: LeafQueue) -> None:
    """An application is recovered: a leaf that is stopped was draining, and so were those above it. See
    tests/scenarios/restart/capacity-draining-queue-drains-on.yaml.
    """
    for queue in leaf.ancestors():
        if queue.state is not QueueState.STOPPED:
            return
        queue.state = QueueState.DRAINING


def stop(queue: CapacityQueue) -> None:
    """Stops a queue, its children first; what still has applications drains."""
    if isinstance(queue, ParentQueue):
        for child in queue.children:
            stop(child)
        has_work = any(child.state is not QueueState.STOPPED for child in queue.children)
    else:
        has_work = queue.app_count > 0
    queue.state = QueueState.DRAINING if has_work else QueueState.STOPPED
