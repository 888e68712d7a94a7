"""Nodes in few words, for heat maps and tables of thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.node import RMNode
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.resources.resource import NONE

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext


def node_row(context: RMContext, one: RMNode, reach: str) -> Answer:
    """A node; `reach` is where a browser finds its pages."""
    booked = context.scheduler.tracker.nodes.get(one.node_id)
    used = booked.allocated if booked is not None else NONE
    total = booked.total if booked is not None else NONE
    reported = one.node_utilization
    physical = one.physical or one.capability
    memory = (reported.pmem or 0) if reported else 0
    processors = (reported.cpu or 0.0) if reported else 0.0
    held = booked.reserved_container if booked is not None else None
    shown: Answer = {
        "id": str(one.node_id),
        "host": one.host,
        "rack": one.rack,
        "label": context.labels.partition_of(one.node_id),
        "state": one.state.name,
        "http": reach,
        "health": one.last_health_report_ms,
        "report": one.health_report,
        "containers": len(booked.containers) if booked is not None else 0,
        "usedMB": used.memory_mb,
        "totalMB": total.memory_mb,
        "usedVCores": used.vcores,
        "totalVCores": total.vcores,
        "physicalMB": round(100 * memory / physical.memory_mb, 1) if physical.memory_mb else 0.0,
        "physicalVCores": round(100 * processors / physical.vcores, 1) if physical.vcores else 0.0,
        "version": one.version,
    }
    if total.others or used.others:
        shown["more"] = {name: [used.value(name), value] for name, value in total.others}
    tags = context.constraints.tags.on_node(one.node_id)
    if tags:
        shown["tags"] = ", ".join(f"{tag}({count})" for tag, count in tags.items())
    if held is not None:
        shown["reserved"] = str(held.container_id)
    if one.is_decommissioning:
        shown["timeoutMs"] = one.decommission_timeout_ms
    return shown
