"""Which task gets a second attempt, and when.

Looks at intervals, as long as the job runs: at the maps, then at the reduces. A task gains as much as its
running attempt is estimated to end later than a new one would; the one that gains most gets one, unless too
many tasks have two. Only orders attempts: the task makes them, the allocator finds their
containers. Hadoop: DefaultSpeculator and MRAppMaster's SpeculatorEventDispatcher.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from yarnbox.am.mapreduce.app.attempt import Attempt, AttemptState
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.effects import WriteLog
from yarnbox.am.mapreduce.app.events import (
    SpeculatorAttemptStart,
    SpeculatorAttemptSucceeded,
    SpeculatorAttemptUpdate,
    SpeculatorContainerNeed,
    SpeculatorEvent,
    SpeculatorScan,
    TaskAddSpeculativeAttempt,
)
from yarnbox.am.mapreduce.app.job import Job
from yarnbox.am.mapreduce.app.task import Task
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.speculation.estimators import ESTIMATORS
from yarnbox.yarn.runtime.ordered import OrderedSet

SILENCE_MS = 9000
"""An attempt that reports nothing new for longer stands still: three heartbeats of Hadoop's tasks."""

_UNDER_WAY = (AttemptState.UNASSIGNED, AttemptState.ASSIGNED, AttemptState.RUNNING)


class Speculator(ABC):
    """What every speculator does: listens to the attempts and looks at the tasks at intervals."""

    def __init__(self, context: Context, job: Job) -> None:
        self._context = context
        self._job = job
        self._settings = settings = context.settings.speculation
        self._types = tuple(
            type_
            for type_, is_on in (
                (TaskType.MAP, settings.map_speculative),
                (TaskType.REDUCE, settings.reduce_speculative),
            )
            if is_on
        )
        self._needs: dict[TaskType, int] = {}

    def handle(self, event: SpeculatorEvent) -> None:
        """Takes an event of the attempts, or looks."""
        if isinstance(event, SpeculatorScan):
            self._scan()
        elif isinstance(event, SpeculatorContainerNeed):
            type_ = event.task_id.type
            self._needs[type_] = self._needs.get(type_, 0) + event.change

    def refuses(self, attempt_id: TaskAttemptId, host: str) -> bool:
        """Whether a container on that host is to be given back, though the attempt waits for one."""
        return False

    def _scan(self) -> None:
        if self._job.has_ended:
            return
        settings, context = self._settings, self._context
        found = [self._speculate(type_) for type_ in self._types]
        pause_ms = settings.retry_after_some_ms if any(found) else settings.retry_after_none_ms
        context.timers.at(context.now_ms + pause_ms, "speculator", SpeculatorScan())

    def _speculate(self, type_: TaskType) -> bool:
        """Makes at most one attempt; none while attempts of this type wait for containers."""
        if self._needs.get(type_, 1) > 0:
            return False
        task_id = self._choose(type_, self._job.maps if type_ is TaskType.MAP else self._job.reduces)
        if task_id is None:
            return False
        self._context.order(WriteLog("info", f"speculating {task_id}"))
        self._context.post(TaskAddSpeculativeAttempt(task_id=task_id))
        return True

    @abstractmethod
    def _choose(self, type_: TaskType, tasks: Sequence[Task]) -> TaskId | None:
        """The task that is to get a second attempt now."""


class Outcome(Enum):
    """Why a task gets no second attempt now."""

    ON_SCHEDULE = "too few tasks are done to tell"
    ALREADY_SPECULATING = "it has two"
    TOO_NEW = "its attempt has not started"
    PROGRESS_IS_GOOD = "it should have ended already"
    TOO_LATE_TO_SPECULATE = "a new attempt would end later"
    NOT_RUNNING = "nothing of it runs"


class _Seen(NamedTuple):
    """What a look saw of an attempt, and since when that is all."""

    runtime_ms: int
    progress: float
    since_ms: int


