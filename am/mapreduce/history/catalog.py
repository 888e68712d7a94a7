"""What the history server knows: which jobs there are, and the ones that were looked at last.

Owns the scans of the directories and the parsed jobs. Hadoop: JobHistory, CachedHistoryStorage and
HistoryFileManager, as far as they remember something.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

from yarnbox.am.job_command.output import OutputSettings
from yarnbox.am.mapreduce.history.files import HistoryFile, HistoryFiles, IndexInfo, read_properties
from yarnbox.am.mapreduce.history.jhist import UnreadableHistoryError, read_events
from yarnbox.am.mapreduce.history.parsed import PastJob, parse
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.storage.aggregated_logs import AggregatedLogReader, LogLayout

SHOWN_LOG_BYTES = 64 * 1024


class UnknownJobError(LookupError):
    """There is no such job, or its history cannot be read; the message is Hadoop's."""


class Catalog:
    """The histories below two directories."""

    def __init__(self, files: HistoryFiles, *, listed: int, loaded: int) -> None:
        self._files = files
        self._listed = listed
        self._loaded_max = loaded
        self._loaded: OrderedDict[Path, PastJob] = OrderedDict()

    def take_in(self) -> int:
        """Moves what jobs have left; how many."""
        return self._files.take_in()

    def clean(self, oldest_ms: int) -> int:
        """Deletes what is too old; how many."""
        return self._files.clean(oldest_ms)

    def jobs(self) -> list[IndexInfo]:
        """The jobs that ended last, the latest first."""
        self.take_in()
        return [one.info for one in self._files.all()[: self._listed]]

    def job(self, name: str) -> PastJob:
        """A job by its id."""
        file = self.file(name)
        known = self._loaded.pop(file.path, None)
        if known is None:
            try:
                known = parse(read_events(file.path))
            except (OSError, UnreadableHistoryError) as error:
                raise UnknownJobError(f"job, {name}, cannot be read: {error}") from None
        self._loaded[file.path] = known
        while len(self._loaded) > self._loaded_max:
            self._loaded.popitem(last=False)
        return known

    def configuration(self, name: str) -> tuple[str, list[dict[str, Any]]]:
        """The path and the properties of a job's configuration."""
        path = self.file(name).conf
        properties = read_properties(path)
        if properties is None:
            raise UnknownJobError(f"unable to load configuration for job: {name}")
        return str(path), properties

    def file(self, name: str) -> HistoryFile:
        """Where the history of a job lies."""
        try:
            job_id = JobId.parse(name)
        except ValueError as error:
            raise UnknownJobError(str(error)) from None
        self.take_in()
        found = self._files.find(job_id)
        if found is None:
            raise UnknownJobError(f"job, {name}, is not found")
        return found


class ContainerLogs:
    """The aggregated logs of containers."""

    def __init__(self, settings: OutputSettings) -> None:
        self._layout = LogLayout.of(settings.directory, settings.suffix)

    def of(self, container_id: ContainerId, user: str) -> list[tuple[str, int, str]]:
        """Name, length and end of each log of a container."""
        owner = self._layout.owner_of(container_id.application_id, user)
        found: list[tuple[str, int, str]] = []
        try:
            files = self._layout.node_files(owner, container_id.application_id) if owner else []
        except OSError:
            return found
        for file in files:
            with AggregatedLogReader(file) as reader:
                for log in reader.logs():
                    if log.container_id == container_id:
                        with reader.open(log) as stream:
                            stream.seek(max(log.length - SHOWN_LOG_BYTES, 0))
                            text = stream.read().decode(errors="replace")
                        found.append((log.name, log.length, text))
        return found
