"""A task attempt: one try, in one container. The table, its hooks, and what is known of the try.

Knows its container and what the task reports; does not know how often its task may fail or what else the job
does. An attempt tells its task when it succeeded, failed or was killed, once; after a success it may still
turn out that a map's output cannot be fetched, or died with its node. Answers for TaskAttemptImpl.
"""

from __future__ import annotations

from enum import Enum

from am.mapreduce.context import Context
from am.mapreduce.effects import AbortTask, LaunchTask, StopTask
from am.mapreduce.events import (
    AttemptAssigned,
    AttemptCommitPending,
    AttemptContainerCleaned,
    AttemptContainerCompleted,
    AttemptContainerLaunched,
    AttemptContainerLaunchFailed,
    AttemptDone,
    AttemptFailMessage,
    AttemptKill,
    AttemptRecover,
    AttemptSchedule,
    AttemptTimedOut,
    AttemptTooManyFetchFailures,
    AttemptUpdate,
    ContainerAttemptFailed,
    ContainerDeallocated,
    ContainerRequested,
    Counters,
    JobTaskAttemptCompleted,
    TaskAttemptCommitPending,
    TaskAttemptFailed,
    TaskAttemptKilled,
    TaskAttemptLaunched,
    TaskAttemptSucceeded,
)
from am.mapreduce.ids import TaskAttemptId
from yarn.ids import NodeId
from yarn.records.container import Container
from yarn.statemachine import Table, choose, ignore, stay, to

ABORTED = -100
PREEMPTED = -102
NOT_ITS_FAULT = (ABORTED, PREEMPTED)
"""Exit statuses with which YARN took the container away: neither a failed attempt nor a failed task."""


class AttemptState(Enum):
    """Where a try stands; TaskAttemptStateInternal."""

    NEW = "NEW"
    UNASSIGNED = "UNASSIGNED"
    ASSIGNED = "ASSIGNED"
    RUNNING = "RUNNING"
    COMMIT_PENDING = "COMMIT_PENDING"
    SUCCESS_FINISHING_CONTAINER = "SUCCESS_FINISHING_CONTAINER"
    FAIL_FINISHING_CONTAINER = "FAIL_FINISHING_CONTAINER"
    FAIL_CONTAINER_CLEANUP = "FAIL_CONTAINER_CLEANUP"
    KILL_CONTAINER_CLEANUP = "KILL_CONTAINER_CLEANUP"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    KILLED = "KILLED"


class Attempt:
    """What is known of one try."""

    __slots__ = (
        "container", "context", "counters", "diagnostics", "finished_ms", "hosts", "id", "launched_ms",
        "node_id", "phase", "progress", "racks", "shuffle_port", "state",
    )  # fmt: skip

    def __init__(
        self, context: Context, attempt_id: TaskAttemptId, hosts: tuple[str, ...], racks: tuple[str, ...]
    ) -> None:
        self.context = context
        self.id = attempt_id
        self.hosts = hosts
        self.racks = racks
        self.state = AttemptState.NEW
        self.container: Container | None = None
        self.node_id: NodeId | None = None
        self.shuffle_port = 0
        self.progress = 0.0
        self.phase = "MAP" if attempt_id.is_map else "SHUFFLE"
        self.counters: Counters = {}
        self.launched_ms = 0
        self.finished_ms = 0
        self.diagnostics: list[str] = []

    @property
    def subject(self) -> TaskAttemptId:
        """The id under which the story tells of it."""
        return self.id

    def handle(self, event: object) -> None:
        """Lets an event happen to it."""
        ATTEMPT.fire(self, event, self.context.now_ms, self.context.story)


# The hooks, in the order of the table.


def _request_container(attempt: Attempt, event: AttemptSchedule) -> None:
    attempt.context.post(
        ContainerRequested(
            attempt_id=attempt.id, hosts=attempt.hosts, racks=attempt.racks, after_failure=event.after_failure
        )
    )


def _take_recovered(attempt: Attempt, event: AttemptRecover) -> None:
    attempt.node_id = event.node_id
    attempt.shuffle_port = event.shuffle_port
    attempt.counters = event.counters
    attempt.launched_ms, attempt.finished_ms = event.started_ms, event.finished_ms
    attempt.progress = 1.0
    _say_end(attempt, AttemptState.SUCCEEDED)
    _tell_task(attempt, TaskAttemptSucceeded)


