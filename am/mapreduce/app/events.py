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
from yarnbox.yarn.runtime.event import Event, event

Counters = Mapping[str, Mapping[str, int]]
"""Amounts by group and name."""


# The job.


@event
class JobEvent(Event):
    """Handled by the job."""


@event
class JobStart(JobEvent):
    """The AM is registered: begin."""


@event
class JobSetupCompleted(JobEvent):
    """The output directory's temporary part is there."""


@event
class JobSetupFailed(JobEvent):
    """That part could not be made."""

    diagnostics: str


@event
class JobTaskCompleted(JobEvent):
    """A task has come to an end, in the state named: SUCCEEDED, FAILED or KILLED."""

    task_id: TaskId
    state: str


@event
class JobMapTaskRescheduled(JobEvent):
    """A map that had succeeded has to run again: its output is gone."""

    task_id: TaskId


@event
class JobTaskAttemptCompleted(JobEvent):
    """An attempt has ended, or one that had succeeded is good no longer; reducers hear of it."""

    attempt_id: TaskAttemptId
    status: str


@event
class JobTaskAttemptFetchFailure(JobEvent):
    """A reducer could not fetch the output of these maps."""

    reduce_id: TaskAttemptId
    maps: tuple[TaskAttemptId, ...]


@event
class JobUpdatedNodes(JobEvent):
    """These nodes are not to be used any more."""

    unusable: tuple[NodeId, ...]


@event
class JobCommitCompleted(JobEvent):
    """The output is in its place."""


@event
class JobCommitFailed(JobEvent):
    """The output could not be put in its place."""

    diagnostics: str


@event
class JobAbortCompleted(JobEvent):
    """What was written is removed."""


@event
class JobKill(JobEvent):
    """Somebody wants the job to end."""

    diagnostics: str = "Job received Kill while in RUNNING state."


# Tasks.


@event
class TaskEvent(Event):
    """Handled by the task."""

    task_id: TaskId

    @property
    def subject(self) -> Any:
        return self.task_id


@event
class TaskSchedule(TaskEvent):
    """Make the first attempt."""


@event
class TaskRecover(TaskEvent):
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


@event
class TaskKill(TaskEvent):
    """The task is not wanted any more."""


@event
class TaskAddSpeculativeAttempt(TaskEvent):
    """Its attempt seems to end late: make another beside it."""


@event
class TaskAttemptEvent(TaskEvent):
    """Something happened to one of its attempts."""

    attempt_id: TaskAttemptId


@event
class TaskAttemptLaunched(TaskAttemptEvent):
    """An attempt runs on its node."""


@event
class TaskAttemptCommitPending(TaskAttemptEvent):
    """An attempt has written its output and asks to commit it."""


@event
class TaskAttemptSucceeded(TaskAttemptEvent):
    """An attempt has succeeded."""


@event
class TaskAttemptFailed(TaskAttemptEvent):
    """An attempt has failed, which counts against the task."""


@event
class TaskAttemptKilled(TaskAttemptEvent):
    """An attempt was ended, which does not count against the task."""


# Attempts.


@event
class AttemptEvent(Event):
    """Handled by the attempt."""

    attempt_id: TaskAttemptId

    @property
    def subject(self) -> Any:
        return self.attempt_id


@event
class AttemptSchedule(AttemptEvent):
    """Ask for a container. After a failure the place does not matter any more, only the time does."""

    after_failure: bool = False


@event
class AttemptRecover(AttemptEvent):
    """The attempt succeeded under an earlier AM."""

    task: TaskRecover


@event
class AttemptAssigned(AttemptEvent):
    """The attempt has a container."""

    container: Container
    shuffle_port: int | None = None
    """Of its node, where the container runs already, for an attempt before this one."""


@event
class AttemptContainerLaunched(AttemptEvent):
    """The node has started the container; its shuffle service listens at this port."""

    shuffle_port: int


@event
class AttemptContainerLaunchFailed(AttemptEvent):
    """The node could not start the container."""

    diagnostics: str


@event
class AttemptUpdate(AttemptEvent):
    """The task tells how far it is."""

    progress: float
    phase: str
    counters: Counters
    status: str = ""
    is_alive: bool = True
    """Whether anything has moved since the last time; if not, the task only says that it is there."""


@event
class AttemptCommitPending(AttemptEvent):
    """The task has written its output and waits for the word to commit."""


@event
class AttemptDone(AttemptEvent):
    """The task has done everything."""


@event
class AttemptFailMessage(AttemptEvent):
    """The task says that it failed."""

    diagnostics: str


@event
class AttemptTimedOut(AttemptEvent):
    """Nothing was heard of the task for too long; or its process does not end though it said it was done."""


@event
class AttemptContainerCompleted(AttemptEvent):
    """The RM says that the container has ended."""

    exit_status: int
    diagnostics: str


@event
class AttemptContainerPassedOn(AttemptEvent):
    """Another attempt goes on in its container, for it has succeeded."""


@event
class AttemptContainerCleaned(AttemptEvent):
    """The node was told to stop the container, or cannot be told."""


@event
class AttemptTooManyFetchFailures(AttemptEvent):
    """Reducers cannot get at the map's output."""


@event
class AttemptKill(AttemptEvent):
    """Not wanted any more: preempted, on a node that is gone, second to finish, or the job ends."""

    diagnostics: str


# The allocator.


class ContainerEvent(Event):
    """Handled by the allocator."""

    __slots__ = ()


@event
class ContainerRequested(ContainerEvent):
    """An attempt needs a container."""

    attempt_id: TaskAttemptId
    hosts: tuple[str, ...]
    racks: tuple[str, ...]
    after_failure: bool


@event
class ContainerDeallocated(ContainerEvent):
    """An attempt needs its container, or the one it asked for, no longer."""

    attempt_id: TaskAttemptId


@event
class ContainerAttemptFailed(ContainerEvent):
    """An attempt has failed on this host: too many of them, and the host is avoided."""

    host: str


@event
class ContainerResized(ContainerEvent):
    """Its node has enlarged the container of an attempt."""

    attempt_id: TaskAttemptId
    container: Container


# The speculator.


class SpeculatorEvent(Event):
    """Handled by the speculator; by nobody where there is none."""

    __slots__ = ()


@event
class SpeculatorContainerNeed(SpeculatorEvent):
    """A task waits for one container more, or for one less."""

    task_id: TaskId
    change: int


@event
class SpeculatorAttemptStart(SpeculatorEvent):
    """The attempt's container runs since then; one that waits to compute starts anew when it does."""

    attempt_id: TaskAttemptId
    time_ms: int


@event
class SpeculatorAttemptUpdate(SpeculatorEvent):
    """The running attempt is so far."""

    attempt_id: TaskAttemptId
    progress: float


@event
class SpeculatorAttemptSucceeded(SpeculatorEvent):
    """The attempt is done since then."""

    attempt_id: TaskAttemptId
    time_ms: int


@event
class SpeculatorScan(SpeculatorEvent):
    """Look whether a task needs a second attempt."""


for _family in (JobEvent, TaskEvent, AttemptEvent, ContainerEvent, SpeculatorEvent):
    _family.family = _family