class DefaultSpeculator(Speculator):
    """By the gain in time."""

    def __init__(self, context: Context, job: Job) -> None:
        super().__init__(context, job)
        self._estimator = ESTIMATORS[self._settings.estimator](self._settings, self._completed)
        self._speculated: OrderedSet[TaskId] = OrderedSet()
        self._seen: dict[TaskAttemptId, _Seen] = {}

    def handle(self, event: SpeculatorEvent) -> None:
        """The estimator hears of the attempts, too."""
        if isinstance(event, SpeculatorAttemptUpdate):
            self._estimator.update(event.attempt_id, event.progress, self._context.now_ms)
        elif isinstance(event, SpeculatorAttemptStart):
            self._estimator.enroll(event.attempt_id, event.time_ms)
        elif isinstance(event, SpeculatorAttemptSucceeded):
            self._estimator.succeed(event.attempt_id, event.time_ms)
            self._seen.pop(event.attempt_id, None)
        else:
            super().handle(event)

    def _completed(self, type_: TaskType) -> tuple[int, int]:
        done = sum(self._job.count(type_, state) for state in ("SUCCEEDED", "FAILED", "KILLED"))
        return done, len(self._job.maps if type_ is TaskType.MAP else self._job.reduces)

    def _choose(self, type_: TaskType, tasks: Sequence[Task]) -> TaskId | None:
        settings = self._settings
        best, best_value, already, running = None, -1, 0, 0
        for task in tasks:
            value = self._value(task)
            already += value is Outcome.ALREADY_SPECULATING
            running += value is not Outcome.NOT_RUNNING
            if isinstance(value, int) and value > best_value:
                best, best_value = task.id, value
        allowed = max(
            settings.minimum_allowed,
            int(settings.cap_total * len(tasks)),
            int(settings.cap_running * running),
        )
        if best is None or already >= allowed:
            return None
        self._speculated.add(best)
        return best

    def _value(self, task: Task) -> int | Outcome:
        """How much earlier a new attempt would end, in ms; or why there is to be none. As in Hadoop the first
        attempt that is under way may end the matter before the second is looked at.
        """
        is_first = task.id not in self._speculated
        if is_first and self._estimator.threshold_ms(task.id.type) == math.inf:
            return Outcome.ON_SCHEDULE
        value: int | Outcome = Outcome.NOT_RUNNING
        for attempt_id in task.live:
            attempt = task.attempts[attempt_id]
            if attempt.state not in _UNDER_WAY:
                continue
            if value is not Outcome.NOT_RUNNING:
                return Outcome.ALREADY_SPECULATING
            value = self._gain_ms(attempt)
            if isinstance(value, Outcome):
                return value
        if isinstance(value, int) and self._estimator.threshold_ms(task.id.type) == math.inf:
            return Outcome.ON_SCHEDULE
        return value

    def _gain_ms(self, attempt: Attempt) -> int | Outcome:
        now_ms, estimator = self._context.now_ms, self._estimator
        runtime_ms = estimator.runtime_ms(attempt.id)
        start_ms = estimator.started_ms(attempt.id)
        if start_ms is None or start_ms > now_ms:
            return Outcome.TOO_NEW
        end_ms = start_ms + runtime_ms
        replacement_ms = now_ms + estimator.new_attempt_ms(attempt.id.task_id.type)
        self._look_for_silence(attempt, runtime_ms)
        if end_ms < now_ms:
            return Outcome.PROGRESS_IS_GOOD
        if replacement_ms >= end_ms:
            return Outcome.TOO_LATE_TO_SPECULATE
        return end_ms - replacement_ms

    def _look_for_silence(self, attempt: Attempt, runtime_ms: int) -> None:
        """One that says nothing new is estimated anew, with its old progress at this moment."""
        now_ms = self._context.now_ms
        seen = self._seen.get(attempt.id)
        now_seen = _Seen(runtime_ms, attempt.progress, now_ms)
        if seen is None or seen[:2] != now_seen[:2]:
            self._seen[attempt.id] = now_seen
            return
        is_silent = now_ms - seen.since_ms > SILENCE_MS
        if is_silent:
            self._seen[attempt.id] = now_seen
        if is_silent or self._estimator.is_stagnated(attempt.id, now_ms):
            self._estimator.update(attempt.id, attempt.progress, now_ms)
