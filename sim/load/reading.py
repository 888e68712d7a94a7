"""What all readers share: default sizes, what becomes of a bad job, a job with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from yarnbox.sim.load.jobs import SMALL, InvalidTraceError, Job, Nodes
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.text.words import counted

NODE_RESOURCE = Resource(10240, 10)
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
