"""The metrics, as beans with Hadoop's names and attributes: the cluster, its queues and nodes.

Hadoop: ClusterMetrics, RMNMInfo and RMInfo.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from yarnbox.rm.reports import cluster_metrics
from yarnbox.rm.web.cluster import Totals, utilized
from yarnbox.rm.web.queues.queue_beans import queue_beans
from yarnbox.yarn.http.jmx import Bean, named

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

SERVICE = "Hadoop:service=ResourceManager,name="


def beans(context: RMContext) -> Iterator[Bean]:
    """All beans of the ResourceManager."""
    yield _cluster(context)
    yield from queue_beans(context)
    yield _nodes(context)
    yield _info(context)
    yield {
        **_bean("ResourceManager", "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"),
        "SecurityEnabled": False,
    }


def _cluster(context: RMContext) -> Bean:
    nodes, totals = cluster_metrics(context), Totals(context, None)
    used_mb, used_cores = utilized(context)
    return {
        **named("ResourceManager", "ClusterMetrics"),
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
                "NumContainers": booked.count_guaranteed() if booked is not None else 0,
                "UsedMemoryMB": booked.allocated.memory_mb if booked is not None else 0,
                "AvailableMemoryMB": booked.available.memory_mb if booked is not None else 0,
            }
        )
    return {
        **_bean("RMNMInfo", "org.apache.hadoop.yarn.server.resourcemanager.RMNMInfo"),
        "LiveNodeManagers": json.dumps(live),
    }


def _info(context: RMContext) -> Bean:
    """Which ResourceManager this is."""
    return {
        **_bean("RMInfo", "org.apache.hadoop.yarn.server.resourcemanager.RMInfo"),
        "State": "active",
        "SecurityEnabled": False,
        "HostAndPort": str(context.settings.addresses.client),
    }


def _bean(name: str, java_class: str) -> Bean:
    """The common fields of a bean that is not a metrics record."""
    return {"name": SERVICE + name, "modelerType": java_class}
