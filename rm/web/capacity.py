"""The capacity scheduler's queues. Answers for CapacitySchedulerInfo, CapacitySchedulerQueueInfo,
CapacitySchedulerLeafQueueInfo, QueueCapacitiesInfo and UserInfo.
"""

from __future__ import annotations

from collections.abc import Mapping

from rm.container import RMContainer
from rm.scheduler.capacity import dynamic
from rm.scheduler.capacity.clients import (
    is_intra_queue_preemption_disabled,
    is_preemption_disabled,
    ordering_policy,
)
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.parent import ParentQueue
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.scheduler import CapacityScheduler
from rm.scheduler.capacity.settings import CapacityMode, QueueKind
from rm.scheduler.capacity.shares import Share
from rm.scheduler.capacity.users import User
from rm.web.values import Answer, Shapes, java_float, percent
from yarn.resource import NONE, Resource

_MODES = {
    CapacityMode.PERCENT: "percentage",
    CapacityMode.ABSOLUTE: "absolute",
    CapacityMode.WEIGHT: "weight",
    CapacityMode.VECTOR: "mixed",
}
_TEMPLATES = {
    "autoQueueTemplateProperties": dynamic.V2_TEMPLATE,
    "autoQueueParentTemplateProperties": dynamic.V2_PARENT_TEMPLATE,
    "autoQueueLeafTemplateProperties": dynamic.V2_LEAF_TEMPLATE,
}
_NO_OPERATION = {"nodeId": "N/A", "containerId": "N/A", "queue": "N/A"}


def scheduler_info(scheduler: CapacityScheduler, shapes: Shapes) -> Answer:
    """The root, in its own shape, and the queues below it."""
    root = scheduler.tree.root
    share = root.share("")
    return {
        "type": "capacityScheduler",
        "capacity": _capacity(share),
        "usedCapacity": percent(share.used_capacity),
        "maxCapacity": _maximum(share),
        **_weights(share),
        "queueCapacityVectorInfo": _vector(share),
        "queueName": root.name,
        "queuePath": root.path,
        "maxParallelApps": root.settings.max_parallel_apps,
        "isAbsoluteResource": share.capacity_value.mode is CapacityMode.ABSOLUTE,
        "queues": _children(scheduler, root, shapes),
        "capacities": _capacities(scheduler, root, shapes),
        "health": _health(scheduler, shapes),
        "maximumAllocation": shapes.resource(scheduler.maximum_allocation()),
        **_common(scheduler, root),
    }


def _health(scheduler: CapacityScheduler, shapes: Shapes) -> Answer:
    """CapacitySchedulerHealthInfo: what it did last, and what its last run came to."""
    health = scheduler.context.health
    last = {
        "last-allocation": health.last_allocation,
        "last-release": health.last_release,
        "last-preemption": health.last_preemption,
        "last-reservation": health.last_reservation,
    }
    run = {"releases": health.released, "allocations": health.allocated, "reservations": health.reserved}
    return {
        "lastrun": health.last_run_ms,
        "operationsInfo": [{"operation": name, **_operation(container)} for name, container in last.items()],
        "lastRunDetails": [
            {"operation": name, "count": tally.count, "resources": shapes.resource(tally.resource)}
            for name, tally in run.items()
        ],
    }


def _operation(container: RMContainer | None) -> Answer:
    if container is None:
        return _NO_OPERATION
    return {
        "nodeId": str(container.node_id),
        "containerId": str(container.container_id),
        "queue": container.queue,
    }


def _children(scheduler: CapacityScheduler, queue: CapacityQueue, shapes: Shapes) -> Answer:
    """Leaves before parents; within each kind as configured."""
    if not isinstance(queue, ParentQueue) or not queue.children:
        return {}
    ordered = sorted(queue.children, key=lambda child: not child.kind.is_leaf)
    return {"queue": [queue_info(scheduler, child, shapes) for child in ordered]}


