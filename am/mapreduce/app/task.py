"""A task: a piece of the job that is tried until it succeeds once, or has failed too often.

Owns its attempts' order and count, and the right to commit: one attempt at a time has it. A killed attempt is
replaced and not counted, a failed one is replaced until there are as many failures as allowed. The speculator
may add a second one beside one that runs: the first to succeed ends the other. A map that had succeeded is
done again when its output is lost. Hadoop: TaskImpl.
"""

from __future__ import annotations

from enum import Enum

from yarnbox.am.mapreduce.app.attempt import Attempt, AttemptState
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.events import (
    AttemptKill,
    AttemptRecover,
    AttemptSchedule,
    JobMapTaskRescheduled,
    JobTaskCompleted,
    TaskAddSpeculativeAttempt,
    TaskAttemptCommitPending,
    TaskAttemptEvent,
    TaskAttemptFailed,
    TaskAttemptKilled,
    TaskAttemptLaunched,
    TaskAttemptSucceeded,
    TaskKill,
    TaskRecover,
    TaskSchedule,
)
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.ordered import OrderedSet
from yarnbox.yarn.runtime.statemachine import Table, choose, ignore, stay, to

ATTEMPTS_PER_AM = 1000
"""An AM's first attempt at a task is number (its own number - 1) times this."""


class TaskState(Enum):
    """Where a task stands; TaskStateInternal."""

    NEW = "NEW"
    SCHEDULED = "SCHEDULED"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    KILL_WAIT = "KILL_WAIT"
    KILLED = "KILLED"

    @property
    def told(self) -> str:
        """What others are told; TaskState."""
        return "KILLED" if self is TaskState.KILL_WAIT else self.value


class Task:
    """What is known of one task."""

    __slots__ = (
        "attempts", "bad_records", "commit_attempt", "context", "failed_attempts", "finished_ms", "hosts",
        "id", "live", "max_attempts", "next_attempt", "racks", "scheduled_ms", "state", "successful_attempt",
    )  # fmt: skip

    def __init__(
        self,
        context: Context,
        task_id: TaskId,
        max_attempts: int,
        hosts: tuple[str, ...] = (),
        racks: tuple[str, ...] = (),
    ) -> None:
        self.context = context
        self.id = task_id
        self.max_attempts = max_attempts
        self.hosts = hosts
        self.racks = racks
        self.state = TaskState.NEW
        self.attempts: dict[TaskAttemptId, Attempt] = {}
        self.live: OrderedSet[TaskAttemptId] = OrderedSet()
        self.next_attempt = (context.app_attempt - 1) * ATTEMPTS_PER_AM
        self.failed_attempts: OrderedSet[TaskAttemptId] = OrderedSet()
        self.successful_attempt: TaskAttemptId | None = None
        self.commit_attempt: TaskAttemptId | None = None
        self.bad_records: list[tuple[int, int]] = []
        self.scheduled_ms = 0
        self.finished_ms = 0

    @property
    def subject(self) -> TaskId:
        """The id under which the story tells of it."""
        return self.id

    @property
    def progress(self) -> float:
        """How far its furthest attempt is."""
        if self.successful_attempt is not None:
            return 1.0
        return max((self.attempts[attempt_id].progress for attempt_id in self.live), default=0.0)

    def can_commit(self, attempt_id: TaskAttemptId) -> bool:
        """Whether this attempt is the one that may commit."""
        return attempt_id == self.commit_attempt

    def handle(self, event: Event) -> None:
        """Lets an event happen to it."""
        self.context.fire(TASK, self, event)


# The hooks, in the order of the table.


def _schedule(task: Task, _event: TaskSchedule) -> None:
    task.scheduled_ms = task.context.now_ms
    _say_start(task)
    _add_attempt(task)


def _recover(task: Task, event: TaskRecover) -> None:
    task.scheduled_ms = event.started_ms
    _say_start(task)
    _register(task, event.attempt_id)
    task.context.post(AttemptRecover(attempt_id=event.attempt_id, task=event))


def _finish_unscheduled(task: Task, _event: TaskKill) -> None:
    _tell_job(task, TaskState.KILLED)


def _kill_attempts(task: Task, _event: TaskKill) -> None:
    for attempt_id in task.live:
        task.context.post(
            AttemptKill(attempt_id=attempt_id, diagnostics="Task KILL is received. Killing attempt!")
        )


