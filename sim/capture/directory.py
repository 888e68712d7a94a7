"""A capture as a whole: conf/, nodes.json and load.jsonl, which appear together when all of it was read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from yarnbox.sim.capture.anonymous import Numbers, queue_paths
from yarnbox.sim.capture.applications import Application, Known, jobs_of
from yarnbox.sim.capture.configuration import CAPACITY, FAIR, as_xml, files_of
from yarnbox.sim.capture.mapreduce import mapreduce_tasks
from yarnbox.sim.capture.nodes import nodes_of, places_of
from yarnbox.sim.capture.source import (
    MAPREDUCE,
    NODE_LABELS,
    NODES,
    SPARK,
    NothingToCaptureError,
    Source,
    listed,
    of_application,
)
from yarnbox.sim.capture.spark import spark_tasks
from yarnbox.sim.capture.traced import TracedTasks
from yarnbox.sim.load.jobs import SMALL, TRACED, InvalidTraceError, Job
from yarnbox.sim.load.reading import Complaints
from yarnbox.sim.load.sls import nodes_as_sls, write_objects
from yarnbox.sim.load.yarnbox_format import write_load
from yarnbox.sim.reports.progress import Ticker
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.text.words import counted

LOAD, NODES_FILE, CONF = "load.jsonl", "nodes.json", "conf"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureOptions:
    """What is captured, and how."""

    am: Resource = SMALL
    """What an AM holds where nobody knows."""
    since_ms: int = 0
    is_anonymous: bool = False
    with_attempts: bool = False
    """Whether the attempts of MapReduce tasks are read, one request a task."""


@dataclass(slots=True)
class Captured:
    """What came of it."""

    nodes: int = 0
    jobs: int = 0
    traced: int = 0


def capture(
    source: Source, directory: Path, complaints: Complaints, options: CaptureOptions, ticker: Ticker
) -> Captured:
    """Reads a cluster and writes a directory that must not be there yet."""
    if directory.exists():
        raise InvalidTraceError(f"{directory}: exists already")
    answer = source.answer(NODES, is_needed=True)
    nodes = nodes_of(answer, source.answer(NODE_LABELS), f"{source.name}: nodes")
    files = files_of(source, is_anonymous=options.is_anonymous)
    found = Captured(nodes=len(nodes.nodes))
    history = _History(source, places_of(answer, nodes) if options.with_attempts else None)
    jobs = _Counted(found, _jobs(source, complaints, options, history, ticker))
    with _whole(directory) as place:
        numbers = Numbers() if options.is_anonymous else None
        written = iter(jobs) if numbers is None else map(numbers.job, jobs)
        write_load(place / LOAD, written)
        if not found.jobs:
            why = "contains no application that used resources"
            raise NothingToCaptureError(f"{source.name}: apps: {why}{complaints.left_out('application')}")
        if numbers is not None:
            nodes, files = numbers.nodes(nodes), _anonymous(files, numbers)
        (place / CONF).mkdir()
        for name, text in files.items():
            (place / CONF / name).write_text(text, encoding="utf-8")
        write_objects(place / NODES_FILE, nodes_as_sls(nodes))
    ticker.finish()
    return found


class _Counted:
    """Jobs on their way, counted."""

    def __init__(self, found: Captured, jobs: Iterator[Job]) -> None:
        self._found, self._jobs = found, jobs

    def __iter__(self) -> Iterator[Job]:
        for job in self._jobs:
            self._found.jobs += 1
            self._found.traced += job.fidelity == TRACED
            yield job


def _jobs(
    source: Source, complaints: Complaints, options: CaptureOptions, history: _History, ticker: Ticker
) -> Iterator[Job]:
    count = 0
    for page in source.applications(options.since_ms):
        count += len(page)
        if ticker.is_due():
            ticker.tell(f"{counted(count, 'application')} listed")
    zero_ms: int | None = None
    seen: set[str] = set()
    where = f"{source.name}: apps"
    for page in source.applications(options.since_ms):
        starts = [one["startedTime"] for one in page if isinstance(one.get("startedTime"), int)]
        if zero_ms is None and starts:
            zero_ms = min(starts)
        for job in jobs_of(page, where, complaints, am=options.am, ask=history.known, zero_ms=zero_ms):
            if job.job_id in seen:
                complaints.drop(InvalidTraceError(f"{where}: {job.job_id} is listed twice"))
                continue
            seen.add(job.job_id)
            yield job
            if ticker.is_due():
                ticker.tell(f"{history.asked} of {counted(count, 'application')} read")


class _History:
    """What the servers know of one application beside its sums."""

    def __init__(self, source: Source, places: Mapping[str, str] | None) -> None:
        self._source, self._places = source, places
        self.asked = 0

    def known(self, application: Application) -> Known:
        self.asked += 1
        application_id = application.application_id
        answer = self._source.answer(of_application(application_id, "appattempts"))
        attempts = listed(answer, "appAttempts", "appAttempt")
        return Known(traced=self._traced(application), attempts=len(attempts))

    def _traced(self, application: Application) -> TracedTasks | None:
        source, application_id = self._source, application.application_id
        if application.type == "MAPREDUCE" and source.has(MAPREDUCE):
            return mapreduce_tasks(source, application_id, self._places)
        if application.type == "SPARK" and source.has(SPARK):
            return spark_tasks(source, application_id, application.launched_ms)
        return None


def _anonymous(files: dict[str, str], numbers: Numbers) -> dict[str, str]:
    changed = dict(files)
    if CAPACITY in files:
        read = Configuration.parse(files[CAPACITY], CAPACITY)
        properties = {one.name: one.raw for one in read if one.name.startswith("yarn.scheduler.capacity.")}
        changed[CAPACITY] = as_xml(numbers.properties(properties, queue_paths(properties)))
    if FAIR in files:
        changed[FAIR] = numbers.fair(files[FAIR])
    return changed


@contextmanager
def _whole(directory: Path) -> Iterator[Path]:
    directory.parent.mkdir(parents=True, exist_ok=True)
    place = Path(mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    try:
        yield place
        place.chmod(0o755)
        os.rename(place, directory)
    finally:
        shutil.rmtree(place, ignore_errors=True)
