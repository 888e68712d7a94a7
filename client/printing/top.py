"""The screens of `yarn top`: head, applications, and the lists of fields to sort by and to show.

Pure: figures in, text out; what clears lines and inverts colours is a Terminal's business. Hadoop: the
printing half of TopCLI.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import tzinfo
from typing import Any

from yarnbox.client.text import time_of_day
from yarnbox.yarn.records.application import ApplicationReport, ApplicationResourceUsageReport
from yarnbox.yarn.records.node import YarnClusterMetrics
from yarnbox.yarn.records.queue import QueueInfo, QueueStatistics
from yarnbox.yarn.resources.resource import NONE

_MB_PER_GB = 1024
_MINUTE_MS = 60_000
_HEAD_ROWS = 9
"""Rows of the terminal that are not applications: six of head, an empty one, the column heads, the last."""

# The words of the head, and the figures behind them.
_NODE_COUNTS = {
    "total": "num_node_managers",
    "active": "num_active_nms",
    "unhealthy": "num_unhealthy_nms",
    "decommissioning": "num_decommissioning_nms",
    "decommissioned": "num_decommissioned_nms",
    "lost": "num_lost_nms",
    "rebooted": "num_rebooted_nms",
    "shutdown": "num_shutdown_nms",
}
_APPLICATION_COUNTS = {
    word: f"num_apps_{word}" for word in ("running", "submitted", "pending", "completed", "killed", "failed")
}
_AMOUNT_WORDS = ("available", "allocated", "pending", "reserved")
_MEMORY_COUNTS = {word: f"{word}_memory_mb" for word in _AMOUNT_WORDS}
_VCORE_COUNTS = {word: f"{word}_vcores" for word in _AMOUNT_WORDS}
_CONTAINER_COUNTS = {word: f"{word}_containers" for word in _AMOUNT_WORDS[1:]}


@dataclass(frozen=True, slots=True)
class Column:
    """A field of an application: its head, printf form, letter, and how it is sorted and shown."""

    head: str
    form: str
    letter: str
    description: str
    key: Callable[[ApplicationReport, int], Any]
    show: Callable[[Any], str] = str


def _usage(report: ApplicationReport) -> ApplicationResourceUsageReport:
    return report.app_resource_usage or ApplicationResourceUsageReport()


def _gigabytes(mb: int) -> str:
    return f"{mb}G"


def _days(ms: int) -> str:
    minutes = ms // _MINUTE_MS
    return f"{minutes // 1440:02d}:{minutes // 60 % 24:02d}:{minutes % 60:02d}"


COLUMNS = (
    Column("APPLICATIONID", "%31s", "a", "Application Id", lambda r, _: r.application_id, str),
    Column("USER", "%-10s", "u", "Username", lambda r, _: r.user or ""),
    Column("TYPE", "%10s", "t", "Application type", lambda r, _: (r.application_type or "").lower()),
    Column("QUEUE", "%10s", "q", "Application queue", lambda r, _: r.queue or ""),
    Column("PRIOR", "%5s", "l", "Application priority", lambda r, _: r.priority or 0),
    Column("#CONT", "%7s", "c", "Number of containers", lambda r, _: _usage(r).num_used_containers or 0),
    Column(
        "#RCONT",
        "%7s",
        "r",
        "Number of reserved containers",
        lambda r, _: _usage(r).num_reserved_containers or 0,
    ),
    Column("VCORES", "%7s", "v", "Allocated vcores", lambda r, _: (_usage(r).used_resources or NONE).vcores),
    Column(
        "RVCORES", "%7s", "o", "Reserved vcores", lambda r, _: (_usage(r).reserved_resources or NONE).vcores
    ),
    Column(
        "MEM",
        "%7s",
        "m",
        "Allocated memory",
        lambda r, _: (_usage(r).used_resources or NONE).memory_mb // _MB_PER_GB,
        _gigabytes,
    ),
    Column(
        "RMEM",
        "%7s",
        "w",
        "Reserved memory",
        lambda r, _: (_usage(r).reserved_resources or NONE).memory_mb // _MB_PER_GB,
        _gigabytes,
    ),
    Column("VCORESECS", "%10s", "s", "Vcore seconds", lambda r, _: _usage(r).vcore_seconds or 0),
    Column(
        "MEMSECS",
        "%10s",
        "y",
        "Memory seconds(in GBseconds)",
        lambda r, _: (_usage(r).memory_seconds or 0) // _MB_PER_GB,
    ),
    Column(
        "%PROGR", "%6s", "p", "Progress(percentage)", lambda r, _: (r.progress or 0) * 100, "{:.2f}".format
    ),
    Column("TIME", "%10s", "i", "Running time", lambda r, now: max(0, now - (r.start_time or now)), _days),
    Column("NAME", "%s", "n", "Application name", lambda r, _: r.name or ""),
)
BY_LETTER: Mapping[str, Column] = {column.letter: column for column in COLUMNS}
SORTED_AT_FIRST = "c"


@dataclass(frozen=True, slots=True)
class Figures:
    """What a screen shows, as it was at one moment."""

    now_ms: int
    started_ms: int | None
    queue_names: tuple[str, ...]
    nodes: YarnClusterMetrics
    queues: tuple[QueueInfo, ...]
    applications: tuple[ApplicationReport, ...]


@dataclass(slots=True)
class View:
    """How it is shown: size of the terminal, columns, order."""

    width: int
    height: int
    zone: tzinfo | None
    shown: frozenset[str] = frozenset(BY_LETTER)
    sorted_by: str = SORTED_AT_FIRST
    ascending: bool = False

    @property
    def columns(self) -> list[Column]:
        """The columns that are shown, in their order."""
        return [column for column in COLUMNS if column.letter in self.shown]

    def head(self, figures: Figures) -> list[str]:
        """The six lines above the applications."""
        queues = ",".join(figures.queue_names) or "root"
        total = _totals(figures.queues)
        now, users = time_of_day(figures.now_ms, self.zone), total["num_active_users"]
        lines = [
            f"YARN top - {now}, up {_uptime(figures)}, {users} active users, queue(s): {queues}",
            "NodeManager(s): " + _counted(_NODE_COUNTS, lambda name: getattr(figures.nodes, name) or 0),
            "Queue(s) Applications: " + _counted(_APPLICATION_COUNTS, total.__getitem__),
            "Queue(s) Mem(GB): " + _counted(_MEMORY_COUNTS, lambda name: total[name] // _MB_PER_GB),
            "Queue(s) VCores: " + _counted(_VCORE_COUNTS, total.__getitem__),
            "Queue(s) Containers: " + _counted(_CONTAINER_COUNTS, total.__getitem__),
        ]
        return [self.cut(line) for line in lines]

    def column_heads(self) -> str:
        """The line over the applications, as wide as the terminal."""
        heads = " ".join(column.form % column.head for column in self.columns)
        return self.cut(heads).ljust(max(0, self.width - 1))

    def applications(self, figures: Figures) -> list[str]:
        """As many applications as there is room for, in the chosen order."""
        column = BY_LETTER[self.sorted_by]
        ordered = sorted(
            figures.applications,
            key=lambda report: column.key(report, figures.now_ms),
            reverse=not self.ascending,
        )
        room = max(0, self.height - _HEAD_ROWS)
        return [self._row(report, figures.now_ms) for report in ordered[:room]]

    def _row(self, report: ApplicationReport, now_ms: int) -> str:
        cells = [column.form % column.show(column.key(report, now_ms)) for column in self.columns]
        return self.cut(" ".join(cells))

    def cut(self, line: str) -> str:
        """The line as far as there is room for it; the last column stays free for the line end."""
        return line if len(line) < self.width else line[: self.width - 1]

    def sort_screen(self) -> list[str]:
        """The fields to sort by, the present one with a star."""
        head = [
            f"Current Sort Field: {self.sorted_by}",
            "Select a sort field by its letter; any other key returns",
            "",
        ]
        return head + [_choice(self.sorted_by == letter, letter) for letter in sorted(BY_LETTER)]

    def fields_screen(self) -> list[str]:
        """The fields to show, those that are shown with a star."""
        head = ["Current Fields: ", "Toggle fields by their letters; any other key returns"]
        rows = [
            _choice(letter in self.shown, letter.upper() if letter in self.shown else letter)
            for letter in sorted(BY_LETTER)
        ]
        return head + rows


def help_screen(delay_ms: int) -> list[str]:
    """The keys."""
    return [
        "Help for yarn top.",
        f"Delay: {delay_ms // 1000} secs; Secure mode: false",
        "",
        "  s: Select sort field",
        "  f: Select fields to display",
        "  R: Reverse current sort order",
        "  h: Display this screen",
        "  q: Quit",
        "",
        "Press any key to continue",
    ]


def _choice(chosen: bool, letter: str) -> str:
    column = BY_LETTER[letter.lower()]
    return f"{'*' if chosen else ' '} {letter}: {column.head:<15} = {column.description}"


def _totals(queues: Sequence[QueueInfo]) -> dict[str, int]:
    """Each figure of the queues, added up."""
    statistics = [info.queue_statistics for info in queues if info.queue_statistics is not None]
    names = [field.name for field in fields(QueueStatistics)]
    return {name: sum(getattr(one, name) or 0 for one in statistics) for name in names}


def _counted(counts: Mapping[str, str], count_of: Callable[[str], int]) -> str:
    return ", ".join(f"{count_of(name)} {word}" for word, name in counts.items())


def _uptime(figures: Figures) -> str:
    """Days, hours and minutes, none of them padded."""
    up_ms = 0 if figures.started_ms is None else max(0, figures.now_ms - figures.started_ms)
    minutes = up_ms // _MINUTE_MS
    return f"{minutes // 1440}d, {minutes // 60 % 24}:{minutes % 60}"
