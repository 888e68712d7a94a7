"""Nodes and their labels. Hadoop: NodeInfo, NodeLabelInfo, LabelsToNodesInfo and NodeToLabelsInfo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from yarnbox.rm.node import RMNode
from yarnbox.rm.web.values import Answer, Shapes, java_float
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.node import SHOWN_DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext


def node(context: RMContext, shapes: Shapes, one: RMNode) -> Answer:
    """A node, active or not."""
    booked = context.scheduler.tracker.nodes.get(one.node_id)
    used = booked.allocated if booked is not None else NONE
    available = booked.available if booked is not None else NONE
    label = context.labels.partition_of(one.node_id)
    reported, of_containers, opportunistic = (
        one.node_utilization,
        one.containers_utilization,
        one.opportunistic,
    )
    is_active = one.node_id in context.nodes
    shown: Answer = {
        "rack": one.rack,
        "state": one.state.name,
        "id": str(one.node_id),
        "nodeHostName": one.host,
        "nodeHTTPAddress": one.http_address if is_active else "",
        "lastHealthUpdate": one.last_health_report_ms,
        "version": one.version,
        "healthReport": one.health_report,
        "numContainers": booked.count_guaranteed() if booked is not None else 0,
        "usedMemoryMB": used.memory_mb,
        "availMemoryMB": available.memory_mb,
        "usedVirtualCores": used.vcores,
        "availableVirtualCores": available.vcores,
        "memUtilization": _share(reported.pmem if reported else 0, one, used + available, is_memory=True),
        "cpuUtilization": _share(reported.cpu if reported else 0, one, used + available, is_memory=False),
        "numRunningOpportContainers": (opportunistic.running_opport_containers or 0) if opportunistic else 0,
        "usedMemoryOpportGB": (opportunistic.opport_memory_used or 0) if opportunistic else 0,
        "usedVirtualCoresOpport": (opportunistic.opport_cores_used or 0) if opportunistic else 0,
        "numQueuedContainers": (opportunistic.queued_opport_containers or 0) if opportunistic else 0,
        "allocationTags": _tags(context.constraints.tags.on_node(one.node_id)),
        "resourceUtilization": {
            "nodePhysicalMemoryMB": (reported.pmem or 0) if reported else 0,
            "nodeVirtualMemoryMB": (reported.vmem or 0) if reported else 0,
            "nodeCPUUsage": java_float((reported.cpu or 0.0) if reported else 0.0),
            "aggregatedContainersPhysicalMemoryMB": (of_containers.pmem or 0) if of_containers else 0,
            "aggregatedContainersVirtualMemoryMB": (of_containers.vmem or 0) if of_containers else 0,
            "containersCPUUsage": java_float((of_containers.cpu or 0.0) if of_containers else 0.0),
        },
        "nodeAttributesInfo": _attributes(context, one),
        "totalResource": shapes.resource(one.capability),
    }
    if booked is not None:
        shown["usedResource"] = shapes.resource(used)
        shown["availableResource"] = shapes.resource(available)
    return {**shown, "nodeLabels": [label]} if label else shown


def _share(value: float | None, one: RMNode, booked: Resource, *, is_memory: bool) -> float:
    """What is used, in percent of what there physically is."""
    physical = one.physical
    if is_memory:
        whole = physical.memory_mb if physical is not None else booked.memory_mb
    else:
        whole = physical.vcores if physical is not None else 1
    return java_float(100.0 * (value or 0.0) / whole) if whole > 0 else 0.0


def _tags(counts: Mapping[str, int]) -> Answer:
    if not counts:
        return {}
    return {
        "allocationTagInfo": [
            {"allocationTag": tag, "allocationsCount": count} for tag, count in sorted(counts.items())
        ]
    }


def _attributes(context: RMContext, one: RMNode) -> Answer:
    found = [
        {
            "prefix": attribute.attribute_key.attribute_prefix,
            "name": attribute.attribute_key.attribute_name,
            "type": attribute.attribute_type.name,
            "value": attribute.attribute_value,
        }
        for attribute in context.attributes.of_host(one.host)
    ]
    return {"nodeAttributeInfo": found} if found else {}


# Labels


def label(context: RMContext, shapes: Shapes, name: str) -> Answer:
    """A label with the total resource of its active nodes."""
    there = context.scheduler.tracker.partition_total(name)
    return {
        **bare_label(context, name),
        "partitionInfo": {"resourceAvailable": shapes.resource(there)},
    }


def bare_label(context: RMContext, name: str) -> Answer:
    """A label as nodes show it."""
    known = context.labels.labels.get(name)
    return {"name": name, "exclusivity": known.is_exclusive if known is not None else True}


def labels(context: RMContext, shapes: Shapes) -> list[Answer]:
    """Every label of the cluster."""
    return [label(context, shapes, name) for name in context.labels.labels]


def partitions(context: RMContext, shapes: Shapes) -> list[Answer]:
    """Every partition, the default one first, with the number of its active nodes."""
    tracker = context.scheduler.tracker
    return [
        {
            **label(context, shapes, name),
            "name": name or SHOWN_DEFAULT_PARTITION,
            "activeNMs": tracker.count_in(name),
        }
        for name in ("", *context.labels.labels)
    ]


def labels_to_nodes(context: RMContext, shapes: Shapes, names: list[str]) -> list[Answer]:
    """The nodes of each label named, or of all; those that nobody carries are left out."""
    carriers = context.labels.carriers(context.nodes)
    known = [name for name in names or list(context.labels.labels) if name in context.labels.labels]
    found = []
    for name in known:
        shown = label(context, shapes, name)
        nodes = [str(one) for one, carried in carriers.items() if carried == name]
        if not nodes:
            continue
        value: Answer = {"nodes": nodes, "partitionInfo": shown["partitionInfo"]}
        key = {"name": name, "exclusivity": shown["exclusivity"]}
        found.append({"key": key, "value": value})
    return found


def nodes_to_labels(context: RMContext) -> list[Answer]:
    """The label of each node that has one, and of each host that gives one."""
    return [
        {"key": str(node_id), "value": {"nodeLabelInfo": bare_label(context, name)}}
        for node_id, name in context.labels.carriers(context.nodes).items()
    ]


def labels_of(context: RMContext, node_id: NodeId) -> list[Answer]:
    """The label of one node."""
    name = context.labels.partition_of(node_id)
    return [bare_label(context, name)] if name else []
