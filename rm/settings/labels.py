"""Settings of node labels and node attributes on the ResourceManager's side."""

from __future__ import annotations

from collections.abc import Iterator

from yarnbox.yarn.settings import Conflict, setting, settings

_LABELS = "yarn.node-labels."
_RM_LABELS = "yarn.resourcemanager.node-labels."
LABEL_STORES = (
    "org.apache.hadoop.yarn.nodelabels.FileSystemNodeLabelsStore",
    "org.apache.hadoop.yarn.nodelabels.NonAppendableFSNodeLabelStore",
)
ATTRIBUTE_STORE = "org.apache.hadoop.yarn.server.resourcemanager.nodelabels.FileSystemNodeAttributeStore"


@settings
class LabelSettings:
    """Which partitions there are, and where the mapping of nodes to them comes from."""

    enabled: bool = setting(_LABELS + "enabled", False, "Whether nodes can have labels (partitions)")
    configuration_type: str = setting(
        _LABELS + "configuration-type",
        "centralized",
        "Who says which node is in which partition",
        one_of=("centralized", "distributed", "delegated-centralized"),
    )
    store_class: str = setting(
        _LABELS + "fs-store.impl.class",
        LABEL_STORES[0],
        "How labels and mappings are kept: all of these become a file that is appended to",
        one_of=LABEL_STORES,
    )
    store_directory: str = setting(
        _LABELS + "fs-store.root-dir",
        "/tmp/hadoop-yarn-${user.name}/node-labels/",
        "Where labels and mappings are kept",
    )
    enforced_exclusive: tuple[str, ...] = setting(
        _LABELS + "exclusive-enforced-partitions",
        (),
        "Partitions that only containers asking for them may enter, whatever their queues allow",
    )
    am_default_expression: str | None = setting(
        _RM_LABELS + "am.default-node-label-expression",
        None,
        "Partition of ApplicationMasters that name none",
    )
    am_non_exclusive_allocation: bool = setting(
        _RM_LABELS + "am.allow-non-exclusive-allocation",
        False,
        "ApplicationMasters may use the idle capacity of shareable partitions",
    )
    provider: str | None = setting(
        _RM_LABELS + "provider", None, "Delegated: the class that knows the mapping"
    )
    provider_fetch_interval_ms: int = setting(
        _RM_LABELS + "provider.fetch-interval-ms",
        1_800_000,
        "Delegated: how often all nodes are asked about; -1: only new ones",
        unit="ms",
        at_least=-1,
    )
    provider_new_nodes_interval_ms: int = setting(
        _RM_LABELS + "provider.update-newly-registered-nodes-interval-ms",
        30_000,
        "Delegated: how often newly registered nodes are asked about",
        unit="ms",
        at_least=1,
    )

    def conflicts(self) -> Iterator[Conflict]:
        """A delegated mapping without a delegate."""
        if self.enabled and self.configuration_type == "delegated-centralized" and self.provider is None:
            # RMNodeLabelsMappingProvider's complaint, by which operators know it.
            yield Conflict(
                _RM_LABELS + "provider",
                "a class: RMNodeLabelsMappingProvider should be configured when delegated-centralized node "
                "label configuration is enabled",
            )


@settings
class AttributeSettings:
    """Where node attributes are kept."""

    store_class: str = setting(
        "yarn.node-attribute.fs-store.impl.class",
        ATTRIBUTE_STORE,
        "How attributes are kept",
        one_of=(ATTRIBUTE_STORE,),
    )
    store_directory: str = setting(
        "yarn.node-attribute.fs-store.root-dir",
        "/tmp/hadoop-yarn-${user.name}/node-attribute/",
        "Where attributes are kept",
    )
