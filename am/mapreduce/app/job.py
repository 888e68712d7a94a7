"""The job: sets up, runs its tasks, commits what they wrote; or aborts.

Owns the count of tasks that are done, the list of completed attempts that reducers read, complaints about
outputs that cannot be fetched, and what follows when a node is gone. Reduces are scheduled together with the
maps; when they get containers is the allocator's business. Hadoop: JobImpl.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from yarnbox.am.mapreduce.app.attempt import Attempt
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.effects import AbortJob, CommitJob, SetUpJob
from yarnbox.am.mapreduce.app.events import (
    AttemptKill,
    AttemptTooManyFetchFailures,
    JobAbortCompleted,
    JobCommitCompleted,
    JobCommitFailed,
    JobKill,
    JobMapTaskRescheduled,
    JobSetupCompleted,
    JobSetupFailed,
    JobStart,
    JobTaskAttemptCompleted,
    JobTaskAttemptFetchFailure,
    JobTaskCompleted,
    JobUpdatedNodes,
    TaskKill,
    TaskRecover,
    TaskSchedule,
)
from yarnbox.am.mapreduce.app.job_counters import of_job, of_tasks
from yarnbox.am.mapreduce.app.task import Task
from yarnbox.am.mapreduce.ids import JobId, TaskAttemptId, TaskId, TaskType
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.ordered import OrderedSet
from yarnbox.yarn.runtime.statemachine import Table, choose, ignore, stay, to


class JobState(Enum):
    """Where the job stands; JobStateInternal."""

    NEW = "NEW"
    SETUP = "SETUP"
    RUNNING = "RUNNING"
    COMMITTING = "COMMITTING"
    SUCCEEDED = "SUCCEEDED"
    FAIL_WAIT = "FAIL_WAIT"
    FAIL_ABORT = "FAIL_ABORT"
    FAILED = "FAILED"
    KILL_WAIT = "KILL_WAIT"
    KILL_ABORT = "KILL_ABORT"
    KILLED = "KILLED"


ENDED = (JobState.SUCCEEDED, JobState.FAILED, JobState.KILLED)


@dataclass(frozen=True, slots=True)
class CompletionEvent:
    """What reducers are told of a map attempt: SUCCEEDED, FAILED, KILLED, or OBSOLETE: fetch it no more."""

    attempt_id: TaskAttemptId
    status: str
    host: str
    shuffle_port: int
    run_time_ms: int


class Job:
    """What is known of the job."""

    __slots__ = (
        "_counts", "_tasks", "completed", "completion_events", "context", "diagnostics", "fetch_failures",
        "finished_ms", "id", "maps", "outcomes", "recovered", "reduces", "started_ms", "state",
    )  # fmt: skip

    def __init__(self, context: Context, maps: list[Task], reduces: list[Task]) -> None:
        self.context = context
        self.id: JobId = context.job_id
        self.maps = maps
        self.reduces = reduces
        self._tasks = {task.id: task for task in (*maps, *reduces)}
        self.state = JobState.NEW
        self.recovered: dict[TaskId, TaskRecover] = {}
        self.completed: dict[TaskId, str] = {}
        self._counts: dict[tuple[TaskType, str], int] = {}
        self.completion_events: list[CompletionEvent] = []
        self.fetch_failures: dict[TaskAttemptId, OrderedSet[tuple[TaskAttemptId, int]]] = {}
        self.outcomes: dict[TaskAttemptId, str] = {}
        self.diagnostics: list[str] = []
        self.started_ms = 0
        self.finished_ms = 0

    @property
    def subject(self) -> JobId:
        """The id under which the story tells of it."""
        return self.id

    @property
    def has_ended(self) -> bool:
        """Whether nothing will happen any more."""
        return self.state in ENDED

    def handle(self, event: Event) -> None:
        """Lets an event happen to it."""
        self.context.fire(JOB, self, event)

    def task(self, task_id: TaskId) -> Task:
        """The task of that id; KeyError when the job has none."""
        return self._tasks[task_id]

    @property
    def tasks(self) -> Iterable[Task]:
        """Maps, then reduces."""
        return self._tasks.values()

    def find_task(self, task_id: TaskId) -> Task | None:
        """The task of that id, if there is one."""
        return self._tasks.get(task_id)

    def attempt(self, attempt_id: TaskAttemptId) -> Attempt:
        """The attempt of that id; KeyError when there was none."""
        return self._tasks[attempt_id.task_id].attempts[attempt_id]

    def find_attempt(self, attempt_id: TaskAttemptId) -> Attempt | None:
        """The attempt of that id, if there was one."""
        task = self._tasks.get(attempt_id.task_id)
        return task.attempts.get(attempt_id) if task is not None else None

    def count(self, type_: TaskType, state: str) -> int:
        """How many tasks of a type have ended so."""
        return self._counts.get((type_, state), 0)

    def note(self, task_id: TaskId, state: str | None) -> None:
        """A task has ended so; or, without a state, it has to run again."""
        before = self.completed.pop(task_id, None)
        if before is not None:
            self._counts[task_id.type, before] -= 1
        if state is not None:
            self.completed[task_id] = state
            self._counts[task_id.type, state] = self.count(task_id.type, state) + 1

    def progress(self, type_: TaskType) -> float:
        """How far the maps or the reduces are, from 0 to 1; 0 where there are none, as in Hadoop."""
        tasks = self.maps if type_ is TaskType.MAP else self.reduces
        return sum(task.progress for task in tasks) / len(tasks) if tasks else 0.0


# The hooks, in the order of the table.


def _set_up(job: Job, _event: JobStart) -> None:
    context = job.context
    job.started_ms = job.started_ms or context.now_ms
    context.record(
        "JOB_INITED",
        jobid=str(job.id),
        launchTime=job.started_ms,
        totalMaps=len(job.maps),
        totalReduces=len(job.reduces),
        jobStatus="INITED",
        uberized=context.is_uber,
    )
    context.record(
        "JOB_INFO_CHANGED", jobid=str(job.id), submitTime=context.submit_ms, launchTime=job.started_ms
    )
    job.context.order(SetUpJob())


def _schedule_tasks(job: Job, _event: JobSetupCompleted) -> JobState:
    for task in (*job.maps, *job.reduces):
        recovery = job.recovered.get(task.id)
        job.context.post(recovery if recovery is not None else TaskSchedule(task_id=task.id))
    if job.maps or job.reduces:
        return JobState.RUNNING
    job.context.order(CommitJob())
    return JobState.COMMITTING


def _fail_setup(job: Job, event: JobSetupFailed) -> None:
    job.diagnostics.append(f"Job setup failed : {event.diagnostics}")
    _abort(job)


def _abort(job: Job, _event: object = None) -> None:
    job.context.order(AbortJob())


def _judge_task(job: Job, event: JobTaskCompleted) -> JobState:
    """Commit when all is done; give up when too much has failed."""
    _count(job, event)
    if event.state == "FAILED":
        job.diagnostics.append(f"Task failed {event.task_id}")
        task = job.task(event.task_id)
        for attempt_id in reversed(list(task.failed_attempts)):
            job.diagnostics += task.attempts[attempt_id].diagnostics
            break
    settings = job.context.settings
    if _has_failed(job, TaskType.MAP, settings.map_failures_percent) or _has_failed(
        job, TaskType.REDUCE, settings.reduce_failures_percent
    ):
        failed = f"failedMaps:{job.count(TaskType.MAP, 'FAILED')} failedReduces:"
        job.diagnostics.append(f"Job failed as tasks failed. {failed}{job.count(TaskType.REDUCE, 'FAILED')}")
        return _end_tasks(job, JobState.FAIL_WAIT, JobState.FAIL_ABORT)
    if not _are_all_done(job):
        if job.reduces and settings.ends_with_reduces and _are_reduces_done(job):
            for task in job.maps:
                job.context.post(TaskKill(task_id=task.id))  # nobody needs what they make anew
        return JobState.RUNNING
    job.context.order(CommitJob())
    return JobState.COMMITTING


def _uncount_map(job: Job, event: JobMapTaskRescheduled) -> None:
    job.note(event.task_id, None)


def _announce_attempt(job: Job, event: JobTaskAttemptCompleted) -> None:
    """Reducers read a list that only grows; what they read before is called obsolete by a later line."""
    attempt_id = event.attempt_id
    earlier = job.outcomes.get(attempt_id)
    job.outcomes[attempt_id] = event.status
    if not attempt_id.is_map:
        return
    attempt = job.attempt(attempt_id)
    status = "OBSOLETE" if earlier == "SUCCEEDED" else event.status
    host = attempt.node_id.host if attempt.node_id is not None else ""
    run_time_ms = max(0, attempt.finished_ms - attempt.launched_ms) if attempt.launched_ms else 0
    job.completion_events.append(CompletionEvent(attempt_id, status, host, attempt.shuffle_port, run_time_ms))
    if event.status != "SUCCEEDED":
        job.fetch_failures.pop(attempt_id, None)


def _hear_complaint(job: Job, event: JobTaskAttemptFetchFailure) -> None:
    """A map's output is given up when it was complained of often enough, by enough of those who fetch."""
    settings = job.context.settings
    shuffling = sum(
        1
        for task in job.reduces
        for attempt_id in task.live
        if task.attempts[attempt_id].phase == "SHUFFLE" and task.attempts[attempt_id].launched_ms
    )
    for map_id in event.maps:
        if job.outcomes.get(map_id) != "SUCCEEDED":
            continue
        complaints = job.fetch_failures.setdefault(map_id, OrderedSet())
        complaints.add((event.reduce_id, len(complaints)))
        complaining = len(dict.fromkeys(reduce_id for reduce_id, _ in complaints))
        share = complaining / shuffling if shuffling else 1.0
        if len(complaints) >= settings.fetch_failure_reports and share >= settings.fetch_failure_fraction:
            del job.fetch_failures[map_id]
            job.context.post(AttemptTooManyFetchFailures(attempt_id=map_id))


