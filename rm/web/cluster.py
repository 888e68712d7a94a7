"""The cluster as a whole: what it is, and its figures.

Hadoop: ClusterInfo, ClusterMetricsInfo, SchedulerOverviewInfo and ApplicationStatisticsInfo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox import CORE
from yarnbox.rm.reports import application_state, cluster_metrics
from yarnbox.rm.web.queues.queue_beans import available
from yarnbox.rm.web.refusals import bad_request
from yarnbox.rm.web.values import Answer, Shapes
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.resources.resource import NONE, Resource, total
from yarnbox.yarn.version import HADOOP_VERSION, UNKNOWN

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

_RECOVERY = "org.apache.hadoop.yarn.server.resourcemanager.recovery."
_NO_ELECTOR = "Could not find leader elector. Verify both HA and automatic failover are enabled."


def cluster_info(context: RMContext) -> Answer:
    """ClusterInfo: the RM's identity, role, version and start time."""
    store = context.kept_state
    if store is None:
        return rm_info(context.start_ms, "ACTIVE", "NullRMStateStore")
    return rm_info(context.start_ms, "ACTIVE", store.name, store.connection)


def rm_info(started_ms: int, ha_state: str, store: str, connection: str | None = None) -> Answer:
    """The part of ClusterInfo that active and standby RMs share."""
    build = f"{HADOOP_VERSION} from {UNKNOWN} by yarnbox ({CORE}) source checksum {UNKNOWN}"
    return {
        "id": started_ms,
        "startedOn": started_ms,
        "state": "STARTED",
        "haState": ha_state,
        "rmStateStoreName": _RECOVERY + store,
        "resourceManagerVersion": HADOOP_VERSION,
        "resourceManagerBuildVersion": build,
        "resourceManagerVersionBuiltOn": UNKNOWN,
        "hadoopVersion": HADOOP_VERSION,
        "hadoopBuildVersion": build,
        "hadoopVersionBuiltOn": UNKNOWN,
        "haZooKeeperConnectionState": connection or _NO_ELECTOR,
    }


def kept_state(context: RMContext) -> Answer:
    """The state store: whose it is, what was wrong with it, and the entries that nobody could read."""
    store = context.kept_state
    if store is None:
        return {"enabled": False}
    aside = [{"key": one.key, "why": one.why, "time": one.at_ms} for one in store.all_set_aside()]
    return {
        "enabled": True,
        "path": str(store.path),
        "clusterId": store.cluster,
        "fault": list(store.faults),
        "setAside": aside,
    }


class Totals:
    """What the root queue holds, and sums over applications; `partition` None is the whole cluster.

    A container that the scheduler has ended no longer counts, though its node holds it until it has reported
    its end. Hadoop: the QueueMetrics of root.
    """

    def __init__(self, context: RMContext, partition: str | None = "") -> None:
        scheduler, tracker = context.scheduler, context.scheduler.tracker
        self.capacity = tracker.total if partition is None else tracker.partition_total(partition)
        view = scheduler.views.queue_view(scheduler.views.root_queue)
        by_label = {} if view is None else view.partitions
        parts = [part for label, part in by_label.items() if partition is None or label == partition]
        self.allocated = total([part.used - part.reserved for part in parts])
        self.available = total([available(context, scheduler.views.root_queue, part) for part in parts])
        self.reserved = total([part.reserved for part in parts])
        self.containers = sum(part.containers for part in parts)
        self.reserved_containers = tracker.reserved_containers(partition)
        pending: list[Resource] = []
        self.pending_containers = 0
        self.pending_apps = self.running_apps = 0
        """Attempts that wait for a first container, and those that have had one."""
        for application in context.scheduler.applications.values():
            attempt = application.attempt
            if attempt is None or attempt.is_stopped:
                continue
            if attempt.served_since_ms is None:
                self.pending_apps += 1
            else:
                self.running_apps += 1
            for name, amounts in attempt.usage.by_partition.items():
                if partition is None or name == partition:
                    pending.append(amounts.pending)
                    self.pending_containers += amounts.pending_containers
        self.pending = total(pending)


