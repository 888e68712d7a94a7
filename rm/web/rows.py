"""Nodes in few words, for heat maps and tables of thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from yarnbox.rm.node import RMNode
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.basics import ResourceUtilization
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext


class NodeFacts(NamedTuple):
    """All that a node's row is made of, but for the moment of its last heartbeat: while these are equal, so
    is the row.
    """

    node_id: NodeId
    rack: str
    partition: str
    state: NodeState
    health_report: str
    containers: int
    used: Resource
    total: Resource
    physical: Resource
    reported: ResourceUtilization | None
    version: str
    tags: str
    reserved_for: ContainerId | None
    decommission_timeout_ms: int | None


def node_row(context: RMContext, one: RMNode, reach: str) -> Answer:
    """A node; `reach` is where a browser finds its pages."""
    return row_of(node_facts(context, one), reach, one.last_health_report_ms)


def node_facts(context: RMContext, one: RMNode) -> NodeFacts:
    """The facts of a node; cheap, because recordings compare those of thousands of nodes."""
    node_id = one.node_id
    booked = context.scheduler.tracker.nodes.get(node_id)
    held = None if booked is None else booked.reserved_container
    tags = context.constraints.tags.on_node(node_id)
    return NodeFacts(
        node_id,
        one.rack,
        context.labels.partition_of(node_id),
        one.state,
        one.health_report,
        0 if booked is None else len(booked.containers),
        NONE if booked is None else booked.allocated,
        NONE if booked is None else booked.total,
        one.physical or one.capability,
        one.node_utilization,
        one.version,
        ", ".join([f"{tag}({count})" for tag, count in tags.items()]) if tags else "",
        None if held is None else held.container_id,
        one.decommission_timeout_ms,
    )


def row_of(facts: NodeFacts, reach: str, heard_ms: int) -> Answer:
    """The row of a node from its facts."""
    used, total, physical, reported = facts.used, facts.total, facts.physical, facts.reported
    memory = (reported.pmem or 0) if reported else 0
    processors = (reported.cpu or 0.0) if reported else 0.0
    shown: Answer = {
        "id": str(facts.node_id),
        "host": facts.node_id.host,
        "rack": facts.rack,
        "label": facts.partition,
        "state": facts.state.name,
        "http": reach,
        "health": heard_ms,
        "report": facts.health_report,
        "containers": facts.containers,
        "usedMB": used.memory_mb,
        "totalMB": total.memory_mb,
        "usedVCores": used.vcores,
        "totalVCores": total.vcores,
        "physicalMB": round(100 * memory / physical.memory_mb, 1) if physical.memory_mb else 0.0,
        "physicalVCores": round(100 * processors / physical.vcores, 1) if physical.vcores else 0.0,
        "version": facts.version,
    }
    if total.others or used.others:
        shown["more"] = {name: [used.value(name), value] for name, value in total.others}
    if facts.tags:
        shown["tags"] = facts.tags
    if facts.reserved_for is not None:
        shown["reserved"] = str(facts.reserved_for)
    if facts.state is NodeState.DECOMMISSIONING:
        shown["timeoutMs"] = facts.decommission_timeout_ms
    return shown
