"""The AM's core: one job, deterministic; calls in, answers and effects out.

A turn is one call, its answer, then every event it caused, in order. The same object runs in the AM's process
and in tests with a virtual clock. Owns the making of job and tasks, the routing of events and the umbilical's
questions; the rules are in the tables. Hadoop: MRAppMaster's inside and TaskAttemptListenerImpl.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from yarnbox.am.asks import RequestTable
from yarnbox.am.mapreduce.allocation.allocator import Allocator
from yarnbox.am.mapreduce.allocation.uber import UberAllocator
from yarnbox.am.mapreduce.app.attempt import AttemptState, after_pause
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.effects import Effect
from yarnbox.am.mapreduce.app.events import (
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
    SpeculatorEvent,
    SpeculatorScan,
    TaskEvent,
    TaskRecover,
)
from yarnbox.am.mapreduce.app.job import CompletionEvent, Job, needed_for_slowstart
from yarnbox.am.mapreduce.app.task import Task
from yarnbox.am.mapreduce.ids import JobId, TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.am.mapreduce.speculation.late import LateSpeculator
from yarnbox.am.mapreduce.speculation.speculator import DefaultSpeculator, Speculator
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.runtime.clock import Clock
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.turns import TurnCore

T = TypeVar("T")

EVENTS_AT_ONCE = 10_000
"""The most map completions that a reduce is told of in one answer."""


SPECULATORS: dict[str, type[Speculator]] = {
    speculator.__name__: speculator for speculator in (DefaultSpeculator, LateSpeculator)
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where a map's input is."""

    hosts: tuple[str, ...] = ()
    racks: tuple[str, ...] = ()


