"""A task attempt: one try, in one container. The table, its hooks, and what is known of the try.

Knows its container and what the task reports; does not know how often its task may fail or what else the job
does. An attempt tells its task when it succeeded, failed or was killed, once; after a success it may still
turn out that a map's output cannot be fetched, or died with its node. Hadoop: TaskAttemptImpl.
"""

from __future__ import annotations

from enum import Enum

from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.effects import AbortTask, LaunchTask, StopTask
from yarnbox.am.mapreduce.app.events import (
    AttemptAssigned,
    AttemptCommitPending,
    AttemptContainerCleaned,
    AttemptContainerCompleted,
    AttemptContainerLaunched,
    AttemptContainerLaunchFailed,
    AttemptContainerPassedOn,
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
    SpeculatorAttemptStart,
    SpeculatorAttemptSucceeded,
    SpeculatorAttemptUpdate,
    SpeculatorContainerNeed,
    TaskAttemptCommitPending,
    TaskAttemptFailed,
    TaskAttemptKilled,
    TaskAttemptLaunched,
    TaskAttemptSucceeded,
)
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.statemachine import Table, choose, ignore, stay, to

ABORTED = -100
PREEMPTED = -102
KILLED_BY_CONTAINER_SCHEDULER = -108
NOT_ITS_FAULT = (ABORTED, PREEMPTED, KILLED_BY_CONTAINER_SCHEDULER)
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

    @property
    def told(self) -> str:
        """What others are told; TaskAttemptState."""
        return _TOLD.get(self, self.value)


_TOLD = {
    AttemptState.UNASSIGNED: "STARTING",
    AttemptState.ASSIGNED: "STARTING",
    AttemptState.SUCCESS_FINISHING_CONTAINER: "SUCCEEDED",
    AttemptState.FAIL_FINISHING_CONTAINER: "FAILED",
    AttemptState.FAIL_CONTAINER_CLEANUP: "FAILED",
    AttemptState.KILL_CONTAINER_CLEANUP: "KILLED",
}


class Attempt:
    """What is known of one try."""

    __slots__ = (
        "container", "context", "counters", "diagnostics", "finished_ms", "has_reported", "hosts",
        "http_port", "id", "is_speculative", "launched_ms", "node_id", "phase", "progress", "racks",
        "records", "shuffle_finished_ms", "shuffle_port", "state", "status",
    )  # fmt: skip

    def __init__(
        self,
        context: Context,
        attempt_id: TaskAttemptId,
        hosts: tuple[str, ...],
        racks: tuple[str, ...],
        *,
        is_speculative: bool = False,
    ) -> None:
        self.context = context
        self.id = attempt_id
        self.hosts = hosts
        self.racks = racks
        self.is_speculative = is_speculative
        self.state = AttemptState.NEW
        self.container: Container | None = None
        self.node_id: NodeId | None = None
        self.http_port = -1
        self.shuffle_port = 0
        self.shuffle_finished_ms = 0
        self.progress = 0.0
        self.phase = "MAP" if attempt_id.is_map else "SHUFFLE"
        self.counters: Counters = {}
        self.launched_ms = 0
        self.finished_ms = 0
        self.has_reported = False
        self.status = ""
        self.diagnostics: list[str] = []
        self.records: tuple[int, int] | None = None  # the first one, and how many; where it tells

    @property
    def subject(self) -> TaskAttemptId:
        """The id under which the story tells of it."""
        return self.id

    @property
    def rack(self) -> str:
        return self.context.rack_of(self.node_id.host) if self.node_id is not None else ""

    @property
    def locality(self) -> str:
        """How near its node is to its input."""
        if self.node_id is not None and self.node_id.host in self.hosts:
            return "NODE_LOCAL"
        return "RACK_LOCAL" if self.rack in self.racks else "OFF_SWITCH"

    def handle(self, event: Event) -> None:
        """Lets an event happen to it."""
        self.context.fire(ATTEMPT, self, event)


# The hooks, in the order of the table.


def _request_container(attempt: Attempt, event: AttemptSchedule) -> None:
    attempt.context.post(
        ContainerRequested(
            attempt_id=attempt.id, hosts=attempt.hosts, racks=attempt.racks, after_failure=event.after_failure
        )
    )
    _tell_need(attempt, 1)


