"""What a run comes to, in figures that two runs can be compared by.

The makespan is from the first submission to the end of the last application, or to the end of the run where
one never ended. An application has waited from its submission to its first container, its AM's left out. A
sample holds until the next one; averages are over time, from the first submission to the end of the makespan.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from yarnbox.sim.recording.shape import Figures, QueueFigures

_PREEMPTED = -102


@dataclass(slots=True)
class _Life:
    queue: str
    submitted: int
    first_container: int | None = None
    finished: int | None = None


@dataclass(slots=True)
class _Average:
    """A mean over time of something that is not always known."""

    total: float = 0.0
    span: int = 0

    def add(self, value: float | None, span: int) -> None:
        if value is not None and span > 0:
            self.total += value * span
            self.span += span

    def mean(self) -> float | None:
        return round(self.total / self.span, 4) if self.span else None


@dataclass(slots=True)
class _Sum:
    """The applications of a queue that are forgotten: what they come to."""

    apps: int = 0
    unserved: int = 0
    unserved_since: int = 0
    """When those that never had a container were submitted, added up."""
    first_unserved: int | None = None
    waited: int = 0
    longest_wait: int | None = None
    lived: int = 0

    def add(self, life: _Life, finished: int) -> None:
        self.apps += 1
        self.lived += finished - life.submitted
        if life.first_container is None:
            self.unserved += 1
            self.unserved_since += life.submitted
            since = self.first_unserved
            self.first_unserved = life.submitted if since is None else min(since, life.submitted)
            return
        wait = life.first_container - life.submitted
        self.waited += wait
        self.longest_wait = max(wait, self.longest_wait or 0)


@dataclass(slots=True)
class Tally:
    """Counts while a run goes on."""

    lives: dict[str, _Life] = field(default_factory=dict)
    """Applications that the ResourceManager remembers."""
    sums: dict[str, _Sum] = field(default_factory=dict)
    """Those that it has forgotten, by queue."""
    containers: dict[str, int] = field(default_factory=dict)
    """By queue."""
    preempted: dict[str, int] = field(default_factory=dict)
    averages: dict[str, _Average] = field(default_factory=dict)
    _unfinished: int = 0
    _first: int | None = None
    """When the first of the forgotten was submitted."""
    _latest: int = 0
    """When the last of the forgotten ended."""
    _last: tuple[int, dict[str, float | None]] | None = None

    def submitted(self, app: str, queue: str, at: int) -> None:
        """An application is there."""
        if app not in self.lives:
            self.lives[app] = _Life(queue, at)
            self._unfinished += 1

    def finished(self, app: str, at: int) -> None:
        """It has ended, however it did."""
        if app in self.lives and self.lives[app].finished is None:
            self.lives[app].finished = at
            self._unfinished -= 1

    def forget(self, app: str) -> None:
        """Nothing more will be told of it."""
        life = self.lives.get(app)
        if life is not None and life.finished is not None:
            self.sums.setdefault(life.queue, _Sum()).add(life, life.finished)
            self._first = life.submitted if self._first is None else min(self._first, life.submitted)
            self._latest = max(self._latest, life.finished)
            del self.lives[app]

    def container(self, app: str, queue: str, at: int) -> None:
        """It was given a container."""
        self.containers[queue] = self.containers.get(queue, 0) + 1
        life = self.lives.get(app)
        if life is not None and life.first_container is None:
            life.first_container, life.queue = at, queue

    def ended(self, queue: str, exit_status: int) -> None:
        """A container has ended."""
        if exit_status == _PREEMPTED:
            self.preempted[queue] = self.preempted.get(queue, 0) + 1

    def sample(self, at: int, values: dict[str, float | None]) -> None:
        """How things are from that moment on."""
        if self._last is not None:
            since, before = self._last
            for name, value in before.items():
                self.averages.setdefault(name, _Average()).add(value, at - since)
        self._last = (at, values) if (self.lives or self.sums) and not self._is_over() else None

    def _is_over(self) -> bool:
        return bool(self.lives or self.sums) and not self._unfinished

    def result(self, end: int) -> Figures:
        """All figures, at the end of the run."""
        lives = list(self.lives.values())
        firsts = [one.submitted for one in lives] + ([] if self._first is None else [self._first])
        last = max((end if one.finished is None else one.finished for one in lives), default=0)
        queues = sorted({*(one.queue for one in lives), *self.sums, *self.containers})
        forgotten = sum(one.apps for one in self.sums.values())
        return {
            "makespan": max(last, self._latest) - min(firsts, default=0),
            "isComplete": self._is_over(),
            "apps": forgotten + len(lives),
            "finished": forgotten + sum(one.finished is not None for one in lives),
            "containers": sum(self.containers.values()),
            "preempted": sum(self.preempted.values()),
            "averages": {name: one.mean() for name, one in self.averages.items()},
            "queues": {path: self._of_queue(path, end) for path in queues},
        }

    def _of_queue(self, path: str, end: int) -> QueueFigures:
        lives = [one for one in self.lives.values() if one.queue == path]
        past = self.sums.get(path, _Sum())
        waits = [
            (end if one.first_container is None else one.first_container) - one.submitted for one in lives
        ]
        longest = [*waits, *([] if past.longest_wait is None else [past.longest_wait])]
        if past.first_unserved is not None:
            longest.append(end - past.first_unserved)
        runs = [one.finished - one.submitted for one in lives if one.finished is not None]
        apps, finished = past.apps + len(lives), past.apps + len(runs)
        waited = sum(waits) + past.waited + past.unserved * end - past.unserved_since
        return {
            "apps": apps,
            "finished": finished,
            "neverServed": past.unserved + sum(one.first_container is None for one in lives),
            "wait": _mean(waited, apps),
            "longestWait": max(longest, default=None),
            "life": _mean(sum(runs) + past.lived, finished),
            "containers": self.containers.get(path, 0),
            "preempted": self.preempted.get(path, 0),
        }


def _mean(total: int, count: int) -> int | None:
    return round(total / count) if count else None