def queue_info(scheduler: CapacityScheduler, queue: CapacityQueue, shapes: Shapes) -> Answer:
    """A queue below the root."""
    share, settings = queue.share(""), queue.settings
    amounts = share.amounts
    leaves = list(queue.leaves())
    shown: Answer = {
        "queuePath": queue.path,
        "capacity": _capacity(share),
        "usedCapacity": percent(share.used_capacity),
        "maxCapacity": _maximum(share),
        "absoluteCapacity": percent(share.absolute, 100.0),
        "absoluteMaxCapacity": percent(share.absolute_maximum, 100.0),
        "absoluteUsedCapacity": percent(share.absolute_used, 100.0),
        **_weights(share),
        "numApplications": queue.app_count,
        "maxParallelApps": settings.max_parallel_apps,
        "queueName": queue.name,
        "isAbsoluteResource": share.capacity_value.mode is CapacityMode.ABSOLUTE,
        "state": queue.state.name,
        "resourcesUsed": shapes.resource(amounts.used),
        "hideReservationQueues": False,
        "nodeLabels": sorted(settings.accessible_labels),
        "allocatedContainers": amounts.containers,
        "reservedContainers": sum(len(app.reserved_containers()) for leaf in leaves for app in leaf.order),
        "pendingContainers": amounts.pending_containers,
        "capacities": _capacities(scheduler, queue, shapes),
        "resources": {"resourceUsagesByPartition": _usages(queue, shapes)},
        "minEffectiveCapacity": shapes.resource(share.effective_minimum),
        "maxEffectiveCapacity": shapes.resource(share.effective_maximum),
        "maximumAllocation": shapes.resource(scheduler.queue_maximum_allocation(queue.path)),
        "autoCreateChildQueueEnabled": queue.kind is QueueKind.MANAGED_PARENT,
        "leafQueueTemplate": _leaf_template(scheduler, queue),
        **_common(scheduler, queue),
    }
    if isinstance(queue, LeafQueue):
        return {"type": "capacitySchedulerLeafQueueInfo", **shown, **_leaf(scheduler, queue, shapes)}
    return {**shown, "queues": _children(scheduler, queue, shapes)}


def _leaf_template(scheduler: CapacityScheduler, queue: CapacityQueue) -> Answer:
    found = dynamic.managed_template(scheduler.frame.settings.properties, queue.path)
    return _properties({dynamic.V1_TEMPLATE + name: value for name, value in found.items()})


def _properties(values: Mapping[str, str]) -> Answer:
    return {"property": [{"name": name, "value": value} for name, value in values.items()]} if values else {}


def _templates(scheduler: CapacityScheduler, queue: CapacityQueue) -> Answer:
    """What queues get that are made below this one; a leaf has none below it."""
    shown = {}
    for name, prefix in _TEMPLATES.items():
        found = {}
        if not queue.kind.is_leaf:
            properties, depth = scheduler.frame.settings.properties, queue.settings.v2.max_depth
            found = dynamic.written_template(properties, queue.path, depth, prefix)
        shown[name] = _properties(found)
    return shown


def _common(scheduler: CapacityScheduler, queue: CapacityQueue) -> Answer:
    settings = queue.settings
    v2 = settings.v2.is_enabled or (queue.is_dynamic and not queue.kind.is_leaf)
    shown: Answer = {
        "queueAcls": {
            "queueAcl": [
                {"accessType": "ADMINISTER_QUEUE", "accessControlList": str(settings.administer_acl)},
                {"accessType": "APPLICATION_MAX_PRIORITY", "accessControlList": "*"},
                {"accessType": "SUBMIT_APP", "accessControlList": str(settings.submit_acl)},
            ]
        },
        "queuePriority": settings.priority,
        "orderingPolicyInfo": ordering_policy(queue),
        "mode": _MODES[queue.share("").capacity_value.mode],
        "queueType": "leaf" if queue.kind.is_leaf else "parent",
        "creationMethod": _creation(queue),
        "autoCreationEligibility": (
            "legacy" if queue.kind is QueueKind.MANAGED_PARENT else "flexible" if v2 else "off"
        ),
        **_templates(scheduler, queue),
    }
    return (
        {**shown, "defaultNodeLabelExpression": settings.default_label} if settings.default_label else shown
    )


def _creation(queue: CapacityQueue) -> str:
    if queue.kind is QueueKind.AUTO_LEAF:
        return "dynamicLegacy"
    return "dynamicFlexible" if queue.is_dynamic else "static"


def _weights(share: Share) -> Answer:
    is_weight = share.capacity_value.mode is CapacityMode.WEIGHT
    return {
        "weight": java_float(share.capacity_value.number) if is_weight else -1.0,
        "normalizedWeight": java_float(share.normalized_weight) if is_weight else 0.0,
    }


def _vector(share: Share) -> Answer:
    value = share.capacity_value
    if value.mode is CapacityMode.ABSOLUTE:
        pairs = [(name, f"{float(amount)}") for name, amount in value.resource.items()]
    elif value.mode is CapacityMode.VECTOR:
        pairs = [(name, f"{java_float(number)}{unit.value}") for name, unit, number in value.vector]
    else:
        unit_text = "w" if value.mode is CapacityMode.WEIGHT else "%"
        pairs = [(name, f"{java_float(value.number)}{unit_text}") for name in ("memory-mb", "vcores")]
    text = ",".join(f"{name}={amount}" for name, amount in pairs)
    shown = [{"resourceName": name, "resourceValue": amount} for name, amount in pairs]
    return {"configuredCapacityVector": f"[{text}]", "capacityVectorEntries": shown}


def _capacity(share: Share) -> float:
    """Its part of the parent in per cent; nothing where a weight stands for it."""
    return 0.0 if share.capacity_value.mode is CapacityMode.WEIGHT else percent(share.capacity)


