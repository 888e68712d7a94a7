"""Loads of all formats: which file is read how, checked as a whole before anything is played, then streamed.

The first reading looks at every job: that it is sound, that jobs stand in order of submission, that hosts in
tasks are nodes. Files in order are read again while they are played; of others the jobs are kept and sorted.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from yarnbox.sim.load.jobs import (
    MAP,
    MAPREDUCE,
    REDUCE,
    InvalidTraceError,
    Job,
    Nodes,
    NodeSpec,
    spec_of_place,
    united,
)
from yarnbox.sim.load.reading import Complaints, Defaults, Identifiers, JobsInOrder, Read, Source
from yarnbox.sim.load.rumen import FIRST, RumenFile
from yarnbox.sim.load.sls import SLSFile, read_nodes
from yarnbox.sim.load.swim import SwimFile, SwimOptions
from yarnbox.sim.load.synth import SynthFile
from yarnbox.sim.load.yarnbox_format import OwnFile

_SUFFIXES = {".tsv": "SWIM", ".jsonl": "YARNBOX"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """What the command line says of how files are read."""

    defaults: Defaults = field(default_factory=Defaults)
    swim: SwimOptions = field(default_factory=SwimOptions)
    rumen_baseline: str = FIRST
    every_attempt: bool = False
    synth_time_unit: str | None = None
    synth_seed: int | None = None
    is_lenient: bool = False
    nodes: Path | None = None
    limit: int | None = None
    """The first so many jobs alone."""
    tell: Callable[[int], None] = lambda count: None
    """Is told again and again how many jobs have been looked at."""


FORMATS: Mapping[str, Callable[[Path, LoadOptions], Source]] = {
    "SLS": lambda path, options: SLSFile(path, options.defaults),
    "RUMEN": lambda path, options: RumenFile(
        path, options.defaults, options.rumen_baseline, every_attempt=options.every_attempt
    ),
    "SYNTH": lambda path, options: SynthFile(
        path, options.defaults, options.synth_time_unit, options.synth_seed
    ),
    "SWIM": lambda path, options: SwimFile(path, options.swim),
    "YARNBOX": lambda path, options: OwnFile(path),
}


IN_ORDER = ("SYNTH", "SWIM", "YARNBOX")
"""Formats whose jobs always stand in order of submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A load that is sound. Each call of `jobs` gives them anew, in order of submission."""

    jobs: Callable[[], Iterator[Job]]
    count: int
    last_submit_ms: int
    nodes: Nodes = field(default_factory=Nodes)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By user, as the jobs say."""
    queues: tuple[str, ...] = ()
    """That jobs name, in order of appearance."""
    dropped: int = 0
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    warned: int = 0

    @classmethod
    def of(cls, jobs: Iterable[Job], nodes: Nodes | None = None) -> Load:
        """A load of jobs that are at hand."""
        ordered = sorted(jobs, key=lambda job: job.submit_ms)
        survey = _Survey(None)
        for job in ordered:
            survey.admit(Read(f"job {job.job_id}", job), (0, survey.count))
            survey.look(job)
        return survey.load(lambda: iter(ordered), united([nodes or Nodes(), survey.named()]), Complaints())


def format_of(path: Path) -> str | None:
    """The format that a file's name tells; None where it tells nothing."""
    name = path.name.removesuffix(".gz")
    return _SUFFIXES.get(Path(name).suffix)


def read_load(
    paths: Sequence[Path | str] | Path | str, tracetype: str | None = None, options: LoadOptions | None = None
) -> Load:
    """The load of one or several files; InvalidTraceError where one of them is wrong.

    Without a format that of the first file's name holds: .tsv is SWIM, .jsonl YARNBOX.
    """
    options = options or LoadOptions()
    files = [Path(one) for one in ([paths] if isinstance(paths, str | Path) else paths)]
    kind = tracetype or format_of(files[0])
    if kind is None and files[0].is_dir():
        raise InvalidTraceError(f"{files[0]}: is a directory; a load is a file")
    if kind is None and not files[0].exists():
        raise InvalidTraceError(f"{files[0]}: there is no such file")
    if kind is None:
        raise InvalidTraceError(
            f"{files[0]}: the format cannot be told from its name: --tracetype names it, one of "
            f"{', '.join(FORMATS)}"
        )
    complaints = Complaints(options.is_lenient)
    known = None if options.nodes is None else read_nodes(options.nodes, options.defaults, complaints)
    sources = [FORMATS[kind](path, options) for path in files]
    survey = _Survey(known, options.nodes)
    enough = options.limit if kind in IN_ORDER and len(sources) == 1 else None
    try:
        kept = _first_reading(sources, survey, complaints, options, enough)
    except sqlite3.Error as error:
        raise InvalidTraceError(f"temporary file for {', '.join(map(str, files))}: {error}") from None
    if not survey.count:
        names = ", ".join(map(str, files))
        raise InvalidTraceError(f"{names}: contains no jobs" + complaints.left_out("job"))
    nodes = known or united([*(source.nodes() for source in sources), survey.named()])

    def again() -> Iterator[Job]:
        if kept is not None:
            return kept.jobs(options.limit)
        silent = Complaints(options.is_lenient)
        files = (_sound(place, one, survey, silent) for place, one in enumerate(sources))
        merged = heapq.merge(*files, key=_submission)
        return islice(merged, options.limit)

    return survey.load(again, nodes, complaints)


