"""What is done to queues from time to time: capacity of automatic ones handed round, idle ones removed, the
file of all of them read again when it was written.

Answers for QueueManagementDynamicEditPolicy, GuaranteedOrZeroCapacityOverTimePolicy,
AutoCreatedQueueDeletionPolicy and QueueConfigurationAutoRefreshPolicy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.capacity.dynamic import has_room_for_template
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.parent import ParentQueue
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.reading import FILE_NAME
from rm.scheduler.capacity.settings import PREFIX, QueueKind
from yarn.errors import YarnError

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler

_INTERVAL = "yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval"
_MANAGEMENT_INTERVAL_MS = 1_500
_REFRESH_INTERVAL = PREFIX + "queue.auto.refresh.monitoring-interval"
_REFRESH_INTERVAL_MS = 5_000


class QueueManagementDynamicEditPolicy:
    """The scheduling monitor's policy for the leaves of managed parents."""

    name = "QueueManagementDynamicEditPolicy"

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self._scheduler = scheduler

    @property
    def monitoring_interval_ms(self) -> int:
        """From one round to the next."""
        properties = self._scheduler.frame.settings.properties
        return max(1, properties.integer(_INTERVAL, _MANAGEMENT_INTERVAL_MS))

    def edit_schedule(self) -> None:
        """One round."""
        hand_round(self._scheduler)


class AutoCreatedQueueDeletionPolicy:
    """The scheduling monitor's policy for flexible automatic queues; it looks as often as they expire."""

    name = "AutoCreatedQueueDeletionPolicy"

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self._scheduler = scheduler

    @property
    def monitoring_interval_ms(self) -> int:
        """From one round to the next."""
        return max(1, self._scheduler.frame.settings.queue_expiry_s * 1_000)

    def edit_schedule(self) -> None:
        """One round."""
        remove_idle(self._scheduler)


class QueueConfigurationAutoRefreshPolicy:
    """The scheduling monitor's policy that does what refreshQueues does when capacity-scheduler.xml was
    written. A file that cannot be used changes nothing.
    """

    name = "QueueConfigurationAutoRefreshPolicy"

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self._scheduler = scheduler
        self._tried_ms = scheduler.context.now_ms

    @property
    def monitoring_interval_ms(self) -> int:
        """From one look to the next."""
        return max(
            1, self._scheduler.frame.settings.properties.integer(_REFRESH_INTERVAL, _REFRESH_INTERVAL_MS)
        )

    def edit_schedule(self) -> None:
        """One look at the file."""
        context = self._scheduler.context
        modified_ms = context.provider.modified_ms(FILE_NAME)
        is_new = modified_ms is not None and modified_ms > self._tried_ms
        if not is_new or context.now_ms <= self._tried_ms + self.monitoring_interval_ms:
            return
        self._tried_ms = context.now_ms
        try:
            self._scheduler.refresh()
        except YarnError as error:
            context.log("error", "queues cannot be refreshed", why=error.message)


def hand_round(scheduler: CapacityScheduler) -> None:
    """Leaves without applications give their capacity up; waiting ones get theirs while there is room.

    Nothing else is worked out anew: a leaf that gave its capacity up may not use anything until it gets it
    back, or the whole tree's shares change (AutoCreatedLeafQueue.mergeCapacities).
    See tests/scenarios/queues/capacity-handed-round.yaml.
    """
    for parent in scheduler.tree.walk():
        if parent.kind is not QueueKind.MANAGED_PARENT or not isinstance(parent, ParentQueue):
            continue
        for child in parent.children:
            if child.holds_template and child.app_count == 0:
                _set_template(child, holds=False)
                parent.withdraw(child)
        waiting = [child for child in parent.children if not child.holds_template and child.app_count > 0]
        for child in sorted(waiting, key=_first_application):
            if has_room_for_template(parent, child.settings):
                _set_template(child, holds=True)
                parent.endow(child)


def fit_templates(scheduler: CapacityScheduler) -> None:
    """After a refresh all leaves of managed parents have lost their capacity; those with applications get it
    back, the one that was first at the front, while there is room.

    See tests/scenarios/queues/managed-leaf-idle-at-refresh.yaml.
    """
    for parent in scheduler.tree.walk():
        if parent.kind is not QueueKind.MANAGED_PARENT or not isinstance(parent, ParentQueue):
            continue
        held = [child for child in parent.children if child.holds_template]
        for child in held:
            _set_template(child, holds=False)
        if held:
            scheduler.recompute()
        busy = sorted((child for child in parent.children if child.app_count), key=_first_application)
        for child in busy:
            if has_room_for_template(parent, child.settings):
                _set_template(child, holds=True)
                scheduler.recompute()


def _first_application(queue: CapacityQueue) -> tuple[int, int]:
    assert isinstance(queue, LeafQueue)
    return min(queue.applications)


def _set_template(queue: CapacityQueue, *, holds: bool) -> None:
    queue.holds_template = holds
    queue.shares_of_settings()


def remove_idle(scheduler: CapacityScheduler) -> None:
    """Empty dynamic queues are marked in one round; those that are still empty in the next are removed if
    the last submission is long enough ago by then, and else have to be marked again.

    See tests/scenarios/queues/idle-queues-go.yaml.
    """
    empty = [queue for queue in scheduler.tree.walk() if _is_empty(queue)]
    due = [queue for queue in empty if queue.path in scheduler.marked_queues and _is_idle(scheduler, queue)]
    scheduler.marked_queues = [queue.path for queue in empty if queue.path not in scheduler.marked_queues]
    for queue in due:
        scheduler.tree.remove(queue)
    if due:
        scheduler.recompute()


def _is_empty(queue: CapacityQueue) -> bool:
    if not queue.is_dynamic or queue.kind is QueueKind.AUTO_LEAF or not queue.settings.v2.removes_idle:
        return False
    if queue.parent is None or queue.parent.kind is QueueKind.PLAN:
        return False
    return not queue.children if isinstance(queue, ParentQueue) else not queue.app_count


def _is_idle(scheduler: CapacityScheduler, queue: CapacityQueue) -> bool:
    idle_s = (scheduler.context.now_ms - queue.last_used_ms) // 1_000
    return idle_s > scheduler.frame.settings.queue_expiry_s