def _choose_committer(task: Task, event: TaskAttemptCommitPending) -> None:
    """The first one to ask gets the right and keeps it until it ends; another that asks is killed."""
    if task.commit_attempt is None:
        task.commit_attempt = event.attempt_id
    elif task.commit_attempt != event.attempt_id:
        diagnostics = f"Speculation: {task.commit_attempt} committed first!"
        task.context.post(AttemptKill(attempt_id=event.attempt_id, diagnostics=diagnostics))


def _add_speculative(task: Task, _event: TaskAddSpeculativeAttempt) -> None:
    _add_attempt(task, after_failure=bool(task.failed_attempts), is_speculative=True)


def _succeed(task: Task, event: TaskAttemptSucceeded) -> None:
    task.live.discard(event.attempt_id)
    task.successful_attempt = event.attempt_id
    task.finished_ms = task.attempts[event.attempt_id].finished_ms
    for other in task.live:
        diagnostics = f"Speculation: {event.attempt_id} succeeded first!"
        task.context.post(AttemptKill(attempt_id=other, diagnostics=diagnostics))
    _tell_job(task, TaskState.SUCCEEDED)


def _replace_killed(task: Task, event: TaskAttemptKilled) -> None:
    _forget(task, event)
    if not task.live:
        _add_attempt(task)


def _judge_failure(task: Task, event: TaskAttemptFailed) -> TaskState:
    """Tries again, or gives up when this was one failure too many."""
    _forget(task, event)
    task.failed_attempts.add(event.attempt_id)
    died_of = task.attempts[event.attempt_id].records
    if died_of is not None:
        task.bad_records.append(died_of)
    if len(task.failed_attempts) >= task.max_attempts:
        for attempt_id in task.live:
            task.context.post(AttemptKill(attempt_id=attempt_id, diagnostics="The task has failed."))
        task.finished_ms = task.context.now_ms
        _tell_job(task, TaskState.FAILED)
        return TaskState.FAILED
    if all(task.attempts[attempt_id].state is AttemptState.UNASSIGNED for attempt_id in task.live):
        _add_attempt(task, after_failure=True)  # beside one whose request may hang
    return task.state


def _judge_late_failure(task: Task, event: TaskAttemptFailed) -> TaskState:
    """A map that had succeeded has failed after all: its output cannot be fetched."""
    if event.attempt_id != task.successful_attempt:
        _forget(task, event)
        return TaskState.SUCCEEDED
    task.successful_attempt = None
    task.failed_attempts.add(event.attempt_id)
    task.context.post(JobMapTaskRescheduled(task_id=task.id))
    if len(task.failed_attempts) >= task.max_attempts:
        _tell_job(task, TaskState.FAILED)
        return TaskState.FAILED
    _add_attempt(task, after_failure=True)
    return TaskState.SCHEDULED


def _judge_late_kill(task: Task, event: TaskAttemptKilled) -> TaskState:
    """A map that had succeeded has lost its output with its node."""
    if event.attempt_id != task.successful_attempt:
        _forget(task, event)
        return TaskState.SUCCEEDED
    task.successful_attempt = None
    task.context.post(JobMapTaskRescheduled(task_id=task.id))
    _add_attempt(task)
    return TaskState.SCHEDULED


def _judge_rest(task: Task, event: TaskAttemptEvent) -> TaskState:
    """While the task is being killed: over when its last attempt is."""
    _forget(task, event)
    if task.live:
        return TaskState.KILL_WAIT
    task.finished_ms = task.context.now_ms
    _tell_job(task, TaskState.KILLED)
    return TaskState.KILLED


# What hooks share.


def _add_attempt(task: Task, after_failure: bool = False, is_speculative: bool = False) -> None:
    attempt_id = TaskAttemptId(task.id, task.next_attempt)
    _register(task, attempt_id, is_speculative)
    task.context.post(AttemptSchedule(attempt_id=attempt_id, after_failure=after_failure))


def _register(task: Task, attempt_id: TaskAttemptId, is_speculative: bool = False) -> None:
    attempt = Attempt(task.context, attempt_id, task.hosts, task.racks, is_speculative=is_speculative)
    task.attempts[attempt_id] = attempt
    task.live.add(attempt_id)
    task.next_attempt = max(task.next_attempt, attempt_id.id + 1)


