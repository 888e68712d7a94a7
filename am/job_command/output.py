"""What the containers of an application wrote, for whoever waited for its end.

Reads the aggregated logs, as `yarn logs` does, once the ResourceManager says that they are complete. Prints
nothing itself. Hadoop: LogCLIHelpers, as far as a job's client needs it.
"""

from __future__ import annotations

import re
import shlex
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import ConnectionFailedError
from yarnbox.yarn.enums import LogAggregationStatus
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.settings import read, setting, settings
from yarnbox.yarn.storage import aggregated_logs
from yarnbox.yarn.storage.aggregated_logs import AggregatedLog, AggregatedLogReader, LogLayout, is_of_node
from yarnbox.yarn.text.words import listed

COLLECTION_S = 15.0
"""How long the nodes may take to collect the logs; they begin when the application has ended."""
SHOWN_BYTES = 64 * 1024
SHOWN_CONTAINERS = 20
LAST_LINES = 20

_POLL_S = 0.1
_PENDING = (LogAggregationStatus.NOT_START, LogAggregationStatus.RUNNING)
_CONTAINER = re.compile(r"container_(?:e\d+_)?\d+_\d+_\d+_\d+")
_PROCESS_FILES = ("stderr", "prelaunch.err", "stdout")
"""Where the reason of a failure is looked for, in this order."""


@settings
class OutputSettings:
    """Where aggregated logs lie."""

    is_aggregated: bool = setting("yarn.log-aggregation-enable", False, "Whether logs are collected")
    directory: str = setting(aggregated_logs.ROOT_PROPERTY, aggregated_logs.DEFAULT_ROOT, "Where they lie")
    suffix: str = setting(aggregated_logs.SUFFIX_PROPERTY, aggregated_logs.DEFAULT_SUFFIX, "A part of it")


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file of one container; `text` is its end, if it is long."""

    container_id: ContainerId
    node: str
    name: str
    length: int
    text: str

    @property
    def is_cut(self) -> bool:
        """Whether there is more than `text`."""
        return self.length > SHOWN_BYTES


class Informant(Protocol):
    """Whoever knows what the ResourceManager says of an application."""

    def report(self, application_id: ApplicationId) -> ApplicationReport:
        """The application's report."""

    def masters(self, application_id: ApplicationId) -> tuple[ContainerId, ...]:
        """The containers of its AMs, of the first attempt first."""

    def lost_nodes(self) -> tuple[NodeId, ...]:
        """The nodes that are LOST."""


class Output:
    """What the containers of one application that has ended wrote."""

    def __init__(
        self,
        files: Iterable[Path],
        application_id: ApplicationId,
        masters: Iterable[ContainerId] = (),
        yarn: str = "yarn",
        *,
        unread: Iterable[str] = (),
    ) -> None:
        """`masters` are the containers of its AMs, of the first attempt first: their numbers do not tell
        them, since an RM that started anew counts from 1 again. `yarn` is the command that finds this
        cluster. `unread` are the reasons why there may be more.
        """
        self._files = list(files)
        self._masters = list(masters)
        self._yarn = yarn
        self._unread = dict.fromkeys(unread)
        self.application_id = application_id

    @classmethod
    def of(
        cls,
        configuration: Configuration,
        application_id: ApplicationId,
        informant: Informant,
        yarn: str = "yarn",
        collect: Callable[[], None] = lambda: None,
        lost_before: Collection[NodeId] = (),
    ) -> Self:
        """Waits, not for long, until the nodes have collected everything; empty if they collect nothing.
        `collect` then brings here what lies on hosts that share no directory with this one. Nodes that were
        LOST before the application began had none of its containers.
        """
        found = read(OutputSettings, configuration)
        if not found.is_aggregated:
            reason = "yarn.log-aggregation-enable is false, so that it stays on the nodes"
            return cls((), application_id, yarn=yarn, unread=[reason])
        unread: list[str] = []
        files: list[Path] = []
        masters: tuple[ContainerId, ...] = ()
        try:
            layout = LogLayout.of(found.directory, found.suffix)
            last = _collected(informant, application_id)
            unread += _brought_here(collect)
            files, reason = _files_of(layout, last, application_id)
            unread += [reason] if reason else []
            unread += _uncollected(last, informant.lost_nodes, lost_before, files)
            masters = informant.masters(application_id)
        except ConnectionFailedError:
            unread.append("the ResourceManager does not answer, which says whether all of it is collected")
        except IllegalArgumentError as error:
            unread.append(error.message)
        return cls(files, application_id, masters, yarn, unread=unread)

    def out_of_reach(self) -> str:
        """What could not be read and why, in one line; empty if nothing is known to be missing. Files count
        once they have been looked at.
        """
        if not self._unread:
            return ""
        rest = f"; what there is: {self.command()}" if self._files else ""
        return f"not all output of the containers can be shown: {'; '.join(self._unread)}{rest}"

    def named(self, name: str) -> list[WrittenFile]:
        """The file of that name of each container that wrote to it, by container, without the AM's."""
        found = [one for one in self._read(lambda log: log.name == name) if one.length]
        return sorted(
            (one for one in found if one.container_id not in self._masters), key=lambda one: one.container_id
        )

    def reason(self, diagnostics: str, suspects: Iterable[str] = ()) -> WrittenFile | None:
        """What most likely says why it failed: a file of the first container that `suspects` or the
        diagnostics name; of the last AM, if none of them left a log.
        """
        by_container: dict[str, dict[str, WrittenFile]] = {}
        for one in self._read(lambda log: log.name in _PROCESS_FILES):
            by_container.setdefault(str(one.container_id), {})[one.name] = one
        masters = [str(one) for one in self._masters if str(one) in by_container]
        named = [one for one in (*suspects, *_CONTAINER.findall(diagnostics)) if one in by_container]
        for container in named or masters[-1:]:
            files = by_container[container]
            for name in _PROCESS_FILES:
                if name in files and files[name].text.strip():
                    return files[name]
        return None

    def command(self, container_id: ContainerId | None = None, name: str = "") -> str:
        """What to type to see everything, of one container or of all."""
        words = [self._yarn, "logs", "-applicationId", str(self.application_id)]
        if container_id is not None:
            words += ["-containerId", str(container_id)]
        return " ".join(words + (["-log_files", shlex.quote(name)] if name else []))

    def _read(self, is_wanted: Callable[[AggregatedLog], bool]) -> Iterator[WrittenFile]:
        for path in self._files:
            try:
                with AggregatedLogReader(path) as reader:
                    for log in filter(is_wanted, reader.logs()):
                        with reader.open(log) as source:
                            source.seek(max(0, log.length - SHOWN_BYTES))
                            text = source.read(SHOWN_BYTES).decode("utf-8", "replace")
                        yield WrittenFile(log.container_id, reader.node, log.name, log.length, text)
            except OSError as error:
                self._unread[_unreadable(path, error)] = None


