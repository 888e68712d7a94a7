"""What a cluster looks like at a moment: a row for each daemon, as text, as JSON, or as a table kept current.

Combines what the record, the operating system and the RM say. Changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from yarnbox.cluster.cluster import Cluster
from yarnbox.cluster.daemons import zookeeper
from yarnbox.cluster.daemons.reports import latest
from yarnbox.cluster.daemons.several import state_of
from yarnbox.cluster.directory import ClusterRecord, NodeRecord, RMRecord
from yarnbox.cluster.hosts.launching import HISTORY
from yarnbox.cluster.processes import ProcessId
from yarnbox.rm.edge.store import FILE as STORE_FILE
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.storage import sealed_store
from yarnbox.yarn.text.words import aligned

RUNNING, STARTING, STOPPED, WAITING, NOT_ANSWERING = (
    "RUNNING",
    "STARTING",
    "STOPPED",
    "WAITING",
    "NOT ANSWERING",
)
ZOOKEEPER = "zookeeper"
STARTING_S = 60.0
"""Who has not been heard of for so long is not called starting any more."""
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
    reason: str = ""
    """Why it is not RUNNING, or not as it should be, in one line, if that is known."""

    def cells(self) -> tuple[str, ...]:
        """The row as text, in the order of the headings."""
        memory = "-" if self.total_mb is None else f"{self.used_mb}/{self.total_mb} MiB"
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
    alive = any(process is not None and process.is_alive() for process in _rms(record))
    reports = cluster.nodes(record) if alive else None
    rm = _rm_row(cluster, record, is_alive=alive, answers=reports is not None)
    by_name = latest(reports or ())
    running, trouble = cluster.running_nodes(record)

    def row_of(node: NodeRecord) -> Row:
        process = node.process if node.name in running else None
        known = [by_name[host] for host in node.hosts if host in by_name]
        return _node_row(cluster, node, process, known, rm, trouble)

    return record, [
        *([rm] if not record.rms else [_one_of_several(cluster, record, one) for one in record.rms.values()]),
        *_zookeeper_rows(cluster, record),
        *_history_rows(cluster, record),
        *map(row_of, record.nodes.values()),
    ]


def _rm_row(cluster: Cluster, record: ClusterRecord, *, is_alive: bool, answers: bool) -> Row:
    process, address = next((one for one in _rms(record) if one is not None), None), record.rm_address
    if process is None or not is_alive:
        return Row("rm", STOPPED, None, address, reason=cluster.exit_reason("rm", process))
    if answers:
        return Row("rm", RUNNING, process.pid, address, reason=_of_its_store(cluster))
    if process.age_s() < STARTING_S:
        return Row("rm", STARTING, process.pid, address)
    reason = f"its process runs, but does not answer; see {cluster.run.logs / 'rm.log'}"
    return Row("rm", NOT_ANSWERING, process.pid, address, reason=reason)


def _rms(record: ClusterRecord) -> list[ProcessId | None]:
    return [rm.process for rm in record.rms.values()] or [record.rm]


def _one_of_several(cluster: Cluster, record: ClusterRecord, rm: RMRecord) -> Row:
    process = rm.process
    if process is None or not process.is_alive():
        return Row(rm.name, STOPPED, None, rm.address, reason=cluster.exit_reason(rm.name, process))
    state = state_of(rm, cluster.tls(record))
    if state is not None:
        return Row(rm.name, state.name, process.pid, rm.address)
    if process.age_s() < STARTING_S:
        return Row(rm.name, STARTING, process.pid, rm.address)
    reason = f"its process runs, but does not answer; see {cluster.run.logs / f'{rm.name}.log'}"
    return Row(rm.name, NOT_ANSWERING, process.pid, rm.address, reason=reason)


def _zookeeper_rows(cluster: Cluster, record: ClusterRecord) -> list[Row]:
    process, address = record.zookeeper, record.zookeeper_address
    if process is None or address is None:
        return []
    if not process.is_alive():
        return [Row(ZOOKEEPER, STOPPED, None, address)]
    if zookeeper.is_well(Address.parse(address).port):
        return [Row(ZOOKEEPER, RUNNING, process.pid, address)]
    reason = f"its process runs, but does not answer; see {cluster.run.logs / 'zookeeper.out'}"
    return [Row(ZOOKEEPER, NOT_ANSWERING, process.pid, address, reason=reason)]


def _history_rows(cluster: Cluster, record: ClusterRecord) -> list[Row]:
    process, address = record.history, record.history_address
    if address is None:
        return []
    if process is None or not process.is_alive():
        return [Row(HISTORY, STOPPED, None, address, reason=cluster.exit_reason(HISTORY, process))]
    return [Row(HISTORY, RUNNING, process.pid, address)]


def _of_its_store(cluster: Cluster) -> str:
    """That entries of the state store are set aside, if any are."""
    count = sealed_store.count_set_aside(cluster.run.state / STORE_FILE)
    if not count:
        return ""
    entries = "1 stored entry is" if count == 1 else f"{count} stored entries are"
    return f"{entries} set aside because they cannot be read; `yarnbox check-state` names them"


def _node_row(
    cluster: Cluster,
    node: NodeRecord,
    process: ProcessId | None,
    reports: Sequence[NodeReport],
    rm: Row,
    trouble: str,
) -> Row:
    """Of a node whose process is this one, if it runs, with what the RM knows of it, or of each node that it
    is. `trouble`: why nobody knows whether it runs.
    """
    pid = None if process is None else process.pid
    reason = trouble or (cluster.exit_reason(node.name, node.process) if process is None else "")
    if not reports:
        state = STOPPED
        if process is not None:
            state, reason = _not_registered(cluster, node.name, process, rm)
        return Row(node.name, state, pid, "", node.rack, reason=reason)
    state = _state_of(reports)
    if process is None and not trouble and state in ("RUNNING", "UNHEALTHY"):
        state = f"{state}, process ended"  # until the RM has missed it for long enough
    elif state == RUNNING:
        reason = trouble
    used = [one.used for one in reports if one.used]
    total = [one.capability for one in reports if one.capability]
    first, more = reports[0], f" and {len(reports) - 1} more" if len(reports) > 1 else ""
    return Row(
        node.name,
        state,
        pid,
        f"{first.node_id}{more}",
        first.rack_name or node.rack,
        sum(one.num_containers or 0 for one in reports),
        sum(one.memory_mb for one in used),
        sum(one.memory_mb for one in total),
        sum(one.vcores for one in used),
        sum(one.vcores for one in total),
        reason,
    )


def _state_of(reports: Iterable[NodeReport]) -> str:
    """That of one node; how many are in which state, if there are several and they differ."""
    count = Counter(report.node_state.name for report in reports if report.node_state is not None)
    if len(count) == 1:
        return next(iter(count))
    return ", ".join(f"{number} {state}" for state, number in count.items())


def _not_registered(cluster: Cluster, name: str, process: ProcessId, rm: Row) -> tuple[str, str]:
    """State and reason of a node that runs and that the RM does not know."""
    if rm.state in (STOPPED, NOT_ANSWERING):
        return WAITING, "the ResourceManager does not answer it"
    if rm.state == STARTING or process.age_s() < STARTING_S:
        return STARTING, ""
    return WAITING, f"it has not registered with the ResourceManager; see {cluster.run.logs / f'{name}.log'}"


def as_text(rows: Sequence[Row]) -> str:
    """Columns under headings, and below them why a daemon does not run."""
    lines = [_HEADINGS, *(row.cells() for row in rows)]
    return "\n".join([*aligned(lines), *_reasons(rows)])


def _reasons(rows: Iterable[Row]) -> list[str]:
    return [f"{row.name}: {row.state}: {row.reason}" for row in rows if row.reason]


def is_running(rows: Iterable[Row]) -> bool:
    """Whether any daemon runs."""
    return any(row.pid is not None for row in rows)


def as_json(record: ClusterRecord, directory: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "directory": directory,
        "running": is_running(rows),
        "scheduler": record.scheduler,
        "rm_address": record.rm_address,
        "web_address": record.web_address,
        "daemons": [asdict(row) for row in rows],
    }


def as_table(rows: Sequence[Row]) -> Any:
    """A table of rich's."""
    from rich.markup import escape  # only a terminal needs it, and it takes a while
    from rich.table import Table

    colours = {RUNNING: "green", "ACTIVE": "green", "STANDBY": "cyan", STARTING: "yellow", WAITING: "yellow"}
    why = escape("\n".join(_reasons(rows))) or None
    table = Table(
        *_HEADINGS, box=None, header_style="bold", pad_edge=False, caption=why, caption_justify="left"
    )
    for row in rows:
        name, state, *others = map(escape, row.cells())
        table.add_row(name, f"[{colours.get(state, 'red')}]{state}[/]", *others)
    return table
