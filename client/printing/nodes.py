"""Nodes, labels and attributes as NodeCLI, ClusterCLI and NodeAttributesCLI print them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from yarnbox.client.text import health_time, java, java_float, line
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.records.basics import ResourceUtilization
from yarnbox.yarn.records.node import (
    AttributeToNodes,
    NodeAttribute,
    NodeAttributeInfo,
    NodeAttributeKey,
    NodeLabel,
    NodeReport,
    NodeToAttributes,
)
from yarnbox.yarn.resources.resource import NONE

_NODES = "%16s\t%15s\t%17s\t%28s"
_ATTRIBUTE_TYPES = "%40s\t%15s"
_ATTRIBUTES = "%40s\t%10s\t%20s"
_ATTRIBUTE_INDENT = " " * 18


def node_list(reports: Sequence[NodeReport], *, details: bool = False) -> str:
    """The answer of `node -list`, with `-showDetails` or without."""
    heading = line(_NODES, "Node-Id", "Node-State", "Node-Http-Address", "Number-of-Running-Containers")
    parts = [f"Total Nodes:{len(reports)}\n", heading]
    for report in reports:
        parts.append(
            line(_NODES, report.node_id, report.node_state, report.http_address, report.num_containers or 0)
        )
        if details:
            parts.append(_details(report))
    return "".join(parts)


def _details(report: NodeReport) -> str:
    used = "" if report.used is None else repr(report.used)
    return (
        "Detailed Node Information :\n"
        f"\tConfigured Resources : {java(report.capability)}\n"
        f"\tAllocated Resources : {used}\n"
        f"\tResource Utilization by Node : {_utilization(report.node_utilization)}\n"
        f"\tResource Utilization by Containers : {_utilization(report.containers_utilization)}\n"
        f"\tNode-Labels : {_labels(report)}\n"
    )


def node_report(report: NodeReport, zone: tzinfo | None) -> str:
    """The answer of `node -status`."""
    used, capability = report.used or NONE, report.capability or NONE
    first, *others = [_attribute(attribute) for attribute in report.node_attributes] or [""]
    return "\n".join(
        [
            "Node Report : ",
            f"\tNode-Id : {java(report.node_id)}",
            f"\tRack : {java(report.rack_name)}",
            f"\tNode-State : {java(report.node_state)}",
            f"\tNode-Http-Address : {java(report.http_address)}",
            f"\tLast-Health-Update : {health_time(report.last_health_report_time or 0, zone)}",
            f"\tHealth-Report : {report.health_report or ''}",
            f"\tContainers : {report.num_containers or 0}",
            f"\tMemory-Used : {used.memory_mb}MB",
            f"\tMemory-Capacity : {capability.memory_mb}MB",
            f"\tCPU-Used : {used.vcores} vcores",
            f"\tCPU-Capacity : {capability.vcores} vcores",
            f"\tNode-Labels : {_labels(report)}",
            f"\tNode Attributes : {first}",
            *(f"\t{_ATTRIBUTE_INDENT}{other}" for other in others),
            f"\tResource Utilization by Node : {_utilization(report.node_utilization)}",
            f"\tResource Utilization by Containers : {_utilization(report.containers_utilization)}",
            "",
            "",
        ]
    )


def _utilization(utilization: ResourceUtilization | None) -> str:
    if utilization is None:
        return ""
    cores = java_float(utilization.cpu or 0)
    return f"PMem:{utilization.pmem or 0} MB, VMem:{utilization.vmem or 0} MB, VCores:{cores}"


def _labels(report: NodeReport) -> str:
    return ",".join(sorted(report.node_labels))


def _attribute(attribute: NodeAttribute) -> str:
    key = attribute_key(attribute.attribute_key)
    return f"{key}({attribute.attribute_type.name})={attribute.attribute_value}"


def attribute_key(key: NodeAttributeKey) -> str:
    """`prefix/name`."""
    return f"{key.attribute_prefix}/{key.attribute_name}"


def valid_node_states() -> str:
    """What to say to somebody who named a state that is none."""
    states = ",".join(state.name for state in NodeState)
    return f"The valid node state can be one of the following: {states}."


def cluster_labels(labels: Sequence[NodeLabel]) -> str:
    """The answer of `cluster --list-node-labels`."""
    shown = ",".join(f"<{label.name}:exclusivity={java(label.is_exclusive)}>" for label in labels)
    return f"Node Labels: {shown}\n"


def cluster_attributes(attributes: Sequence[NodeAttributeInfo]) -> str:
    """The answer of `cluster --list-node-attributes`."""
    lines = [f"{attribute_key(info.attribute_key)}({info.attribute_type.name})\n" for info in attributes]
    return "".join(lines) + "\n"


def attribute_list(attributes: Sequence[NodeAttributeInfo]) -> str:
    """The answer of `nodeattributes -list`."""
    rows = [
        line(_ATTRIBUTE_TYPES, attribute_key(info.attribute_key), info.attribute_type) for info in attributes
    ]
    return line(_ATTRIBUTE_TYPES, "Attribute", "Type") + "".join(rows) + "\n"


def attributes_by_node(mapping: Sequence[NodeToAttributes]) -> str:
    """The answer of `nodeattributes -nodestoattributes`."""
    parts = [line(_ATTRIBUTES, "Attribute", "Type", "Value")]
    for entry in mapping:
        parts.append(f"{java(entry.node)}:\n")
        parts += [
            line(
                _ATTRIBUTES,
                attribute_key(attribute.attribute_key),
                attribute.attribute_type,
                attribute.attribute_value,
            )
            for attribute in entry.node_attributes
        ]
    return "".join(parts) + "\n"


def nodes_by_attribute(mapping: Sequence[AttributeToNodes]) -> str:
    """The answer of `nodeattributes -attributestonodes`."""
    parts = [line(_ATTRIBUTE_TYPES, "Hostname", "Attribute-value")]
    for entry in mapping:
        parts.append(f"{attribute_key(entry.node_attribute)} :\n")
        parts += [
            line(_ATTRIBUTE_TYPES, node.hostname, node.attribute_value) for node in entry.node_value_map
        ]
    return "".join(parts) + "\n"