def metrics(context: RMContext, shapes: Shapes) -> Answer:
    """ClusterMetricsInfo."""
    counts, totals, nodes = context.health.queues.all_apps(), Totals(context), cluster_metrics(context)
    is_capacity = context.scheduler.name == "CapacityScheduler"
    used_mb, used_cores = utilized(context)
    left = totals.available
    counted = left + totals.allocated + (totals.reserved if is_capacity else NONE)
    all_mb, all_cores = counted.memory_mb, counted.vcores
    waiting, waiting_behind = context.dispatcher.waiting
    shown: Answer = {
        "appsSubmitted": counts.submitted,
        "appsCompleted": counts.completed,
        "appsPending": totals.pending_apps,
        "appsRunning": totals.running_apps,
        "appsFailed": counts.failed,
        "appsKilled": counts.killed,
        "reservedMB": totals.reserved.memory_mb,
        "availableMB": left.memory_mb,
        "allocatedMB": totals.allocated.memory_mb,
        "pendingMB": totals.pending.memory_mb,
        "reservedVirtualCores": totals.reserved.vcores,
        "availableVirtualCores": left.vcores,
        "allocatedVirtualCores": totals.allocated.vcores,
        "pendingVirtualCores": totals.pending.vcores,
        "containersAllocated": totals.containers,
        "containersReserved": totals.reserved_containers,
        "containersPending": totals.pending_containers,
        "totalMB": all_mb,
        "totalVirtualCores": all_cores,
        "utilizedMB": 0,
        "utilizedVirtualCores": used_cores,
        "utilizedMBPercent": 100 * used_mb // all_mb if all_mb else 0,
        "utilizedVirtualCoresPercent": 100 * used_cores // all_cores if all_cores else 0,
        "rmSchedulerBusyPercent": -1,
        "totalNodes": len(context.nodes) + len(context.inactive_nodes),
        "activeNodes": nodes.num_active_nms,
        "lostNodes": nodes.num_lost_nms,
        "unhealthyNodes": nodes.num_unhealthy_nms,
        "decommissioningNodes": nodes.num_decommissioning_nms,
        "decommissionedNodes": nodes.num_decommissioned_nms,
        "rebootedNodes": nodes.num_rebooted_nms,
        "shutdownNodes": nodes.num_shutdown_nms,
        "containerAssignedPerSecond": context.health.assigned_per_second(context.now_ms),
        "totalAllocatedContainersAcrossPartition": 0,
        "crossPartitionMetricsAvailable": is_capacity,
        "rmEventQueueSize": waiting,
        "schedulerEventQueueSize": waiting_behind,
    }
    if is_capacity:
        whole = Totals(context, None)
        shown["totalAllocatedContainersAcrossPartition"] = whole.containers
        shown["totalUsedResourcesAcrossPartition"] = shapes.resource(whole.allocated)
        shown["totalClusterResourcesAcrossPartition"] = shapes.resource(whole.capacity)
        shown["totalReservedResourcesAcrossPartition"] = shapes.resource(whole.reserved)
    return shown


def utilized(context: RMContext) -> tuple[int, int]:
    """Memory and whole cores that the nodes report as used; parts of a core are cut off, node by node."""
    found = [node.node_utilization for node in context.nodes.values() if node.node_utilization is not None]
    return sum(one.pmem or 0 for one in found), sum(int(one.cpu or 0.0) for one in found)


def overview(context: RMContext, shapes: Shapes) -> Answer:
    """SchedulerOverviewInfo."""
    scheduler = context.scheduler
    kinds = [f"{one.name} (unit={one.units})" if one.units else one.name for one in context.resource_types]
    return {
        "schedulerType": scheduler.name.replace("Scheduler", " Scheduler"),
        "schedulingResourceType": ",".join(kinds),
        "minimumAllocation": shapes.resource(scheduler.minimum_allocation),
        "maximumAllocation": shapes.resource(scheduler.maximum_allocation()),
        "applicationPriority": context.settings.max_application_priority,
        "schedulerBusy": -1,
        "rmDispatcherEventQueueSize": context.dispatcher.waiting[0],
        "schedulerDispatcherEventQueueSize": context.dispatcher.waiting[1],
    }


def statistics(context: RMContext, states: list[YarnApplicationState], types: list[str]) -> Answer:
    """appStatInfo: how many applications in each state, of one type or of all."""
    if len(types) > 1:
        raise bad_request(
            f"# of applicationTypes = {len(types)}, we temporarily support at most one applicationType"
        )
    kind = types[0].strip().lower() if types else "*"
    counts = dict.fromkeys(states or list(YarnApplicationState), 0)
    for app in context.apps.values():
        state = application_state(app)
        if state in counts and kind in ("*", app.submission.application_type.lower()):
            counts[state] += 1
    items = [{"state": state.name, "type": kind, "count": count} for state, count in counts.items()]
    return {"statItem": items}