def _collected(informant: Informant, application_id: ApplicationId) -> ApplicationReport:
    """The last report, once the nodes have collected everything, or have had their time."""
    deadline = time.monotonic() + COLLECTION_S
    pause = threading.Event()
    last = informant.report(application_id)
    while last.log_aggregation_status in _PENDING and time.monotonic() < deadline:
        pause.wait(_POLL_S)
        last = informant.report(application_id)
    return last


def _brought_here(collect: Callable[[], None]) -> list[str]:
    """Why logs of other hosts cannot be brought here, if they cannot."""
    try:
        collect()
    except OSError as error:
        return [f"logs of other hosts are not here: {error}"]
    return []


def _files_of(
    layout: LogLayout, last: ApplicationReport, application_id: ApplicationId
) -> tuple[list[Path], str]:
    """The files of the nodes, and why they cannot be found where all nodes say that they collected them."""
    user = last.user or ""
    try:
        return layout.node_files(user, application_id), ""
    except FileNotFoundError:
        directory = layout.application_directory(user, application_id)
        is_elsewhere = last.log_aggregation_status is LogAggregationStatus.SUCCEEDED
        return [], f"the nodes have collected it, but there is no {directory} here" if is_elsewhere else ""
    except OSError as error:
        return [], _unreadable(layout.application_directory(user, application_id), error)


def _uncollected(
    last: ApplicationReport,
    lost_nodes: Callable[[], Iterable[NodeId]],
    lost_before: Collection[NodeId],
    files: Iterable[Path],
) -> list[str]:
    """What nodes have not collected, by the ResourceManager's status of all of them together."""
    status = last.log_aggregation_status
    if status in (None, LogAggregationStatus.SUCCEEDED, LogAggregationStatus.DISABLED):
        return []
    lost = [
        str(node)
        for node in lost_nodes()
        if node not in lost_before and not any(is_of_node(path, node) for path in files)
    ]
    if lost:
        return [f"{listed(lost)} {'are' if lost[1:] else 'is'} LOST and collected nothing"]
    if status in _PENDING:
        return ["not all nodes have collected their logs yet"]
    return [f"nodes could not collect all logs: their log aggregation is {status.name}"]


def _unreadable(path: Path, error: OSError) -> str:
    reason = error.strerror or str(error)
    return reason if str(path) in reason else f"{path} cannot be read: {reason}"


def shown_output(output: Output) -> str:
    """The standard output of all containers, with a heading each if there are several."""
    files = output.named("stdout")
    several = len(files) > 1
    parts: list[str] = []
    for one in files[:SHOWN_CONTAINERS]:
        if several:
            host = one.node.rpartition("_")[0] or one.node
            parts.append(f"-- {one.container_id} on {host}\n")
        if one.is_cut:
            rest = output.command(one.container_id, one.name)
            parts.append(f"(the last {SHOWN_BYTES} of {one.length} bytes; all of it: {rest})\n")
        parts.append(one.text if one.text.endswith("\n") else f"{one.text}\n")
    if len(files) > SHOWN_CONTAINERS:
        parts.append(f"({len(files) - SHOWN_CONTAINERS} more containers: {output.command()})\n")
    return "".join(parts)


def shown_diagnostics(diagnostics: str | None) -> str:
    """What the ResourceManager was told, line by line, for people."""
    lines = [line.rstrip() for line in (diagnostics or "").splitlines() if line.strip()]
    return "\n  ".join(lines) or "no diagnostics"


def shown_reason(output: Output, found: WrittenFile | None, told: str = "") -> str:
    """The last lines of the file that has the reason, unless they were `told` already, and what to type for
    the rest; else only the latter.
    """
    if found is None:
        return f"All that it wrote: {output.command()}"
    host = found.node.rpartition("_")[0] or found.node
    lines = found.text.rstrip("\n").split("\n")[-LAST_LINES:]
    head = f"The last lines of {found.name} of {found.container_id} on {host}:"
    rest = f"The whole log: {output.command(found.container_id)}"
    if lines[-1].strip() in map(str.strip, told.splitlines()):
        return rest
    return "\n".join([head, *(f"  {line}" for line in lines), rest])
