"""Node labels: which labels the cluster has, and which partition each node is in.

Answers for RMNodeLabelsManager and CommonNodeLabelsManager.
"""

from __future__ import annotations

from yarn.ids import NodeId
from yarn.records.node import NodeLabel

DEFAULT_PARTITION = ""


class NodeLabelsManager:
    """The cluster's labels and the nodes that carry them. A node carries one label at most."""

    def __init__(self, *, is_enabled: bool) -> None:
        self.is_enabled = is_enabled
        """Whether yarn.node-labels.enabled."""
        self.labels: dict[str, NodeLabel] = {}
        self._label_of: dict[NodeId, str] = {}

    def is_known(self, label: str) -> bool:
        """Whether the cluster has the label; the default partition always is."""
        return label == DEFAULT_PARTITION or label in self.labels

    def partition_of(self, node_id: NodeId) -> str:
        """The partition that the node is in: its label, or the default one."""
        return self._label_of.get(node_id, DEFAULT_PARTITION)
