"""Nodes, their labels and attributes, and the counters of the cluster."""

from __future__ import annotations

from yarnbox.yarn.enums import NodeAttributeType, NodeState, NodeUpdateType
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.limits import Name
from yarnbox.yarn.records.basics import Record, ResourceOption, ResourceUtilization
from yarnbox.yarn.resources.resource import Resource


class NodeReport(Record, frozen=True, kw_only=True):
    """NodeReportProto of yarn_protos.proto."""

    node_id: NodeId | None = None
    http_address: str | None = None  # host:port
    rack_name: str | None = None
    used: Resource | None = None
    capability: Resource | None = None
    num_containers: int | None = None
    node_state: NodeState | None = None
    health_report: str | None = None
    last_health_report_time: int | None = None  # ms
    node_labels: tuple[str, ...] = ()
    containers_utilization: ResourceUtilization | None = None
    node_utilization: ResourceUtilization | None = None
    decommissioning_timeout: int | None = None  # seconds
    node_update_type: NodeUpdateType | None = None  # set in AllocateResponse.updated_nodes
    node_attributes: tuple[NodeAttribute, ...] = ()


class NodeAttribute(Record, frozen=True, kw_only=True):
    """NodeAttributeProto of yarn_protos.proto."""

    attribute_key: NodeAttributeKey
    attribute_type: NodeAttributeType = NodeAttributeType.STRING
    attribute_value: Name = ""


class YarnClusterMetrics(Record, frozen=True, kw_only=True):
    """YarnClusterMetricsProto of yarn_protos.proto."""

    # active ones, i.e. every node in the active map (RUNNING, UNHEALTHY, DECOMMISSIONING)
    num_node_managers: int | None = None
    num_decommissioned_nms: int | None = None
    num_active_nms: int | None = None  # RUNNING
    num_lost_nms: int | None = None
    num_unhealthy_nms: int | None = None
    num_rebooted_nms: int | None = None
    num_decommissioning_nms: int | None = None
    num_shutdown_nms: int | None = None


class NodeResourceMap(Record, frozen=True, kw_only=True):
    """NodeResourceMapProto of yarn_protos.proto."""

    node_id: NodeId | None = None
    resource_option: ResourceOption | None = None


class NodeIdToLabels(Record, frozen=True, kw_only=True):
    """NodeIdToLabelsProto of yarn_protos.proto."""

    node_id: NodeId | None = None  # port 0: every node of the host
    node_labels: tuple[Name, ...] = ()


class LabelsToNodeIds(Record, frozen=True, kw_only=True):
    """LabelsToNodeIdsProto of yarn_protos.proto."""

    node_labels: str | None = None  # one label
    node_id: tuple[NodeId, ...] = ()


DEFAULT_PARTITION = ""
"""The partition of the nodes without a label. Hadoop: CommonNodeLabelsManager.NO_LABEL."""
SHOWN_DEFAULT_PARTITION = "<DEFAULT_PARTITION>"
"""What is shown instead of it. Hadoop: NodeLabel.DEFAULT_NODE_LABEL_PARTITION."""


class NodeLabel(Record, frozen=True, kw_only=True):
    """NodeLabelProto of yarn_protos.proto."""

    name: Name | None = None
    is_exclusive: bool = True


class NodeAttributeKey(Record, frozen=True, kw_only=True):
    """NodeAttributeKeyProto of yarn_protos.proto."""

    attribute_prefix: Name = "rm.yarn.io"  # "rm.yarn.io" centralized, "nm.yarn.io" reported by nodes
    attribute_name: Name


class NodeAttributeInfo(Record, frozen=True, kw_only=True):
    """NodeAttributeInfoProto of yarn_protos.proto."""

    attribute_key: NodeAttributeKey
    attribute_type: NodeAttributeType


class NodeToAttributeValue(Record, frozen=True, kw_only=True):
    """NodeToAttributeValueProto of yarn_protos.proto."""

    hostname: str
    attribute_value: str


class AttributeToNodes(Record, frozen=True, kw_only=True):
    """AttributeToNodesProto of yarn_protos.proto."""

    node_attribute: NodeAttributeKey
    node_value_map: tuple[NodeToAttributeValue, ...] = ()


class NodeToAttributes(Record, frozen=True, kw_only=True):
    """NodeToAttributesProto of yarn_protos.proto."""

    node: str | None = None
    node_attributes: tuple[NodeAttribute, ...] = ()
