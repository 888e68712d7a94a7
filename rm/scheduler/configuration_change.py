"""A change of a scheduler's configuration by API, as it is asked for. Hadoop: SchedConfUpdateInfo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationChange:
    """One change set (SchedConfUpdateInfo): applied in the order of the fields. An empty value unsets."""

    remove: tuple[str, ...] = ()
    add: tuple[tuple[str, Mapping[str, str]], ...] = ()
    """Queue path and its properties, keys without prefix."""
    update: tuple[tuple[str, Mapping[str, str]], ...] = ()
    global_updates: Mapping[str, str] = field(default_factory=dict)
    """Full property names, or names without the scheduler's prefix."""
