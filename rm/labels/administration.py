"""How administrators and nodes change labels and attributes: what is refused, what is stored, who is
notified.

A change is stored in a journal before the call is answered, and the scheduler is notified of the nodes
concerned. Hadoop: the label and attribute parts of AdminService and ResourceTrackerService, and
RMDelegatedNodeLabelsUpdater.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Protocol, cast

from yarnbox.rm.effects import AppendRecord
from yarnbox.rm.events.scheduler import SchedulerNodeAttributesUpdate, SchedulerNodeLabelsUpdate
from yarnbox.rm.labels.attributes import CENTRALIZED, DISTRIBUTED, NodeAttributesManager, changed_record
from yarnbox.rm.labels.partitions import (
    EVERY_NODE_OF_HOST,
    NodeLabelsManager,
    added_record,
    removed_record,
    replaced_record,
)
from yarnbox.rm.node import RMNode
from yarnbox.rm.ports import RMTurn
from yarnbox.yarn.enums import AttributeMappingOperationType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.node import NodeAttribute, NodeLabel

LABEL_JOURNAL = "nodelabel"
ATTRIBUTE_JOURNAL = "nodeattribute"
DISABLED = "Node-label-based scheduling is disabled. Please check yarn.node-labels.enabled"
NOT_CENTRALIZED = (
    "Error when invoke method=replaceLabelsOnNode because centralized node label configuration "
    "is not enabled."
)


class LabelsProvider(Protocol):
    """Delegated-centralized: supplies the labels of nodes (RMNodeLabelsMappingProvider)."""

    def labels_of(self, node_ids: Iterable[NodeId]) -> Mapping[NodeId, str | None]:
        """The label of each node, None for none; one that is left out keeps what it has.

        OSError when they are not available now: the provider is asked again.
        """
        ...


class QueueLabels(Protocol):
    """A scheduler, as far as labels are removed."""

    def queue_using_label(self, label: str) -> str | None:
        """A queue that may use the label by its name; None when there is none."""
        ...


class LabelsContext(RMTurn, Protocol):
    """What an administrator's change uses."""

    @property
    def labels(self) -> NodeLabelsManager: ...

    @property
    def attributes(self) -> NodeAttributesManager: ...

    @property
    def nodes(self) -> Mapping[NodeId, RMNode]: ...

    @property
    def inactive_nodes(self) -> Mapping[NodeId, RMNode]: ...

    @property
    def scheduler(self) -> QueueLabels: ...


