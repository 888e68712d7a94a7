"""What a cluster looks like at a moment: a row for each daemon, as text, as JSON, as a table kept current.

Owns putting together what the record, the operating system and the RM say. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cluster.cluster import Cluster, latest
from cluster.directory import ClusterRecord, NodeRecord
from yarn.records.node import NodeReport

_HEADINGS = ("DAEMON", "STATE", "PID", "ADDRESS", "RACK", "CONTAINERS", "MEMORY", "VCORES")


@dataclass(frozen=True, slots=True)
class Row:
    """One daemon. Numbers are None where the RM does not say."""

    name: str
    state: str
    pid: int | None
    address: str
    rack: str = ""
    containers: int | None = None
    used_mb: int | None = None
    total_mb: int | None = None
    used_vcores: int | None = None
    total_vcores: int | None = None

    def cells(self) -> tuple[str, ...]:
        """The row as text, in the order of the headings."""
        memory = "-" if self.total_mb is None else f"{self.used_mb}/{self.total_mb} MB"
        vcores = "-" if self.total_vcores is None else f"{self.used_vcores}/{self.total_vcores}"
        containers = "-" if self.containers is None else str(self.containers)
        pid = "-" if self.pid is None else str(self.pid)
        return (
            self.name,
            self.state,
            pid,
            self.address or "-",
            self.rack or "-",
            containers,
            memory,
            vcores,
        )


def look(cluster: Cluster) -> tuple[ClusterRecord, list[Row]]:
    """The record as it is now, and a row for each daemon."""
    record = cluster.run.load()
    alive = record.rm is not None and record.rm.is_alive()
    reports = cluster.nodes(record) if alive else None
    state = "STOPPED" if not alive else "STARTING" if reports is None else "RUNNING"
    rm = Row("rm", state, record.rm.pid if record.rm is not None and alive else None, record.rm_address)
    by_name = latest(reports or ())
    return record, [rm, *(_node_row(node, by_name.get(node.name)) for node in record.nodes.values())]


def _node_row(node: NodeRecord, report: NodeReport | None) -> Row:
    process = node.process if node.process is not None and node.process.is_alive() else None
    pid = None if process is None else process.pid
    if report is None or report.node_state is None:
        return Row(node.name, "STARTING" if process is not None else "STOPPED", pid, "", node.rack)
    state = report.node_state.name
    if process is None and state in ("RUNNING", "UNHEALTHY"):
        state = f"{state}, process ended"  # until the RM has missed it for long enough
    used, total = report.used, report.capability
    return Row(
        node.name,
        state,
        pid,
        str(report.node_id),
        report.rack_name or node.rack,
        report.num_containers,
        used.memory_mb if used else 0,
        total.memory_mb if total else 0,
        used.vcores if used else 0,
        total.vcores if total else 0,
    )


def as_text(rows: Sequence[Row]) -> str:
    """Columns under headings."""
    lines = [_HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_json(record: ClusterRecord, directory: str, rows: Iterable[Row]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "directory": directory,
        "running": record.is_running(),
        "scheduler": record.scheduler,
        "rm_address": record.rm_address,
        "web_address": record.web_address,
        "daemons": [asdict(row) for row in rows],
    }


def as_table(rows: Iterable[Row]) -> Any:
    """A table of rich's."""
    from rich.markup import escape  # only a terminal needs it, and it takes a while
    from rich.table import Table

    colours = {"RUNNING": "green", "STARTING": "yellow"}
    table = Table(*_HEADINGS, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        name, state, *others = map(escape, row.cells())
        table.add_row(name, f"[{colours.get(state, 'red')}]{state}[/]", *others)
    return table
