"""What others see of the queues and applications: records for clients, views for pages and scenarios.

Hadoop: the getQueueInfo and getQueueUserAclInfo methods and what CapacitySchedulerQueueInfo is made from.
"""

from __future__ import annotations

from typing import ClassVar

from yarnbox.rm.scheduler.activities import ActivityRecords
from yarnbox.rm.scheduler.calculator import Calculator, multiply
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.config.settings import CapacityMode
from yarnbox.rm.scheduler.capacity.diagnostics.activities import Activities
from yarnbox.rm.scheduler.capacity.diagnostics.explain import Explanations
from yarnbox.rm.scheduler.capacity.queue_details import QueueDetails
from yarnbox.rm.scheduler.capacity.queue_view import CapacityQueueView
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue, leaves_below
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.shares import Share
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.checks import Reason, RequestChecks
from yarnbox.rm.scheduler.register import Register
from yarnbox.rm.scheduler.showing import SchedulerViews
from yarnbox.rm.scheduler.views import ApplicationView, PartitionView, QueueView, UserView
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.records.queue import (
    QueueConfigurations,
    QueueConfigurationsMap,
    QueueInfo,
    QueueStatistics,
    QueueUserACLInfo,
)
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max, total

SCHEDULER_NAME = "CapacityScheduler"


class CapacityViews(SchedulerViews[CapacityAttempt]):
    """Shows the queues of a tree and their applications."""

    has_capacities: ClassVar[bool] = True

    def __init__(
        self,
        context: QueueContext,
        tree: QueueTree,
        register: Register[CapacityAttempt],
        details: QueueDetails,
        explanations: Explanations,
        activities: Activities,
    ) -> None:
        super().__init__(register, context.tracker)
        self._context = context
        self._tree = tree
        self._details = details
        self._explanations = explanations
        self._activities = activities

    def queue_info(self, name: str, *, include_children: bool, recursive: bool) -> QueueInfo:
        """The queue as `yarn queue -status` shows it, with the queues below it if they are asked for."""
        queue = self._tree.find(name)
        if queue is None:
            raise YarnError(f"Unknown queue: {name}")
        return self._info(queue, include_children=include_children, recursive=recursive)

    def _info(self, queue: CapacityQueue, *, include_children: bool, recursive: bool) -> QueueInfo:
        share = queue.share(DEFAULT_PARTITION)
        children: tuple[QueueInfo, ...] = ()
        if include_children and isinstance(queue, ParentQueue):
            children = tuple(
                self._info(child, include_children=recursive, recursive=recursive) for child in queue.children
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
            preemption_disabled=queue.is_preemption_disabled,
            intra_queue_preemption_disabled=queue.is_intra_queue_preemption_disabled,
            queue_configurations_map=tuple(
                QueueConfigurationsMap(
                    partition_name=label, queue_configurations=_configurations(queue, label)
                )
                for label in queue.shares
            ),
            weight=weight,
            max_parallel_apps=queue.settings.max_parallel_apps,
            scheduler_type=SCHEDULER_NAME,
        )

    def queue_acls(self, user: str) -> list[QueueUserACLInfo]:
        """What the user may do, queue by queue."""
        groups = self._context.rm.groups.groups_of(user)
        is_on = self._context.rm.settings.addresses.acl_enabled
        return [
            QueueUserACLInfo(
                queue_name=queue.name,
                user_acls=tuple(acl for acl in QueueACL if not is_on or queue.allows(user, groups, acl)),
            )
            for queue in self._tree.all_queues()
        ]

    def queue_view(self, path: str) -> QueueView | None:
        """The queue of that path."""
        queue = self._tree.find(path)
        if queue is None:
            return None
        leaves = list(leaves_below(queue))
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
            partitions={
                label: _partition_view(queue, label, queue.share(label))
                for label in dict.fromkeys((*queue.shares, *queue.usage.partitions()))
            },
            users=_users(queue) if isinstance(queue, LeafQueue) else {},
        )

    def capacity_queue_view(self, path: str) -> CapacityQueueView | None:
        """What only this scheduler has to show of a queue, and of all below it."""
        return self._details.view(path)

    @property
    def shows_user_metrics(self) -> bool:
        """yarn.scheduler.capacity.user-metrics.enable."""
        return self._context.settings.user_metrics

    @property
    def sharing_calculator(self) -> Calculator:
        """The configured one."""
        return self._context.calculator

    # Applications

    def application_view(self, attempt: CapacityAttempt) -> ApplicationView:
        """The partition and the size of its AM."""
        return ApplicationView(am_partition=attempt.partition, am_resource=attempt.am_resource)

    def queue_usage(self, attempt: CapacityAttempt, used: Resource) -> float:
        """By the effective capacity in the partition of its AM; where no node is there, by the default
        partition's share of the cluster.
        """
        context, leaf = self._context, self._tree.leaf_of(attempt.application)
        total = context.partition_total(attempt.partition)
        guarantee = leaf.share(attempt.partition).effective_minimum
        if not total:
            total = self.tracker.total
            share = leaf.share(DEFAULT_PARTITION)
            # In Hadoop a queue with a weight has no capacity.
            is_weight = share.capacity_value.mode is CapacityMode.WEIGHT
            guarantee = NONE if is_weight else multiply(total, share.capacity)
        return context.calculator.divide(total, used, guarantee)

    def launch_diagnostics(self, attempt_id: ApplicationAttemptId) -> str:
        """What keeps its AM from starting."""
        return self._explanations.launch_diagnostics(attempt_id)

    def request_checks(self, application_id: ApplicationId) -> list[RequestChecks]:
        """The same, and nothing of an application that asks for nothing."""
        return [
            one
            for one in self._explanations.explain(application_id)
            if all(check.reason is not SkipReason.NOTHING_ASKED for check in one.checks)
        ]

    def foremost_reason(self, application_id: ApplicationId) -> Reason | None:
        """Of an application that is not activated the leaf has stored it: there may be thousands of these."""
        reason = self._explanations.reason_before_activation(application_id)
        return super().foremost_reason(application_id) if reason is None else reason

    def all_checks(self, application_id: ApplicationId) -> list[RequestChecks]:
        """Every check of every request, failing or not."""
        return self._explanations.all_checks(application_id)

    # The scheduler itself

    @property
    def activity_records(self) -> ActivityRecords:
        """Its own."""
        return self._activities

    def own_file(self) -> Configuration:
        """capacity-scheduler.xml, or what was changed by API since."""
        return self._context.settings.properties.file


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
    leaves = list(leaves_below(queue))
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
    return total(leaf.usage.am_used(label) for leaf in leaves_below(queue))


def _user_limit(leaf: LeafQueue, label: str) -> Resource:
    """Of the active user who may have least; without one, that of a user of weight 1."""
    limits = [leaf.users.limit_of(user, label) for user in leaf.users.by_name.values() if user.is_active]
    if not limits:
        return leaf.users.limit(label)
    smallest = limits[0]
    for limit in limits[1:]:
        smallest = leaf.context.calculator.min_of(leaf.context.cluster, smallest, limit)
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
