"""What is done to automatic queues from time to time: capacity handed round, idle queues removed.

Answers for QueueManagementDynamicEditPolicy, GuaranteedOrZeroCapacityOverTimePolicy and
AutoCreatedQueueDeletionPolicy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.events.scheduler import SchedulerQueueUpkeep
from rm.scheduler.capacity.dynamic import TOLERANCE, has_room_for_template
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.parent import ParentQueue
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.settings import QueueKind

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler

MANAGEMENT = "QueueManagementDynamicEditPolicy"
DELETION = "AutoCreatedQueueDeletionPolicy"
_INTERVAL = "yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval"
_MANAGEMENT_INTERVAL_MS = 1_500


def start(scheduler: CapacityScheduler) -> None:
    """Sets the timers of the policies that are configured."""
    for policy in (MANAGEMENT, DELETION):
        _set_timer(scheduler, policy)


def is_configured(scheduler: CapacityScheduler, policy: str) -> bool:
    """Whether the scheduling monitor runs the policy."""
    settings = scheduler.context.settings
    listed = [name.rpartition(".")[2] for name in settings.scheduler_monitor_policies]
    return settings.scheduler_monitor_enabled and policy in listed


def _set_timer(scheduler: CapacityScheduler, policy: str) -> None:
    if not is_configured(scheduler, policy):
        return
    settings = scheduler.frame.settings
    interval_ms = settings.queue_expiry_s * 1_000
    if policy == MANAGEMENT:
        interval_ms = settings.properties.integer(_INTERVAL, _MANAGEMENT_INTERVAL_MS)
    due_ms = scheduler.context.now_ms + max(1, interval_ms)
    scheduler.context.timer_at(due_ms, ("queue upkeep", policy), SchedulerQueueUpkeep(policy=policy))


def run(scheduler: CapacityScheduler, policy: str) -> None:
    """One round of a policy, and the timer of the next."""
    if policy == MANAGEMENT:
        hand_round(scheduler)
    else:
        remove_idle(scheduler)
    _set_timer(scheduler, policy)


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
