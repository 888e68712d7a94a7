"""Queues that are created by submissions: leaves of a managed parent (v1), whole branches of a flexible one
(v2).

Hadoop: ManagedParentQueue, AutoCreatedLeafQueue, AutoCreatedQueueTemplate and
CapacitySchedulerQueueManager.createQueue.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.config.properties import Properties, QueueProperties
from yarnbox.rm.scheduler.capacity.config.reading import ReadingContext, read_dynamic_queue
from yarnbox.rm.scheduler.capacity.config.settings import CapacityMode, QueueKind, QueueSettings
from yarnbox.rm.scheduler.capacity.config.validation import modes_of
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.yarn.errors import YarnError

V1_TEMPLATE = "leaf-queue-template."
V2_TEMPLATE = "auto-queue-creation-v2.template."
V2_LEAF_TEMPLATE = "auto-queue-creation-v2.leaf-template."
V2_PARENT_TEMPLATE = "auto-queue-creation-v2.parent-template."
_DYNAMIC = {"capacity": "1w"}
_DYNAMIC_LEAF = {"capacity": "1w", "user-limit-factor": "-1", "maximum-am-resource-percent": "1.0"}
TOLERANCE = 1e-5


def is_flexible(queue: CapacityQueue) -> bool:
    """Whether submissions may create queues below it."""
    return isinstance(queue, ParentQueue) and (
        queue.settings.v2.is_enabled or (queue.is_dynamic and queue.kind is QueueKind.PARENT)
    )


def can_create_below(queue: CapacityQueue) -> bool:
    """Whether submissions may create a leaf below it."""
    return queue.kind is QueueKind.MANAGED_PARENT or is_flexible(queue)


class QueueTreeLookup:
    """The tree as placement asks for it."""

    def __init__(self, tree: QueueTree) -> None:
        self._tree = tree

    def path_of(self, name: str) -> str | None:
        """By path, or by an unambiguous short name."""
        queue = self._tree.find(name)
        return queue.path if queue is not None else None

    def is_leaf(self, path: str) -> bool:
        """Whether the queue holds applications."""
        queue = self._tree.at(path)
        return queue is not None and queue.kind.is_leaf

    def can_create_below(self, path: str) -> bool:
        """Either version."""
        queue = self._tree.at(path)
        return queue is not None and can_create_below(queue)

    def is_flexible(self, path: str) -> bool:
        """Version two."""
        queue = self._tree.at(path)
        return queue is not None and is_flexible(queue)


class QueueMaker:
    """Makes queues from templates."""

    def __init__(self, context: QueueContext, tree: QueueTree, reading_context: ReadingContext) -> None:
        self._context = context
        self._tree = tree
        self._surroundings = reading_context

    def settings_of(self, path: str, parent: QueueSettings, *, is_leaf: bool) -> QueueSettings:
        """The settings of a dynamic queue, existing or not."""
        settings = self._context.settings
        if parent.kind is QueueKind.MANAGED_PARENT:
            template = managed_template(settings.properties, parent.path)
            return read_dynamic_queue(
                settings, self._surroundings, parent, path, template, is_leaf=True, is_managed=True
            )
        template = flexible_template(settings.properties, parent.path, parent.v2.max_depth, is_leaf=is_leaf)
        return read_dynamic_queue(settings, self._surroundings, parent, path, template, is_leaf=is_leaf)

    def reread(self, queue: CapacityQueue) -> QueueSettings:
        """The settings of a dynamic queue after a refresh."""
        assert queue.parent is not None
        return self.settings_of(queue.path, queue.parent.settings, is_leaf=queue.kind.is_leaf)

    def settings_if_made(self, path: str) -> tuple[ParentQueue, list[QueueSettings]]:
        """The queue below which the leaf of that path would be made, and the settings of all that is missing,
        the leaf's last; YarnError with the reason why it may not be made.
        """
        missing = [path]
        parent_path = path.rpartition(".")[0]
        while parent_path and self._tree.at(parent_path) is None:
            missing.insert(0, parent_path)
            parent_path = parent_path.rpartition(".")[0]
        parent = self._tree.at(parent_path) if parent_path else None
        is_managed = parent is not None and parent.kind is QueueKind.MANAGED_PARENT
        if not isinstance(parent, ParentQueue) or (is_managed and len(missing) > 1):
            raise YarnError(f"Auto creation of queue {path} is not enabled under parent {parent_path}")
        if not is_managed:
            self._check_depth(path, parent, len(missing))
        made: list[QueueSettings] = []
        for missing_path in missing:
            above = made[-1] if made else parent.settings
            made.append(self.settings_of(missing_path, above, is_leaf=missing_path == path))
        return parent, made

    def create(self, path: str) -> CapacityQueue:
        """Creates the leaf of that path and its missing parents; YarnError with the reason when it
        may not.
        """
        parent, made = self.settings_if_made(path)
        if parent.kind is QueueKind.MANAGED_PARENT:
            return self._create_managed(made[0], parent)
        self._check_room(path, parent)
        queue: CapacityQueue = parent
        for settings in made:
            assert isinstance(queue, ParentQueue)
            above, queue = queue, self._tree.add(settings, queue)
            self._tree.derive_below(above)
        return queue

    def _check_depth(self, path: str, parent: ParentQueue, levels: int) -> None:
        static: CapacityQueue = parent
        while static.is_dynamic and static.parent is not None:
            static = static.parent
            levels += 1
        allowed = static.settings.v2.max_depth
        if levels > allowed:
            raise YarnError(
                f"Could not auto create queue {path}. The distance of the LeafQueue from the first static "
                f"ParentQueue is {levels}, which is above the limit."
            )
        if not is_flexible(parent):
            raise YarnError(f"Auto creation of queue {path} is not enabled under parent {parent.path}")

    def _check_room(self, path: str, parent: ParentQueue) -> None:
        if len(parent.children) >= parent.settings.v2.max_queues:
            raise YarnError(
                f"Cannot auto create queue {path}. Max Child Queue limit exceeded which is configured as: "
                f"{parent.settings.v2.max_queues} and number of child queues is: {len(parent.children)}"
            )
        modes = modes_of((child.settings for child in parent.children), parent.settings)
        if self._context.settings.is_legacy and parent.children and CapacityMode.WEIGHT not in modes:
            raise YarnError(
                f"Trying to create new queue={path} but not all the queues under parent={parent.path} are "
                "using weight-based capacity. Failed to created queue"
            )

    def _create_managed(self, settings: QueueSettings, parent: ParentQueue) -> CapacityQueue:
        v1, path = parent.settings.v1, settings.path
        assert v1 is not None
        if len(parent.children) >= v1.max_queues:
            raise YarnError(
                f"Cannot auto create leaf queue {path}. Max Child Queue limit exceeded which is configured "
                "as: "
                f"{v1.max_queues} and number of child queues is: {len(parent.children)}"
            )
        fits = can_hold_template(parent, settings)
        if not fits and v1.fail_on_exceeding:
            raise YarnError(
                f"Cannot auto create leaf queue {path}. Child queues capacities have reached parent queue : "
                f"{parent.path} guaranteed capacity"
            )
        queue = self._tree.add(settings, parent)
        queue.holds_template = fits
        queue.shares_of_settings()
        self._tree.derive_shares()
        return queue


def can_hold_template(parent: ParentQueue, settings: QueueSettings) -> bool:
    """Whether the managed parent has the capacity left that the template needs."""
    for label, configured in settings.partitions.items():
        share = parent.share(label)
        if configured.capacity.resource:
            taken = [
                child.share(label).configured_minimum for child in parent.children if child.holds_template
            ]
            left = share.effective_minimum
            for resource in taken:
                left = left - resource
            if not configured.capacity.resource.fits_in(left):
                return False
            continue
        wanted = configured.capacity.number / 100 * share.absolute
        taken_ratio = sum(child.share(label).absolute for child in parent.children if child.holds_template)
        if share.absolute - taken_ratio < wanted - TOLERANCE:
            return False
    return True


def managed_template(properties: Properties, parent: str) -> dict[str, str]:
    """leaf-queue-template.* of a managed parent."""
    own = QueueProperties(properties, parent)
    return {key: own.untrimmed(V1_TEMPLATE + key) or "" for key in own.keys(V1_TEMPLATE)}


def flexible_template(properties: Properties, parent: str, depth: int, *, is_leaf: bool) -> dict[str, str]:
    """What a dynamic queue below `parent` gets: its kind's template, the common one, the defaults.

    Each is looked for at the parent's path first, then with more and more of the last names as `*`.
    """
    kind = V2_LEAF_TEMPLATE if is_leaf else V2_PARENT_TEMPLATE
    special = written_template(properties, parent, depth, kind)
    common = written_template(properties, parent, depth, V2_TEMPLATE)
    return {**(_DYNAMIC_LEAF if is_leaf else _DYNAMIC), **common, **special}


def written_template(properties: Properties, parent: str, depth: int, prefix: str) -> dict[str, str]:
    """What is written below that prefix for queues that are made below `parent`."""
    found: dict[str, str] = {}
    for path in wildcard_paths(parent, depth):
        own = QueueProperties(properties, path)
        for key in own.keys(prefix):
            found.setdefault(key, own.untrimmed(prefix + key) or "")
    return found


def wildcard_paths(path: str, depth: int) -> list[str]:
    """The path, then with its last name as `*`, then the last two, ...; never the root."""
    parts = path.split(".")
    found = [path]
    for level in range(1, min(len(parts) - 1, depth) + 1):
        parts[-level] = "*"
        found.append(".".join(parts))
    return found
