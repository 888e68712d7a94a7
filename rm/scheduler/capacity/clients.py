"""What others see of the queues: records for clients, views for pages and scenarios, the books recounted.

Answers for the getQueueInfo and getQueueUserAclInfo methods and for CapacitySchedulerQueueInfo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.parent import ParentQueue
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.settings import DEFAULT_PARTITION, CapacityMode
from rm.scheduler.capacity.shares import Share
from rm.scheduler.views import PartitionView, QueueView, UserView
from yarn.enums import QueueACL
from yarn.errors import YarnError
from yarn.records.queue import (
    QueueConfigurations,
    QueueConfigurationsMap,
    QueueInfo,
    QueueStatistics,
    QueueUserACLInfo,
)
from yarn.resource import NONE, Resource, componentwise_max

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler


# Records


def queue_info(
    scheduler: CapacityScheduler, name: str, *, include_children: bool, recursive: bool
) -> QueueInfo:
    """The queue as `yarn queue -status` shows it, with the queues below it if they are asked for."""
    queue = scheduler.tree.find(name)
    if queue is None:
        raise YarnError(f"Unknown queue: {name}")
    return _info(scheduler, queue, include_children=include_children, recursive=recursive)


def _info(
    scheduler: CapacityScheduler, queue: CapacityQueue, *, include_children: bool, recursive: bool
) -> QueueInfo:
    share = queue.share(DEFAULT_PARTITION)
    children: tuple[QueueInfo, ...] = ()
    if include_children and isinstance(queue, ParentQueue):
        children = tuple(
            _info(scheduler, child, include_children=recursive, recursive=recursive)
            for child in queue.children
        )
    weight = share.capacity_value.number if share.capacity_value.mode is CapacityMode.WEIGHT else -1.0
    return QueueInfo(
        queue_name=queue.name,
        queue_path=queue.path,
        capacity=share.capacity,
        maximum_capacity=share.maximum,
        current_capacity=share.used_capacity,
        state=queue.state,
        child_queues=children,
        accessible_node_labels=queue.settings.accessible_labels,
        default_node_label_expression=queue.settings.default_label or None,
        queue_statistics=_statistics(queue),
        preemption_disabled=is_preemption_disabled(scheduler, queue),
        intra_queue_preemption_disabled=is_intra_queue_preemption_disabled(scheduler, queue),
        queue_configurations_map=tuple(
            QueueConfigurationsMap(partition_name=label, queue_configurations=_configurations(queue, label))
            for label in queue.shares
        ),
        weight=weight,
        max_parallel_apps=queue.settings.max_parallel_apps,
        scheduler_type=scheduler.name,
    )


def _configurations(queue: CapacityQueue, label: str) -> QueueConfigurations:
    share = queue.shares[label]
    percent = queue.am_percent(label) if isinstance(queue, LeafQueue) else 0.0
    return QueueConfigurations(
        capacity=share.capacity,
        absolute_capacity=share.absolute,
        max_capacity=share.maximum,
        absolute_max_capacity=share.absolute_maximum,
        max_ampercentage=percent,
        effective_min_capacity=share.effective_minimum,
        effective_max_capacity=share.effective_maximum,
        configured_min_capacity=share.configured_minimum,
        configured_max_capacity=share.configured_maximum,
    )


def _statistics(queue: CapacityQueue) -> QueueStatistics:
    amounts = queue.usage.of(DEFAULT_PARTITION)
    share = queue.share(DEFAULT_PARTITION)
    available = componentwise_max(share.effective_minimum - amounts.used, NONE)
    allocated = amounts.used - amounts.reserved
    leaves = list(queue.leaves())
    reserved_count = sum(len(attempt.reserved_containers()) for leaf in leaves for attempt in leaf.order)
    return QueueStatistics(
        num_apps_submitted=queue.app_count,
        num_apps_running=sum(leaf.active_count for leaf in leaves),
        num_apps_pending=queue.app_count - sum(leaf.active_count for leaf in leaves),
        num_active_users=sum(user.is_active for leaf in leaves for user in leaf.users.by_name.values()),
        available_memory_mb=available.memory_mb,
        available_vcores=available.vcores,
        allocated_memory_mb=allocated.memory_mb,
        allocated_vcores=allocated.vcores,
        pending_memory_mb=amounts.pending.memory_mb,
        pending_vcores=amounts.pending.vcores,
        reserved_memory_mb=amounts.reserved.memory_mb,
        reserved_vcores=amounts.reserved.vcores,
        allocated_containers=amounts.containers,
        pending_containers=amounts.pending_containers,
        reserved_containers=reserved_count,
    )


def is_preemption_disabled(scheduler: CapacityScheduler, queue: CapacityQueue) -> bool:
    """Whether the queue's containers are safe: by its own switch, else its parent's; always without a
    monitor.
    """
    if not scheduler.frame.is_monitored:
        return True
    for each in queue.ancestors():
        if each.settings.is_preemption_disabled is not None:
            return each.settings.is_preemption_disabled
    return False


def is_intra_queue_preemption_disabled(scheduler: CapacityScheduler, queue: CapacityQueue) -> bool:
    """The same within the queue; a queue that is safe from others is safe from itself."""
    name = "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled"
    if not scheduler.frame.settings.properties.boolean(name, False):
        return True
    for each in queue.ancestors():
        if each.settings.is_intra_queue_preemption_disabled is not None:
            if each.settings.is_intra_queue_preemption_disabled:
                return True
            break
    return is_preemption_disabled(scheduler, queue)


def queue_acls(scheduler: CapacityScheduler, user: str) -> list[QueueUserACLInfo]:
    """What the user may do, queue by queue."""
    groups = scheduler.context.groups.groups_of(user)
    is_on = scheduler.context.settings.addresses.acl_enabled
    return [
        QueueUserACLInfo(
            queue_name=queue.name,
            user_acls=tuple(acl for acl in QueueACL if not is_on or queue.allows(user, groups, acl)),
        )
        for queue in scheduler.tree.walk()
    ]


# Views


def queue_view(scheduler: CapacityScheduler, path: str) -> QueueView | None:
    """The queue of that path."""
    queue = scheduler.tree.find(path)
    if queue is None:
        return None
    leaves = list(queue.leaves())
    active = sum(leaf.active_count for leaf in leaves)
    is_leaf = isinstance(queue, LeafQueue)
    return QueueView(
        path=queue.path,
        state=queue.state,
        is_leaf=is_leaf,
        children=tuple(child.path for child in queue.children) if isinstance(queue, ParentQueue) else (),
        apps=queue.app_count,
        active_apps=active,
        pending_apps=sum(len(leaf.pending) for leaf in leaves),
        containers=sum(amounts.containers for amounts in queue.usage.by_partition.values()),
        partitions={label: _partition_view(queue, label, share) for label, share in queue.shares.items()},
        users=_users(queue) if isinstance(queue, LeafQueue) else {},
    )


def _partition_view(queue: CapacityQueue, label: str, share: Share) -> PartitionView:
    amounts = share.amounts
    leaf = queue if isinstance(queue, LeafQueue) else None
    return PartitionView(
        used=amounts.used,
        pending=amounts.pending,
        reserved=amounts.reserved,
        containers=amounts.containers,
        pending_containers=amounts.pending_containers,
        capacity=share.capacity,
        max_capacity=share.maximum,
        absolute_capacity=share.absolute,
        absolute_max_capacity=share.absolute_maximum,
        used_capacity=share.used_capacity,
        absolute_used_capacity=share.absolute_used,
        effective_min=share.effective_minimum,
        effective_max=share.effective_maximum,
        am_limit=share.am_limit if leaf is not None else None,
        am_used=amounts.am_used if leaf is not None else _am_used_below(queue, label),
        user_limit=_user_limit(leaf, label) if leaf is not None else None,
    )


def _am_used_below(queue: CapacityQueue, label: str) -> Resource:
    return sum((leaf.usage.am_used(label) for leaf in queue.leaves()), NONE)


def _user_limit(leaf: LeafQueue, label: str) -> Resource:
    """Of the active user who may have least; without one, that of a user of weight 1."""
    limits = [leaf.users.limit_of(user, label) for user in leaf.users.by_name.values() if user.is_active]
    if not limits:
        return leaf.users.limit(label)
    smallest = limits[0]
    for limit in limits[1:]:
        smallest = leaf.frame.calculator.min_of(leaf.frame.cluster, smallest, limit)
    return smallest


def _users(leaf: LeafQueue) -> dict[str, UserView]:
    return {
        user.name: UserView(
            used=user.usage.total_used(),
            active_apps=user.active_apps,
            pending_apps=user.pending_apps,
            am_used=user.usage.am_used(),
            am_limit=user.am_limits.get(DEFAULT_PARTITION, NONE),
            available={label: leaf.user_headroom(user, label) for label in user.usage.by_partition},
        )
        for user in leaf.users.by_name.values()
    }


# Books


def check_tree_books(scheduler: CapacityScheduler) -> None:
    """What applications hold, their users and leaves hold; what leaves hold, parents hold; AssertionError if
    not.
    """
    for leaf in scheduler.tree.leaves():
        attempts = [*leaf.order, *leaf.pending, *leaf.waiting]
        _check_leaf(leaf, attempts)
    for queue in scheduler.tree.walk():
        if isinstance(queue, ParentQueue):
            _check_parent(queue)


def _check_leaf(leaf: LeafQueue, attempts: list[CapacityAttempt]) -> None:
    for partition, amounts in leaf.usage.by_partition.items():
        used = sum((one.usage.used(partition) + one.usage.reserved(partition) for one in attempts), NONE)
        users = sum((user.usage.used(partition) for user in leaf.users.by_name.values()), NONE)
        assert users == amounts.used, f"{leaf}: users have {users}, {amounts.used} booked in '{partition}'"
        # An attempt that ended may have left containers to the one that comes after it.
        assert used.fits_in(amounts.used), f"{leaf}: {used} of its applications, {amounts.used} booked"
        assert not amounts.used.is_negative(), f"{leaf}: used {amounts.used}"
        assert not amounts.pending.is_negative(), f"{leaf}: pending {amounts.pending}"
        am_used = sum((one.am_resource for one in leaf.order if one.partition == partition), NONE)
        assert am_used == amounts.am_used, f"{leaf}: AMs use {am_used}, {amounts.am_used} booked"
    for attempt in attempts:
        for partition, amounts in attempt.usage.by_partition.items():
            live = sum((one.charged for one in attempt.live.values() if one.partition == partition), NONE)
            assert live == amounts.used, f"{attempt}: {live} alive, {amounts.used} booked"


def _check_parent(queue: ParentQueue) -> None:
    for partition, amounts in queue.usage.by_partition.items():
        for name in ("used", "pending", "reserved"):
            below = sum((getattr(child.usage.of(partition), name) for child in queue.children), NONE)
            own = getattr(amounts, name)
            assert below == own, f"{queue}: children have {below} {name}, {own} booked in '{partition}'"


def ordering_policy(queue: CapacityQueue) -> str:
    """The word for the order in which it serves what is below it."""
    if isinstance(queue, LeafQueue):
        return queue.settings.leaf_order.value
    return queue.settings.parent_order.value