def _submission(job: Job) -> int:
    return job.submit_ms


Position = tuple[int, int]
"""Of a job: which file of the load, and which of the file's jobs."""


def _reads(place: int, source: Source, complaints: Complaints) -> Iterator[tuple[Position, Read]]:
    """The jobs of a file. Running numbers begin anew in each, so from the second on they name the file."""
    for number, read in enumerate(source.jobs(complaints)):
        if place and read.is_numbered:
            job_id = f"{place + 1}/{read.job.job_id}"
            read = read._replace(job=replace(read.job, job_id=job_id, name=job_id))
        yield (place, number), read


def _sound(place: int, source: Source, survey: _Survey, complaints: Complaints) -> Iterator[Job]:
    for position, read in _reads(place, source, complaints):
        try:
            survey.check(read)
        except InvalidTraceError as error:
            complaints.drop(error)
            continue
        if position not in survey.repeated:
            yield read.job


def _first_reading(
    sources: Sequence[Source],
    survey: _Survey,
    complaints: Complaints,
    options: LoadOptions,
    enough: int | None,
) -> JobsInOrder | None:
    """Looks at every job; the jobs in order of submission where the files do not have them so."""
    ordered = True
    for place, source in enumerate(sources):
        before_ms, taken = 0, 0
        for position, read in _reads(place, source, complaints):
            if taken == enough:
                break
            try:
                survey.check(read)
                survey.admit(read, position)
            except InvalidTraceError as error:
                complaints.drop(error)
                continue
            ordered = ordered and read.job.submit_ms >= before_ms
            before_ms = read.job.submit_ms
            taken += 1
            survey.look(read.job)
            options.tell(survey.count)
    survey.forget_ids()
    if ordered and options.limit == enough:
        return None
    silent, kept = Complaints(complaints.is_lenient), JobsInOrder()
    for place, source in enumerate(sources):
        for job in _sound(place, source, survey, silent):
            kept.add(job)
    survey.begin_anew()
    for job in kept.jobs(options.limit):
        survey.look(job)
    return kept


class _Survey:
    """What the first reading finds out."""

    def __init__(self, known: Nodes | None, file: Path | None = None) -> None:
        self._known = None if known is None else {node.place: None for node in known.nodes}
        self._file = file
        self._ids = Identifiers()
        self.repeated: set[Position] = set()
        """Jobs with the id of one before, left out."""
        self.begin_anew()

    def begin_anew(self) -> None:
        self.count, self._last_ms = 0, 0
        self._hosts: dict[str, NodeSpec] = {}
        self._places: dict[str, NodeSpec] = {}
        """The same, by `/rack/host`: those that tasks of sound jobs have named."""
        self._groups: dict[str, tuple[str, ...]] = {}
        self._queues: dict[str, None] = {}

    def check(self, read: Read) -> None:
        """Refuses a task at a host that is no node."""
        for number, task in enumerate(read.job.tasks):
            if read.job.model == MAPREDUCE and task.stage not in (MAP, REDUCE):
                said = f"{read.job.job_id}: task {number}: is {MAP} or {REDUCE}, not {task.stage!r}"
                raise InvalidTraceError(f"{read.where}: {said}")
            for place in task.places:
                if place in self._places:
                    continue
                if self._known is not None and place not in self._known:
                    said = f"{read.job.job_id}: task {number}: {place} is not a node of {self._file}"
                    raise InvalidTraceError(f"{read.where}: {said}")
                spec = self._hosts.get(place.rpartition("/")[2])
                if spec is not None and spec.place != place:
                    said = f"{read.job.job_id}: task {number}: {place} is {spec.place} elsewhere"
                    raise InvalidTraceError(f"{read.where}: {said}")

    def admit(self, read: Read, position: Position) -> None:
        """Refuses a job whose id another one has."""
        job_id = read.job.job_id
        if not self._ids.add(job_id):
            self.repeated.add(position)
            raise InvalidTraceError(f"{read.where}: {job_id!r} is the id of a job before it, too")

    def forget_ids(self) -> None:
        """The first reading is over."""
        self._ids = Identifiers()

    def look(self, job: Job) -> None:
        """A job that is sound."""
        self.count += 1
        self._last_ms = max(self._last_ms, job.submit_ms)
        self._queues[job.queue] = None
        if job.groups:
            self._groups[job.user] = job.groups
        for task in job.tasks:
            for place in task.places:
                if place not in self._places:
                    spec = self._places[place] = spec_of_place(place)
                    self._hosts.setdefault(spec.host, spec)

    def named(self) -> Nodes:
        """The nodes that tasks name."""
        return Nodes(nodes=tuple(self._hosts.values()))

    def load(self, jobs: Callable[[], Iterator[Job]], nodes: Nodes, complaints: Complaints) -> Load:
        return Load(
            jobs=jobs,
            count=self.count,
            last_submit_ms=self._last_ms,
            nodes=nodes,
            groups=dict(self._groups),
            queues=tuple(self._queues),
            dropped=complaints.dropped,
            faults=tuple(complaints.told),
            warnings=tuple(complaints.warnings),
            warned=complaints.warned,
        )
