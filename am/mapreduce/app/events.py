"""Everything that can happen to a job, its tasks and their attempts.

A base class per addressee, by which the dispatcher routes. Names are the entity and Hadoop's constant:
`JobEventType.JOB_TASK_COMPLETED` is JobTaskCompleted, `TaskEventType.T_ATTEMPT_KILLED` TaskAttemptKilled,
`TaskAttemptEventType.TA_DONE` AttemptDone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.runtime.event import Event

Counters = Mapping[str, Mapping[str, int]]
"""Amounts by group and name."""


# The job.


class JobEvent(Event, frozen=True, kw_only=True):
    """Handled by the job."""


class JobStart(JobEvent, frozen=True, kw_only=True):
    """The AM is registered: begin."""


class JobSetupCompleted(JobEvent, frozen=True, kw_only=True):
    """The output directory's temporary part is there."""


class JobSetupFailed(JobEvent, frozen=True, kw_only=True):
    """That part could not be made."""

    diagnostics: str


class JobTaskCompleted(JobEvent, frozen=True, kw_only=True):
    """A task has come to an end, in the state named: SUCCEEDED, FAILED or KILLED."""

    task_id: TaskId
    state: str


class JobMapTaskRescheduled(JobEvent, frozen=True, kw_only=True):
    """A map that had succeeded has to run again: its output is gone."""

    task_id: TaskId


class JobTaskAttemptCompleted(JobEvent, frozen=True, kw_only=True):
    """An attempt has ended, or one that had succeeded is good no longer; reducers hear of it."""

    attempt_id: TaskAttemptId
    status: str


class JobTaskAttemptFetchFailure(JobEvent, frozen=True, kw_only=True):
    """A reducer could not fetch the output of these maps."""

    reduce_id: TaskAttemptId
    maps: tuple[TaskAttemptId, ...]


class JobUpdatedNodes(JobEvent, frozen=True, kw_only=True):
    """These nodes are not to be used any more."""

    unusable: tuple[NodeId, ...]


class JobCommitCompleted(JobEvent, frozen=True, kw_only=True):
    """The output is in its place."""


class JobCommitFailed(JobEvent, frozen=True, kw_only=True):
    """The output could not be put in its place."""

    diagnostics: str


class JobAbortCompleted(JobEvent, frozen=True, kw_only=True):
    """What was written is removed."""


class JobKill(JobEvent, frozen=True, kw_only=True):
    """Somebody wants the job to end."""

    diagnostics: str = "Job received Kill while in RUNNING state."


# Tasks.


class TaskEvent(Event, frozen=True, kw_only=True):
    """Handled by the task."""

    task_id: TaskId

    @property
    def subject(self) -> Any:
        return self.task_id


class TaskSchedule(TaskEvent, frozen=True, kw_only=True):
    """Make the first attempt."""


class TaskRecover(TaskEvent, frozen=True, kw_only=True):
    """An earlier AM saw this attempt succeed, and what it wrote is still there."""

    attempt_id: TaskAttemptId
    node_id: NodeId
    shuffle_port: int
    counters: Counters
    started_ms: int
    finished_ms: int
    container_id: ContainerId | None = None
    http_port: int = -1
    shuffle_finished_ms: int = 0


class TaskKill(TaskEvent, frozen=True, kw_only=True):
    """The task is not wanted any more."""


class TaskAddSpeculativeAttempt(TaskEvent, frozen=True, kw_only=True):
    """Its attempt seems to end late: make another beside it."""


class TaskAttemptEvent(TaskEvent, frozen=True, kw_only=True):
    """Something happened to one of its attempts."""

    attempt_id: TaskAttemptId


class TaskAttemptLaunched(TaskAttemptEvent, frozen=True, kw_only=True):
    """An attempt runs on its node."""


class TaskAttemptCommitPending(TaskAttemptEvent, frozen=True, kw_only=True):
    """An attempt has written its output and asks to commit it."""


class TaskAttemptSucceeded(TaskAttemptEvent, frozen=True, kw_only=True):
    """An attempt has succeeded."""


class TaskAttemptFailed(TaskAttemptEvent, frozen=True, kw_only=True):
    """An attempt has failed, which counts against the task."""


class TaskAttemptKilled(TaskAttemptEvent, frozen=True, kw_only=True):
    """An attempt was ended, which does not count against the task."""


# Attempts.


class AttemptEvent(Event, frozen=True, kw_only=True):
    """Handled by the attempt."""

    attempt_id: TaskAttemptId

    @property
    def subject(self) -> Any:
        return self.attempt_id


