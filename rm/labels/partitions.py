"""The cluster's labels, and the nodes that carry them. A node carries one label at most: the partition it is
in.

A mapping is made for a host, which all its NodeManagers inherit, or for one NodeManager, which then has a set
of its own. Every change is checked as a whole before anything changes. Pure: rights, storage and
notifications are in administration.py. Hadoop: RMNodeLabelsManager and CommonNodeLabelsManager.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.node import DEFAULT_PARTITION, NodeLabel

EVERY_NODE_OF_HOST = 0
"""The port of a host entry."""

_LONGEST = 255
_NAME = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z\-_]*")

Record = Mapping[str, Any]
"""One effective change, as plain data."""


def check_name(name: str) -> None:
    """YarnError when it is not a valid label name."""
    if not name or len(name) > _LONGEST:
        raise YarnError(f"label added is empty or exceeds {_LONGEST} character(s)")
    if not _NAME.fullmatch(name):
        raise YarnError(
            "label name should only contains {0-9, a-z, A-Z, -, _} and should not started with {-,_}, "
            f"now it is= {name}"
        )


class NodeLabelsManager:
    """Labels by name, and by host and NodeManager."""

    def __init__(self, *, is_enabled: bool) -> None:
        self.is_enabled = is_enabled
        """Whether yarn.node-labels.enabled."""
        self.labels: dict[str, NodeLabel] = {}
        self._of_host: dict[str, str] = {}
        self._of_node: dict[NodeId, str] = {}
        """NodeManagers with a set of their own, empty or not; the others inherit."""
        self._hosts: dict[str, None] = {}
        """Hosts that were heard of since the start: an entry named them, or they came to the scheduler."""

    def is_known(self, label: str) -> bool:
        """Whether the cluster has the label; the default partition always is."""
        return label == DEFAULT_PARTITION or label in self.labels

    def partition_of(self, node_id: NodeId) -> str:
        """The partition that the node is in: its own label, else its host's, else the default one."""
        own = self._of_node.get(node_id)
        return self._of_host.get(node_id.host, DEFAULT_PARTITION) if own is None else own

    def carriers(self, nodes: Iterable[NodeId]) -> dict[NodeId, str]:
        """Who carries which label: hosts (port 0), these nodes, and nodes with a label of their own that are
        not there now.
        """
        found = {NodeId(host, EVERY_NODE_OF_HOST): label for host, label in self._of_host.items()}
        found.update({node_id: self.partition_of(node_id) for node_id in (*nodes, *self._of_node)})
        return {node_id: label for node_id, label in found.items() if label}

    def members(self, label: str, nodes: Iterable[NodeId]) -> list[NodeId]:
        """Who is in the partition, of these nodes and of those that are not there now: see `carriers`."""
        if label:
            return [node_id for node_id, own in self.carriers(nodes).items() if own == label]
        known = dict.fromkeys((*nodes, *self._of_node))
        return [node_id for node_id in known if not self.partition_of(node_id)]

    # Changes: what was effective comes back

    def add(self, labels: Iterable[NodeLabel]) -> tuple[NodeLabel, ...]:
        """Adds labels; one that is there with the other exclusivity refuses all."""
        trimmed = [
            NodeLabel(name=(label.name or "").strip(), is_exclusive=label.is_exclusive) for label in labels
        ]
        for label in trimmed:
            present = self.labels.get(label.name or "")
            is_exclusive = present.is_exclusive if present is not None else True
            is_known = present is not None or label.name == DEFAULT_PARTITION
            if is_known and is_exclusive != label.is_exclusive:
                wanted = ",".join(
                    f"<{one.name}:exclusivity={str(one.is_exclusive).lower()}>" for one in trimmed
                )
                raise YarnError(f"Exclusivity cannot be modified for an existing label with : {wanted}")
        for label in trimmed:
            check_name(label.name or "")
        fresh = {label.name or "": label for label in trimmed if label.name not in self.labels}
        self.labels.update(fresh)
        return tuple(fresh.values())

    def check_removable(self, names: Iterable[str]) -> tuple[str, ...]:
        """The trimmed names; YarnError when one is empty or unknown."""
        trimmed = tuple(dict.fromkeys(name.strip() for name in names))
        for name in trimmed:
            if not name:
                raise YarnError("Label to be removed is null or empty")
            if name not in self.labels:
                raise YarnError(
                    f"Node label={name} to be removed doesn't existed in cluster node labels collection."
                )
        return trimmed

    def remove(self, names: Iterable[str]) -> None:
        """Removes labels; their nodes move to the default partition; a NodeManager's own set stays, but is
        empty.
        """
        self._strip(self.check_removable(names))

    def _strip(self, gone: tuple[str, ...]) -> None:
        for name in gone:
            self.labels.pop(name, None)
        self._of_host = {host: label for host, label in self._of_host.items() if label not in gone}
        self._of_node = {
            node_id: DEFAULT_PARTITION if label in gone else label for node_id, label in self._of_node.items()
        }

    def join(self, host: str) -> None:
        """A node of the host has come to the scheduler."""
        self._hosts[host] = None

    def effective(self, labels_of: Mapping[NodeId, Iterable[str]]) -> dict[NodeId, str]:
        """The entries that would change something, host entries first; YarnError when one is not allowed.

        A host entry is compared with the host's own label alone; what is said of a host that was not heard of
        counts as a change: so in Hadoop. See tests/scenarios/restart/label-said-again-before-the-node-comes,
        no-label-said-again-before-the-node-comes and no-label-of-an-excluded-host.yaml.
        """
        wanted = {node_id: tuple(name.strip() for name in names) for node_id, names in labels_of.items()}
        changed = {
            node_id: names
            for node_id, names in wanted.items()
            if node_id.host not in self._hosts or self._would_change(node_id, names)
        }
        for node_id, names in changed.items():
            if len(names) > 1:
                raise YarnError(
                    f"{len(names)} labels specified on host={node_id.host}, please note that we do not "
                    "support specifying multiple labels on a single host for now."
                )
        for names in changed.values():
            unknown = [name for name in names if name and name not in self.labels]
            if unknown:
                raise YarnError(
                    "Not all labels being replaced contained by known label collections, please check, "
                    f"new labels=[{','.join(unknown)}]"
                )
        hosts_first = sorted(changed.items(), key=lambda entry: entry[0].port != EVERY_NODE_OF_HOST)
        return {node_id: names[0] if names else DEFAULT_PARTITION for node_id, names in hosts_first}

    def replace(self, label_of: Mapping[NodeId, str]) -> None:
        """Applies entries that `effective` has checked. A host entry makes all its NodeManagers inherit."""
        for node_id, label in label_of.items():
            self._hosts[node_id.host] = None
            if node_id.port != EVERY_NODE_OF_HOST:
                self._of_node[node_id] = label
                continue
            for other in [one for one in self._of_node if one.host == node_id.host]:
                del self._of_node[other]
            if label:
                self._of_host[node_id.host] = label
            else:
                self._of_host.pop(node_id.host, None)

    def _would_change(self, node_id: NodeId, names: tuple[str, ...]) -> bool:
        if len(names) > 1:
            return True
        label = names[0] if names else DEFAULT_PARTITION
        if node_id.port == EVERY_NODE_OF_HOST:
            return self._of_host.get(node_id.host, DEFAULT_PARTITION) != label
        own = self._of_node.get(node_id)
        return own != label if own is not None else True

    # Keeping and recovering

    def snapshot(self, *, with_mappings: bool) -> list[Record]:
        """Records that make the same manager again."""
        records: list[Record] = []
        if self.labels:
            records.append(added_record(self.labels.values()))
        if with_mappings and (self._of_host or self._of_node):
            hosts = {NodeId(host, EVERY_NODE_OF_HOST): label for host, label in self._of_host.items()}
            records.append(replaced_record({**hosts, **self._of_node}))
        return records

    def replay(self, record: Record, *, with_mappings: bool) -> None:
        """Makes a recorded change again, though it may have been made before: a crash between the mirror and
        the empty log of a start leaves both.
        """
        if "add" in record:
            for name, is_exclusive in record["add"]:
                self.labels[name] = NodeLabel(name=name, is_exclusive=is_exclusive)
        elif "remove" in record:
            self._strip(tuple(record["remove"]))
        elif with_mappings:
            self.replace({NodeId(host, port): label for host, port, label in record["replace"]})


def added_record(labels: Iterable[NodeLabel]) -> Record:
    """ADD_LABELS."""
    return {"add": [[label.name, label.is_exclusive] for label in labels]}


def removed_record(names: Iterable[str]) -> Record:
    """REMOVE_LABELS."""
    return {"remove": list(names)}


def replaced_record(label_of: Mapping[NodeId, str]) -> Record:
    """STORE_NODE_TO_LABELS."""
    return {"replace": [[node_id.host, node_id.port, label] for node_id, label in label_of.items()]}
