"""`yarnbox events`: the event log of the ResourceManager, chosen by what an event is and whom it names.

Owns the choice and the printed form; the file is yarn.event_log's business. An application's queue is learned
from the lines that name both, so that `--queue` finds events that name the application alone.
"""

from __future__ import annotations

import argparse
import heapq
import json
import re
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from yarnbox.cluster.directory import ClusterError, RunDirectory
from yarnbox.rm.booking import KINDS as BOOKINGS
from yarnbox.rm.events.names import kinds
from yarnbox.rm.scheduler.views import is_within
from yarnbox.rm.web.event_rows import ROUTINE
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.runtime.event import hadoop_constant
from yarnbox.yarn.storage.event_log import MILESTONES, EventLogReader, LoggedEvent
from yarnbox.yarn.text.words import did_you_mean

_POLL_S = 0.1
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_AGO = re.compile(r"([0-9]{1,9})([smhd])")
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?")
_OF_NODE = re.compile(r"[^\s:]+:[0-9]+")
_OF_APPLICATION = re.compile(r"(?:application|appattempt|container(?:_e[0-9]+)?)_([0-9]+)_([0-9]+)")


def run(options: argparse.Namespace) -> int:
    choice = choice_of(options, now_s=time.time())
    directory = RunDirectory.chosen(options.dir)
    readers = [EventLogReader(path) for path in directory.event_logs(directory.load())]
    new: Iterable[LoggedEvent] = _in_order(reader.read_all() for reader in readers)
    while True:
        for event in new:
            if choice.takes(event):
                print(as_json(event) if options.json else as_text(event))
        sys.stdout.flush()
        if not options.follow:
            if not choice.has_taken:
                print(f"yarnbox: no events match: {choice.hint()}", file=sys.stderr)
            return 0
        time.sleep(_POLL_S)
        new = _in_order(reader.read_new() for reader in readers)


def _in_order(logs: Iterable[Iterable[LoggedEvent]]) -> Iterable[LoggedEvent]:
    """What several ResourceManagers wrote, the oldest first."""
    return heapq.merge(*logs, key=lambda event: event.time_ms)


@dataclass
class Choice:
    """Which events are shown. What is None chooses nothing."""

    types: tuple[str, ...] | None = None
    """Names of ours; None for all."""
    has_routine: bool = False
    application: tuple[str, int] | None = None
    node: str | None = None
    queue: str | None = None
    since_ms: int = 0
    _queues: dict[tuple[str, int], str] = field(default_factory=dict)
    """Of each application, as far as it was read of."""
    _nodes: set[str] = field(default_factory=set)
    has_read: bool = False
    has_taken: bool = False

    def hint(self) -> str:
        """What may be wrong when nothing was shown."""
        if not self.has_read:
            return "the event log is empty; `yarnbox status` says whether the ResourceManager runs"
        if self.node is not None and not any(self._is_node(one) for one in self._nodes):
            hosts = [one.rpartition(":")[0] for one in self._nodes]
            return f"there is no node {self.node} in the log{did_you_mean(self.node, hosts)}"
        if self.queue is not None and not any(_is_within(one, self.queue) for one in self._queues.values()):
            hint = did_you_mean(self.queue, self._queues.values())
            return f"no application in the log was in queue {self.queue}{hint}"
        return "leave out a filter, or name heartbeats with --all"

    def takes(self, event: LoggedEvent) -> bool:
        """Whether the event is shown; events have to come in their order."""
        self.has_read = True
        is_taken = self._takes(event)
        self.has_taken |= is_taken
        return is_taken

    def _takes(self, event: LoggedEvent) -> bool:
        named = [event.subject, *_names(event.details)]
        applications = [found for one in named if (found := _application_in(one)) is not None]
        if _OF_NODE.fullmatch(event.subject):
            self._nodes.add(event.subject)
        queue = str(event.details.get("queue") or "")
        if queue:
            self._queues |= dict.fromkeys(applications, queue)
        if event.time_ms < self.since_ms or not self._takes_type(event):
            return False
        if self.application is not None and self.application not in applications:
            return False
        if self.node is not None and not any(self._is_node(one) for one in named):
            return False
        if self.queue is None:
            return True
        queues = [queue, event.subject, *(self._queues.get(one, "") for one in applications)]
        return any(_is_within(one, self.queue) for one in queues)

    def _takes_type(self, event: LoggedEvent) -> bool:
        if self.types is not None:
            return event.type in self.types
        return self.has_routine or event.type not in ROUTINE

    def _is_node(self, name: str) -> bool:
        return name == self.node or name.rpartition(":")[0] == self.node