def _launch(attempt: Attempt, event: AttemptAssigned) -> None:
    attempt.container = event.container
    attempt.node_id = event.container.node_id
    attempt.context.order(LaunchTask(attempt.id, event.container))


def _has_launched(attempt: Attempt, event: AttemptContainerLaunched) -> None:
    context = attempt.context
    attempt.shuffle_port = event.shuffle_port
    attempt.launched_ms = context.now_ms
    _watch(attempt)
    context.record("ATTEMPT_STARTED", **_identity(attempt))
    _tell_task(attempt, TaskAttemptLaunched)


def _take_update(attempt: Attempt, event: AttemptUpdate) -> None:
    attempt.progress = max(attempt.progress, min(event.progress, 1.0))
    attempt.phase = event.phase
    attempt.counters = event.counters
    _watch(attempt)


def _ask_to_commit(attempt: Attempt, _event: AttemptCommitPending) -> None:
    _watch(attempt)
    _tell_task(attempt, TaskAttemptCommitPending)


def _succeed(attempt: Attempt, _event: AttemptDone) -> None:
    """The task hears of it at once; the process has some time to end by itself."""
    attempt.progress = 1.0
    attempt.context.timers.at(
        attempt.context.now_ms + attempt.context.settings.exit_timeout_ms,
        attempt.id,
        AttemptTimedOut(attempt_id=attempt.id),
    )
    _end(attempt, AttemptState.SUCCEEDED)
    _tell_task(attempt, TaskAttemptSucceeded)


def _is_gone(attempt: Attempt, _event: AttemptContainerCompleted) -> None:
    attempt.context.timers.cancel(attempt.id)
    _deallocate(attempt)


def _stop(attempt: Attempt, event: AttemptKill | AttemptTimedOut) -> None:
    """Has the container stopped; the attempt has ended when that is done."""
    attempt.context.timers.cancel(attempt.id)
    if isinstance(event, AttemptKill):
        attempt.diagnostics.append(event.diagnostics)
    else:
        limit_s = attempt.context.settings.task_timeout_ms // 1000
        attempt.diagnostics.append(f"{attempt.id} Timed out after {limit_s} secs")
    _stop_container(attempt)


def _stop_lingering(attempt: Attempt, _event: AttemptTimedOut) -> None:
    _stop_container(attempt)


def _fail_to_launch(attempt: Attempt, event: AttemptContainerLaunchFailed) -> None:
    attempt.diagnostics.append(f"Container launch failed for {_container_id(attempt)} : {event.diagnostics}")
    _stop_container(attempt)
    _fail(attempt, event)


def _take_failure(attempt: Attempt, event: AttemptFailMessage) -> None:
    attempt.diagnostics.append(f"Error: {event.diagnostics}")
    attempt.context.timers.at(
        attempt.context.now_ms + attempt.context.settings.exit_timeout_ms,
        attempt.id,
        AttemptTimedOut(attempt_id=attempt.id),
    )
    _tell_failed(attempt)


def _judge_exit(attempt: Attempt, event: AttemptContainerCompleted) -> AttemptState:
    """The process ended without a word. Containers that YARN took away are no failures."""
    attempt.context.timers.cancel(attempt.id)
    attempt.diagnostics.append(f"exit status {event.exit_status}: {event.diagnostics}")
    if event.exit_status in NOT_ITS_FAULT:
        _be_killed(attempt, event)
        return AttemptState.KILLED
    _fail(attempt, event)
    return AttemptState.FAILED


def _fail(attempt: Attempt, _event: object) -> None:
    attempt.context.timers.cancel(attempt.id)
    _deallocate(attempt)
    _tell_failed(attempt)


def _lose_output(attempt: Attempt, _event: AttemptTooManyFetchFailures) -> None:
    attempt.diagnostics.append("Too many fetch failures. Failing the attempt")
    _stop_if_running(attempt)
    _tell_failed(attempt)


def _lose_success(attempt: Attempt, event: AttemptKill) -> None:
    """The output of the map died with its node, although the map itself had succeeded."""
    attempt.diagnostics.append(event.diagnostics)
    _stop_if_running(attempt)
    _be_killed(attempt, event)


