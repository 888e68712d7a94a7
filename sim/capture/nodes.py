"""Nodes of a ResourceManager: those that run, with racks, sizes and labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from yarnbox.sim.capture.source import NODES, NothingToCaptureError, answered, listed
from yarnbox.sim.load.fields import Fields
from yarnbox.sim.load.jobs import Nodes, NodeSpec
from yarnbox.yarn.resources.resource import Resource

_LIVE = ("RUNNING", "UNHEALTHY", "DECOMMISSIONING")


def nodes_of(answer: Any, labels: Any, where: str) -> Nodes:
    """The nodes of /nodes, and of /get-node-labels whether labels are exclusive."""
    found: dict[str, NodeSpec] = {}
    listing = listed(answered(answer, "nodes", where, NODES), "nodes", "node")
    for number, one in enumerate(listing):
        fields = Fields(one, where, f"nodes.node[{number}]", is_lax=True)
        if fields.text("state", "RUNNING") not in _LIVE:
            continue
        host, _, port = fields.text("id").partition(":")
        host = f"{host}-{port}" if host in found else host  # several NodeManagers on one machine
        found[host] = NodeSpec(
            host=host,
            rack="/" + fields.text("rack", "default-rack").strip("/"),
            resource=_size(fields),
            labels=labels_of_node(one),
            attributes=dict(_attributes(one)),
        )
    if not found:
        raise NothingToCaptureError(f"{where}: no node runs")
    exclusive = {
        one["name"]: one.get("exclusivity") not in (False, "false")
        for one in listed(labels, "nodeLabelInfo")
        if isinstance(one.get("name"), str)
    }
    for spec in found.values():
        for name in spec.labels:
            exclusive.setdefault(name, True)
    return Nodes(nodes=tuple(found.values()), exclusive=exclusive)


def labels_of_node(node: Mapping[str, Any]) -> tuple[str, ...]:
    """The labels that a node of the answer carries."""
    labelled = node.get("nodeLabels")
    return tuple(str(name) for name in labelled if name) if isinstance(labelled, list) else ()


def places_of(answer: Any, nodes: Nodes) -> dict[str, str]:
    """`/rack/host` of the nodes that were taken, by the address of their pages."""
    known = {spec.host: spec.place for spec in nodes.nodes}
    found: dict[str, str] = {}
    for one in listed(answer, "nodes", "node"):
        host, _, port = str(one.get("id")).partition(":")
        place = known.get(f"{host}-{port}") or known.get(host)
        if place is not None and isinstance(one.get("nodeHTTPAddress"), str):
            found.setdefault(one["nodeHTTPAddress"], place)
    return found


def _attributes(node: Any) -> Iterator[tuple[str, str]]:
    for one in listed(node, "nodeAttributesInfo", "nodeAttributeInfo"):
        if isinstance(one.get("name"), str):
            prefix = one.get("prefix")
            yield f"{prefix}/{one['name']}" if prefix else one["name"], str(one.get("value") or "")


def _size(fields: Fields) -> Resource:
    """What it has: all types where the answer says so, else memory and vcores used and free."""
    if "totalResource" in fields:
        total = fields.below("totalResource")
        amounts = {"memory-mb": total.integer("memory"), "vcores": total.integer("vCores")}
        if "resourceInformations" in total:
            for one in total.below("resourceInformations").each("resourceInformation"):
                amounts[one.text("name")] = one.integer("value")
        return Resource.of(amounts)
    return Resource(
        fields.integer("usedMemoryMB", 0) + fields.integer("availMemoryMB", 0),
        fields.integer("usedVirtualCores", 0) + fields.integer("availableVirtualCores", 0),
    )
