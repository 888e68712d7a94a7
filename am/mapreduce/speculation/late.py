"""LATE: the attempt that will end last gets a second one, if it is slow, and not on a slow node.

After Zaharia, Konwinski, Joseph, Katz and Stoica, "Improving MapReduce Performance in Heterogeneous
Environments" (OSDI 2008), where a node asks for work; an ApplicationMaster of YARN cannot choose, so it gives
a container on a slow node back, some times, and takes what it gets after that. Hadoop has nothing like it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from yarnbox.am.mapreduce.app.attempt import Attempt, AttemptState
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.events import SpeculatorAttemptStart, SpeculatorEvent
from yarnbox.am.mapreduce.app.job import Job
from yarnbox.am.mapreduce.app.task import Task
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.speculation.speculator import Speculator

LARGEST_REFUSALS = 3
"""So often an attempt's container is given back."""

_ON_A_NODE = (AttemptState.ASSIGNED, AttemptState.RUNNING, AttemptState.COMMIT_PENDING)


class LateSpeculator(Speculator):
    """By the time that is left."""

    def __init__(self, context: Context, job: Job) -> None:
        super().__init__(context, job)
        self._refusals: dict[TaskAttemptId, int] = {}
        self._started_ms: dict[TaskAttemptId, int] = {}

    def handle(self, event: SpeculatorEvent) -> None:
        """Since when attempts run, too."""
        if isinstance(event, SpeculatorAttemptStart):
            self._started_ms[event.attempt_id] = event.time_ms
        else:
            super().handle(event)

    def refuses(self, attempt_id: TaskAttemptId, host: str) -> bool:
        """A speculative attempt does not go where the first one is, nor to a slow node."""
        task = self._job.task(attempt_id.task_id)
        if not task.attempts[attempt_id].is_speculative:
            return False
        refusals = self._refusals.get(attempt_id, 0)
        beside = (task.attempts[other] for other in task.live if other != attempt_id)
        is_unwelcome = self._is_slow(host) or any(_host(attempt) == host for attempt in beside)
        if not is_unwelcome or refusals == LARGEST_REFUSALS:
            return False
        self._refusals[attempt_id] = refusals + 1
        return True

    def _choose(self, type_: TaskType, tasks: Sequence[Task]) -> TaskId | None:
        settings = self._settings
        on_nodes = [attempt for attempt in self._live() if attempt.state in _ON_A_NODE]
        speculative = sum(attempt.is_speculative for attempt in self._live())
        if speculative >= max(1, int(settings.cap_running * len(on_nodes))):
            return None
        slow = percentile([*self._rates(tasks)], settings.late_slow_task_percent)
        best, longest = None, 0.0
        for task in tasks:
            running = [task.attempts[attempt_id] for attempt_id in task.live]
            if len(running) != 1 or running[0].state is not AttemptState.RUNNING:
                continue
            rate = self._rate(running[0])
            is_old = self._age_ms(running[0]) >= settings.late_minimum_age_ms
            if not is_old or rate >= slow:
                continue
            left_ms = (1.0 - running[0].progress) / rate if rate else math.inf
            if left_ms > longest:
                best, longest = task.id, left_ms
        return best

    def _live(self) -> Iterator[Attempt]:
        for task in self._job.tasks:
            for attempt_id in task.live:
                yield task.attempts[attempt_id]

    def _rates(self, tasks: Sequence[Task]) -> Iterator[float]:
        """Progress per ms of the attempts that run and of those that succeeded."""
        for task in tasks:
            if task.successful_attempt is not None:
                attempt = task.attempts[task.successful_attempt]
                yield 1.0 / max(attempt.finished_ms - attempt.launched_ms, 1)
                continue
            for attempt_id in task.live:
                if task.attempts[attempt_id].state is AttemptState.RUNNING:
                    yield self._rate(task.attempts[attempt_id])

    def _rate(self, attempt: Attempt) -> float:
        return attempt.progress / max(self._age_ms(attempt), 1)

    def _age_ms(self, attempt: Attempt) -> int:
        return self._context.now_ms - self._started_ms.get(attempt.id, attempt.launched_ms)

    def _is_slow(self, host: str) -> bool:
        """Whether less of the job was done there than on most nodes that did some of it."""
        work: dict[str, float] = {}
        for task in self._job.tasks:
            counted = [*task.live]
            if task.successful_attempt is not None:
                counted.append(task.successful_attempt)
            for attempt_id in counted:
                attempt = task.attempts[attempt_id]
                if attempt.node_id is not None:
                    at = _host(attempt)
                    work[at] = work.get(at, 0.0) + attempt.progress
        if host not in work:
            return False
        return work[host] < percentile(list(work.values()), self._settings.late_slow_node_percent)


def percentile(values: Sequence[float], percent: float) -> float:
    """Interpolated between neighbours; 0 of none."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    place = percent / 100 * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _host(attempt: Attempt) -> str:
    return attempt.node_id.host if attempt.node_id is not None else ""
