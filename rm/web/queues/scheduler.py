"""The scheduler and its queues, in the shape of whichever scheduler it is.

Hadoop: SchedulerTypeInfo, FifoSchedulerInfo, FairSchedulerInfo and FairSchedulerQueueInfo; the capacity
scheduler's are in `capacity`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.views import FairQueueView
from yarnbox.rm.web.queues import capacity
from yarnbox.rm.web.queues.row import LIMITS
from yarnbox.rm.web.values import Answer, Shapes, java_float
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, componentwise_min

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext


def scheduler_info(context: RMContext, shapes: Shapes) -> Answer:
    """schedulerInfo."""
    scheduler = context.scheduler
    if scheduler.views.has_capacities:
        return capacity.scheduler_info(context, shapes)
    root = scheduler.views.fair_queue_view(scheduler.views.root_queue)
    if root is not None:
        return {"type": "fairScheduler", "rootQueue": fair_queue(context, root, shapes)}
    return fifo_info(context)


def page_info(context: RMContext, shapes: Shapes) -> Answer:
    """The same for pages, with what Hadoop does not tell: by which rule each queue may have so many
    applications. The root has it, by the paths of the queues.
    """
    scheduler = context.scheduler
    if scheduler.views.has_capacities:
        return capacity.page_info(context, shapes)
    root = scheduler.views.fair_queue_view(scheduler.views.root_queue)
    if root is None:
        return fifo_info(context)
    rules: Answer = {}
    shown = fair_queue(context, root, shapes, rules)
    return {"type": "fairScheduler", "rootQueue": {**shown, LIMITS: rules}}


def fifo_info(context: RMContext) -> Answer:
    """The one queue of a scheduler without queues; ratios."""
    scheduler = context.scheduler
    nodes = scheduler.tracker.nodes.values()
    used = sum(node.allocated.memory_mb for node in nodes)
    whole = sum(node.total.memory_mb for node in nodes)
    return {
        "type": "fifoScheduler",
        "capacity": 1.0,
        "usedCapacity": java_float(used / whole) if whole else 0.0,
        "qstate": "RUNNING",
        "minQueueMemoryCapacity": scheduler.minimum_allocation.memory_mb,
        "maxQueueMemoryCapacity": scheduler.maximum_allocation().memory_mb,
        "numNodes": len(nodes),
        "usedNodeCapacity": used,
        "availNodeCapacity": whole - used,
        "totalNodeCapacity": whole,
        "numContainers": sum(node.count_guaranteed() for node in nodes),
    }


def fair_queue(
    context: RMContext, view: FairQueueView, shapes: Shapes, rules: Answer | None = None
) -> Answer:
    """A queue of the fair scheduler and all below it; `rules` learns which rule limits its applications."""
    if rules is not None:
        rules[view.path] = {"rule": "EVERY_QUEUE" if view.is_max_apps_default else "QUEUE"}
    scheduler, partition = context.scheduler, view.partitions[DEFAULT_PARTITION]
    cluster = scheduler.cluster_resource()
    largest = view.max_container_allocation or scheduler.maximum_allocation()
    limits = (scheduler.minimum_allocation, scheduler.configured_maximum)
    shown: Answer = {
        "maxApps": view.max_apps,
        "minResources": shapes.resource(view.min_share, None if view.min_share else limits),
        "maxResources": shapes.resource(componentwise_min(view.max_share, cluster)),
        "usedResources": shapes.resource(partition.used),
        "amUsedResources": shapes.resource(partition.am_used or NONE),
        "amMaxResources": shapes.resource(partition.am_limit or NONE),
        "demandResources": shapes.resource(view.demand),
        "steadyFairResources": shapes.resource(view.steady_fair_share),
        "fairResources": shapes.resource(view.fair_share),
        "clusterResources": shapes.resource(cluster),
        "reservedResources": shapes.resource(partition.reserved),
        "maxContainerAllocation": shapes.resource(largest),
        "pendingContainers": partition.pending_containers,
        "allocatedContainers": view.containers,
        "reservedContainers": view.reserved_containers,
        "queueName": view.path,
        "schedulingPolicy": view.policy,
        "preemptable": view.is_preemptable,
    }
    if view.is_leaf:
        leaf = {"numPendingApps": view.pending_apps, "numActiveApps": view.active_apps}
        return {"type": "fairSchedulerLeafQueueInfo", **shown, **leaf}
    children = [scheduler.views.fair_queue_view(path) for path in view.children]
    below = [fair_queue(context, child, shapes, rules) for child in children if child is not None]
    return {**shown, "childQueues": {"queue": below}} if below else shown