def _maximum(share: Share) -> float:
    """Its ceiling in per cent; all of it where none is set."""
    maximum = percent(share.maximum)
    return maximum if 0 < maximum <= 100 else 100.0


def _capacities(scheduler: CapacityScheduler, queue: CapacityQueue, shapes: Shapes) -> Answer:
    shown = []
    limits = (scheduler.minimum_allocation, scheduler.configured_maximum)
    for name, share in sorted(queue.shares.items()):
        configured = queue.settings.partitions.get(name)
        least, most = share.configured_minimum, share.configured_maximum
        am = configured.am_percent if configured is not None and queue.kind.is_leaf else 0.0
        shown.append(
            {
                "partitionName": name,
                "queueCapacityVectorInfo": _vector(share),
                "capacity": _capacity(share),
                "usedCapacity": percent(share.used_capacity),
                "maxCapacity": _maximum(share),
                "absoluteCapacity": percent(share.absolute, 100.0),
                "absoluteUsedCapacity": percent(share.absolute_used, 100.0),
                "absoluteMaxCapacity": percent(share.absolute_maximum, 100.0),
                "maxAMLimitPercentage": percent(am),
                **_weights(share),
                "configuredMinResource": shapes.resource(least, None if least else limits),
                "configuredMaxResource": shapes.resource(most, None if most else limits),
                "effectiveMinResource": shapes.resource(share.effective_minimum),
                "effectiveMaxResource": shapes.resource(share.effective_maximum),
            }
        )
    return {"queueCapacitiesByPartition": shown}


def _usages(queue: CapacityQueue, shapes: Shapes) -> list[Answer]:
    found = []
    for name, share in sorted(queue.shares.items()):
        amounts = share.amounts
        shown = {
            "partitionName": name,
            "used": shapes.resource(amounts.used),
            "reserved": shapes.resource(amounts.reserved),
            "pending": shapes.resource(amounts.pending),
        }
        if queue.kind.is_leaf:
            shown["amUsed"] = shapes.resource(amounts.am_used)
            shown["amLimit"] = shapes.resource(share.am_limit)
            shown["userAmLimit"] = shapes.resource(share.user_am_limit)
        found.append(shown)
    return found


def _leaf(scheduler: CapacityScheduler, leaf: LeafQueue, shapes: Shapes) -> Answer:
    settings, share = leaf.settings, leaf.share("")
    users = [_user(leaf, user, shapes) for user in leaf.users.by_name.values()]
    configured = settings.partitions.get("")
    lifetime = (settings.maximum_lifetime_s, settings.default_lifetime_s)
    return {
        "numActiveApplications": leaf.active_count,
        "numPendingApplications": len(leaf.pending),
        "numContainers": sum(one.containers for one in leaf.usage.by_partition.values()),
        "maxApplications": leaf.maximum_applications,
        "maxApplicationsPerUser": leaf.maximum_applications_per_user,
        "userLimit": java_float(settings.user_limit_percent),
        "userLimitFactor": java_float(settings.user_limit_factor),
        "users": {"user": users} if users else {},
        "configuredMaxAMResourceLimit": java_float(configured.am_percent if configured is not None else 0.1),
        "AMResourceLimit": shapes.resource(share.am_limit),
        "usedAMResource": shapes.resource(share.amounts.am_used),
        "userAMResourceLimit": shapes.resource(
            next((user.am_limits.get("", NONE) for user in leaf.users.by_name.values()), share.am_limit)
        ),
        "preemptionDisabled": is_preemption_disabled(scheduler, leaf),
        "intraQueuePreemptionDisabled": is_intra_queue_preemption_disabled(scheduler, leaf),
        "defaultPriority": settings.default_priority,
        "isAutoCreatedLeafQueue": leaf.kind is QueueKind.AUTO_LEAF,
        "maxApplicationLifetime": lifetime[0],
        "defaultApplicationLifetime": lifetime[1],
    }


def _user(leaf: LeafQueue, user: User, shapes: Shapes) -> Answer:
    limit: Resource = leaf.users.limit_of(user, "")
    am_used = user.usage.am_used("")
    return {
        "username": user.name,
        "resourcesUsed": shapes.resource(user.usage.of("").used),
        "numPendingApplications": user.pending_apps,
        "numActiveApplications": user.active_apps,
        "AMResourceUsed": shapes.resource(am_used),
        "userResourceLimit": shapes.resource(limit),
        "resources": {
            "resourceUsagesByPartition": [
                {
                    "partitionName": name,
                    "used": shapes.resource(amounts.used),
                    "reserved": shapes.resource(amounts.reserved),
                    "pending": shapes.resource(amounts.pending),
                    "amUsed": shapes.resource(amounts.am_used),
                    "amLimit": shapes.resource(user.am_limits.get(name)),
                    "userAmLimit": shapes.resource(NONE),
                }
                for name, amounts in sorted(user.usage.by_partition.items())
            ]
        },
        "userWeight": java_float(user.weight),
        "isActive": user.is_active,
    }
