"""The metrics of queues, their users and their partitions, as beans with Hadoop's names and attributes.

Counters were counted where things happened (rm.counters), gauges are read off the books when somebody looks.
QueueMetrics tell of the default partition, but for counts of applications, localities and preemption, which
know no partition; PartitionQueueMetrics have the same attributes and only ever set those of containers.
Hadoop: QueueMetrics, PartitionQueueMetrics, CSQueueMetrics and FSQueueMetrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from yarnbox.rm.asks import Locality
from yarnbox.rm.scheduler.views import PartitionView, QueueView, UserView
from yarnbox.rm.statistics.counters import AppCounts, Counts, QueueCounts
from yarnbox.rm.web.queues.attempts import AttemptsByQueue, QueueAttempts
from yarnbox.rm.web.values import java_float
from yarnbox.yarn.http.jmx import Bean, named
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import MEMORY_MB, NONE, VCORES, Resource, componentwise_max

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

ROOT = "root"
_NOBODY = UserView()
_NOTHING = PartitionView()


def queue_beans(context: RMContext) -> Iterator[Bean]:
    """The beans of every queue."""
    counted = context.health.queues.by_queue()
    attempts_by_queue = AttemptsByQueue(context)
    views = list(_queues(context))
    shared = {
        label: None
        for view in views
        if view.path != ROOT
        for label, part in view.partitions.items()
        if part.capacity
    }
    for view in views:
        of_view = counted.get(view.path, QueueCounts())
        yield from _Queue(context, view, of_view, attempts_by_queue, shared).beans()


def _queues(context: RMContext) -> Iterator[QueueView]:
    waiting = [context.scheduler.views.root_queue]
    while waiting:
        view = context.scheduler.views.queue_view(waiting.pop())
        if view is not None:
            yield view
            waiting.extend(reversed(view.children))


def available(context: RMContext, path: str, part: PartitionView) -> Resource:
    """What is left of the queue's guarantee; under other schedulers, at the root, of the cluster."""
    scheduler = context.scheduler
    if not scheduler.views.has_capacities:
        is_top = path == scheduler.views.root_queue
        return scheduler.cluster_resource() - (part.used - part.reserved) if is_top else NONE
    guaranteed, cluster = part.effective_min or NONE, scheduler.cluster_resource()
    if scheduler.resource_calculator.compare(cluster, guaranteed, part.used) <= 0:
        return NONE
    return componentwise_max(guaranteed - part.used, NONE)