def _be_killed(attempt: Attempt, _event: object) -> None:
    attempt.context.timers.cancel(attempt.id)
    attempt.context.order(AbortTask(attempt.id))
    _deallocate(attempt)
    _end(attempt, AttemptState.KILLED)
    _tell_task(attempt, TaskAttemptKilled)


def _be_killed_before(attempt: Attempt, event: AttemptKill) -> None:
    attempt.diagnostics.append(event.diagnostics)
    _be_killed(attempt, event)


# What hooks share.


def _tell_failed(attempt: Attempt) -> None:
    context = attempt.context
    context.order(AbortTask(attempt.id))
    if attempt.node_id is not None:
        context.post(ContainerAttemptFailed(host=attempt.node_id.host))
    _end(attempt, AttemptState.FAILED)
    _tell_task(attempt, TaskAttemptFailed)


def _tell_task(
    attempt: Attempt,
    event: type[
        TaskAttemptLaunched
        | TaskAttemptCommitPending
        | TaskAttemptSucceeded
        | TaskAttemptFailed
        | TaskAttemptKilled
    ],
) -> None:
    attempt.context.post(event(task_id=attempt.id.task_id, attempt_id=attempt.id))


def _end(attempt: Attempt, status: AttemptState) -> None:
    attempt.finished_ms = attempt.context.now_ms
    _say_end(attempt, status)


def _say_end(attempt: Attempt, status: AttemptState) -> None:
    context = attempt.context
    context.record(
        "ATTEMPT_FINISHED",
        **_identity(attempt),
        status=status.value,
        started_ms=attempt.launched_ms,
        finished_ms=attempt.finished_ms,
        counters=attempt.counters,
        diagnostics="; ".join(attempt.diagnostics),
    )
    context.post(JobTaskAttemptCompleted(attempt_id=attempt.id, status=status.value))


def _identity(attempt: Attempt) -> dict[str, object]:
    return {
        "attempt": str(attempt.id),
        "container": _container_id(attempt),
        "node": str(attempt.node_id) if attempt.node_id else "",
        "shuffle_port": attempt.shuffle_port,
    }


def _container_id(attempt: Attempt) -> str:
    return str(attempt.container.id) if attempt.container is not None else ""


def _watch(attempt: Attempt) -> None:
    """Starts the time of silence anew."""
    timeout_ms = attempt.context.settings.task_timeout_ms
    if timeout_ms > 0:
        due_ms = attempt.context.now_ms + timeout_ms
        attempt.context.timers.at(due_ms, attempt.id, AttemptTimedOut(attempt_id=attempt.id))


def _stop_if_running(attempt: Attempt) -> None:
    if attempt.state is AttemptState.SUCCESS_FINISHING_CONTAINER:
        attempt.context.timers.cancel(attempt.id)
        _stop_container(attempt)


def _stop_container(attempt: Attempt) -> None:
    container = attempt.container
    if container is not None and container.id is not None and container.node_id is not None:
        attempt.context.order(StopTask(attempt.id, container.id, container.node_id))


def _deallocate(attempt: Attempt) -> None:
    attempt.context.post(ContainerDeallocated(attempt_id=attempt.id))


