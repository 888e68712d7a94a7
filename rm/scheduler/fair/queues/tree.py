"""The queues there are: declared by the file, made when somebody names them, removed when ad hoc and empty.

Owns names and lives of queues. What a queue does is queue.py's and leaf.py's business. Hadoop:
QueueManager.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from yarnbox.rm.scheduler.fair.allocation_file.allocations import Allocations
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.placement import DEFAULT, ROOT, with_root
from yarnbox.rm.scheduler.fair.queues.queue import FairQueue, ParentQueue
from yarnbox.rm.scheduler.plan_queues import PlanSettings
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.resources.resource import Resource, total
from yarnbox.yarn.runtime.java_order import in_hash_order, text_hash


class QueueTree:
    """All queues by path, in the order of creation."""

    def __init__(self, fair: FairContext) -> None:
        self._fair = fair
        self._has_current_resource = True
        self._has_new_queues = False
        """Whether steady fair shares are out of date."""
        self._count = 0
        self._pending_changes: dict[tuple[str, bool], None] = {}
        """Declared queues (path, is leaf) in whose place one of the other kind still stands."""
        self.queues: dict[str, FairQueue] = {}
        self.leaves: dict[LeafQueue, None] = {}
        self.root = ParentQueue(ROOT, fair, None, 0)
        self.root.is_dynamic = False
        self.queues[ROOT] = self.root

    # Asked by placement

    def is_declared(self, path: str) -> bool:
        """Whether the queue exists and is not ad hoc."""
        queue = self.queues.get(path)
        return queue is not None and not queue.is_dynamic

    def is_leaf(self, path: str) -> bool:
        """Whether there is a leaf queue of that name."""
        return isinstance(self.queues.get(path), LeafQueue)

    # Found and made

    def queue(self, name: str) -> FairQueue | None:
        """The queue of that name, from root or below it."""
        return self.queues.get(with_root(name))

    def nearest(self, name: str) -> FairQueue:
        """The queue of that name, or its nearest ancestor that exists."""
        path = with_root(name)
        while path not in self.queues:
            path = path.rpartition(".")[0] or ROOT
        return self.queues[path]

    def leaf(self, name: str, *, create: bool = False) -> LeafQueue | None:
        """The leaf of that name; made with its ancestors if need be. None where it cannot be one."""
        found = self._find_or_make(with_root(name), is_leaf=True, create=create)
        return found if isinstance(found, LeafQueue) else None

    def _find_or_make(self, path: str, *, is_leaf: bool, create: bool) -> FairQueue | None:
        found = self.queues.get(path)
        if found is not None or not create:
            return found
        made = self._make(path, is_leaf=is_leaf)
        if made is not None:
            self._has_new_queues = True
        return made

    def _make(self, path: str, *, is_leaf: bool) -> FairQueue | None:
        missing: list[str] = []
        above = path
        while above not in self.queues:
            missing.insert(0, above)
            above, _, name = above.rpartition(".")
            if not name or name != name.strip():
                raise YarnError(
                    f"Illegal node name at offset {len(above) + 1 if above else 0} for queue name {path}"
                )
        parent: FairQueue = self.queues[above]
        for place, missing_path in enumerate(missing):
            if not isinstance(parent, ParentQueue):
                return None
            made = self._make_child(parent, missing_path, is_leaf and place == len(missing) - 1)
            if made is None:
                return None
            parent = made
        return parent

    def _make_child(self, parent: ParentQueue, path: str, is_leaf: bool) -> FairQueue | None:
        fair = self._fair
        allocations = fair.allocations
        policy = allocations.policy_of(path)
        if not parent.policy.allows_child(policy):
            fair.rm.log("error", "policy not allowed below the parent's", queue=path, policy=policy.name)
            return None
        if policy.is_for_leaves_only and not is_leaf:
            fair.rm.log("error", "policy is for leaf queues only", queue=path, policy=policy.name)
            return None
        self._count += 1
        made: FairQueue
        if is_leaf:
            made = leaf = LeafQueue(path, fair, parent, self._count)
            self.leaves[leaf] = None
        else:
            made = ParentQueue(path, fair, parent, self._count)
        parent.add_child(made)
        if not allocations.is_declared(path) and parent.max_child_resources is not None:
            made.set_max(parent.max_child_resources)
        self.queues[path] = made
        fair.rm.tell("FairQueue", path, "created", "declared" if allocations.is_declared(path) else "")
        return made

    # Plan queues

    def is_plan(self, path: str) -> bool:
        """Whether there is a plan queue of that path."""
        return self._fair.allocations.queue(path).is_plan and isinstance(self.queues.get(path), ParentQueue)

    def default_of(self, queue: str) -> str:
        """Where applications without a reservation go in a plan queue; any other queue itself."""
        found = self.queue(queue)
        if found is None or not self.is_plan(found.path):
            return queue
        return PlanSettings(path=found.path).default_queue

    # The cluster's size

    def mark_cluster_changed(self) -> None:
        """The next `update_cluster_resource` has something to do."""
        self._has_current_resource = False

    def update_cluster_resource(self) -> None:
        """Brings percentages and dominant shares up to date with the cluster, if nodes have changed since."""
        if self._has_current_resource:
            return
        self._has_current_resource = self._has_new_queues = True
        for queue in self.queues.values():
            queue.cluster_changed()
        self.reorder()
        self.root.steady_fair_share = self._fair.cluster_resource()

    def mark_steady_shares(self) -> None:
        """They are to be worked out anew, though no node and no queue is new."""
        self._has_new_queues = True

    def update_steady_shares(self) -> None:
        """Works out steady fair shares, if nodes or queues have changed since; views and plans read them."""
        self.update_cluster_resource()
        if self._has_new_queues:
            self._has_new_queues = False
            self.root.recompute_steady_shares()

    def reorder(self) -> None:
        """Something changed that every order may depend on."""
        for queue in self.queues.values():
            if isinstance(queue, LeafQueue):
                queue.reorder()
            elif isinstance(queue, ParentQueue):
                queue.line.mark_all_changed(queue.children.values())

    # Removed

    def remove_empty_dynamic(self) -> None:
        """Ad hoc queues without children that are empty, then their ad hoc ancestors that became empty."""
        parents: dict[ParentQueue, None] = {}
        for queue in list(self.queues.values()):
            has_children = isinstance(queue, ParentQueue) and queue.children
            if queue.is_dynamic and not has_children and queue.is_empty():
                self._remove(queue)
                if queue.parent is not None and queue.parent.is_dynamic:
                    parents[queue.parent] = None
        while parents:
            parent = next(iter(parents))
            del parents[parent]
            if parent.path in self.queues and parent.is_empty():
                self._remove(parent)
                if parent.parent is not None and parent.parent.is_dynamic:
                    parents[parent.parent] = None

    def remove_leaf(self, name: str) -> bool:
        """Removes an empty leaf; False when it is in use."""
        found = self.queue(name)
        if not isinstance(found, LeafQueue):
            return True
        return self._remove_if_empty(found)

    def _remove_if_empty(self, queue: FairQueue) -> bool:
        if not queue.is_empty():
            return False
        self._remove(queue)
        return True

    def _remove(self, queue: FairQueue) -> None:
        # Steady shares are those of when the last queue was made: what goes later leaves them as they are.
        self.update_steady_shares()
        if isinstance(queue, ParentQueue):
            for child in list(queue.children.values()):
                self._remove(child)
        elif isinstance(queue, LeafQueue):
            del self.leaves[queue]
        del self.queues[queue.path]
        assert queue.parent is not None
        queue.parent.remove_child(queue)
        queue.parent.mark_ancestors_changed()
        self._fair.rm.tell("FairQueue", queue.path, "removed")

    # A file was loaded

    def apply(self, allocations: Allocations) -> None:
        """Makes what the file declares, changes kinds where that can be done, and lets all read it."""
        if not self._set_policies(self.root, allocations):
            self._fair.rm.log(
                "error",
                "a queue has a policy that is not allowed below its parent's: policies stay as they were",
            )
        self._declare_all(allocations.leaves, is_leaf=True)
        self._declare_all(allocations.parents, is_leaf=False)
        for queue in self.root.queues():
            queue.read_settings(allocations)
        self._has_new_queues = False
        self.root.recompute_steady_shares()

    def _declare_all(self, paths: Sequence[str], *, is_leaf: bool) -> None:
        """Makes them, in the order of Hadoop's: that of a hash set of their paths (QueueProperties). See
        tests/scenarios/fair/queues-in-hash-order.yaml. What has to wait is tried again in that order.
        """
        known = dict(self._pending_changes)
        ordered = in_hash_order(paths, text_hash)
        for path in ordered:
            self._declare(path, is_leaf=is_leaf)
        waiting = ((path, is_leaf) for path in ordered if (path, is_leaf) in self._pending_changes)
        self._pending_changes = known | dict.fromkeys(waiting)

    def make_dynamic(self, paths: Iterable[str]) -> None:
        """The file does not declare these any more."""
        for path in paths:
            if path in self.queues:
                self.queues[path].is_dynamic = True

    def apply_child_limits(self, allocations: Allocations) -> None:
        """Ad hoc queues get the maximum that their parent has for such children."""
        for queue in self.queues.values():
            parent = queue.parent
            if parent is None or allocations.is_declared(queue.path):
                continue
            if parent.max_child_resources is not None:
                queue.set_max(parent.max_child_resources)

    def change_pending_kinds(self) -> None:
        """Tries again what could not be changed when the file was loaded.

        What is made here has no part of the steady shares before they are worked out for another reason.
        """
        self.update_steady_shares()
        for path, is_leaf in list(self._pending_changes):
            removed = self._remove_conflicting(path, is_leaf)
            if removed:
                made = self.queues.get(path) or self._make(path, is_leaf=is_leaf)
                if made is not None and self._fair.allocations.is_declared(path):
                    made.is_dynamic = False
            if removed is not False:
                del self._pending_changes[path, is_leaf]

    def _set_policies(self, queue: FairQueue, allocations: Allocations) -> bool:
        policy = allocations.policy_of(queue.path)
        if isinstance(queue, ParentQueue):
            for child in queue.children.values():
                if not policy.allows_child(allocations.policy_of(child.path)):
                    return False
                if not self._set_policies(child, allocations):
                    return False
        queue.policy = policy
        return True

    def _declare(self, path: str, *, is_leaf: bool) -> None:
        if self._remove_conflicting(path, is_leaf) is False:
            self._pending_changes[path, is_leaf] = None
            return
        found = self.queues.get(path) or self._make(path, is_leaf=is_leaf)
        if found is not None:
            found.is_dynamic = False

    def _remove_conflicting(self, path: str, is_leaf: bool) -> bool | None:
        """Removes a queue of the other kind; None when there is none, False when it is in use."""
        if path == ROOT or path.startswith(f"{ROOT}.{DEFAULT}."):
            return None
        found = self.queues.get(path)
        if found is not None:
            return None if isinstance(found, LeafQueue) is is_leaf else self._remove_if_empty(found)
        above = path.rpartition(".")[0]
        while above:
            ancestor = self.queues.get(above)
            if isinstance(ancestor, LeafQueue):
                return self._remove_if_empty(ancestor)
            above = above.rpartition(".")[0]
        return None

    def check_books(self) -> None:
        """What applications hold, leaves hold; what leaves hold, parents hold. AssertionError where not."""
        for queue in self.root.queues():
            if isinstance(queue, LeafQueue):
                below: list[Resource] = [app.used for app in queue.applications()]
                asked = [app.usage.total_pending() for app in queue.applications()]
            else:
                assert isinstance(queue, ParentQueue)
                below = [child.used for child in queue.children.values()]
                asked = [child.usage.total_pending() for child in queue.children.values()]
                running = sum(child.runnable_count for child in queue.children.values())
                assert running == queue.runnable_count, (
                    f"{queue}: {queue.runnable_count} run, counted {running}"
                )
            assert total(asked) == queue.usage.total_pending(), f"{queue}: pending is off"
            if isinstance(queue, ParentQueue):
                assert total(below) == queue.used, f"{queue}: {queue.used} booked, {total(below)} below it"
        for leaf in self.leaves:
            for app in leaf.applications():
                held = total([one.charged for one in app.live.values()])
                assert held == app.used, f"{app}: {app.used} booked, {held} held"
