"""Traces of SWIM, the Statistical Workload Injector for MapReduce: one job a line, bytes instead of tasks.

Six columns separated by tabs: id, submission in s, seconds since the one before, map input, shuffle and
reduce output in bytes. What SWIM does not say, how many tasks there are and how long they take, follows from
sizes and rates, in whole numbers, each division rounded up. Where the third column contradicts the second,
the second holds, and a warning says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from yarnbox.sim.load.jobs import (
    MAP,
    MAP_PRIORITY,
    REDUCE,
    REDUCE_PRIORITY,
    SMALL,
    InvalidTraceError,
    Job,
    Nodes,
    Task,
)
from yarnbox.sim.load.reading import Complaints, Read
from yarnbox.sim.load.text import lines, opened
from yarnbox.yarn.resources.resource import Resource

_COLUMNS = 6
_MS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SwimOptions:
    """How bytes become tasks."""

    split: int = 128 * 1024 * 1024
    """A map reads at most so many bytes."""
    reduce_size: int = 1024 * 1024 * 1024
    """A reduce takes in, a map puts out, at most so many."""
    rate: int = 64 * 1024 * 1024
    """Bytes that a task moves in a second."""
    startup_ms: int = 2000
    scale: int = 1
    """Bytes are divided by it first."""
    speedup: float = 1.0
    """Times of submission are divided by it."""
    max_maps: int | None = None
    """Fewer tasks than this; they take longer."""
    max_reduces: int | None = None
    map_resource: Resource = SMALL
    reduce_resource: Resource = SMALL
    am_resource: Resource = SMALL
    queues: tuple[str, ...] = ("default",)
    """The jobs are put into them in turn."""
    users: tuple[str, ...] = ("default",)


def up(amount: int, by: int) -> int:
    """Divides and rounds up."""
    return -(-amount // by)


class SwimFile:
    """One trace file."""

    def __init__(self, path: Path, options: SwimOptions) -> None:
        self._path, self._options = path, options

    def nodes(self) -> Nodes:
        """SWIM speaks of none."""
        return Nodes()

    def jobs(self, complaints: Complaints) -> Iterator[Read]:
        """The jobs, in the order of the lines."""
        called = str(self._path)
        with opened(self._path) as text:
            yield from _each(lines(text, called), called, self._options, complaints)


def read_swim(
    rows: Iterable[str], called: str, options: SwimOptions, warn: Callable[[str], None]
) -> Iterator[Job]:
    """The jobs of a trace, in the order of its lines."""
    complaints = Complaints()
    for _, job, _ in _each(rows, called, options, complaints):
        yield job
        while complaints.warnings:
            warn(complaints.warnings.pop(0))


def _each(rows: Iterable[str], called: str, options: SwimOptions, complaints: Complaints) -> Iterator[Read]:
    number, before_s = 0, 0
    for line, text in enumerate(rows, start=1):
        if not text.strip():
            continue
        where = f"{called}:{line}"
        words = text.rstrip("\r\n").split("\t")
        job_id = words[0]
        try:
            submit_s, gap_s, *sizes = _numbers(words, called, line)
            if submit_s < before_s:
                raise InvalidTraceError(
                    f"{where}: column 2 is {submit_s}, which is before the {before_s} of the line above"
                )
        except InvalidTraceError as error:
            complaints.drop(error)
            continue
        if submit_s - before_s != gap_s:
            complaints.warn(
                f"{where}: {job_id} comes {submit_s - before_s} s after the one before, not {gap_s} s"
            )
        before_s = submit_s
        yield Read(where, _job(job_id, submit_s, sizes, number, options))
        number += 1


def _numbers(words: list[str], called: str, line: int) -> list[int]:
    """What stands behind the id of a job."""
    if len(words) < _COLUMNS:
        raise InvalidTraceError(f"{called}:{line}: expected {_COLUMNS} columns, found {len(words)}")
    numbers = []
    for column, word in enumerate(words[1:_COLUMNS], start=2):
        if not (word.strip().isascii() and word.strip().isdigit()):
            raise InvalidTraceError(
                f"{called}:{line}: column {column} has to be a whole number of at least 0, not {word[:80]!r}"
            )
        numbers.append(int(word))
    return numbers


def _job(job_id: str, submit_s: int, sizes: list[int], number: int, options: SwimOptions) -> Job:
    given, shuffle, output = (up(size, options.scale) for size in sizes)
    map_output = shuffle if shuffle > 0 else output
    maps = max(1, up(given, options.split), up(map_output, options.reduce_size))
    reduces = 0 if shuffle == 0 else max(1, up(max(shuffle, output), options.reduce_size))
    maps = min(maps, options.max_maps or maps)
    reduces = min(reduces, options.max_reduces or reduces)
    map_ms = _duration_ms(up(given, maps) + up(map_output, maps), options)
    reduce_ms = _duration_ms(up(shuffle, reduces) + up(output, reduces), options) if reduces else 0
    reduce_tasks = [
        Task(
            stage=REDUCE,
            count=reduces,
            duration_ms=reduce_ms,
            resource=options.reduce_resource,
            priority=REDUCE_PRIORITY,
        )
    ]
    return Job(
        job_id=job_id,
        submit_ms=round(submit_s * _MS / options.speedup),
        queue=options.queues[number % len(options.queues)],
        user=options.users[number % len(options.users)],
        am_resource=options.am_resource,
        name=job_id,
        tasks=(
            Task(
                stage=MAP,
                count=maps,
                duration_ms=map_ms,
                resource=options.map_resource,
                priority=MAP_PRIORITY,
            ),
            *(reduce_tasks if reduces else ()),
        ),
    )


def _duration_ms(size: int, options: SwimOptions) -> int:
    return options.startup_ms + up(_MS * size, options.rate)