class AttemptSchedule(AttemptEvent, frozen=True, kw_only=True):
    """Ask for a container. After a failure the place does not matter any more, only the time does."""

    after_failure: bool = False


class AttemptRecover(AttemptEvent, frozen=True, kw_only=True):
    """The attempt succeeded under an earlier AM."""

    task: TaskRecover


class AttemptAssigned(AttemptEvent, frozen=True, kw_only=True):
    """The attempt has a container."""

    container: Container
    shuffle_port: int | None = None
    """Of its node, where the container runs already, for an attempt before this one."""


class AttemptContainerLaunched(AttemptEvent, frozen=True, kw_only=True):
    """The node has started the container; its shuffle service listens at this port."""

    shuffle_port: int


class AttemptContainerLaunchFailed(AttemptEvent, frozen=True, kw_only=True):
    """The node could not start the container."""

    diagnostics: str


class AttemptUpdate(AttemptEvent, frozen=True, kw_only=True):
    """The task tells how far it is."""

    progress: float
    phase: str
    counters: Counters
    status: str = ""
    is_alive: bool = True
    """Whether anything has moved since the last time; if not, the task only says that it is there."""


class AttemptCommitPending(AttemptEvent, frozen=True, kw_only=True):
    """The task has written its output and waits for the word to commit."""


class AttemptDone(AttemptEvent, frozen=True, kw_only=True):
    """The task has done everything."""


class AttemptFailMessage(AttemptEvent, frozen=True, kw_only=True):
    """The task says that it failed."""

    diagnostics: str


class AttemptTimedOut(AttemptEvent, frozen=True, kw_only=True):
    """Nothing was heard of the task for too long; or its process does not end though it said it was done."""


class AttemptContainerCompleted(AttemptEvent, frozen=True, kw_only=True):
    """The RM says that the container has ended."""

    exit_status: int
    diagnostics: str


class AttemptContainerPassedOn(AttemptEvent, frozen=True, kw_only=True):
    """Another attempt goes on in its container, for it has succeeded."""


class AttemptContainerCleaned(AttemptEvent, frozen=True, kw_only=True):
    """The node was told to stop the container, or cannot be told."""


class AttemptTooManyFetchFailures(AttemptEvent, frozen=True, kw_only=True):
    """Reducers cannot get at the map's output."""


class AttemptKill(AttemptEvent, frozen=True, kw_only=True):
    """Not wanted any more: preempted, on a node that is gone, second to finish, or the job ends."""

    diagnostics: str


# The allocator.


class ContainerEvent(Event, frozen=True, kw_only=True):
    """Handled by the allocator."""


class ContainerRequested(ContainerEvent, frozen=True, kw_only=True):
    """An attempt needs a container."""

    attempt_id: TaskAttemptId
    hosts: tuple[str, ...]
    racks: tuple[str, ...]
    after_failure: bool


class ContainerDeallocated(ContainerEvent, frozen=True, kw_only=True):
    """An attempt needs its container, or the one it asked for, no longer."""

    attempt_id: TaskAttemptId


class ContainerAttemptFailed(ContainerEvent, frozen=True, kw_only=True):
    """An attempt has failed on this host: too many of them, and the host is avoided."""

    host: str


class ContainerResized(ContainerEvent, frozen=True, kw_only=True):
    """Its node has enlarged the container of an attempt."""

    attempt_id: TaskAttemptId
    container: Container


# The speculator.


class SpeculatorEvent(Event, frozen=True, kw_only=True):
    """Handled by the speculator; by nobody where there is none."""


class SpeculatorContainerNeed(SpeculatorEvent, frozen=True, kw_only=True):
    """A task waits for one container more, or for one less."""

    task_id: TaskId
    change: int


class SpeculatorAttemptStart(SpeculatorEvent, frozen=True, kw_only=True):
    """The attempt's container runs since then; one that waits to compute starts anew when it does."""

    attempt_id: TaskAttemptId
    time_ms: int


class SpeculatorAttemptUpdate(SpeculatorEvent, frozen=True, kw_only=True):
    """The running attempt is so far."""

    attempt_id: TaskAttemptId
    progress: float


class SpeculatorAttemptSucceeded(SpeculatorEvent, frozen=True, kw_only=True):
    """The attempt is done since then."""

    attempt_id: TaskAttemptId
    time_ms: int


class SpeculatorScan(SpeculatorEvent, frozen=True, kw_only=True):
    """Look whether a task needs a second attempt."""


for _family in (JobEvent, TaskEvent, AttemptEvent, ContainerEvent, SpeculatorEvent):
    _family.family = _family