def _take_recovered(attempt: Attempt, event: AttemptRecover) -> None:
    known = event.task
    attempt.node_id = known.node_id
    if known.container_id is not None:
        attempt.container = Container(id=known.container_id, node_id=known.node_id)
    attempt.shuffle_port, attempt.http_port = known.shuffle_port, known.http_port
    attempt.counters = known.counters
    attempt.launched_ms, attempt.finished_ms = known.started_ms, known.finished_ms
    attempt.shuffle_finished_ms = known.shuffle_finished_ms
    attempt.progress = 1.0
    attempt.context.post(SpeculatorAttemptStart(attempt_id=attempt.id, time_ms=known.started_ms))
    attempt.context.post(SpeculatorAttemptSucceeded(attempt_id=attempt.id, time_ms=known.finished_ms))
    _say_start(attempt)
    _say_end(attempt, AttemptState.SUCCEEDED)
    _tell_task(attempt, TaskAttemptSucceeded)


def _launch(attempt: Attempt, event: AttemptAssigned) -> None:
    attempt.container = event.container
    attempt.node_id = event.container.node_id
    port = (event.container.node_http_address or "").rpartition(":")[2]
    attempt.http_port = int(port) if port.isdigit() else -1
    _tell_need(attempt, -1)
    if event.shuffle_port is None:
        attempt.context.order(LaunchTask(attempt.id, event.container))
    else:
        launched = AttemptContainerLaunched(attempt_id=attempt.id, shuffle_port=event.shuffle_port)
        attempt.context.post(launched)


def _has_launched(attempt: Attempt, event: AttemptContainerLaunched) -> None:
    context = attempt.context
    attempt.shuffle_port = event.shuffle_port
    attempt.launched_ms = context.now_ms
    context.post(SpeculatorAttemptStart(attempt_id=attempt.id, time_ms=context.now_ms))
    _watch(attempt)
    _say_start(attempt)
    _tell_task(attempt, TaskAttemptLaunched)


def _take_update(attempt: Attempt, event: AttemptUpdate) -> None:
    attempt.progress = max(attempt.progress, min(event.progress, 1.0))
    if attempt.phase == "SHUFFLE" and event.phase != "SHUFFLE":
        attempt.shuffle_finished_ms = attempt.context.now_ms
    attempt.phase = event.phase
    attempt.counters = event.counters
    attempt.status = event.status or attempt.status
    attempt.context.post(SpeculatorAttemptUpdate(attempt_id=attempt.id, progress=attempt.progress))
    if event.is_alive:
        attempt.has_reported = True
        _watch(attempt)


def _ask_to_commit(attempt: Attempt, _event: AttemptCommitPending) -> None:
    attempt.has_reported = True
    _watch(attempt)
    _tell_task(attempt, TaskAttemptCommitPending)


def _succeed(attempt: Attempt, _event: AttemptDone) -> None:
    """The task hears of it at once; the process has some time to end by itself."""
    attempt.progress = 1.0
    attempt.context.post(SpeculatorAttemptSucceeded(attempt_id=attempt.id, time_ms=attempt.context.now_ms))
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


def _lets_go(attempt: Attempt, _event: AttemptContainerPassedOn) -> None:
    attempt.context.timers.cancel(attempt.id)


def _stop(attempt: Attempt, event: AttemptKill | AttemptTimedOut) -> None:
    """Has the container stopped; the attempt has ended when that is done."""
    attempt.context.timers.cancel(attempt.id)
    if isinstance(event, AttemptKill):
        attempt.diagnostics.append(event.diagnostics)
    else:
        attempt.diagnostics.append(_silence(attempt))
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
    attempt.diagnostics.append(f"exit status {_told_status(event.exit_status)}: {event.diagnostics}")
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
    host = attempt.node_id.host if attempt.node_id is not None else "its node"
    attempt.diagnostics.append(
        f"Too many fetch failures. Failing the attempt: reduces cannot fetch its output from {host}"
    )
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


def _be_killed_waiting(attempt: Attempt, event: AttemptKill) -> None:
    _tell_need(attempt, -1)
    _be_killed_before(attempt, event)


def _be_killed_before(attempt: Attempt, event: AttemptKill) -> None:
    attempt.diagnostics.append(event.diagnostics)
    _be_killed(attempt, event)


# What hooks share.


def _tell_need(attempt: Attempt, change: int) -> None:
    attempt.context.post(SpeculatorContainerNeed(task_id=attempt.id.task_id, change=change))


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


def _say_start(attempt: Attempt) -> None:
    attempt.context.record(
        f"{attempt.id.task_id.type.name}_ATTEMPT_STARTED",
        **_names(attempt),
        startTime=attempt.launched_ms,
        trackerName=attempt.node_id.host if attempt.node_id is not None else "",
        httpPort=attempt.http_port,
        shufflePort=attempt.shuffle_port,
        containerId=_container_id(attempt),
        locality=attempt.locality,
        avataar="SPECULATIVE" if attempt.is_speculative else "VIRGIN",
    )


