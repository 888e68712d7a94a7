"""What clients, pages, scenarios and operators see of queues and applications. Nothing is decided here.

Hadoop: FSQueue.getQueueInfo, QueueUserACLInfo, FairSchedulerQueueInfo and the state dump.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from yarnbox.rm.scheduler.calculator import DEFAULT_CALCULATOR, Calculator, float32, multiply
from yarnbox.rm.scheduler.checks import Reason, RequestChecks
from yarnbox.rm.scheduler.fair.allocation_file.allocations import UNLIMITED_APPS
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.explanations import Explanations
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.queue import FairQueue, ParentQueue
from yarnbox.rm.scheduler.fair.queues.running import RunningApps
from yarnbox.rm.scheduler.fair.queues.tree import QueueTree
from yarnbox.rm.scheduler.register import Register
from yarnbox.rm.scheduler.showing import SchedulerViews
from yarnbox.rm.scheduler.views import (
    AllocationFile,
    ApplicationView,
    FairQueueView,
    PartitionView,
    UserView,
)
from yarnbox.yarn.enums import QueueACL, QueueState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.rate import Rate
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.records.queue import QueueInfo, QueueStatistics, QueueUserACLInfo
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_min, total

_INACTIVATED = "Application is added to the scheduler and is not yet activated."


@dataclass(frozen=True, slots=True)
class OperationDurations:
    """How long the runs took, by the context's stopwatch; for metrics only. Hadoop: FSOpDurations.

    Node updates are not here: they are measured where they arrive.
    """

    update_thread_run: Rate = field(default_factory=Rate)
    continuous_scheduling_run: Rate = field(default_factory=Rate)


def applications_of(queue: FairQueue) -> list[FSAppAttempt]:
    """The applications in the queue and below it."""
    return [app for one in queue.queues() if isinstance(one, LeafQueue) for app in one.applications()]


def active_count(queue: FairQueue) -> int:
    """Applications that may run and have got a container."""
    leaves = (one for one in queue.queues() if isinstance(one, LeafQueue))
    return sum(app.served_since_ms is not None for leaf in leaves for app in leaf.runnable)


def used_capacity(queue: FairQueue) -> float:
    """What is used as a part of the fair share, by memory."""
    share = queue.fair_share.memory_mb
    return queue.used.memory_mb / share if share else 0.0


class FairViews(SchedulerViews[FSAppAttempt]):
    """Looks at queues and applications as they are, once shares are up to date with the cluster."""

    def __init__(
        self,
        fair: FairContext,
        tree: QueueTree,
        register: Register[FSAppAttempt],
        running: RunningApps,
        explanations: Explanations,
        durations: OperationDurations,
        scheduler_type: str,
    ) -> None:
        super().__init__(register, fair.tracker)
        self._fair = fair
        self._tree = tree
        self._running = running
        self._explanations = explanations
        self._durations = durations
        self._scheduler_type = scheduler_type

    # Queues

    def capacity(self, queue: FairQueue) -> float:
        """The fair share as a part of the cluster, by memory; a single-precision number, as in QueueInfo."""
        there = self._fair.cluster_resource().memory_mb
        return float32(queue.fair_share.memory_mb / there) if there else 0.0

    def queue_info(self, name: str, *, include_children: bool, recursive: bool) -> QueueInfo:
        """The record of a queue; children as far as they are asked for."""
        self._tree.update_steady_shares()
        queue = self._tree.queue(name)
        if queue is None:
            raise YarnError(f"queue {name} does not exist")
        return self._queue_info(queue, include_children, recursive)

    def _children(self, queue: FairQueue) -> list[FairQueue]:
        """As the file has them; then those that it does not declare, as they came."""
        if not isinstance(queue, ParentQueue):
            return []
        ranks = self._fair.allocations.ranks
        return sorted(queue.children.values(), key=lambda child: ranks.get(child.path, len(ranks)))

    def _queue_info(self, queue: FairQueue, include_children: bool, recursive: bool) -> QueueInfo:
        children = self._children(queue) if include_children else []
        most = componentwise_min(queue.max_share, self._fair.cluster_resource())
        reserved = queue.usage.total_reserved()
        return QueueInfo(
            queue_name=queue.path,
            queue_path=queue.path,
            capacity=self.capacity(queue),
            current_capacity=used_capacity(queue),
            state=QueueState.RUNNING,
            child_queues=tuple(self._queue_info(child, recursive, recursive) for child in children),
            queue_statistics=self._statistics(queue),
            # Hadoop says here whether containers may be taken, under a name that says the opposite.
            preemption_disabled=queue.is_preemptable,
            weight=queue.weight,
            scheduler_type=self._scheduler_type,
            min_resource_vcore=queue.min_share.vcores,
            min_resource_memory=queue.min_share.memory_mb,
            max_resource_vcore=most.vcores,
            max_resource_memory=most.memory_mb,
            reserved_resource_vcore=reserved.vcores,
            reserved_resource_memory=reserved.memory_mb,
            steady_fair_share_vcore=queue.steady_fair_share.vcores,
            steady_fair_share_memory=queue.steady_fair_share.memory_mb,
            max_running_app=queue.max_running_apps,
        )

    def _statistics(self, queue: FairQueue) -> QueueStatistics:
        apps = applications_of(queue)
        running = active_count(queue)
        used, pending = queue.used, queue.usage.total_pending()
        reserved = queue.usage.total_reserved()
        available = componentwise_min(queue.max_share, self._fair.cluster_resource()) - used
        amounts = queue.usage.by_partition.values()
        return QueueStatistics(
            num_apps_submitted=len(apps),
            num_apps_running=running,
            num_apps_pending=len(apps) - running,
            num_apps_completed=0,
            num_apps_killed=0,
            num_apps_failed=0,
            num_active_users=len({app.user: None for app in apps if app.is_asking}),
            available_memory_mb=available.memory_mb,
            allocated_memory_mb=used.memory_mb,
            pending_memory_mb=pending.memory_mb,
            reserved_memory_mb=reserved.memory_mb,
            available_vcores=available.vcores,
            allocated_vcores=used.vcores,
            pending_vcores=pending.vcores,
            reserved_vcores=reserved.vcores,
            allocated_containers=sum(one.containers for one in amounts),
            pending_containers=sum(one.pending_containers for one in amounts),
            reserved_containers=sum(len(app.reserved_containers()) for app in apps),
        )

    def queue_acls(self, user: str) -> list[QueueUserACLInfo]:
        """What the user may do, from root down."""
        return [
            QueueUserACLInfo(
                queue_name=queue.path, user_acls=tuple(acl for acl in QueueACL if queue.allows(user, acl))
            )
            for queue in self._tree.root.queues()
        ]

    def queue_view(self, path: str) -> FairQueueView | None:
        """The same as `fair_queue_view`."""
        return self.fair_queue_view(path)

    def fair_queue_view(self, path: str) -> FairQueueView | None:
        """What the queue shows; None when there is none."""
        self._tree.update_steady_shares()
        queue = self._tree.queue(path)
        if queue is None:
            return None
        apps = applications_of(queue)
        active = active_count(queue)
        leaf = queue if isinstance(queue, LeafQueue) else None
        amounts = queue.usage.by_partition.values()
        partition = PartitionView(
            used=queue.used,
            pending=queue.usage.total_pending(),
            reserved=queue.usage.total_reserved(),
            containers=sum(one.containers for one in amounts),
            pending_containers=sum(one.pending_containers for one in amounts),
            capacity=self.capacity(queue),
            absolute_capacity=self.capacity(queue),
            used_capacity=used_capacity(queue),
            am_used=leaf.am_used if leaf is not None else None,
            am_limit=leaf.am_limit() if leaf is not None else None,
        )
        return FairQueueView(
            path=queue.path,
            is_leaf=queue.is_leaf,
            children=tuple(child.path for child in self._children(queue)),
            apps=len(apps),
            active_apps=active,
            pending_apps=len(apps) - active,
            containers=sum(one.containers for one in amounts),
            partitions={DEFAULT_PARTITION: partition},
            users=_users(leaf) if leaf is not None else {},
            fair_share=queue.fair_share,
            steady_fair_share=queue.steady_fair_share,
            min_share=queue.min_share,
            max_share=queue.max_share,
            demand=queue.demand,
            max_apps=queue.max_running_apps,
            is_max_apps_default=queue.is_max_running_apps_default,
            policy=queue.policy.name,
            reserved_containers=sum(len(app.reserved_containers()) for app in apps),
            am_share=leaf.max_am_share if leaf is not None else None,
            max_container_allocation=queue.max_container_allocation,
            min_share_timeout_ms=queue.min_share_timeout_ms,
            fair_share_timeout_ms=queue.fair_share_timeout_ms,
            fair_share_threshold=queue.fair_share_threshold,
            is_preemptable=queue.is_preemptable,
        )

    @property
    def shows_user_metrics(self) -> bool:
        """Always."""
        return True

    @property
    def sharing_calculator(self) -> Calculator:
        """That of the root's policy."""
        return self._tree.root.policy.calculator

    def max_apps_of_user(self, user: str) -> int | None:
        """As the allocation file says; None without a limit."""
        most = self._fair.allocations.max_apps_of_user(user)
        return None if most == UNLIMITED_APPS else most

    # Applications

    def application_view(self, attempt: FSAppAttempt) -> ApplicationView:
        """Share and demand as of the last update; applications have no steady share."""
        return ApplicationView(fair_share=attempt.fair_share, steady_fair_share=NONE, demand=attempt.demand)

    def queue_usage(self, attempt: FSAppAttempt, used: Resource) -> float:
        """By the queue's fair share of memory, without all that a view tells: it is asked for once an
        application.
        """
        self._tree.update_cluster_resource()
        cluster = self._fair.cluster_resource()
        queue = self._tree.queue(str(attempt.queue))
        guarantee = NONE if queue is None else multiply(cluster, self.capacity(queue))
        return DEFAULT_CALCULATOR.divide(cluster, used, guarantee)

    def request_checks(self, application_id: ApplicationId) -> list[RequestChecks]:
        """Why it waits. Changes nothing but brings shares up to date with the cluster."""
        self._tree.update_cluster_resource()
        return self._explanations.request_checks(application_id)

    def foremost_reason(self, application_id: ApplicationId) -> Reason | None:
        """Of an application that may not run none of its requests is looked at."""
        self._tree.update_cluster_resource()
        reason = self._explanations.reason_before_requests(application_id)
        return super().foremost_reason(application_id) if reason is None else reason

    def launch_diagnostics(self, attempt_id: ApplicationAttemptId) -> str:
        """What the attempt's report says while its AM is not there yet."""
        app = self.register.attempt(attempt_id)
        if app is None or app.attempt_id != attempt_id or app.is_stopped or not app.is_waiting_for_am:
            return ""
        leaf: LeafQueue = app.queue
        if app in leaf.waiting:
            why = self._running.refusal(leaf, app.user)
            return f"{_INACTIVATED} {why}" if why is not None else _INACTIVATED
        if app.is_over_am_share():
            key_asks = app.asks[app.asks.active_keys[0]]
            asked = key_asks.any.capability
            return f"{_INACTIVATED} (Resource request: {asked} exceeds maximum AM resource allowed)."
        return f"{_INACTIVATED} {app.am_obstacle}" if app.am_obstacle else ""

    # The scheduler itself

    def own_file(self) -> AllocationFile | None:
        """The allocation file, where there is one."""
        return self._fair.file

    def operation_durations(self) -> Mapping[str, Rate]:
        """Continuous scheduling and the update; node updates are measured where they come in."""
        return {
            "ContinuousSchedulingRun": self._durations.continuous_scheduling_run,
            "UpdateThreadRun": self._durations.update_thread_run,
        }

    def dump_state(self) -> str:
        """The cluster's and every queue's numbers, for the log of an operator who wonders."""
        self._tree.update_steady_shares()
        there, used = self._fair.cluster_resource(), self._tree.root.used
        first = (
            f"FairScheduler state: Cluster Capacity: {there}  Allocations: {used}  "
            f"Availability: {there - used}  Demand: {self._tree.root.demand}"
        )
        return "\n".join([first, *(_dump_queue(queue) for queue in self._tree.root.queues())])


