"""The capacity scheduler's queues. Hadoop: CapacitySchedulerInfo, CapacitySchedulerQueueInfo,
CapacitySchedulerLeafQueueInfo, QueueCapacitiesInfo and UserInfo.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from yarnbox.rm.container import RMContainer
from yarnbox.rm.context import RMContext
from yarnbox.rm.scheduler.capacity.config.settings import CapacityMode, QueueKind
from yarnbox.rm.scheduler.capacity.lifecycle import dynamic_queues as dynamic
from yarnbox.rm.scheduler.capacity.queue_view import (
    CapacityLeafView,
    CapacityQueueView,
    CapacityUserView,
    ShareView,
)
from yarnbox.rm.web.queues.row import LIMITS
from yarnbox.rm.web.values import Answer, Shapes, java_float, percent
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE

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


def scheduler_info(context: RMContext, shapes: Shapes) -> Answer:
    """The root, in its own shape, and the queues below it."""
    return _root_info(context, _root(context), shapes)


def page_info(context: RMContext, shapes: Shapes) -> Answer:
    """The same, and by the path of each leaf the rule by which it takes so many applications."""
    root = _root(context)
    return {**_root_info(context, root, shapes), LIMITS: dict(_application_limits(root))}


def _root(context: RMContext) -> CapacityQueueView:
    views = context.scheduler.views
    root = views.capacity_queue_view(views.root_queue)
    assert root is not None
    return root


def _root_info(context: RMContext, root: CapacityQueueView, shapes: Shapes) -> Answer:
    scheduler = context.scheduler
    share = root.share(DEFAULT_PARTITION)
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
        "queues": _children(context, root, shapes),
        "capacities": _capacities(context, root, shapes),
        "health": _health(context, shapes),
        "maximumAllocation": shapes.resource(scheduler.maximum_allocation()),
        **_common(root),
    }


def _application_limits(queue: CapacityQueueView) -> Iterator[tuple[str, Answer]]:
    if queue.leaf is not None:
        limit = queue.leaf.applications_limit
        yield queue.path, {"rule": limit.rule.name, "base": limit.base, "share": percent(limit.share)}
    for child in queue.children:
        yield from _application_limits(child)


def _health(context: RMContext, shapes: Shapes) -> Answer:
    """CapacitySchedulerHealthInfo: what it did last, and what its last run came to."""
    health = context.health
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


def _children(context: RMContext, queue: CapacityQueueView, shapes: Shapes) -> Answer:
    """Leaves before parents; within each kind as configured."""
    if not queue.children:
        return {}
    ordered = sorted(queue.children, key=lambda child: not child.kind.is_leaf)
    return {"queue": [queue_info(context, child, shapes) for child in ordered]}


def queue_info(context: RMContext, queue: CapacityQueueView, shapes: Shapes) -> Answer:
    """A queue below the root."""
    share, settings = queue.share(DEFAULT_PARTITION), queue.settings
    amounts = share.amounts
    shown: Answer = {
        "queuePath": queue.path,
        "capacity": _capacity(share),
        "usedCapacity": percent(share.used_capacity),
        "maxCapacity": _maximum(share),
        "absoluteCapacity": percent(share.absolute, 100.0),
        "absoluteMaxCapacity": percent(share.absolute_maximum, 100.0),
        "absoluteUsedCapacity": percent(share.absolute_used, 100.0),
        **_weights(share),
        "numApplications": queue.apps,
        "maxParallelApps": settings.max_parallel_apps,
        "queueName": queue.name,
        "isAbsoluteResource": share.capacity_value.mode is CapacityMode.ABSOLUTE,
        "state": queue.state.name,
        "resourcesUsed": shapes.resource(amounts.used),
        "hideReservationQueues": False,
        "nodeLabels": sorted(settings.accessible_labels),
        "allocatedContainers": amounts.containers,
        "reservedContainers": queue.reserved_containers,
        "pendingContainers": amounts.pending_containers,
        "capacities": _capacities(context, queue, shapes),
        "resources": {"resourceUsagesByPartition": _usages(queue, shapes)},
        "minEffectiveCapacity": shapes.resource(share.effective_minimum),
        "maxEffectiveCapacity": shapes.resource(share.effective_maximum),
        "maximumAllocation": shapes.resource(queue.maximum_allocation),
        "autoCreateChildQueueEnabled": queue.kind is QueueKind.MANAGED_PARENT,
        "leafQueueTemplate": _leaf_template(queue),
        **_common(queue),
    }
    if queue.leaf is not None:
        leaf = _leaf(queue, queue.leaf, shapes)
        return {"type": "capacitySchedulerLeafQueueInfo", **shown, **leaf}
    return {**shown, "queues": _children(context, queue, shapes)}


def _leaf_template(queue: CapacityQueueView) -> Answer:
    found = queue.templates[dynamic.V1_TEMPLATE]
    return _properties({dynamic.V1_TEMPLATE + name: value for name, value in found.items()})


def _properties(values: Mapping[str, str]) -> Answer:
    return {"property": [{"name": name, "value": value} for name, value in values.items()]} if values else {}


def _templates(queue: CapacityQueueView) -> Answer:
    """What queues get that are made below this one; a leaf has none below it."""
    return {name: _properties(queue.templates.get(prefix, {})) for name, prefix in _TEMPLATES.items()}


def _common(queue: CapacityQueueView) -> Answer:
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
        "orderingPolicyInfo": queue.ordering_policy,
        "mode": _MODES[queue.share(DEFAULT_PARTITION).capacity_value.mode],
        "queueType": "leaf" if queue.kind.is_leaf else "parent",
        "creationMethod": _creation(queue),
        "autoCreationEligibility": (
            "legacy" if queue.kind is QueueKind.MANAGED_PARENT else "flexible" if v2 else "off"
        ),
        **_templates(queue),
    }
    return (
        {**shown, "defaultNodeLabelExpression": settings.default_label} if settings.default_label else shown
    )


def _creation(queue: CapacityQueueView) -> str:
    if queue.kind is QueueKind.AUTO_LEAF:
        return "dynamicLegacy"
    return "dynamicFlexible" if queue.is_dynamic else "static"


def _weights(share: ShareView) -> Answer:
    is_weight = share.capacity_value.mode is CapacityMode.WEIGHT
    return {
        "weight": java_float(share.capacity_value.number) if is_weight else -1.0,
        "normalizedWeight": java_float(share.normalized_weight) if is_weight else 0.0,
    }


def _vector(share: ShareView) -> Answer:
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


def _capacity(share: ShareView) -> float:
    """Its part of the parent in per cent; nothing where a weight stands for it."""
    return 0.0 if share.capacity_value.mode is CapacityMode.WEIGHT else percent(share.capacity)


def _maximum(share: ShareView) -> float:
    """Its ceiling in per cent; all of it where none is set."""
    maximum = percent(share.maximum)
    return maximum if 0 < maximum <= 100 else 100.0


def _capacities(context: RMContext, queue: CapacityQueueView, shapes: Shapes) -> Answer:
    shown = []
    scheduler = context.scheduler
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


def _usages(queue: CapacityQueueView, shapes: Shapes) -> list[Answer]:
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


def _leaf(queue: CapacityQueueView, leaf: CapacityLeafView, shapes: Shapes) -> Answer:
    settings, share = queue.settings, queue.share(DEFAULT_PARTITION)
    users = [_user(user, shapes) for user in leaf.users]
    configured = settings.partitions.get(DEFAULT_PARTITION)
    lifetime = (settings.maximum_lifetime_s, settings.default_lifetime_s)
    return {
        "numActiveApplications": leaf.active_apps,
        "numPendingApplications": leaf.pending_apps,
        "numContainers": leaf.containers,
        "maxApplications": leaf.applications_limit.most,
        "maxApplicationsPerUser": leaf.maximum_applications_per_user,
        "userLimit": java_float(settings.user_limit_percent),
        "userLimitFactor": java_float(settings.user_limit_factor),
        "users": {"user": users} if users else {},
        "configuredMaxAMResourceLimit": java_float(configured.am_percent if configured is not None else 0.1),
        "AMResourceLimit": shapes.resource(share.am_limit),
        "usedAMResource": shapes.resource(share.amounts.am_used),
        "userAMResourceLimit": shapes.resource(
            next((user.am_limits.get("", NONE) for user in leaf.users), share.am_limit)
        ),
        "preemptionDisabled": leaf.is_preemption_disabled,
        "intraQueuePreemptionDisabled": leaf.is_intra_queue_preemption_disabled,
        "defaultPriority": settings.default_priority,
        "isAutoCreatedLeafQueue": queue.kind is QueueKind.AUTO_LEAF,
        "maxApplicationLifetime": lifetime[0],
        "defaultApplicationLifetime": lifetime[1],
    }


def _user(user: CapacityUserView, shapes: Shapes) -> Answer:
    default = user.amounts[""]
    return {
        "username": user.name,
        "resourcesUsed": shapes.resource(default.used),
        "numPendingApplications": user.pending_apps,
        "numActiveApplications": user.active_apps,
        "AMResourceUsed": shapes.resource(default.am_used),
        "userResourceLimit": shapes.resource(user.limit),
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
                for name, amounts in sorted(user.amounts.items())
            ]
        },
        "userWeight": java_float(user.weight),
        "isActive": user.is_active,
    }
