"""The configuration directory of a scenario, in memory: what the refresh commands of the RM read.

Answers the core as a ConfigurationProvider; the files change when a step says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from yarnbox.yarn.configuration import Configuration

YARN_SITE = "yarn-site.xml"
CAPACITY_SCHEDULER = "capacity-scheduler.xml"
FAIR_SCHEDULER = "fair-scheduler.xml"
EXCLUDE = "exclude"
EXCLUDE_PATH = "yarn.resourcemanager.nodes.exclude-path"


class SchedulerFiles(NamedTuple):
    """The files of the schedulers."""

    capacity: Mapping[str, str] | None
    fair: str | None


class ScenarioFiles:
    """The files by their Hadoop names."""

    def __init__(
        self,
        conf: Mapping[str, str],
        capacity: Mapping[str, str] | None,
        fair: str | None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """`texts` are further files by name."""
        self._texts = dict(texts or {})
        self.conf: dict[str, str] = {EXCLUDE_PATH: EXCLUDE, **conf}
        self._scheduler = SchedulerFiles(capacity, fair)
        self._excluded: dict[str, None] = {}

    def load(self, *file_names: str) -> Configuration:
        """The properties of these files, later ones above earlier ones."""
        configuration = Configuration.of({})
        for name in file_names:
            if name == YARN_SITE:
                configuration = configuration.overlaid(self.conf, name)
            elif name == CAPACITY_SCHEDULER and self._scheduler.capacity is not None:
                configuration = configuration.overlaid(self._scheduler.capacity, name)
        return configuration

    def read_text(self, file_name: str) -> str | None:
        """The text of the allocation file, of the list of excluded hosts, or of a further file."""
        if file_name == self.conf[EXCLUDE_PATH]:
            return "".join(f"{host}\n" for host in self._excluded)
        if file_name == FAIR_SCHEDULER:
            return self._scheduler.fair
        return self._texts.get(file_name)

    def modified_ms(self, file_name: str) -> int | None:
        """Older than all that happens: a file is read because a step refreshes, never because it is new."""
        return None if self.read_text(file_name) is None else 0

    def replace(self, capacity: Mapping[str, str] | None, fair: str | None) -> SchedulerFiles:
        """Writes the file that is given; answers what was there before."""
        before = self._scheduler
        self._scheduler = SchedulerFiles(
            before.capacity if capacity is None else capacity, before.fair if fair is None else fair
        )
        return before

    def restore(self, files: SchedulerFiles) -> None:
        """Puts the files back."""
        self._scheduler = files

    def exclude(self, host: str) -> None:
        """Adds a host to the list of those that must leave."""
        self._excluded[host] = None

    def include(self, host: str) -> None:
        """Takes a host off that list."""
        self._excluded.pop(host, None)
