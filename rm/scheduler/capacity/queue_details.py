"""Makes the views that REST shows of the CapacityScheduler's queues.

Hadoop: CapacitySchedulerQueueInfo and CapacitySchedulerLeafQueueInfo.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.rm.scheduler.capacity.lifecycle import dynamic_queues as dynamic
from yarnbox.rm.scheduler.capacity.queue_view import (
    AmountsView,
    CapacityLeafView,
    CapacityQueueView,
    CapacityUserView,
    ShareView,
)
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue, leaves_below
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.shares import Share
from yarnbox.rm.scheduler.capacity.queues.sizes import ContainerSizes
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.capacity.queues.users import User
from yarnbox.rm.scheduler.usage import Amounts
from yarnbox.yarn.records.node import DEFAULT_PARTITION


class QueueDetails:
    """Looks at the queues of a tree as they are."""

    def __init__(self, context: QueueContext, tree: QueueTree, sizes: ContainerSizes) -> None:
        self._context = context
        self._tree = tree
        self._sizes = sizes

    def view(self, path: str) -> CapacityQueueView | None:
        """The queue of that path and all below it."""
        queue = self._tree.find(path)
        return self._view(queue) if queue is not None else None

    def _view(self, queue: CapacityQueue) -> CapacityQueueView:
        queue.share(DEFAULT_PARTITION)  # shown even where it was never asked for
        leaves = leaves_below(queue)
        return CapacityQueueView(
            path=queue.path,
            name=queue.name,
            kind=queue.kind,
            is_dynamic=queue.is_dynamic,
            state=queue.state,
            settings=queue.settings,
            ordering_policy=queue.ordering_policy,
            apps=queue.app_count,
            reserved_containers=sum(len(app.reserved_containers()) for leaf in leaves for app in leaf.order),
            shares={label: _share(share) for label, share in queue.shares.items()},
            maximum_allocation=self._sizes.maximum_in(queue.path),
            templates=self._templates(queue),
            children=(
                tuple(self._view(child) for child in queue.children) if isinstance(queue, ParentQueue) else ()
            ),
            leaf=_leaf(queue) if isinstance(queue, LeafQueue) else None,
        )

    def _templates(self, queue: CapacityQueue) -> Mapping[str, Mapping[str, str]]:
        properties = self._context.settings.properties
        found: dict[str, Mapping[str, str]] = {
            dynamic.V1_TEMPLATE: dynamic.managed_template(properties, queue.path)
        }
        if not queue.kind.is_leaf:
            depth = queue.settings.v2.max_depth
            for prefix in (dynamic.V2_TEMPLATE, dynamic.V2_PARENT_TEMPLATE, dynamic.V2_LEAF_TEMPLATE):
                found[prefix] = dynamic.written_template(properties, queue.path, depth, prefix)
        return found


def _amounts(amounts: Amounts) -> AmountsView:
    return AmountsView(
        used=amounts.used,
        pending=amounts.pending,
        reserved=amounts.reserved,
        am_used=amounts.am_used,
        containers=amounts.containers,
        pending_containers=amounts.pending_containers,
    )


def _share(share: Share) -> ShareView:
    return ShareView(
        capacity_value=share.capacity_value,
        capacity=share.capacity,
        maximum=share.maximum,
        normalized_weight=share.normalized_weight,
        absolute=share.absolute,
        absolute_maximum=share.absolute_maximum,
        used_capacity=share.used_capacity,
        absolute_used=share.absolute_used,
        configured_minimum=share.configured_minimum,
        configured_maximum=share.configured_maximum,
        effective_minimum=share.effective_minimum,
        effective_maximum=share.effective_maximum,
        am_limit=share.am_limit,
        user_am_limit=share.user_am_limit,
        amounts=_amounts(share.amounts),
    )


def _leaf(leaf: LeafQueue) -> CapacityLeafView:
    return CapacityLeafView(
        active_apps=leaf.active_count,
        pending_apps=len(leaf.pending),
        containers=sum(one.containers for one in leaf.usage.by_partition.values()),
        applications_limit=leaf.applications_limit,
        maximum_applications_per_user=leaf.maximum_applications_per_user,
        users=tuple(_user(leaf, user) for user in leaf.users.by_name.values()),
        is_preemption_disabled=leaf.is_preemption_disabled,
        is_intra_queue_preemption_disabled=leaf.is_intra_queue_preemption_disabled,
    )


def _user(leaf: LeafQueue, user: User) -> CapacityUserView:
    user.usage.of(DEFAULT_PARTITION)  # shown even where nothing was ever booked
    return CapacityUserView(
        name=user.name,
        weight=user.weight,
        is_active=user.is_active,
        active_apps=user.active_apps,
        pending_apps=user.pending_apps,
        limit=leaf.users.limit_of(user, DEFAULT_PARTITION),
        am_limits=dict(user.am_limits),
        amounts={label: _amounts(amounts) for label, amounts in user.usage.by_partition.items()},
    )
