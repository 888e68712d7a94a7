"""What all readers share: default sizes, what becomes of a bad job, a job with the place where it stands; and
what is known of all jobs of a load, however many they are.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from yarnbox.sim.load.jobs import SMALL, InvalidTraceError, Job, Nodes
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.storage.temporary import temporary_table
from yarnbox.yarn.text.words import counted

NODE_RESOURCE = Resource(10240, 10)
MOST_IDS, MOST_JOBS = 100_000, 50_000
"""So many ids, or jobs to be sorted, are held in memory. The others are in temporary files."""
_MOST_TOLD = 5
_MOST_WARNINGS = 20


class Read(NamedTuple):
    """A job and where it was read: file and line."""

    where: str
    job: Job
    is_numbered: bool = False
    """Whether its id is a running number of its file, which names no id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds where a file says nothing: Hadoop's sls-runner.xml."""

    task: Resource = SMALL
    am: Resource = SMALL
    node: Resource = NODE_RESOURCE


@dataclass(slots=True)
class Complaints:
    """What was wrong: a bad job is an error, or with `is_lenient` left out and counted."""

    is_lenient: bool = False
    dropped: int = 0
    told: list[str] = field(default_factory=list)
    """The first faults of jobs that were left out."""
    warned: int = 0
    warnings: list[str] = field(default_factory=list)
    """The first ones."""

    def drop(self, error: InvalidTraceError) -> None:
        """A job is bad."""
        if not self.is_lenient:
            raise error
        self.dropped += 1
        if len(self.told) < _MOST_TOLD:
            self.told.append(str(error))

    def left_out(self, what: str) -> str:
        """How many were left out, at the end of a sentence; "" for none."""
        if not self.dropped:
            return ""
        return f"; {counted(self.dropped, f'bad {what}')} left out, the first: {self.told[0]}"

    def warn(self, text: str) -> None:
        """Something is odd, and nothing depends on it."""
        self.warned += 1
        if len(self.warnings) < _MOST_WARNINGS:
            self.warnings.append(text)


class Source(Protocol):
    """One file of a format. The jobs are read anew at each call; the nodes are known after the first."""

    def jobs(self, complaints: Complaints) -> Iterator[Read]:
        """The jobs, as they stand in the file."""
        ...

    def nodes(self) -> Nodes:
        """The nodes that the file itself speaks of, those that tasks name left out."""
        ...


class Identifiers:
    """The ids of a load, each of which may occur once."""

    def __init__(self) -> None:
        self._latest: set[str] = set()
        self._others: sqlite3.Connection | None = None

    def add(self, job_id: str) -> bool:
        """Whether it is a new one."""
        if job_id in self._latest:
            return False
        if self._others is not None:
            query = "SELECT 1 FROM id WHERE name = ?"
            if self._others.execute(query, (job_id,)).fetchone() is not None:
                return False
        self._latest.add(job_id)
        if len(self._latest) == MOST_IDS:
            self._others = self._others or temporary_table("id (name TEXT PRIMARY KEY) WITHOUT ROWID")
            self._others.executemany("INSERT INTO id VALUES (?)", ((one,) for one in sorted(self._latest)))
            self._latest.clear()
        return True


class JobsInOrder:
    """Jobs in the order of their submission; those of one moment as they came."""

    def __init__(self) -> None:
        self._held: list[Job] = []
        self._others: sqlite3.Connection | None = None
        self._count = 0

    def add(self, job: Job) -> None:
        self._held.append(job)
        if len(self._held) == MOST_JOBS:
            definition = "job (submit_ms INTEGER, place INTEGER, data BLOB, PRIMARY KEY (submit_ms, place))"
            self._others = self._others or temporary_table(f"{definition} WITHOUT ROWID")
            self._move(self._others)

    def jobs(self, limit: int | None) -> Iterator[Job]:
        """The first so many, or all."""
        if self._others is None:
            yield from sorted(self._held, key=lambda job: job.submit_ms)[:limit]
            return
        self._move(self._others)
        query = "SELECT data FROM job ORDER BY submit_ms, place LIMIT ?"
        for (data,) in self._others.execute(query, (-1 if limit is None else limit,)):
            yield pickle.loads(data)

    def _move(self, to: sqlite3.Connection) -> None:
        for job in self._held:
            row = (job.submit_ms, self._count, pickle.dumps(job, pickle.HIGHEST_PROTOCOL))
            to.execute("INSERT INTO job VALUES (?, ?, ?)", row)
            self._count += 1
        self._held.clear()
