"""The AM's core: one job, deterministic; calls in, answers and effects out.

A turn is one call, its answer, then every event it caused, in order. The same object runs in the AM's process
and in tests with a virtual clock. Owns the making of job and tasks, the routing of events and the umbilical's
questions; the rules are in the tables. Answers for MRAppMaster's inside and TaskAttemptListenerImpl.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from am.asks import RequestTable
from am.mapreduce.allocator import Allocator
from am.mapreduce.attempt import AttemptState
from am.mapreduce.context import Context
from am.mapreduce.effects import Effect
from am.mapreduce.events import (
    AttemptCommitPending,
    AttemptDone,
    AttemptEvent,
    AttemptFailMessage,
    AttemptUpdate,
    ContainerEvent,
    Counters,
    JobEvent,
    JobStart,
    JobTaskAttemptFetchFailure,
    TaskEvent,
    TaskRecover,
)
from am.mapreduce.ids import JobId, TaskAttemptId, TaskId, TaskType
from am.mapreduce.job import CompletionEvent, Job, needed_for_slowstart
from am.mapreduce.settings import JobSettings
from am.mapreduce.task import Task
from yarn.clock import Clock
from yarn.dispatcher import Event
from yarn.records.master import AllocateResponse
from yarn.statemachine import InvalidEventError

log = logging.getLogger("am.mapreduce.core")

T = TypeVar("T")

EVENTS_AT_ONCE = 10_000
"""The most map completions that a reduce is told of in one answer."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a map's input is."""

    hosts: tuple[str, ...] = ()
    racks: tuple[str, ...] = ()


