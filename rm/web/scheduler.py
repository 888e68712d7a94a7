"""The scheduler and its queues, in the shape of whichever scheduler it is.

Answers for SchedulerTypeInfo, FifoSchedulerInfo, FairSchedulerInfo and FairSchedulerQueueInfo; the capacity
scheduler's are in `capacity`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.capacity.scheduler import CapacityScheduler
from rm.scheduler.fair import FairScheduler
from rm.scheduler.fair.leaf import LeafQueue
from rm.scheduler.fair.queue import FairQueue
from rm.scheduler.fair.reporting import active_count, applications_of
from rm.web import capacity
from rm.web.values import Answer, Shapes, java_float
from yarn.resource import NONE, componentwise_min

if TYPE_CHECKING:
    from rm.context import RMContext

UNLIMITED = 2**31 - 1


def scheduler_info(context: RMContext, shapes: Shapes) -> Answer:
    """schedulerInfo."""
    scheduler = context.scheduler
    if isinstance(scheduler, CapacityScheduler):
        return capacity.scheduler_info(scheduler, shapes)
    if isinstance(scheduler, FairScheduler):
        return {"type": "fairScheduler", "rootQueue": fair_queue(scheduler, scheduler.root, shapes)}
    return fifo_info(context)


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
        "numContainers": sum(len(node.containers) for node in nodes),
    }


def fair_queue(scheduler: FairScheduler, queue: FairQueue, shapes: Shapes) -> Answer:
    """A queue of the fair scheduler and all below it."""
    view = scheduler.queue_view(queue.path)
    assert view is not None
    partition = view.partitions[""]
    apps = applications_of(queue)
    cluster = scheduler.cluster_resource()
    largest = queue.max_container_allocation or scheduler.maximum_allocation()
    amounts = queue.usage.by_partition.values()
    limits = (scheduler.minimum_allocation, scheduler.configured_maximum)
    shown: Answer = {
        "maxApps": queue.max_running_apps,
        "minResources": shapes.resource(queue.min_share, None if queue.min_share else limits),
        "maxResources": shapes.resource(componentwise_min(queue.max_share, cluster)),
        "usedResources": shapes.resource(partition.used),
        "amUsedResources": shapes.resource(partition.am_used or NONE),
        "amMaxResources": shapes.resource(partition.am_limit or NONE),
        "demandResources": shapes.resource(queue.demand),
        "steadyFairResources": shapes.resource(queue.steady_fair_share),
        "fairResources": shapes.resource(queue.fair_share),
        "clusterResources": shapes.resource(cluster),
        "reservedResources": shapes.resource(partition.reserved),
        "maxContainerAllocation": shapes.resource(largest),
        "pendingContainers": sum(one.pending_containers for one in amounts),
        "allocatedContainers": view.containers,
        "reservedContainers": sum(len(app.reserved_containers()) for app in apps),
        "queueName": queue.path,
        "schedulingPolicy": queue.policy.name,
        "preemptable": queue.is_preemptable,
    }
    if isinstance(queue, LeafQueue):
        active = active_count(queue)
        leaf = {"numPendingApps": len(apps) - active, "numActiveApps": active}
        return {"type": "fairSchedulerLeafQueueInfo", **shown, **leaf}
    children = [scheduler.tree.queue(path) for path in view.children]
    below = [fair_queue(scheduler, child, shapes) for child in children if child is not None]
    return {**shown, "childQueues": {"queue": below}} if below else shown