class LabelAdministration:
    """Changes the label and attribute managers of one RM."""

    def __init__(self, context: LabelsContext) -> None:
        self._context = context
        self._settings = context.settings.labels
        self.attributes: NodeAttributesManager = context.attributes
        self._provider: LabelsProvider | None = None
        self._registered: dict[NodeId, None] = {}
        """Nodes that came since the provider was asked last."""
        self._asked_ms: int | None = None
        """When the provider was asked about all nodes last."""
        if self._settings.enabled and self._settings.configuration_type == "delegated-centralized":
            self._provider = _provider(self._settings.provider or "")

    @property
    def has_provider(self) -> bool:
        """Whether a provider is asked for the labels of nodes."""
        return self._provider is not None

    @property
    def keeps_mappings(self) -> bool:
        """Whether mappings are recovered: those of administrators are, those that nodes report again
        are not.
        """
        return self._settings.configuration_type == "centralized"

    # Administrators

    def add(self, labels: Iterable[NodeLabel]) -> None:
        """addToClusterNodeLabels."""
        self._check_enabled()
        added = self._context.labels.add(labels)
        if added:
            self._keep(LABEL_JOURNAL, added_record(added))

    def remove(self, names: Iterable[str]) -> None:
        """removeFromClusterNodeLabels: not while a queue names the label."""
        wanted = list(names)
        scheduler = self._context.scheduler
        for name in wanted:
            queue = scheduler.queue_using_label(name.strip())
            if queue is not None:
                raise YarnError(
                    f"Cannot remove label={name.strip()}, because queue={queue} is using this label. "
                    "Please remove label on queue before remove the label"
                )
        self._check_enabled()
        removed = self._context.labels.check_removable(wanted)
        if removed:
            self._context.labels.remove(removed)
            self._keep(LABEL_JOURNAL, removed_record(removed))
            self._tell(self._running())

    def replace(self, labels_of: Mapping[NodeId, tuple[str, ...]], *, fails_on_unknown: bool) -> None:
        """replaceLabelsOnNode, by an administrator."""
        if self._settings.configuration_type != "centralized":
            raise YarnError(NOT_CENTRALIZED)
        if fails_on_unknown:
            unknown = [str(node_id) for node_id in labels_of if not self._is_known_node(node_id)]
            if unknown:
                raise YarnError(f"Failed to replace labels as there are unknown nodes:[{', '.join(unknown)}]")
        self._replace(labels_of)

    def _replace(self, labels_of: Mapping[NodeId, Iterable[str]]) -> None:
        self._check_enabled()
        changed = self._context.labels.effective(labels_of)
        if not changed:
            return
        self._context.labels.replace(changed)
        if self.keeps_mappings:
            self._keep(LABEL_JOURNAL, replaced_record(changed))
        hosts = [node_id.host for node_id in changed if node_id.port == EVERY_NODE_OF_HOST]
        self._tell([one for one in self._running() if one in changed or one.host in hosts])

    def change_attributes(
        self,
        operation: AttributeMappingOperationType,
        attributes_of: Mapping[str, tuple[NodeAttribute, ...]],
        *,
        fails_on_unknown: bool,
    ) -> None:
        """mapAttributesToNodes."""
        if fails_on_unknown:
            known = self._known_hosts()
            unknown = [host for host in attributes_of if host not in known]
            if unknown:
                raise YarnError(f" Following nodes does not exist : [{', '.join(unknown)}]")
        for host, attributes in attributes_of.items():
            if any(one.attribute_key.attribute_prefix != CENTRALIZED for one in attributes):
                raise YarnError(
                    f"Invalid Attribute Mapping for the node {host}. Prefix should be {CENTRALIZED}"
                )
        self.attributes.check(attributes_of)
        self.attributes.change(operation, attributes_of)
        self._keep(ATTRIBUTE_JOURNAL, changed_record(operation, attributes_of))
        self._tell_attributes(attributes_of)

    # Nodes

    @property
    def takes_reports(self) -> bool:
        """Whether label reports of nodes are used; otherwise they are ignored silently."""
        return self._settings.enabled and self._settings.configuration_type == "distributed"

    def take_labels(self, node_id: NodeId, labels: Iterable[NodeLabel]) -> str | None:
        """Distributed: what a node reports, its own set. None when accepted, else why not."""
        names = tuple(dict.fromkeys(label.name or "" for label in labels))
        try:
            self._replace({node_id: names})
        except YarnError as error:
            return (
                f"Node Labels {{{','.join(names)}}} reported from NM with ID {node_id} was rejected from RM "
                f"with exception message as : {error.message}"
            )
        return None

    def take_attributes(self, node_id: NodeId, attributes: tuple[NodeAttribute, ...]) -> str | None:
        """What a node reports of its host, in place of the report before. None, or why not."""
        try:
            for attribute in attributes:
                if attribute.attribute_key.attribute_prefix != DISTRIBUTED:
                    raise YarnError(
                        f"Reject invalid node attributes from host: {node_id}, attributes in HB must have "
                        f"prefix {DISTRIBUTED}"
                    )
            self.attributes.check({node_id.host: attributes})
        except YarnError as error:
            return error.message
        before = self.attributes.of_host(node_id.host)
        replace = AttributeMappingOperationType.REPLACE
        self.attributes.change(replace, {node_id.host: attributes}, prefix=DISTRIBUTED)
        if self.attributes.of_host(node_id.host) != before:
            self._tell_attributes([node_id.host])
        return None

    # Delegated-centralized

    def add_registered_node(self, node_id: NodeId) -> None:
        """A node has registered: the provider is to be asked about it."""
        if self._provider is not None:
            self._registered[node_id] = None

    def ask_provider(self) -> None:
        """Asks the provider about all nodes when their time has come, else about those that came since.

        A node that it does not name stays where it is.
        """
        if self._provider is None:
            return
        now_ms, interval_ms = self._context.now_ms, self._settings.provider_fetch_interval_ms
        is_time = interval_ms >= 0 and (self._asked_ms is None or now_ms - self._asked_ms > interval_ms)
        wanted = self._running() if is_time else list(self._registered)
        if not wanted:
            return
        try:
            found = self._provider.labels_of(wanted)
            self._replace({one: (label,) if label else () for one, label in found.items()})
        except (YarnError, OSError, ValueError, LookupError) as error:
            self._context.log("error", "failed to update node labels by the provider", why=str(error))
            return
        if is_time:
            self._asked_ms = now_ms
        for node_id in wanted:
            self._registered.pop(node_id, None)

    # Recovery

    def recover(
        self, records: Iterable[Mapping[str, object]], attribute_records: Iterable[Mapping[str, object]]
    ) -> bool:
        """Repeats the recorded changes. Whether some are of nodes: then the queues are to be told once all
        applications have been recovered.
        """
        concerns_nodes = False
        for record in records:
            self._context.labels.replay(record, with_mappings=self.keeps_mappings)
            concerns_nodes |= "remove" in record or ("replace" in record and self.keeps_mappings)
        for record in attribute_records:
            self.attributes.replay(record)
        return concerns_nodes

    def tell_queues(self) -> None:
        """Has the queues' limits worked out anew; no node has come yet."""
        self._tell([])

    # What all of them need

    def _check_enabled(self) -> None:
        if not self._context.labels.is_enabled:
            raise YarnError(DISABLED)

    def _is_known_node(self, node_id: NodeId) -> bool:
        if node_id.port == EVERY_NODE_OF_HOST:
            return node_id.host in self._known_hosts()
        return node_id in self._context.nodes or node_id in self._context.inactive_nodes

    def _known_hosts(self) -> dict[str, None]:
        return dict.fromkeys(one.host for one in (*self._context.nodes, *self._context.inactive_nodes))

    def _running(self) -> list[NodeId]:
        return list(self._context.nodes)

    def _keep(self, journal: str, record: Mapping[str, object]) -> None:
        self._context.order(AppendRecord(journal=journal, record=record))

    def _tell(self, node_ids: list[NodeId]) -> None:
        labels = self._context.labels
        now = {node_id: labels.partition_of(node_id) for node_id in node_ids}
        self._context.post(
            SchedulerNodeLabelsUpdate(
                labels_of_nodes={node_id: (label,) if label else () for node_id, label in now.items()}
            )
        )

    def _tell_attributes(self, hosts: Iterable[str]) -> None:
        concerned = tuple(one for one in self._context.nodes if one.host in hosts)
        if concerned:
            self._context.post(SchedulerNodeAttributesUpdate(node_ids=concerned))


def _provider(path: str) -> LabelsProvider:
    """The provider of that dotted path. YarnError when there is none."""
    module, _, attribute = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # whatever a module of the user's raises
        raise YarnError(f"yarn.resourcemanager.node-labels.provider: there is no {path}: {error}") from error
    return cast(LabelsProvider, found())
