"""Results as tables in files, by CSV; parquet.py has the other kind of file.

A column that never came about is empty in CSV and null in Parquet.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from yarnbox.sim.reports.files import replacing
from yarnbox.sim.reports.result import Evenness, JobResult, NodeResult, Result, Sample
from yarnbox.sim.workload.master import Running
from yarnbox.yarn.ids import ContainerId

AddRow = Callable[[Sequence[object]], object]


@dataclass(frozen=True, slots=True)
class Table:
    """Its name, and its columns, each of int, float or str."""

    name: str
    columns: Mapping[str, type]


def _columns(kind: type[Any]) -> dict[str, type]:
    hints = get_type_hints(kind)
    return {one.name: (get_args(hints[one.name]) or (hints[one.name],))[0] for one in fields(kind)}


JOBS = Table("jobs", {**_columns(JobResult), "response_ms": int, "slowdown": float, "size": str})
CONTAINERS = Table(
    "containers",
    {
        "job": str,
        "container": str,
        "stage": str,
        "node": str,
        "locality": str,
        "memory_mb": int,
        "vcores": int,
        "priority": int,
        "started_ms": int,
        "ended_ms": int,
        "status": int,
    },
)
QUEUES = Table("queues", _columns(Sample))
FAIRNESS = Table("fairness", _columns(Evenness))
NODES = Table("nodes", _columns(NodeResult))

TableFile = Callable[[Path, Table], AbstractContextManager[AddRow]]
"""A kind of file: opens the one of a table in a directory."""


@contextmanager
def csv_file(directory: Path, table: Table) -> Iterator[AddRow]:
    """TABLE.csv, whole when the block has ended."""
    with replacing(directory / f"{table.name}.csv") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(table.columns)
        yield rows.writerow


def write_tables(directory: Path, kind: TableFile, result: Result) -> None:
    """All tables but that of containers: jobs, nodes, and over time queues and fairness."""
    _write(directory, kind, JOBS, (tuple(job.row().values()) for job in result.jobs))
    _write(directory, kind, QUEUES, map(astuple, result.samples))
    _write(directory, kind, FAIRNESS, map(astuple, result.fairness))
    _write(directory, kind, NODES, map(astuple, result.nodes))


def _write(directory: Path, kind: TableFile, table: Table, rows: Iterable[Sequence[object]]) -> None:
    with kind(directory, table) as add:
        for row in rows:
            add(row)


class ContainerRows:
    """The table of containers: a row when a task's container has ended."""

    def __init__(self, files: Sequence[AddRow]) -> None:
        self._files = files

    def add(self, job: str, container_id: ContainerId, running: Running, status: int, now_ms: int) -> None:
        """One has ended."""
        container = running.container
        assert container.resource is not None
        row = (
            job,
            str(container_id),
            running.batch.task.stage,
            running.node_id.host,
            running.locality,
            container.resource.memory_mb,
            container.resource.vcores,
            container.priority,
            running.started_ms,
            now_ms,
            status,
        )
        for add in self._files:
            add(row)
