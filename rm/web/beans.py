"""The metrics, as beans with Hadoop's names and attributes: clusters, queues, their users and partitions.

Answers for ClusterMetrics, QueueMetrics, PartitionQueueMetrics, CSQueueMetrics, FSQueueMetrics and RMNMInfo.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rm.counters import Counts, QueueCounts
from rm.reports import application_state, cluster_metrics
from rm.scheduler.asks import Locality
from rm.scheduler.views import PartitionView, QueueView, UserView
from rm.web.cluster import Totals, utilized
from rm.web.values import java_float
from yarn.enums import YarnApplicationState
from yarn.jmx import Bean
from yarn.resource import MEMORY_MB, NONE, VCORES, Resource

if TYPE_CHECKING:
    from rm.context import RMContext

SERVICE = "Hadoop:service=ResourceManager,name="
_PENDING = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED")


def beans(context: RMContext) -> Iterator[Bean]:
    """Every bean."""
    yield _cluster(context)
    counted = context.health.queues.by_queue()
    for view in _queues(context):
        yield from _of_queue(context, view, counted.get(view.path, QueueCounts()))
    yield _nodes(context)


def _of_queue(context: RMContext, view: QueueView, counted: QueueCounts) -> Iterator[Bean]:
    yield {**_queue(context, view), **_counters(counted.total(), counted.total(partition=""))}
    places = counted.places
    for user in dict.fromkeys([*view.users, *(place.user for place in places)]):
        used = view.users.get(user, UserView())
        every, default = counted.total(user=user), counted.total(user=user, partition="")
        yield {
            **_named("QueueMetrics", view, f",user={user}"),
            "tag.Queue": view.path,
            "tag.User": user,
            "tag.Context": "yarn",
            "AppsRunning": used.active_apps,
            "AppsPending": used.pending_apps,
            **_amounts("Allocated", used.used),
            **_without_preempted(_counters(every, default)),
        }
    for partition in dict.fromkeys([*view.partitions, *(place.partition for place in places)]):
        tags = {"tag.Partition": partition, "tag.Queue": view.path, "tag.Context": "yarn"}
        before = f",partition={partition}"
        shown = {
            **_in_partition(view.partitions.get(partition, PartitionView())),
            **_handed_out(counted.total(partition=partition)),
        }
        if view.path == "root":  # the partition as a whole
            name = f"PartitionQueueMetrics{before}"
            whole = {"tag.Partition": partition, "tag.Context": "yarn"}
            yield {"name": SERVICE + name, "modelerType": name, **whole, **shown}
        yield {**_named("PartitionQueueMetrics", view, "", before), **tags, **shown}
        for user in dict.fromkeys(place.user for place in places if place.partition == partition):
            yield {
                **_named("PartitionQueueMetrics", view, f",user={user}", before),
                **tags,
                "tag.User": user,
                **_handed_out(counted.total(user=user, partition=partition)),
            }


def _counters(every: Counts, default: Counts) -> Bean:
    """The counters of a queue: localities and preemption in all partitions, the rest in the default one."""
    shown: Bean = {
        **_handed_out(default),
        "AggregateNodeLocalContainersAllocated": every.by_locality.get(Locality.NODE_LOCAL, 0),
        "AggregateRackLocalContainersAllocated": every.by_locality.get(Locality.RACK_LOCAL, 0),
        "AggregateOffSwitchContainersAllocated": every.by_locality.get(Locality.OFF_SWITCH, 0),
        "AggregateContainersPreempted": every.preempted,
        "AggregateMemoryMBPreempted": every.preempted_amounts.get(MEMORY_MB, 0),
        "AggregateVcoresPreempted": every.preempted_amounts.get(VCORES, 0),
        "AggregateMemoryMBSecondsPreempted": every.preempted_seconds.get(MEMORY_MB, 0),
        "AggregateVcoreSecondsPreempted": every.preempted_seconds.get(VCORES, 0),
    }
    for name, seconds in every.preempted_seconds.items():
        if name not in (MEMORY_MB, VCORES):
            shown[f"AggregatePreemptedSeconds.{name}"] = seconds
    return shown


def _handed_out(counts: Counts) -> Bean:
    return {
        "AggregateContainersAllocated": counts.allocated,
        "AggregateContainersReleased": counts.released,
    }


def _without_preempted(counters: Bean) -> Bean:
    """QueueMetrics counts what preemption took for queues, not for their users."""
    return {name: 0 if "Preempted" in name else value for name, value in counters.items()}


def _queues(context: RMContext) -> Iterator[QueueView]:
    waiting = ["root"]
    while waiting:
        view = context.scheduler.queue_view(waiting.pop())
        if view is not None:
            yield view
            waiting.extend(reversed(view.children))


def _named(name: str, view: QueueView, behind: str = "", before: str = "") -> Bean:
    parts = view.path.split(".")
    place = "".join(f",q{number}={part}" for number, part in enumerate(parts))
    return {
        "name": f"{SERVICE}{name}{before}{place}{behind}",
        "modelerType": f"{name}{before}{place}{behind}",
    }


def _amounts(prefix: str, resource: Resource) -> Bean:
    shown: Bean = {f"{prefix}MB": resource.memory_mb, f"{prefix}VCores": resource.vcores}
    for name, value in resource.items():
        if name not in ("memory-mb", "vcores"):
            shown[f"{prefix}Resource.{name}"] = value
    return shown


def _gauges(part: PartitionView) -> Bean:
    available = (part.effective_max or NONE) - part.used if part.effective_max is not None else NONE
    return {
        **_amounts("Allocated", part.used - part.reserved),
        **_amounts("Pending", part.pending),
        **_amounts("Reserved", part.reserved),
        **_amounts("Available", available),
    }


def _in_partition(part: PartitionView) -> Bean:
    return {
        **_gauges(part),
        "AllocatedContainers": part.containers,
        "PendingContainers": part.pending_containers,
        **_amounts("AMResourceLimit", part.am_limit or NONE),
        **_amounts("UsedAMResource", part.am_used or NONE),
    }


def _queue(context: RMContext, view: QueueView) -> Bean:
    states = [
        application_state(app).name
        for app in context.apps.values()
        if view.path == "root" or app.queue in (view.path, view.path.rpartition(".")[2])
    ]
    part = view.partitions.get("", PartitionView())
    shown: Bean = {
        **_named("QueueMetrics", view),
        "tag.Queue": view.path,
        "tag.Context": "yarn",
        "AppsSubmitted": len(states),
        "AppsRunning": states.count("RUNNING"),
        "AppsPending": sum(states.count(state) for state in _PENDING),
        "AppsCompleted": states.count("FINISHED"),
        "AppsKilled": states.count("KILLED"),
        "AppsFailed": states.count("FAILED"),
        "AllocatedContainers": view.containers,
        "ActiveUsers": sum(1 for user in view.users.values() if user.active_apps),
        "ActiveApplications": view.active_apps,
        **_gauges(part),
        **_running_by_age(context, view),
    }
    if part.effective_min is not None:
        shown |= _amounts("Guaranteed", part.effective_min) | _amounts(
            "MaxCapacity", part.effective_max or NONE
        )
        shown |= _amounts("AMResourceLimit", part.am_limit or NONE) | _amounts(
            "UsedAMResource", part.am_used or NONE
        )
        shown["UsedCapacity"] = java_float(part.used_capacity or 0.0)
        shown["AbsoluteUsedCapacity"] = java_float(part.absolute_used_capacity or 0.0)
        shown["GuaranteedCapacity"] = java_float(part.capacity or 0.0)
        shown["GuaranteedAbsoluteCapacity"] = java_float(part.absolute_capacity or 0.0)
        shown["MaxCapacity"] = java_float(part.max_capacity or 0.0)
        shown["MaxAbsoluteCapacity"] = java_float(part.absolute_max_capacity or 0.0)
    for prefix, share in (
        ("FairShare", view.fair_share),
        ("SteadyFairShare", view.steady_fair_share),
        ("MinShare", view.min_share),
        ("MaxShare", view.max_share),
    ):
        if share is not None:
            shown |= _amounts(prefix, share)
    return shown


def _running_by_age(context: RMContext, view: QueueView) -> Bean:
    edges = [0, *context.settings.web.runtime_buckets_minutes]
    counts = dict.fromkeys(edges, 0)
    for app in context.apps.values():
        is_here = view.path == "root" or app.queue in (view.path, view.path.rpartition(".")[2])
        if is_here and application_state(app) is YarnApplicationState.RUNNING:
            minutes = (context.now_ms - app.launch_ms) // 60_000
            counts[max(edge for edge in edges if edge <= max(minutes, 0))] += 1
    return {f"running_{edge}": count for edge, count in counts.items()}


def _cluster(context: RMContext) -> Bean:
    nodes, totals = cluster_metrics(context), Totals(context, None)
    used_mb, used_cores = utilized(context)
    return {
        "name": f"{SERVICE}ClusterMetrics",
        "modelerType": "ClusterMetrics",
        "tag.ClusterMetrics": "ResourceManager",
        "tag.Context": "yarn",
        "NumActiveNMs": nodes.num_active_nms,
        "NumDecommissioningNMs": nodes.num_decommissioning_nms,
        "NumDecommissionedNMs": nodes.num_decommissioned_nms,
        "NumLostNMs": nodes.num_lost_nms,
        "NumUnhealthyNMs": nodes.num_unhealthy_nms,
        "NumRebootedNMs": nodes.num_rebooted_nms,
        "NumShutdownNMs": nodes.num_shutdown_nms,
        "CapabilityMB": totals.capacity.memory_mb,
        "CapabilityVirtualCores": totals.capacity.vcores,
        "UtilizedMB": used_mb,
        "UtilizedVirtualCores": used_cores,
        "RmEventProcCPUAvg": -1,
        "RmEventProcCPUMax": -1,
        "ContainerAssignedPerSecond": context.health.assigned_per_second(context.now_ms),
        "RmDispatcherEventQueueSize": context.dispatcher.waiting[0],
        "SchedulerDispatcherEventQueueSize": context.dispatcher.waiting[1],
        **_delays(context),
    }


def _delays(context: RMContext) -> Bean:
    shown: Bean = {}
    for name, (count, total_ms) in context.health.delays.items():
        shown |= {f"{name}NumOps": count, f"{name}AvgTime": total_ms / count if count else 0.0}
    return shown


def _nodes(context: RMContext) -> Bean:
    live = []
    for node in context.nodes.values():
        booked = context.scheduler.tracker.nodes.get(node.node_id)
        live.append(
            {
                "HostName": node.host,
                "Rack": node.rack,
                "State": node.state.name,
                "NodeId": str(node.node_id),
                "NodeHTTPAddress": node.http_address,
                "LastHealthUpdate": node.last_health_report_ms,
                "HealthReport": node.health_report,
                "NodeManagerVersion": node.version,
                "NumContainers": len(booked.containers) if booked is not None else 0,
                "UsedMemoryMB": booked.allocated.memory_mb if booked is not None else 0,
                "AvailableMemoryMB": booked.available.memory_mb if booked is not None else 0,
            }
        )
    return {
        "name": f"{SERVICE}RMNMInfo",
        "modelerType": "org.apache.hadoop.yarn.server.resourcemanager.RMNMInfo",
        "LiveNodeManagers": json.dumps(live),
    }
