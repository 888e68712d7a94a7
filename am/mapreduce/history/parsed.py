"""A job as the events of its history tell it, and which of its tasks a next AM need not run again.

Hadoop: JobHistoryParser and its JobInfo, TaskInfo and TaskAttemptInfo.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from yarnbox.am.mapreduce.app.events import Counters, TaskRecover
from yarnbox.am.mapreduce.history.jhist import Event
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.ids import ContainerId, NodeId

JOB_ENDS = ("JOB_FINISHED", "JOB_FAILED", "JOB_KILLED", "JOB_ERROR")


@dataclass(slots=True)
class PastAttempt:
    """One try at a task."""

    id: str
    task_type: str
    start_ms: int
    host: str
    http_port: int
    shuffle_port: int
    container_id: str
    locality: str | None = None
    avataar: str | None = None
    finish_ms: int = 0
    shuffle_finish_ms: int = 0
    sort_finish_ms: int = 0
    port: int = -1
    rack: str = ""
    state: str = "RUNNING"
    diagnostics: str = ""
    counters: Counters = field(default_factory=dict)


@dataclass(slots=True)
class PastTask:
    """A task."""

    id: str
    type: str
    start_ms: int
    locations: str = ""
    finish_ms: int = 0
    state: str = "RUNNING"
    successful_attempt: str = ""
    error: str = ""
    counters: Counters = field(default_factory=dict)
    attempts: dict[str, PastAttempt] = field(default_factory=dict)


@dataclass(slots=True)
class PastAM:
    """One life of the AM."""

    attempt_id: str
    start_ms: int
    container_id: str
    host: str
    port: int
    http_port: int


@dataclass(slots=True)
class PastJob:
    """The whole."""

    id: str = ""
    name: str = ""
    user: str = ""
    queue: str = ""
    submit_ms: int = 0
    launch_ms: int = 0
    finish_ms: int = 0
    state: str = "RUNNING"
    uberized: bool = False
    diagnostics: str = ""
    total_maps: int = 0
    total_reduces: int = 0
    ended: dict[str, int] = field(default_factory=dict)
    """How many tasks ended how: `finishedMaps` and its kin; -1 where the file does not say."""
    total_counters: Counters = field(default_factory=dict)
    map_counters: Counters = field(default_factory=dict)
    reduce_counters: Counters = field(default_factory=dict)
    ams: list[PastAM] = field(default_factory=list)
    tasks: dict[str, PastTask] = field(default_factory=dict)

    def attempts(self, task_type: str) -> list[PastAttempt]:
        """All attempts of maps, or of reduces."""
        return [
            one for task in self.tasks.values() if task.type == task_type for one in task.attempts.values()
        ]


def parse(events: Iterable[Event]) -> PastJob:
    """The job. An event whose beginning is missing is passed over."""
    job = PastJob()
    for type_, fields in events:
        if type_ == "AM_STARTED":
            _am_started(job, fields)
        elif type_.startswith("JOB_"):
            _job_event(job, type_, fields)
        elif type_.startswith("TASK_"):
            _task_event(job, type_, fields)
        elif "_ATTEMPT_" in type_:
            _attempt_event(job, type_, fields)
    return job


def _am_started(job: PastJob, fields: Mapping[str, Any]) -> None:
    job.ams.append(
        PastAM(
            attempt_id=fields["applicationAttemptId"],
            start_ms=fields["startTime"],
            container_id=fields["containerId"],
            host=fields["nodeManagerHost"],
            port=fields["nodeManagerPort"],
            http_port=fields["nodeManagerHttpPort"],
        )
    )


def _job_event(job: PastJob, type_: str, fields: Mapping[str, Any]) -> None:
    job.id = fields.get("jobid", job.id)
    if type_ == "JOB_SUBMITTED":
        job.name, job.user = fields["jobName"], fields["userName"]
        job.queue, job.submit_ms = fields["jobQueueName"], fields["submitTime"]
    elif type_ == "JOB_INITED":
        job.launch_ms, job.uberized = fields["launchTime"], fields["uberized"]
        job.total_maps, job.total_reduces = fields["totalMaps"], fields["totalReduces"]
    elif type_ == "JOB_INFO_CHANGED":
        job.submit_ms, job.launch_ms = fields["submitTime"], fields["launchTime"]
    elif type_ == "JOB_QUEUE_CHANGED":
        job.queue = fields["jobQueueName"]
    elif type_ in JOB_ENDS:
        job.finish_ms = fields["finishTime"]
        job.state = fields.get("jobStatus", "SUCCEEDED")
        job.diagnostics = fields.get("diagnostics") or ""
        job.ended = {name: count for name, count in fields.items() if name.endswith(("Maps", "Reduces"))}
        job.total_counters = fields.get("totalCounters", {})
        job.map_counters = fields.get("mapCounters", {})
        job.reduce_counters = fields.get("reduceCounters", {})


def _task_event(job: PastJob, type_: str, fields: Mapping[str, Any]) -> None:
    if type_ == "TASK_STARTED":
        job.tasks[fields["taskid"]] = PastTask(
            id=fields["taskid"],
            type=fields["taskType"],
            start_ms=fields["startTime"],
            locations=fields["splitLocations"],
        )
        return
    task = job.tasks.get(fields["taskid"])
    if task is None:
        return
    task.finish_ms = fields["finishTime"]
    if type_ != "TASK_UPDATED":
        task.state = fields["status"]
        task.successful_attempt = fields.get("successfulAttemptId") or ""
        task.error = fields.get("error", "")
        task.counters = fields.get("counters") or {}


def _attempt_event(job: PastJob, type_: str, fields: Mapping[str, Any]) -> None:
    task = job.tasks.get(fields["taskid"])
    if task is None:
        return
    if type_.endswith("_STARTED"):
        task.attempts[fields["attemptId"]] = PastAttempt(
            id=fields["attemptId"],
            task_type=fields["taskType"],
            start_ms=fields["startTime"],
            host=fields["trackerName"],
            http_port=fields["httpPort"],
            shuffle_port=fields["shufflePort"],
            container_id=fields["containerId"],
            locality=fields.get("locality"),
            avataar=fields.get("avataar"),
        )
        return
    attempt = task.attempts.get(fields["attemptId"])
    if attempt is None:
        return
    attempt.finish_ms = fields["finishTime"]
    attempt.host, attempt.rack = fields["hostname"], fields["rackname"]
    attempt.port = fields.get("port", -1)
    attempt.counters = fields.get("counters") or {}
    attempt.shuffle_finish_ms = fields.get("shuffleFinishTime", 0)
    attempt.sort_finish_ms = fields.get("sortFinishTime", 0)
    attempt.diagnostics = fields.get("error", "")
    attempt.state = fields.get("taskStatus") or fields["status"]
    if attempt.state != "SUCCEEDED" and task.successful_attempt == attempt.id:
        task.state, task.successful_attempt = "RUNNING", ""  # its output was lost


def completed_tasks(job: PastJob) -> list[TaskRecover]:
    """The tasks that had succeeded, each with the attempt that did it."""
    recovered = []
    for task in job.tasks.values():
        attempt = task.attempts.get(task.successful_attempt)
        if task.state != "SUCCEEDED" or attempt is None or attempt.state != "SUCCEEDED":
            continue
        attempt_id = TaskAttemptId.parse(attempt.id)
        recovered.append(
            TaskRecover(
                task_id=attempt_id.task_id,
                attempt_id=attempt_id,
                node_id=NodeId(attempt.host, attempt.port),
                container_id=ContainerId.parse(attempt.container_id),
                http_port=attempt.http_port,
                shuffle_port=attempt.shuffle_port,
                counters=attempt.counters,
                started_ms=attempt.start_ms,
                finished_ms=attempt.finish_ms,
                shuffle_finished_ms=attempt.shuffle_finish_ms,
            )
        )
    return recovered