def _users(leaf: LeafQueue) -> dict[str, UserView]:
    by_user: dict[str, list[FSAppAttempt]] = {}
    for app in leaf.applications():
        by_user.setdefault(app.user, []).append(app)
    return {
        user: UserView(
            used=total(app.used for app in apps),
            active_apps=sum(app in leaf.runnable and app.served_since_ms is not None for app in apps),
            pending_apps=sum(app not in leaf.runnable or app.served_since_ms is None for app in apps),
        )
        for user, apps in by_user.items()
    }


def _dump_queue(queue: FairQueue) -> str:
    numbers: dict[str, object] = {
        "Name": queue.path,
        "Weight": queue.weight,
        "Policy": queue.policy.name,
        "FairShare": queue.fair_share,
        "SteadyFairShare": queue.steady_fair_share,
        "MaxShare": queue.max_share,
        "MinShare": queue.min_share,
        "ResourceUsage": queue.used,
        "Demand": queue.demand,
    }
    if isinstance(queue, LeafQueue):
        numbers |= {
            "Runnable": queue.runnable_count,
            "NumPendingApps": len(queue.runnable) + len(queue.waiting) - active_count(queue),
            "NonRunnable": len(queue.waiting),
            "MaxAMShare": queue.max_am_share,
            "MaxAMResource": queue.am_limit(),
            "AMResourceUsage": queue.am_used,
            "LastTimeAtMinShare": queue.last_at_min_share_ms,
        }
    else:
        numbers |= {"MaxAMShare": queue.max_am_share, "Runnable": queue.runnable_count}
    return "{" + ", ".join(f"{name}: {value}" for name, value in numbers.items()) + "}"
