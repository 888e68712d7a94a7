"""Results as files: JSON and CSV. Each appears under its name when it is whole."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path
from textwrap import indent
from typing import Any, TextIO

from yarnbox.sim.reports.result import Evenness, JobResult, NodeResult, Result, Sample
from yarnbox.sim.workload.master import Running
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.storage.drafts import draft_of

JOB_COLUMNS = (*(one.name for one in fields(JobResult)), "response_ms", "slowdown", "size")
CONTAINER_COLUMNS = (
    "job",
    "container",
    "stage",
    "node",
    "locality",
    "memory_mb",
    "vcores",
    "priority",
    "started_ms",
    "ended_ms",
    "status",
)


@contextmanager
def made(directory: Path) -> Iterator[None]:
    """A directory that is there; one that was not is gone again when something went wrong."""
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    if directory.exists() and not directory.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is not a directory", str(directory))
    directory.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for one in missing:
            with suppress(OSError):  # somebody else has written there meanwhile
                one.rmdir()
        raise


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A file to write that takes its name when nothing went wrong; compressed where that ends in .gz."""
    with draft_of(path) as draft:
        if path.suffix != ".gz":
            with draft.open("w", encoding="utf-8", newline="") as file:
                yield file
            return
        with (
            draft.open("wb") as raw,
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="") as file,
        ):
            yield file


def json_pieces(result: Result) -> Iterator[str]:
    """One object: all figures, and the jobs; piece by piece, for jobs may be many."""
    figures = json.dumps({**result.data(), "rows": []}, indent=2)
    if not result.jobs:
        yield figures
        return
    yield figures.removesuffix("]\n}")
    between = "\n"
    for job in result.jobs:
        yield between + indent(json.dumps(job.row(), indent=2), "    ")
        between = ",\n"
    yield "\n  ]\n}"


def write_csv(directory: Path, result: Result) -> None:
    """jobs.csv, queues.csv (what each queue used over time), fairness.csv (over time) and nodes.csv."""
    _write(directory / "jobs.csv", JOB_COLUMNS, (job.row() for job in result.jobs))
    _write(directory / "queues.csv", _columns(Sample), (asdict(one) for one in result.samples))
    _write(directory / "fairness.csv", _columns(Evenness), (asdict(one) for one in result.fairness))
    _write(directory / "nodes.csv", _columns(NodeResult), (asdict(one) for one in result.nodes))


def _columns(kind: type[Any]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def _write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    with replacing(path) as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


class ContainerRows:
    """containers.csv: a row when a task's container has ended."""

    def __init__(self, file: TextIO) -> None:
        self._rows = csv.writer(file, lineterminator="\n")
        self._rows.writerow(CONTAINER_COLUMNS)

    def add(self, job: str, container_id: ContainerId, running: Running, status: int, now_ms: int) -> None:
        """One has ended."""
        container = running.container
        assert container.resource is not None
        self._rows.writerow(
            (
                job,
                container_id,
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
        )
