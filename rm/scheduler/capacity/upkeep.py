"""What is done to queues from time to time: capacity of automatic ones handed round, idle ones removed, the
file of all of them read again when it was written.

Answers for QueueManagementDynamicEditPolicy, GuaranteedOrZeroCapacityOverTimePolicy,
AutoCreatedQueueDeletionPolicy and QueueConfigurationAutoRefreshPolicy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.capacity.dynamic import TOLERANCE, has_room_for_template
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
    """Leaves without applications give their capacity up; waiting ones get theirs while there is room."""
    has_changed = False
    for queue in scheduler.tree.walk():
        if queue.kind is QueueKind.MANAGED_PARENT and isinstance(queue, ParentQueue):
            has_changed |= _hand_round_below(scheduler, queue)
    if has_changed:
        scheduler.recompute()


def _hand_round_below(scheduler: CapacityScheduler, parent: ParentQueue) -> bool:
    has_changed = False
    for child in parent.children:
        if child.holds_template and child.app_count == 0:
            _set_template(child, holds=False)
            has_changed = True
    if has_changed:
        scheduler.recompute()
    waiting = [child for child in parent.children if not child.holds_template and child.app_count > 0]
    for child in sorted(waiting, key=_first_application):
        if has_room_for_template(parent, child.settings):
            _set_template(child, holds=True)
            scheduler.recompute()
            has_changed = True
    return has_changed


def fit_templates(scheduler: CapacityScheduler) -> None:
    """After a refresh: where larger templates need more than their parent has, they are handed out anew, to
    leaves with applications first.
    """
    for parent in scheduler.tree.walk():
        if parent.kind is not QueueKind.MANAGED_PARENT or not isinstance(parent, ParentQueue):
            continue
        held = [child for child in parent.children if child.holds_template]
        if sum(child.share("").absolute for child in held) <= parent.share("").absolute + TOLERANCE:
            continue
        busy = sorted((child for child in parent.children if child.app_count), key=_first_application)
        for child in parent.children:
            _set_template(child, holds=False)
        scheduler.recompute()
        for child in (*busy, *(child for child in held if not child.app_count)):
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
    """Dynamic queues marked in the round before are removed if they are still idle; idle ones are marked."""
    marked = scheduler.marked_queues
    removed = [path for path in marked if _is_removable(scheduler, path)]
    for path in sorted(removed, key=lambda one: -one.count(".")):
        queue = scheduler.tree.at(path)
        if queue is not None and _is_removable(scheduler, path):
            scheduler.tree.remove(queue)
    scheduler.marked_queues = [
        queue.path for queue in scheduler.tree.walk() if _is_removable(scheduler, queue.path)
    ]
    if removed:
        scheduler.recompute()


def _is_removable(scheduler: CapacityScheduler, path: str) -> bool:
    queue = scheduler.tree.at(path)
    if queue is None or not queue.is_dynamic or queue.kind is QueueKind.AUTO_LEAF or queue.app_count:
        return False
    if isinstance(queue, ParentQueue) and queue.children:
        return False
    parent = queue.parent
    if parent is None or parent.kind is QueueKind.PLAN:
        return False
    if not parent.settings.v2.removes_idle or not queue.settings.v2.removes_idle:
        return False
    idle_ms = scheduler.context.now_ms - queue.last_used_ms
    return idle_ms > scheduler.frame.settings.queue_expiry_s * 1_000