def _say_end(attempt: Attempt, status: AttemptState) -> None:
    """The history hears only of attempts that were launched."""
    if attempt.launched_ms:
        _record_end(attempt, status)
    attempt.context.post(JobTaskAttemptCompleted(attempt_id=attempt.id, status=status.value))


def _record_end(attempt: Attempt, status: AttemptState) -> None:
    has_succeeded = status is AttemptState.SUCCEEDED
    type_ = attempt.id.task_id.type.name
    finish_ms = attempt.finished_ms
    shuffled_ms = attempt.shuffle_finished_ms or finish_ms
    where = {
        "hostname": attempt.node_id.host if attempt.node_id is not None else "UNKNOWN",
        "port": attempt.node_id.port if attempt.node_id is not None else -1,
        "rackname": attempt.rack,
    }
    ends: dict[str, object] = {"status": status.value, "error": "\n".join(attempt.diagnostics)}
    if has_succeeded and attempt.id.is_map:
        ends = {"taskStatus": status.value, "state": "map", "mapFinishTime": finish_ms}
    elif has_succeeded:
        ends = {
            "taskStatus": status.value,
            "state": "reduce",
            "shuffleFinishTime": shuffled_ms,
            "sortFinishTime": shuffled_ms,
        }
    attempt.context.record(
        f"{type_}_ATTEMPT_{'FINISHED' if has_succeeded else status.value}",
        **_names(attempt),
        finishTime=finish_ms,
        counters=attempt.counters,
        **where,
        **ends,
    )


def _names(attempt: Attempt) -> dict[str, object]:
    task_id = attempt.id.task_id
    return {"taskid": str(task_id), "taskType": task_id.type.name, "attemptId": str(attempt.id)}


def _container_id(attempt: Attempt) -> str:
    return str(attempt.container.id) if attempt.container is not None else ""


def _watch(attempt: Attempt) -> None:
    """Starts the time of silence anew."""
    limits = _limits(attempt)
    attempt.context.timers.cancel(attempt.id)
    if limits:
        due_ms = attempt.context.now_ms + min(limits)
        attempt.context.timers.at(due_ms, attempt.id, AttemptTimedOut(attempt_id=attempt.id))


def _limits(attempt: Attempt) -> list[int]:
    """What silence ends it: any, and that before its first word."""
    settings = attempt.context.settings
    first = 0 if attempt.has_reported else settings.stuck_timeout_ms
    return [limit for limit in (settings.silence_ms(), first) if limit > 0]


def _silence(attempt: Attempt) -> str:
    """Which limit is over, plainly and in Hadoop's words."""
    settings, over = attempt.context.settings, min(_limits(attempt))
    any_ms, first_ms = settings.silence_ms(), settings.stuck_timeout_ms
    is_any = 0 < any_ms <= over
    is_first = not attempt.has_reported and 0 < first_ms <= over
    plainly = "said nothing since it was launched" if is_first else "read, wrote and counted nothing"
    limit = "mapreduce.task.stuck.timeout-ms" if is_first else "mapreduce.task.timeout"
    return (
        f"It {plainly} for {over / 1000:g} s ({limit}).\n"
        f"AttemptID:{attempt.id} task timeout set: {any_ms // 1000}s, taskTimedOut: {str(is_any).lower()};"
        f" task stuck timeout set: {first_ms // 1000}s, taskStuck: {str(is_first).lower()}"
    )


def _told_status(exit_status: int) -> str:
    """With the name of the signal that ended it, if it was one."""
    name = _SIGNALS.get(exit_status - _SIGNALLED)
    return f"{exit_status} ({name})" if name is not None else str(exit_status)


_SIGNALLED = 128
"""What a shell adds to the number of the signal that has ended a process."""
_SIGNALS = {
    4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM",
}  # fmt: skip


def after_pause(attempt: Attempt) -> None:
    """The AM heard no task for a while: the time of silence of one that runs starts anew."""
    if attempt.state in (AttemptState.RUNNING, AttemptState.COMMIT_PENDING):
        _watch(attempt)


def _stop_if_running(attempt: Attempt) -> None:
    if attempt.state is AttemptState.SUCCESS_FINISHING_CONTAINER:
        attempt.context.timers.cancel(attempt.id)
        _stop_container(attempt)


def _stop_container(attempt: Attempt) -> None:
    container = attempt.container
    if container is not None and container.node_id is not None:
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
            AttemptKill: to(AttemptState.KILLED, _be_killed_waiting),
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
            AttemptContainerPassedOn: to(AttemptState.SUCCEEDED, _lets_go),
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