class _Queue:
    """The beans of one queue."""

    def __init__(
        self,
        context: RMContext,
        view: QueueView,
        counted: QueueCounts,
        attempts_by_queue: AttemptsByQueue,
        shared: Mapping[str, None],
    ) -> None:
        self._context = context
        self._scheduler = context.scheduler
        self._view = view
        self._counted = counted
        self._attempts_by_queue = attempts_by_queue
        self._shared = shared
        """The partitions that any queue but the root is given a part of."""
        self._others = [name for name in context.resource_types.names if name not in (MEMORY_MB, VCORES)]
        self._name = {f"q{number}": part for number, part in enumerate(view.path.split("."))}

    def beans(self) -> Iterator[Bean]:
        """Of the queue, of its users, and of both in every partition."""
        shows_users = self._scheduler.views.shows_user_metrics
        yield self._queue()
        users = dict.fromkeys([*self._view.users, *self._counted.users()]) if shows_users else {}
        for user in users:
            yield self._user(user)
        for partition in self._partitions():
            if self._view.path == self._scheduler.views.root_queue:
                yield self._whole_partition(partition)
            yield self._partition(partition)
            places = self._counted.places
            for user in dict.fromkeys(place.user for place in places if place.partition == partition):
                if shows_users:
                    yield self._user_in(partition, user)

    def _partitions(self) -> Iterator[str]:
        """The default one, those that the queue has a share of, and where it ever held or wanted anything."""
        been = {place.partition: None for place in self._counted.places}
        yield DEFAULT_PARTITION
        for label in dict.fromkeys([*self._view.partitions, *been]):
            part = self._view.partitions.get(label, _NOTHING)
            has_share = part.capacity and label in self._shared
            if label and (label in been or has_share or part.pending or part.reserved):
                yield label

    # One bean each

    def _queue(self) -> Bean:
        view, part = self._view, self._view.partitions.get(DEFAULT_PARTITION, _NOTHING)
        attempts = self._attempts_by_queue.of(view.path)
        delays, waited_ms = self._context.health.queues.first_deliveries.get(view.path, (0, 0))
        return {
            **named("ResourceManager", "QueueMetrics", **self._name),
            "tag.Queue": view.path,
            "tag.Context": "yarn",
            **({"tag.SchedulingPolicy": view.policy} if view.policy is not None else {}),
            **self._capacities(part),
            **self._shares(part),
            **self._ages(attempts),
            **_applications(
                attempts, self._counted.apps_total(), self._counted.apps_total(unmanaged_only=True)
            ),
            "ActiveUsers": len(attempts.active_users) if view.is_leaf else 0,
            **_delays(delays, waited_ms),
            **self._books(part, attempts),
            **self._counters(self._counted.total(), self._counted.total(partition=DEFAULT_PARTITION)),
        }

    def _user(self, user: str) -> Bean:
        attempts = self._attempts_by_queue.of(self._view.path, user)
        counted, view = self._counted, self._view.users.get(user, _NOBODY)
        every = counted.total(user=user)
        default = counted.total(user=user, partition=DEFAULT_PARTITION)
        shown: Bean = {
            **named("ResourceManager", "QueueMetrics", **self._name, user=user),
            "tag.Queue": self._view.path,
            "tag.User": user,
            "tag.Context": "yarn",
        }
        if self._scheduler.views.has_capacities:
            shown |= self._capacities(PartitionView(effective_min=NONE))
            shown |= _amounts("AMResourceLimit", view.am_limit) | _amounts("UsedAMResource", view.am_used)
        return {
            **shown,
            **self._ages(attempts),
            **_applications(
                attempts,
                counted.apps_total(user=user),
                counted.apps_total(user=user, unmanaged_only=True),
            ),
            "ActiveUsers": 0,
            **_delays(0, 0),
            **self._holdings(attempts, DEFAULT_PARTITION),
            **self._with_others("Available", view.available.get(DEFAULT_PARTITION, NONE)),
            # QueueMetrics counts what preemption took for queues, not for their users.
            **{
                name: 0 if "Preempted" in name else value
                for name, value in self._counters(every, default).items()
            },
        }

    def _whole_partition(self, partition: str) -> Bean:
        """All queues together: a bean without one."""
        return {
            **named("ResourceManager", "PartitionQueueMetrics", partition=partition),
            "tag.Partition": partition,
            "tag.Context": "yarn",
            **self._in_partition(partition),
        }

    def _partition(self, partition: str) -> Bean:
        return {
            **named("ResourceManager", "PartitionQueueMetrics", partition=partition, **self._name),
            "tag.Partition": partition,
            "tag.Queue": self._view.path,
            "tag.Context": "yarn",
            **self._in_partition(partition),
        }

    def _user_in(self, partition: str, user: str) -> Bean:
        attempts = self._attempts_by_queue.of(self._view.path, user)
        view = self._view.users.get(user, _NOBODY)
        return {
            **named("ResourceManager", "PartitionQueueMetrics", partition=partition, **self._name, user=user),
            "tag.Partition": partition,
            "tag.Queue": self._view.path,
            "tag.User": user,
            "tag.Context": "yarn",
            **self._never_counted(),
            **self._holdings(attempts, partition),
            **self._with_others("Available", view.available.get(partition, NONE)),
            **_handed_out(self._counted.total(user=user, partition=partition)),
        }

    # Their parts

    def _in_partition(self, partition: str) -> Bean:
        part = self._view.partitions.get(partition, _NOTHING)
        return {
            **self._never_counted(),
            **self._books(part, self._attempts_by_queue.of(self._view.path), partition),
            **_handed_out(self._counted.total(partition=partition)),
        }

    def _never_counted(self) -> Bean:
        """The attributes that are always 0 in the bean of a partition."""
        nobody = QueueAttempts()
        return {
            **self._ages(nobody),
            **_applications(nobody, AppCounts(), AppCounts()),
            "ActiveUsers": 0,
            **_delays(0, 0),
            **self._counters(Counts(), Counts()),
        }

    def _ages(self, attempts: QueueAttempts) -> Bean:
        """Applications by the minutes since their first container."""
        edges = [0, *self._context.settings.web.runtime_buckets_minutes]
        counts = dict.fromkeys(edges, 0)
        for since_ms in attempts.running_since_ms:
            minutes = (self._context.now_ms - since_ms) / 60_000
            counts[max(edge for edge in edges if edge <= max(minutes, 0))] += 1
        return {f"running_{edge}": count for edge, count in counts.items()}

    def _books(
        self, part: PartitionView, attempts: QueueAttempts, partition: str = DEFAULT_PARTITION
    ) -> Bean:
        """What the queue uses, requests and reserves in a partition, and what is available to it."""
        return {
            "AllocatedContainers": part.containers,
            **self._with_others("Allocated", part.used - part.reserved),
            **self._with_others("Available", available(self._context, self._view.path, part)),
            "PendingContainers": part.pending_containers,
            **self._with_others("Pending", part.pending),
            "ReservedContainers": attempts.reserved_in(partition),
            **self._with_others("Reserved", part.reserved),
        }

    def _holdings(self, attempts: QueueAttempts, partition: str) -> Bean:
        """The same of a user, without what is available."""
        held = attempts.held_in(partition)
        return {
            "AllocatedContainers": held.containers,
            **self._with_others("Allocated", held.used),
            "PendingContainers": held.pending_containers,
            **self._with_others("Pending", held.pending),
            "ReservedContainers": attempts.reserved_in(partition),
            **self._with_others("Reserved", held.reserved),
        }

    def _capacities(self, part: PartitionView) -> Bean:
        """CSQueueMetrics."""
        scheduler = self._scheduler
        if not scheduler.views.has_capacities or part.effective_min is None:
            return {}
        total = scheduler.tracker.partition_total(DEFAULT_PARTITION)
        multiply, minimum = scheduler.resource_calculator.multiply_down, scheduler.minimum_allocation
        guaranteed = multiply(total, part.absolute_capacity or 0.0, minimum)
        maximum = multiply(total, part.absolute_max_capacity or 0.0, minimum)
        is_leaf = self._view.is_leaf
        return {
            **_amounts("AMResourceLimit", part.am_limit or NONE),
            **_amounts("UsedAMResource", (part.am_used or NONE) if is_leaf else NONE),
            "UsedCapacity": java_float(part.used_capacity or 0.0),
            "AbsoluteUsedCapacity": java_float(part.absolute_used_capacity or 0.0),
            **_amounts("Guaranteed", guaranteed),
            **_amounts("MaxCapacity", maximum),
            "GuaranteedCapacity": java_float(part.capacity or 0.0),
            "GuaranteedAbsoluteCapacity": java_float(part.absolute_capacity or 0.0),
            "MaxCapacity": java_float(part.max_capacity or 0.0),
            "MaxAbsoluteCapacity": java_float(part.absolute_max_capacity or 0.0),
            **{f"GuaranteedCapacity.{name}": guaranteed.value(name) for name in self._others},
            **{f"MaxCapacity.{name}": maximum.value(name) for name in self._others},
        }

    def _shares(self, part: PartitionView) -> Bean:
        """FSQueueMetrics."""
        view = self._view
        if view.fair_share is None:
            return {}
        has_ams = view.is_leaf and view.apps > 0
        return {
            **_amounts("FairShare", view.fair_share),
            **_amounts("SteadyFairShare", view.steady_fair_share or NONE),
            **_amounts("MinShare", view.min_share or NONE),
            **_amounts("MaxShare", _in_java(view.max_share or NONE)),
            "MaxApps": view.max_apps or 0,
            **_amounts("MaxAMShare", (part.am_limit or NONE) if has_ams else NONE),
            **_amounts("AmResourceUsage", part.am_used or NONE),
        }

    def _counters(self, every: Counts, default: Counts) -> Bean:
        """Localities and preemption in all partitions, the rest in the default one."""
        return {
            **_handed_out(default),
            "AggregateNodeLocalContainersAllocated": every.by_locality.get(Locality.NODE_LOCAL, 0),
            "AggregateRackLocalContainersAllocated": every.by_locality.get(Locality.RACK_LOCAL, 0),
            "AggregateOffSwitchContainersAllocated": every.by_locality.get(Locality.OFF_SWITCH, 0),
            "AggregateContainersPreempted": every.preempted,
            "AggregateMemoryMBPreempted": every.preempted_amounts.get(MEMORY_MB, 0),
            "AggregateVcoresPreempted": every.preempted_amounts.get(VCORES, 0),
            "AggregateMemoryMBSecondsPreempted": every.preempted_seconds.get(MEMORY_MB, 0),
            "AggregateVcoreSecondsPreempted": every.preempted_seconds.get(VCORES, 0),
            **{
                f"AggregatePreemptedSeconds.{name}": every.preempted_seconds.get(name, 0)
                for name in self._others
            },
        }

    def _with_others(self, prefix: str, resource: Resource) -> Bean:
        """Amounts of all types that the cluster has."""
        others = {f"{prefix}Resource.{name}": resource.value(name) for name in self._others}
        return {**_amounts(prefix, resource), **others}