def _names(details: Any) -> list[str]:
    found: list[str] = []
    for value in details.values():
        found.extend(value if isinstance(value, list) else [value] if isinstance(value, str) else [])
    return found


def _application_in(name: str) -> tuple[str, int] | None:
    found = _OF_APPLICATION.match(name)
    return None if found is None else (found[1], int(found[2]))


def _is_within(queue: str, wanted: str) -> bool:
    """Whether the queue is that one or below it; `a` is the queue `root.a`, too."""
    return any(is_within(queue, one) for one in (wanted, f"root.{wanted}", wanted[5:]) if one)


def choice_of(options: argparse.Namespace, *, now_s: float) -> Choice:
    """What the options choose. ClusterError for one that cannot be meant."""
    return Choice(
        types=_types(options.type),
        has_routine=options.all,
        application=_application(options.app),
        node=_node(options.node),
        queue=options.queue,
        since_ms=_since_ms(options.since, now_s),
    )


def _types(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    try:
        found = event_types(text)
    except LookupError as error:
        raise ClusterError(f"--type: {error.args[0]}", status=2) from None
    if not found:
        raise ClusterError("--type needs the name of an event; docs/events.md lists them", status=2)
    return found


def event_types(text: str) -> tuple[str, ...]:
    """Our names of the events that are meant: by ours or by Hadoop's, with commas between. LookupError says
    which one may be meant instead.
    """
    by_name: dict[str, list[str]] = {name.upper(): [name] for name in (*MILESTONES, *BOOKINGS)}
    names = [*MILESTONES, *BOOKINGS]
    for kind in kinds():
        for name in filter(None, (kind.__name__, hadoop_constant(kind))):
            by_name.setdefault(name.upper(), []).append(kind.__name__)
            names.append(name)
    found: list[str] = []
    for word in filter(None, text.split(",")):
        if word.upper() not in by_name:
            hint = did_you_mean(word, names)
            raise LookupError(f"there is no event {word}{hint}; docs/events.md lists them")
        found += by_name[word.upper()]
    return tuple(found)


def _application(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    try:
        found = ApplicationId.parse(text)
    except ValueError as error:
        raise ClusterError(
            f"--app: {error}; it has to be application_<timestamp>_<number>", status=2
        ) from None
    return str(found.cluster_timestamp), found.id


def _node(text: str | None) -> str | None:
    if text is not None and ":" in text:
        try:
            NodeId.parse(text)
        except ValueError as error:
            raise ClusterError(f"--node: {error}", status=2) from None
    return text


def _since_ms(text: str | None, now_s: float) -> int:
    if text is None:
        return 0
    ago = _AGO.fullmatch(text)
    if ago is not None:
        return int((now_s - int(ago[1]) * _UNIT_S[ago[2]]) * 1000)
    try:
        if _CLOCK.fullmatch(text):
            text = f"{datetime.fromtimestamp(now_s):%Y-%m-%d}T{text.zfill(5 if text.count(':') == 1 else 8)}"
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise ClusterError(
            f"--since: {text} is not a time; expected 30s, 10m, 2h or 1d ago, 14:05 or 2026-01-31T14:05",
            status=2,
        ) from None


def as_json(event: LoggedEvent) -> str:
    """One line for programs."""
    entry = {
        "time": event.time_ms,
        "type": event.type,
        "constant": event.constant,
        "subject": event.subject,
    }
    return json.dumps({**entry, **event.details})


def as_text(event: LoggedEvent) -> str:
    """One line for people."""
    seconds, milliseconds = divmod(event.time_ms, 1000)
    moment = time.strftime("%H:%M:%S", time.localtime(seconds))
    said = {key: value for key, value in event.details.items() if value or type(value) is int}
    if isinstance(said.get("killAt"), int):
        said["killAt"] = time.strftime("%H:%M:%S", time.localtime(said["killAt"] // 1000))
    details = " ".join(f"{key}={_text(value)}" for key, value in said.items())
    constant = event.constant or "-"
    return f"{moment}.{milliseconds:03d} {event.type:32} {constant:29} {event.subject} {details}".rstrip()


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ",".join(f"{k}:{v}" for k, v in value.items())
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
