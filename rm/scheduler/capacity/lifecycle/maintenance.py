"""Periodic maintenance of dynamic queues: rebalances their capacity, removes idle ones, reads the
configuration file again when it was modified.

Hadoop: QueueManagementDynamicEditPolicy, GuaranteedOrZeroCapacityOverTimePolicy,
AutoCreatedQueueDeletionPolicy and QueueConfigurationAutoRefreshPolicy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from yarnbox.rm.scheduler.capacity.config.properties import PREFIX
from yarnbox.rm.scheduler.capacity.config.reading import FILE_NAME
from yarnbox.rm.scheduler.capacity.config.settings import QueueKind
from yarnbox.rm.scheduler.capacity.lifecycle.dynamic_queues import can_hold_template
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.yarn.errors import YarnError

_INTERVAL = "yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval"
_MANAGEMENT_INTERVAL_MS = 1_500
_REFRESH_INTERVAL = PREFIX + "queue.auto.refresh.monitoring-interval"
_REFRESH_INTERVAL_MS = 5_000


class ManagedTemplates:
    """Which leaves of managed parents have the capacity of their template."""

    def __init__(self, tree: QueueTree) -> None:
        self._tree = tree

    def rebalance(self) -> None:
        """Deactivates leaves without applications, and activates waiting ones while the parent has capacity.

        Nothing else is recomputed: a deactivated leaf may not use anything until it is activated again, or
        the whole tree's shares change (AutoCreatedLeafQueue.mergeCapacities). See
        tests/scenarios/queues/capacity-handed-round.yaml.
        """
        for parent in self._managed_parents():
            for child in parent.children:
                if child.holds_template and child.app_count == 0:
                    _set_template(child, holds=False)
                    parent.deactivate_template(child)
            waiting = [child for child in parent.children if not child.holds_template and child.app_count > 0]
            for child in sorted(waiting, key=_first_application):
                if can_hold_template(parent, child.settings):
                    _set_template(child, holds=True)
                    parent.activate_template(child)

    def restore_after_refresh(self) -> None:
        """After a refresh all leaves of managed parents are deactivated; activates those with applications,
        in the order of their first applications, while the parent has capacity.

        See tests/scenarios/queues/managed-leaf-idle-at-refresh.yaml.
        """
        for parent in self._managed_parents():
            held = [child for child in parent.children if child.holds_template]
            for child in held:
                _set_template(child, holds=False)
            if held:
                self._tree.derive_shares()
            busy = sorted((child for child in parent.children if child.app_count), key=_first_application)
            for child in busy:
                if can_hold_template(parent, child.settings):
                    _set_template(child, holds=True)
                    self._tree.derive_shares()

    def _managed_parents(self) -> Iterator[ParentQueue]:
        for queue in self._tree.all_queues():
            if queue.kind is QueueKind.MANAGED_PARENT and isinstance(queue, ParentQueue):
                yield queue


def _first_application(queue: CapacityQueue) -> tuple[int, int]:
    assert isinstance(queue, LeafQueue)
    return min(queue.applications)


def _set_template(queue: CapacityQueue, *, holds: bool) -> None:
    queue.holds_template = holds
    queue.shares_of_settings()


class QueueManagementDynamicEditPolicy:
    """The scheduling monitor's policy for the leaves of managed parents."""

    name: ClassVar[str] = "QueueManagementDynamicEditPolicy"

    def __init__(self, context: QueueContext, templates: ManagedTemplates) -> None:
        self._context = context
        self._templates = templates

    @property
    def monitoring_interval_ms(self) -> int:
        """From one round to the next."""
        return max(1, self._context.settings.properties.integer(_INTERVAL, _MANAGEMENT_INTERVAL_MS))

    def edit_schedule(self) -> None:
        """One round."""
        self._templates.rebalance()


class IdleQueues:
    """Dynamic queues that are not used any more."""

    def __init__(self, context: QueueContext, tree: QueueTree) -> None:
        self._context = context
        self._tree = tree
        self._marked: list[str] = []
        """Those that the next round removes if they are still idle."""

    def remove(self) -> None:
        """Empty dynamic queues are marked in one round; those that are still empty in the next are removed if
        the last submission is long enough ago by then, and else have to be marked again.

        See tests/scenarios/queues/idle-queues-go.yaml.
        """
        empty = [queue for queue in self._tree.all_queues() if _is_empty(queue)]
        due = [queue for queue in empty if queue.path in self._marked and self._is_idle(queue)]
        self._marked = [queue.path for queue in empty if queue.path not in self._marked]
        for queue in due:
            parent = queue.parent
            self._tree.remove(queue)
            assert isinstance(parent, ParentQueue)
            self._tree.derive_below(parent)

    def _is_idle(self, queue: CapacityQueue) -> bool:
        idle_s = (self._context.rm.now_ms - queue.last_used_ms) // 1_000
        return idle_s > self._context.settings.queue_expiry_s


def _is_empty(queue: CapacityQueue) -> bool:
    if not queue.is_dynamic or queue.kind is QueueKind.AUTO_LEAF or not queue.settings.v2.removes_idle:
        return False
    if queue.parent is None or queue.parent.kind is QueueKind.PLAN:
        return False
    return not queue.children if isinstance(queue, ParentQueue) else not queue.app_count


class AutoCreatedQueueDeletionPolicy:
    """The scheduling monitor's policy for flexible automatic queues; it looks as often as they expire."""

    name: ClassVar[str] = "AutoCreatedQueueDeletionPolicy"

    def __init__(self, context: QueueContext, idle: IdleQueues) -> None:
        self._context = context
        self._idle = idle

    @property
    def monitoring_interval_ms(self) -> int:
        """From one round to the next."""
        return max(1, self._context.settings.queue_expiry_s * 1_000)

    def edit_schedule(self) -> None:
        """One round."""
        self._idle.remove()


class QueueConfigurationAutoRefreshPolicy:
    """The scheduling monitor's policy that does what refreshQueues does when capacity-scheduler.xml was
    written. A file that cannot be used changes nothing.
    """

    name: ClassVar[str] = "QueueConfigurationAutoRefreshPolicy"

    def __init__(self, context: QueueContext, refresh: Callable[[], None]) -> None:
        self._context = context
        self._refresh = refresh
        self._tried_ms = context.rm.now_ms

    @property
    def monitoring_interval_ms(self) -> int:
        """From one look to the next."""
        properties = self._context.settings.properties
        return max(1, properties.integer(_REFRESH_INTERVAL, _REFRESH_INTERVAL_MS))

    def edit_schedule(self) -> None:
        """One look at the file."""
        rm = self._context.rm
        modified_ms = rm.provider.modified_ms(FILE_NAME)
        is_new = modified_ms is not None and modified_ms > self._tried_ms
        if not is_new or rm.now_ms <= self._tried_ms + self.monitoring_interval_ms:
            return
        self._tried_ms = rm.now_ms
        try:
            self._refresh()
        except YarnError as error:
            rm.log("error", "queues cannot be refreshed", why=error.message)