def _applications(attempts: QueueAttempts, every: AppCounts, unmanaged: AppCounts) -> Bean:
    shown: Bean = {"ActiveApplications": attempts.active}
    for prefix, counts, pending, running in (
        ("", every, attempts.pending, len(attempts.running_since_ms)),
        ("Unmanaged", unmanaged, attempts.unmanaged_pending, attempts.unmanaged_running),
    ):
        shown |= {
            f"{prefix}AppsSubmitted": counts.submitted,
            f"{prefix}AppsRunning": running,
            f"{prefix}AppsPending": pending,
            f"{prefix}AppsCompleted": counts.completed,
            f"{prefix}AppsKilled": counts.killed,
            f"{prefix}AppsFailed": counts.failed,
        }
    return shown


def _delays(count: int, total_ms: int) -> Bean:
    name = "AppAttemptFirstContainerAllocationDelay"
    return {f"{name}NumOps": count, f"{name}AvgTime": total_ms / count if count else 0.0}


def _handed_out(counts: Counts) -> Bean:
    return {
        "AggregateContainersAllocated": counts.allocated,
        "AggregateContainersReleased": counts.released,
    }


def _in_java(resource: Resource) -> Resource:
    """Without a limit, Java's vcores stop at what an int holds."""
    return Resource(resource.memory_mb, min(resource.vcores, 2**31 - 1))


def _amounts(prefix: str, resource: Resource) -> Bean:
    return {f"{prefix}MB": resource.memory_mb, f"{prefix}VCores": resource.vcores}