ATTEMPT = Table(
    "TaskAttempt",
    initial=AttemptState.NEW,
    rows={
        AttemptState.NEW: {
            AttemptSchedule: to(AttemptState.UNASSIGNED, _request_container),
            AttemptRecover: to(AttemptState.SUCCEEDED, _take_recovered),
            AttemptKill: to(AttemptState.KILLED, _be_killed_before),
        },
        AttemptState.UNASSIGNED: {
            AttemptAssigned: to(AttemptState.ASSIGNED, _launch),
            AttemptKill: to(AttemptState.KILLED, _be_killed_before),
        },
        AttemptState.ASSIGNED: {
            AttemptContainerLaunched: to(AttemptState.RUNNING, _has_launched),
            AttemptContainerLaunchFailed: to(AttemptState.FAILED, _fail_to_launch),
            AttemptContainerCompleted: choose(AttemptState.FAILED, AttemptState.KILLED, by=_judge_exit),
            AttemptKill: to(AttemptState.KILL_CONTAINER_CLEANUP, _stop),
        },
        AttemptState.RUNNING: {
            **stay(AttemptUpdate, hook=_take_update),
            AttemptCommitPending: to(AttemptState.COMMIT_PENDING, _ask_to_commit),
            AttemptDone: to(AttemptState.SUCCESS_FINISHING_CONTAINER, _succeed),
            AttemptFailMessage: to(AttemptState.FAIL_FINISHING_CONTAINER, _take_failure),
            AttemptTimedOut: to(AttemptState.FAIL_CONTAINER_CLEANUP, _stop),
            AttemptContainerCompleted: choose(AttemptState.FAILED, AttemptState.KILLED, by=_judge_exit),
            AttemptKill: to(AttemptState.KILL_CONTAINER_CLEANUP, _stop),
        },
        AttemptState.COMMIT_PENDING: {
            **stay(AttemptUpdate, hook=_take_update),
            **ignore(AttemptCommitPending),
            AttemptDone: to(AttemptState.SUCCESS_FINISHING_CONTAINER, _succeed),
            AttemptFailMessage: to(AttemptState.FAIL_FINISHING_CONTAINER, _take_failure),
            AttemptTimedOut: to(AttemptState.FAIL_CONTAINER_CLEANUP, _stop),
            AttemptContainerCompleted: choose(AttemptState.FAILED, AttemptState.KILLED, by=_judge_exit),
            AttemptKill: to(AttemptState.KILL_CONTAINER_CLEANUP, _stop),
        },
        AttemptState.SUCCESS_FINISHING_CONTAINER: {
            AttemptContainerCompleted: to(AttemptState.SUCCEEDED, _is_gone),
            AttemptTimedOut: to(AttemptState.SUCCEEDED, _stop_lingering),
            AttemptTooManyFetchFailures: to(AttemptState.FAILED, _lose_output),
            AttemptKill: to(AttemptState.KILLED, _lose_success),
            **ignore(AttemptUpdate, AttemptCommitPending, AttemptDone, AttemptFailMessage),
        },
        AttemptState.FAIL_FINISHING_CONTAINER: {
            AttemptContainerCompleted: to(AttemptState.FAILED, _is_gone),
            AttemptTimedOut: to(AttemptState.FAILED, _stop_lingering),
            **ignore(AttemptUpdate, AttemptCommitPending, AttemptDone, AttemptFailMessage, AttemptKill),
        },
        AttemptState.FAIL_CONTAINER_CLEANUP: {
            AttemptContainerCleaned: to(AttemptState.FAILED, _fail),
            AttemptContainerCompleted: to(AttemptState.FAILED, _fail),
            **ignore(AttemptUpdate, AttemptCommitPending, AttemptDone, AttemptFailMessage, AttemptKill),
        },
        AttemptState.KILL_CONTAINER_CLEANUP: {
            AttemptContainerCleaned: to(AttemptState.KILLED, _be_killed),
            AttemptContainerCompleted: to(AttemptState.KILLED, _be_killed),
            **ignore(
                AttemptContainerLaunched,
                AttemptContainerLaunchFailed,
                AttemptUpdate,
                AttemptCommitPending,
                AttemptDone,
                AttemptFailMessage,
                AttemptKill,
            ),
        },
        AttemptState.SUCCEEDED: {
            AttemptTooManyFetchFailures: to(AttemptState.FAILED, _lose_output),
            AttemptKill: to(AttemptState.KILLED, _lose_success),
            **ignore(
                AttemptContainerCompleted,
                AttemptContainerCleaned,
                AttemptUpdate,
                AttemptCommitPending,
                AttemptDone,
                AttemptFailMessage,
            ),
        },
        AttemptState.FAILED: ignore(
            AttemptContainerLaunched,
            AttemptContainerLaunchFailed,
            AttemptContainerCompleted,
            AttemptContainerCleaned,
            AttemptUpdate,
            AttemptCommitPending,
            AttemptDone,
            AttemptFailMessage,
            AttemptTooManyFetchFailures,
            AttemptKill,
        ),
        AttemptState.KILLED: ignore(
            AttemptAssigned,
            AttemptContainerLaunched,
            AttemptContainerLaunchFailed,
            AttemptContainerCompleted,
            AttemptContainerCleaned,
            AttemptUpdate,
            AttemptCommitPending,
            AttemptDone,
            AttemptFailMessage,
            AttemptTooManyFetchFailures,
            AttemptKill,
        ),
    },
)