def _leave_nodes(job: Job, event: JobUpdatedNodes) -> None:
    """What succeeded maps wrote on these nodes is lost. While a reduce has still to fetch, they run again."""
    if not job.reduces or _are_reduces_done(job):
        return
    for task in job.maps:
        attempt_id = task.successful_attempt
        if attempt_id is None:
            continue
        node_id = job.attempt(attempt_id).node_id
        if node_id in event.unusable:
            diagnostics = f"TaskAttempt killed because it ran on unusable node {node_id}"
            job.context.post(AttemptKill(attempt_id=attempt_id, diagnostics=diagnostics))


def _kill_tasks(job: Job, event: JobKill) -> JobState:
    job.diagnostics.append(event.diagnostics)
    return _end_tasks(job, JobState.KILL_WAIT, JobState.KILL_ABORT)


def _kill(job: Job, event: JobKill) -> None:
    job.diagnostics.append(event.diagnostics)
    job.context.order(AbortJob())


def _kill_unstarted(job: Job, event: JobKill) -> None:
    job.diagnostics.append(event.diagnostics)
    _end(job, "KILLED")


def _fail_commit(job: Job, event: JobCommitFailed) -> None:
    job.diagnostics.append(f"Job commit failed: {event.diagnostics}")
    _abort(job)