class Core:
    """One job of one AM."""

    def __init__(
        self,
        clock: Clock,
        job_id: JobId,
        app_attempt: int,
        settings: JobSettings,
        maps: Sequence[Places],
        asks: RequestTable,
        *,
        is_strict: bool = True,
    ) -> None:
        self.clock = clock
        self.context = context = Context(job_id, app_attempt, settings)
        self.invalid_events = 0
        self._is_strict = is_strict
        map_tasks = [
            Task(context, TaskId(job_id, TaskType.MAP, number), settings.map_attempts, at.hosts, at.racks)
            for number, at in enumerate(maps)
        ]
        reduce_tasks = [
            Task(context, TaskId(job_id, TaskType.REDUCE, number), settings.reduce_attempts)
            for number in range(settings.reduces)
        ]
        context.tasks.update((task.id, task) for task in (*map_tasks, *reduce_tasks))
        self.job = Job(context, map_tasks, reduce_tasks)
        self.allocator = Allocator(context, asks, self._maps_done, asks.rack_of)
        context.dispatcher.register(JobEvent, self._checked(lambda _event: self.job))
        context.dispatcher.register(TaskEvent, self._checked(lambda event: context.tasks[event.task_id]))
        context.dispatcher.register(
            AttemptEvent, self._checked(lambda event: context.attempts[event.attempt_id])
        )
        context.dispatcher.register(ContainerEvent, self.allocator.handle)

    def turn(self, call: Callable[[], T]) -> T:
        """One call: its answer first, then all that it caused."""
        self.context.now_ms = self.clock.now_ms()
        try:
            return call()
        finally:
            self.context.dispatcher.drain()

    def tell(self, *events: Event) -> None:
        """A turn in which these events happen."""

        def post() -> None:
            for event in events:
                self.context.post(event)

        self.turn(post)

    def advance(self) -> None:
        """One turn for each timer that is due, earliest first."""
        while True:
            due = self.context.timers.pop_due(self.clock.now_ms())
            if due is None:
                return
            self.tell(due)

    def next_due_ms(self) -> int | None:
        """When the next timer is due."""
        return self.context.timers.next_due_ms()

    def take_effects(self) -> list[Effect]:
        """What the world has to do, in order; handed out once."""
        effects, self.context.effects = self.context.effects, []
        return effects

    # From the RM.

    def start(self, recovered: Sequence[TaskRecover] = ()) -> None:
        """The AM is registered; these tasks an earlier AM saw succeed."""
        self.job.recovered = {recovery.task_id: recovery for recovery in recovered}
        self.tell(JobStart())

    def heartbeat(self, response: AllocateResponse) -> None:
        """The RM's answer to a heartbeat."""
        self.turn(lambda: self.allocator.take(response))

    @property
    def progress(self) -> float:
        """How far the job is: 5 percent for its setup, the rest for maps and reduces in their numbers."""
        maps, reduces = len(self.job.maps), len(self.job.reduces)
        if self.job.has_ended:
            return 1.0
        done = maps * self.job.progress(TaskType.MAP) + reduces * self.job.progress(TaskType.REDUCE)
        return 0.05 + 0.9 * (done / (maps + reduces) if maps + reduces else 1.0)

    # From the tasks.

    def is_wanted(self, attempt_id: TaskAttemptId) -> bool:
        """Whether this attempt is to go on; one that is not ends itself."""
        attempt = self.context.attempts.get(attempt_id)
        return attempt is not None and attempt.state in (
            AttemptState.ASSIGNED,
            AttemptState.RUNNING,
            AttemptState.COMMIT_PENDING,
            AttemptState.SUCCESS_FINISHING_CONTAINER,
        )

    def has_launched(self, attempt_id: TaskAttemptId) -> bool:
        """Whether its node's answer to the start has come."""
        return self.context.attempts[attempt_id].state is not AttemptState.ASSIGNED

    def status_update(
        self,
        attempt_id: TaskAttemptId,
        progress: float,
        phase: str,
        counters: Counters,
        unfetched: Sequence[TaskAttemptId] = (),
    ) -> bool:
        """How far a task is, and which maps' output it could not fetch; whether it is to go on."""
        if not self.is_wanted(attempt_id):
            return False
        events: list[Event] = [
            AttemptUpdate(attempt_id=attempt_id, progress=progress, phase=phase, counters=counters)
        ]
        if unfetched:
            events.append(JobTaskAttemptFetchFailure(reduce_id=attempt_id, maps=tuple(unfetched)))
        self.tell(*events)
        return True

    def commit_pending(self, attempt_id: TaskAttemptId) -> bool:
        """A task has its output ready; whether it may commit it now."""
        if not self.is_wanted(attempt_id):
            return False
        self.tell(AttemptCommitPending(attempt_id=attempt_id))
        return self.context.tasks[attempt_id.task_id].can_commit(attempt_id)

    def done(self, attempt_id: TaskAttemptId, counters: Counters) -> bool:
        """A task has done everything."""
        if not self.is_wanted(attempt_id):
            return False
        phase = self.context.attempts[attempt_id].phase
        self.tell(
            AttemptUpdate(attempt_id=attempt_id, progress=1.0, phase=phase, counters=counters),
            AttemptDone(attempt_id=attempt_id),
        )
        return True

    def failed(self, attempt_id: TaskAttemptId, diagnostics: str) -> None:
        """A task says that it failed."""
        if self.is_wanted(attempt_id):
            self.tell(AttemptFailMessage(attempt_id=attempt_id, diagnostics=diagnostics))

    def completion_events(self, start: int) -> list[CompletionEvent]:
        """The map completions from number `start` on."""
        return self.job.completion_events[start : start + EVENTS_AT_ONCE]

    # Inside.

    def _maps_done(self) -> tuple[int, int, int]:
        done = self.job.count(TaskType.MAP, "SUCCEEDED")
        return done, len(self.job.maps), needed_for_slowstart(self.job)

    def _checked(self, entity_of: Callable[[Any], Any]) -> Callable[[Any], None]:
        """An event that no table allows is a defect: raised in tests, logged and counted in a job."""

        def handle(event: Any) -> None:
            try:
                entity_of(event).handle(event)
            except InvalidEventError:
                if self._is_strict:
                    raise
                self.invalid_events += 1
                log.exception("an event that nobody expected")

        return handle
