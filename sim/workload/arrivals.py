"""When jobs are submitted: at the times of the load, or as their users go on after what has ended.

Closed submission keeps what users did instead of when: jobs of a user that overlapped in the load are one
batch, and keep their distances; the next batch of the session follows a think time after the last job of the
one before has ended. A user who let pass more than 20 minutes has begun another session: it begins at the
time of the load, or when the one before is over. Zakay and Feitelson, "Preserving User Behavior
Characteristics in Trace-Based Simulation of Parallel Job Scheduling", MASCOTS 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from yarnbox.sim.load.jobs import Job

LONGEST_THINK_MS = 20 * 60_000
"""Who thinks for longer begins another session."""


class Arrival(NamedTuple):
    """A job and when it is submitted."""

    at_ms: int
    job: Job


class Arrivals(Protocol):
    """Tells what is submitted next."""

    def begin(self) -> Iterable[Arrival]:
        """What is known at the start."""
        ...

    def submitted(self) -> Iterable[Arrival]:
        """What is known when a job was submitted."""
        ...

    def ended(self, job: Job, now_ms: int) -> Iterable[Arrival]:
        """What is known when a job has ended or was refused."""
        ...


class AsTraced:
    """At the times of the load. No more than the next job is held in memory."""

    def __init__(self, jobs: Iterator[Job]) -> None:
        """The jobs stand in order of submission."""
        self._jobs = jobs

    def begin(self) -> Iterable[Arrival]:
        """The first job."""
        return self.submitted()

    def submitted(self) -> Iterable[Arrival]:
        """The next job."""
        job = next(self._jobs, None)
        return () if job is None else (Arrival(job.submit_ms, job),)

    def ended(self, job: Job, now_ms: int) -> Iterable[Arrival]:
        """Nobody waits for it."""
        return ()


@dataclass(slots=True)
class _Batch:
    """Jobs that a user submitted without waiting for one another."""

    begins_ms: int
    """In the load."""
    think_ms: int | None
    """After the end of the batch before; None: it begins a session."""
    jobs: list[Job] = field(default_factory=list)


@dataclass(slots=True)
class _User:
    batches: list[_Batch] = field(default_factory=list)
    """Those still to come, the next one last."""
    busy_until_ms: int = 0
    """When the last of the jobs so far ended, in the load."""
    left: int = 0
    """Jobs of the present batch that have not ended."""


class Closed:
    """As users go on after what has ended. All jobs are held in memory."""

    def __init__(self, jobs: Iterable[Job], time_alone: Callable[[Job], int]) -> None:
        """A job whose end the load does not tell is taken to have ended after `time_alone`."""
        self._users: dict[str, _User] = {}
        for job in jobs:
            self._note(job, max(job.end_ms, 0) or job.submit_ms + time_alone(job))
        for user in self._users.values():
            user.batches.reverse()

    def _note(self, job: Job, end_ms: int) -> None:
        user = self._users.setdefault(job.user, _User())
        if not user.batches or job.submit_ms >= user.busy_until_ms:
            think_ms: int | None = job.submit_ms - user.busy_until_ms
            if not user.batches or (think_ms or 0) > LONGEST_THINK_MS:
                think_ms = None
            user.batches.append(_Batch(job.submit_ms, think_ms))
        user.batches[-1].jobs.append(job)
        user.busy_until_ms = max(user.busy_until_ms, end_ms)

    def begin(self) -> Iterable[Arrival]:
        """The first batch of each user, in order of submission."""
        found = [arrival for user in self._users.values() for arrival in self._next_of(user, 0)]
        return sorted(found, key=lambda arrival: arrival.at_ms)

    def submitted(self) -> Iterable[Arrival]:
        """The rest of its batch is known already."""
        return ()

    def ended(self, job: Job, now_ms: int) -> Iterable[Arrival]:
        """The user's next batch, if that was the last job of the present one."""
        user = self._users[job.user]
        user.left -= 1
        return self._next_of(user, now_ms) if not user.left else ()

    def _next_of(self, user: _User, now_ms: int) -> Iterator[Arrival]:
        if not user.batches:
            return
        batch = user.batches.pop()
        user.left = len(batch.jobs)
        begins_ms = max(now_ms, batch.begins_ms) if batch.think_ms is None else now_ms + batch.think_ms
        for job in batch.jobs:
            yield Arrival(begins_ms + job.submit_ms - batch.begins_ms, job)