def _fail_unstarted(job: Job, event: JobCommitFailed) -> None:
    job.diagnostics.append(f"Job commit failed: {event.diagnostics}")
    _end(job, "FAILED")


def _succeed(job: Job, _event: JobCommitCompleted) -> None:
    _end(job, "SUCCEEDED")


def _wait_failing(job: Job, event: JobTaskCompleted) -> JobState:
    return _wait_for_tasks(job, event, JobState.FAIL_WAIT, JobState.FAIL_ABORT)


def _wait_killing(job: Job, event: JobTaskCompleted) -> JobState:
    return _wait_for_tasks(job, event, JobState.KILL_WAIT, JobState.KILL_ABORT)


def _fail(job: Job, _event: JobAbortCompleted) -> None:
    _end(job, "FAILED")


def _be_killed(job: Job, _event: JobAbortCompleted) -> None:
    _end(job, "KILLED")


# What hooks share.


def _count(job: Job, event: JobTaskCompleted) -> None:
    job.note(event.task_id, event.state)


def _are_all_done(job: Job) -> bool:
    return len(job.completed) == len(job.maps) + len(job.reduces)


def _are_reduces_done(job: Job) -> bool:
    done = sum(job.count(TaskType.REDUCE, state) for state in ("SUCCEEDED", "FAILED", "KILLED"))
    return done == len(job.reduces)


def _has_failed(job: Job, type_: TaskType, allowed_percent: int) -> bool:
    tasks = job.maps if type_ is TaskType.MAP else job.reduces
    return job.count(type_, "FAILED") * 100 > allowed_percent * len(tasks)


def _end_tasks(job: Job, wait: JobState, abort: JobState) -> JobState:
    for task in (*job.maps, *job.reduces):
        job.context.post(TaskKill(task_id=task.id))
    if not _are_all_done(job):
        return wait
    _abort(job)
    return abort


def _wait_for_tasks(job: Job, event: JobTaskCompleted, wait: JobState, abort: JobState) -> JobState:
    _count(job, event)
    if not _are_all_done(job):
        return wait
    _abort(job)
    return abort