def _forget(task: Task, event: TaskAttemptEvent) -> None:
    task.live.discard(event.attempt_id)
    if task.commit_attempt == event.attempt_id:
        task.commit_attempt = None


def _say_start(task: Task) -> None:
    task.context.record(
        "TASK_STARTED",
        taskid=str(task.id),
        taskType=task.id.type.name,
        startTime=task.scheduled_ms,
        splitLocations=",".join(task.hosts),
    )


def _tell_job(task: Task, state: TaskState) -> None:
    if task.scheduled_ms:
        _say_end(task, state)
    task.context.post(JobTaskCompleted(task_id=task.id, state=state.value))


def _say_end(task: Task, state: TaskState) -> None:
    common = {"taskid": str(task.id), "taskType": task.id.type.name, "status": state.value}
    attempt_id = task.successful_attempt
    if attempt_id is not None:
        attempt = task.attempts[attempt_id]
        task.context.record(
            "TASK_FINISHED",
            **common,
            finishTime=attempt.finished_ms,
            counters=attempt.counters,
            successfulAttemptId=str(attempt_id),
        )
        return
    last = next(reversed([*task.failed_attempts]), None)
    task.context.record(
        "TASK_FAILED",
        **common,
        finishTime=task.context.now_ms,
        error="\n".join(task.attempts[last].diagnostics) if last is not None else "",
        failedDueToAttempt=str(last) if last is not None else None,
    )


TASK = Table(
    "Task",
    initial=TaskState.NEW,
    rows={
        TaskState.NEW: {
            TaskSchedule: to(TaskState.SCHEDULED, _schedule),
            TaskRecover: to(TaskState.RUNNING, _recover),
            TaskKill: to(TaskState.KILLED, _finish_unscheduled),
        },
        TaskState.SCHEDULED: {
            TaskAttemptLaunched: to(TaskState.RUNNING),
            **stay(TaskAttemptKilled, hook=_replace_killed),
            TaskAttemptFailed: choose(TaskState.SCHEDULED, TaskState.FAILED, by=_judge_failure),
            TaskKill: to(TaskState.KILL_WAIT, _kill_attempts),
        },
        TaskState.RUNNING: {
            **ignore(TaskAttemptLaunched),
            **stay(TaskAttemptCommitPending, hook=_choose_committer),
            **stay(TaskAddSpeculativeAttempt, hook=_add_speculative),
            TaskAttemptSucceeded: to(TaskState.SUCCEEDED, _succeed),
            **stay(TaskAttemptKilled, hook=_replace_killed),
            TaskAttemptFailed: choose(TaskState.RUNNING, TaskState.FAILED, by=_judge_failure),
            TaskKill: to(TaskState.KILL_WAIT, _kill_attempts),
        },
        TaskState.SUCCEEDED: {
            TaskAttemptFailed: choose(
                TaskState.SUCCEEDED, TaskState.SCHEDULED, TaskState.FAILED, by=_judge_late_failure
            ),
            TaskAttemptKilled: choose(TaskState.SUCCEEDED, TaskState.SCHEDULED, by=_judge_late_kill),
            **ignore(
                TaskAttemptLaunched,
                TaskAttemptCommitPending,
                TaskAttemptSucceeded,
                TaskAddSpeculativeAttempt,
                TaskKill,
            ),
        },
        TaskState.KILL_WAIT: {
            TaskAttemptKilled: choose(TaskState.KILL_WAIT, TaskState.KILLED, by=_judge_rest),
            TaskAttemptFailed: choose(TaskState.KILL_WAIT, TaskState.KILLED, by=_judge_rest),
            TaskAttemptSucceeded: choose(TaskState.KILL_WAIT, TaskState.KILLED, by=_judge_rest),
            **ignore(TaskAttemptLaunched, TaskAttemptCommitPending, TaskAddSpeculativeAttempt, TaskKill),
        },
        TaskState.FAILED: ignore(
            TaskAttemptLaunched,
            TaskAttemptCommitPending,
            TaskAttemptSucceeded,
            TaskAttemptKilled,
            TaskAttemptFailed,
            TaskAddSpeculativeAttempt,
            TaskKill,
        ),
        TaskState.KILLED: ignore(
            TaskAttemptLaunched,
            TaskAttemptCommitPending,
            TaskAttemptSucceeded,
            TaskAttemptKilled,
            TaskAttemptFailed,
            TaskAddSpeculativeAttempt,
            TaskKill,
        ),
    },
)
