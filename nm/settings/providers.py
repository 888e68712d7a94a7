"""Settings of what a node tells about itself: its partition and its attributes."""

from __future__ import annotations

from yarnbox.yarn.settings import setting, settings

_LABELS = "yarn.nodemanager.node-labels."
_ATTRIBUTES = "yarn.nodemanager.node-attributes."


@settings
class LabelProviderSettings:
    """Distributed node labels: who says, and how often."""

    enabled: bool = setting("yarn.node-labels.enabled", False, "Whether nodes can have labels (partitions)")
    configuration_type: str = setting(
        "yarn.node-labels.configuration-type",
        "centralized",
        "With distributed the node names its partition",
        one_of=("centralized", "distributed", "delegated-centralized"),
    )
    provider: str | None = setting(
        _LABELS + "provider", None, "config, script, or the dotted path of a class; absent: none"
    )
    fetch_interval_ms: int = setting(
        _LABELS + "provider.fetch-interval-ms",
        600_000,
        "How often the provider is asked; -1: once",
        unit="ms",
        at_least=-1,
    )
    fetch_timeout_ms: int = setting(
        _LABELS + "provider.fetch-timeout-ms", 1_200_000, "Longest run of a script", unit="ms", at_least=1
    )
    resync_interval_ms: int = setting(
        _LABELS + "resync-interval-ms",
        120_000,
        "Unchanged labels are sent again after this; -1: never",
        unit="ms",
        at_least=-1,
    )
    script_path: str | None = setting(_LABELS + "provider.script.path", None, "The script")
    script_options: tuple[str, ...] = setting(_LABELS + "provider.script.opts", (), "Its arguments")
    configured_partition: str | None = setting(
        _LABELS + "provider.configured-node-partition",
        None,
        "The partition, with config; read anew each time",
    )

    @property
    def is_reporting(self) -> bool:
        """Whether the node tells its labels: they are its own business, and somebody says them."""
        return (
            self.enabled and self.configuration_type == "distributed" and bool((self.provider or "").strip())
        )


@settings
class AttributeProviderSettings:
    """Distributed node attributes: who says, and how often."""

    provider: str | None = setting(
        _ATTRIBUTES + "provider", None, "config, script, or the dotted path of a class; absent: none"
    )
    fetch_interval_ms: int = setting(
        _ATTRIBUTES + "provider.fetch-interval-ms",
        600_000,
        "How often the provider is asked; -1: once",
        unit="ms",
        at_least=-1,
    )
    fetch_timeout_ms: int = setting(
        _ATTRIBUTES + "provider.fetch-timeout-ms",
        1_200_000,
        "Longest run of a script",
        unit="ms",
        at_least=1,
    )
    resync_interval_ms: int = setting(
        _ATTRIBUTES + "resync-interval-ms",
        120_000,
        "Unchanged attributes are sent again after this; -1: never",
        unit="ms",
        at_least=-1,
    )
    script_path: str | None = setting(_ATTRIBUTES + "provider.script.path", None, "The script")
    script_options: tuple[str, ...] = setting(_ATTRIBUTES + "provider.script.opts", (), "Its arguments")
    configured_attributes: str | None = setting(
        _ATTRIBUTES + "provider.configured-node-attributes",
        None,
        "The attributes, with config: `name,type,value:name,type,value`",
    )