def _end(job: Job, status: str) -> None:
    job.finished_ms = job.context.now_ms
    counted = {
        f"{end}{kind}": job.count(type_, state)
        for end, state in (("finished", "SUCCEEDED"), ("failed", "FAILED"), ("killed", "KILLED"))
        for kind, type_ in (("Maps", TaskType.MAP), ("Reduces", TaskType.REDUCE))
    }
    common = {"jobid": str(job.id), "finishTime": job.finished_ms, **counted}
    if status == "SUCCEEDED":
        job.context.record(
            "JOB_FINISHED",
            **common,
            totalCounters=of_job(job.tasks),
            mapCounters=of_tasks(job.maps),
            reduceCounters=of_tasks(job.reduces),
        )
    else:
        job.context.record(
            f"JOB_{status}", **common, jobStatus=status, diagnostics="\n".join(job.diagnostics)
        )


_NEWS = (JobTaskCompleted, JobMapTaskRescheduled, JobTaskAttemptFetchFailure, JobUpdatedNodes)

JOB = Table(
    "Job",
    initial=JobState.NEW,
    rows={
        JobState.NEW: {
            JobStart: to(JobState.SETUP, _set_up),
            JobCommitCompleted: to(JobState.SUCCEEDED, _succeed),  # under an earlier AM
            JobCommitFailed: to(JobState.FAILED, _fail_unstarted),  # the same
            JobKill: to(JobState.KILLED, _kill_unstarted),
            **ignore(JobUpdatedNodes),
        },
        JobState.SETUP: {
            JobSetupCompleted: choose(JobState.RUNNING, JobState.COMMITTING, by=_schedule_tasks),
            JobSetupFailed: to(JobState.FAIL_ABORT, _fail_setup),
            JobKill: to(JobState.KILL_ABORT, _kill),
            **ignore(JobUpdatedNodes),
        },
        JobState.RUNNING: {
            JobTaskCompleted: choose(
                JobState.RUNNING, JobState.COMMITTING, JobState.FAIL_WAIT, JobState.FAIL_ABORT, by=_judge_task
            ),
            **stay(JobMapTaskRescheduled, hook=_uncount_map),
            **stay(JobTaskAttemptCompleted, hook=_announce_attempt),
            **stay(JobTaskAttemptFetchFailure, hook=_hear_complaint),
            **stay(JobUpdatedNodes, hook=_leave_nodes),
            JobKill: choose(JobState.KILL_WAIT, JobState.KILL_ABORT, by=_kill_tasks),
        },
        JobState.COMMITTING: {
            JobCommitCompleted: to(JobState.SUCCEEDED, _succeed),
            JobCommitFailed: to(JobState.FAIL_ABORT, _fail_commit),
            JobKill: to(JobState.KILL_ABORT, _kill),
            **stay(JobTaskAttemptCompleted, hook=_announce_attempt),
            **ignore(*_NEWS),
        },
        JobState.FAIL_WAIT: {
            JobTaskCompleted: choose(JobState.FAIL_WAIT, JobState.FAIL_ABORT, by=_wait_failing),
            **stay(JobTaskAttemptCompleted, hook=_announce_attempt),
            **stay(JobMapTaskRescheduled, hook=_uncount_map),
            **ignore(JobTaskAttemptFetchFailure, JobUpdatedNodes, JobKill),
        },
        JobState.FAIL_ABORT: {
            JobAbortCompleted: to(JobState.FAILED, _fail),
            **stay(JobTaskAttemptCompleted, hook=_announce_attempt),
            **ignore(*_NEWS, JobKill),
        },
        JobState.KILL_WAIT: {
            JobTaskCompleted: choose(JobState.KILL_WAIT, JobState.KILL_ABORT, by=_wait_killing),
            **stay(JobTaskAttemptCompleted, hook=_announce_attempt),
            **stay(JobMapTaskRescheduled, hook=_uncount_map),
            **ignore(JobTaskAttemptFetchFailure, JobUpdatedNodes, JobKill),
        },
        JobState.KILL_ABORT: {
            JobAbortCompleted: to(JobState.KILLED, _be_killed),
            **stay(JobTaskAttemptCompleted, hook=_announce_attempt),
            **ignore(*_NEWS, JobCommitCompleted, JobCommitFailed, JobSetupCompleted, JobSetupFailed, JobKill),
        },
        JobState.SUCCEEDED: ignore(*_NEWS, JobTaskAttemptCompleted, JobKill),
        JobState.FAILED: ignore(*_NEWS, JobTaskAttemptCompleted, JobKill),
        JobState.KILLED: ignore(*_NEWS, JobTaskAttemptCompleted, JobKill),
    },
)


def needed_for_slowstart(job: Job) -> int:
    """How many maps have to be done before reduces are asked for."""
    return math.ceil(job.context.settings.slowstart * len(job.maps))