class Core(TurnCore[Effect]):
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
        own: Container | None = None,
        is_strict: bool = True,
    ) -> None:
        """With `own`, the AM's own container, all tasks run there, one by one."""
        self.context = context = Context(
            job_id,
            app_attempt,
            settings,
            rack_of=asks.rack_of,
            is_uber=own is not None,
            is_strict=is_strict,
        )
        super().__init__(context, clock)
        map_tasks = [
            Task(context, TaskId(job_id, TaskType.MAP, number), settings.map_attempts, at.hosts, at.racks)
            for number, at in enumerate(maps)
        ]
        reduce_tasks = [
            Task(context, TaskId(job_id, TaskType.REDUCE, number), settings.reduce_attempts)
            for number in range(settings.reduces)
        ]
        self.job = Job(context, map_tasks, reduce_tasks)
        speculation = settings.speculation
        self._followers: dict[TaskAttemptId, TaskAttemptId] = {}  # in the same container
        self._speculator: Speculator | None = None
        if speculation.map_speculative or speculation.reduce_speculative:
            self._speculator = SPECULATORS[speculation.speculator](context, self.job)
        self.allocator = (
            UberAllocator(context, own)
            if own is not None
            else Allocator(
                context,
                asks,
                self._maps_done,
                asks.rack_of,
                lambda attempt_id: self.job.attempt(attempt_id).progress,
                self._refuses,
            )
        )
        context.dispatcher.register(JobEvent, self.job.handle)
        context.dispatcher.register(TaskEvent, lambda event: self.job.task(event.task_id).handle(event))
        context.dispatcher.register(
            AttemptEvent, lambda event: self.job.attempt(event.attempt_id).handle(event)
        )
        context.dispatcher.register(ContainerEvent, self.allocator.handle)
        context.dispatcher.register(SpeculatorEvent, self._tell_speculator)

    # From the RM.

    def start(
        self, recovered: Sequence[TaskRecover] = (), *, submit_ms: int = 0, started_ms: int = 0
    ) -> None:
        """The AM is registered; these tasks an earlier AM saw succeed, which began then."""
        self.context.submit_ms = submit_ms
        self.job.started_ms = started_ms
        self.job.recovered = {recovery.task_id: recovery for recovery in recovered}
        self.tell(JobStart(), SpeculatorScan())

    def heartbeat(self, response: AllocateResponse) -> None:
        """The RM's answer to a heartbeat."""
        self.turn(lambda: self.allocator.take(response))

    def after_pause(self) -> None:
        """The process that drives this core did nothing for a while, and could not have heard any task."""

        def start_anew() -> None:
            for task in (*self.job.maps, *self.job.reduces):
                for attempt in task.attempts.values():
                    after_pause(attempt)

        self.turn(start_anew)

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
        attempt = self.job.find_attempt(attempt_id)
        return attempt is not None and attempt.state in (
            AttemptState.ASSIGNED,
            AttemptState.RUNNING,
            AttemptState.COMMIT_PENDING,
            AttemptState.SUCCESS_FINISHING_CONTAINER,
        )

    def has_launched(self, attempt_id: TaskAttemptId) -> bool:
        """Whether its node's answer to the start has come."""
        return self.job.attempt(attempt_id).state is not AttemptState.ASSIGNED

    def status_update(
        self,
        attempt_id: TaskAttemptId,
        progress: float,
        phase: str,
        counters: Counters,
        unfetched: Sequence[TaskAttemptId] = (),
        *,
        status: str = "",
        is_alive: bool = True,
    ) -> bool:
        """How far a task is, and which maps' output it could not fetch; whether it is to go on."""
        if not self.is_wanted(attempt_id):
            return False
        events: list[Event] = [
            AttemptUpdate(
                attempt_id=attempt_id,
                progress=progress,
                phase=phase,
                counters=counters,
                status=status,
                is_alive=is_alive,
            )
        ]
        if unfetched:
            events.append(JobTaskAttemptFetchFailure(reduce_id=attempt_id, maps=tuple(unfetched)))
        self.tell(*events)
        return True

    def next_records(self, attempt_id: TaskAttemptId, start: int, count: int) -> bool:
        """A task works on these records next: if it fails, it is because of them; whether it is to go on."""
        if not self.is_wanted(attempt_id):
            return False
        self.job.attempt(attempt_id).records = (start, count) if count else None
        return True

    def compute_pending(self, attempt_id: TaskAttemptId) -> bool:
        """A reduce has copied all; whether it may go on now."""
        if not self.is_wanted(attempt_id):
            return False
        return self.turn(lambda: self.allocator.may_compute(attempt_id))

    def memory_mb(self, attempt_id: TaskAttemptId) -> int:
        """Of the attempt's container, as it was given."""
        container = self.job.attempt(attempt_id).container
        return container.resource.memory_mb if container is not None and container.resource else 0

    def commit_pending(self, attempt_id: TaskAttemptId) -> bool:
        """A task has its output ready; whether it may commit it now."""
        if not self.is_wanted(attempt_id):
            return False
        self.tell(AttemptCommitPending(attempt_id=attempt_id))
        return self.job.task(attempt_id.task_id).can_commit(attempt_id)

    def done(self, attempt_id: TaskAttemptId, counters: Counters) -> bool:
        """A task has done everything."""
        if not self.is_wanted(attempt_id):
            return False
        phase = self.job.attempt(attempt_id).phase
        self.tell(
            AttemptUpdate(attempt_id=attempt_id, progress=1.0, phase=phase, counters=counters),
            AttemptDone(attempt_id=attempt_id),
        )
        return True

    def next_task(self, attempt_id: TaskAttemptId) -> TaskAttemptId | None:
        """What the process of an attempt that has succeeded does next; None when it ends. Who asks twice is
        told the same.
        """
        if attempt_id not in self._followers:
            attempt = self.job.find_attempt(attempt_id)
            if attempt is None or attempt.state is not AttemptState.SUCCESS_FINISHING_CONTAINER:
                return None
            port = attempt.shuffle_port
            follower = self.turn(lambda: self.allocator.pass_on(attempt_id, port))
            if follower is None:
                return None
            self._followers[attempt_id] = follower
        return self._followers[attempt_id]

    def failed(self, attempt_id: TaskAttemptId, diagnostics: str) -> None:
        """A task says that it failed."""
        if self.is_wanted(attempt_id):
            self.tell(AttemptFailMessage(attempt_id=attempt_id, diagnostics=diagnostics))

    def completion_events(self, start: int) -> list[CompletionEvent]:
        """The map completions from number `start` on."""
        return self.job.completion_events[start : start + EVENTS_AT_ONCE]

    # Inside.

    def _tell_speculator(self, event: SpeculatorEvent) -> None:
        if self._speculator is not None:
            self._speculator.handle(event)

    def _refuses(self, attempt_id: TaskAttemptId, host: str) -> bool:
        return self._speculator is not None and self._speculator.refuses(attempt_id, host)

    def _maps_done(self) -> tuple[int, int, int]:
        done = self.job.count(TaskType.MAP, "SUCCEEDED")
        return done, len(self.job.maps), needed_for_slowstart(self.job)
