"""A scheduler's configuration that is changed by API: what may be asked of it.

Hadoop: SchedConfUpdateInfo, MutableConfigurationProvider.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from yarnbox.rm.scheduler.views import ConfigurationView
from yarnbox.yarn.compiled import mypyc_attr


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationChange:
    """One change set (SchedConfUpdateInfo): applied in the order of the fields. An empty value unsets."""

    remove: tuple[str, ...] = ()
    add: tuple[tuple[str, Mapping[str, str]], ...] = ()
    """Queue path and its properties, keys without prefix."""
    update: tuple[tuple[str, Mapping[str, str]], ...] = ()
    global_updates: Mapping[str, str] = field(default_factory=dict)
    """Full property names, or names without the scheduler's prefix."""


@mypyc_attr(allow_interpreted_subclasses=True)
class ConfigurationStore(ABC):
    """Keeps the configuration, where the file is not the only one that says what it is."""

    @abstractmethod
    def view(self) -> ConfigurationView | None:
        """The configuration as it is; None where the file itself is the configuration."""

    @abstractmethod
    def change(self, change: ConfigurationChange, user: str) -> None:
        """Applies a change set and keeps it; YarnError when it is refused, and nothing changed."""

    @abstractmethod
    def validate(self, change: ConfigurationChange, user: str) -> Mapping[str, str]:
        """The configuration after the change, which is not applied; YarnError when it would be refused."""

    @abstractmethod
    def format(self) -> None:
        """Discards all changes and returns to the file; YarnError where that cannot be used."""

    @abstractmethod
    def restore(self, records: Sequence[Any]) -> None:
        """After a restart: the configuration as it was changed last takes the place of the file."""

    @abstractmethod
    def records(self) -> Sequence[Mapping[str, object]]:
        """The first records of the journal after a start; none while the configuration is the file's."""
