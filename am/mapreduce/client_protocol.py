"""MRClientProtocol, whoever answers it: the AM of a job that runs, the history server for one that has ended.

Owns the names on the wire, which method answers which call, the refusals, and how ids and counters of ours
are told to Hadoop's clients. Hadoop: MRClientProtocol, HSClientProtocol, and TypeConverter's part of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar

from yarnbox.am.mapreduce.app.events import Counters
from yarnbox.am.mapreduce.ids import JobId, TaskAttemptId, TaskId, TaskType
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records import mapreduce as records
from yarnbox.yarn.records.basics import Record

AM_PROTOCOL = "org.apache.hadoop.mapreduce.v2.api.MRClientProtocolPB"
HISTORY_PROTOCOL = "org.apache.hadoop.mapreduce.v2.api.HSClientProtocolPB"
"""The same calls under another name."""
SERVICE = "MRClientProtocolService"

_TYPES = {TaskType.MAP: records.TaskType.MAP, TaskType.REDUCE: records.TaskType.REDUCE}
_OURS = {theirs: ours for ours, theirs in _TYPES.items()}
_T = TypeVar("_T")


class UnsupportedError(YarnError):
    """A call that nobody here answers."""

    java_class = "java.lang.UnsupportedOperationException"


class UnknownError(YarnError):
    """Another job, or a task or attempt that it has not."""

    java_class = "java.io.IOException"


class ClientProtocol:
    """Answers a call by its method of the same name; tokens are given by none."""

    def handle(self, rpc: str, request: Record, caller: Caller) -> Any:
        """The answer, or a YarnError."""
        method = getattr(self, re.sub("(?<!^)(?=[A-Z])", "_", rpc).lower(), None)
        if method is None:
            raise UnsupportedError(f"{rpc} is not supported: yarnbox gives no delegation tokens")
        return method(request, caller)


def asked_for(
    events: Sequence[_T], request: records.GetTaskAttemptCompletionEventsRequest
) -> list[tuple[int, _T]]:
    """The events that a client wants, each with its number; they are counted from 0."""
    start = max(request.from_event_id or 0, 0)
    most = max(request.max_events or 0, 0)
    return list(enumerate(events[start : start + most], start))


# Ours to theirs


def job_record(job_id: JobId) -> records.JobId:
    """A job as a message has it."""
    return records.JobId(app_id=job_id.application_id, id=job_id.id)


def task_record(task_id: TaskId) -> records.TaskId:
    """A task as a message has it."""
    return records.TaskId(
        job_id=job_record(task_id.job_id), task_type=_TYPES[task_id.type], id=task_id.number
    )


def attempt_record(attempt_id: TaskAttemptId) -> records.TaskAttemptId:
    """An attempt as a message has it."""
    return records.TaskAttemptId(task_id=task_record(attempt_id.task_id), id=attempt_id.id)


def counters_record(counters: Counters) -> records.Counters:
    """Counters as a message has it."""
    return records.Counters(
        counter_groups={
            group: records.CounterGroup(
                name=group,
                display_name=group.rpartition(".")[2],
                counters={
                    name: records.Counter(name=name, display_name=name, value=value)
                    for name, value in amounts.items()
                },
            )
            for group, amounts in counters.items()
        }
    )


# Theirs to ours


def job_of(job_id: records.JobId | None) -> JobId:
    """UnknownError when it names none."""
    if job_id is None or job_id.app_id is None or job_id.id not in (None, job_id.app_id.id):
        raise UnknownError("Unknown job null")
    return JobId.of(job_id.app_id)


def type_of(task_type: records.TaskType | None) -> TaskType:
    """Everything but maps is reduces, as in Hadoop."""
    return TaskType.MAP if task_type is records.TaskType.MAP else TaskType.REDUCE


def task_of(task_id: records.TaskId | None) -> TaskId:
    """UnknownError when it names none."""
    if task_id is None or task_id.task_type is None:
        raise UnknownError(f"Unknown task {task_id}")
    return TaskId(job_of(task_id.job_id), _OURS[task_id.task_type], task_id.id or 0)


def attempt_of(attempt_id: records.TaskAttemptId | None) -> TaskAttemptId:
    """UnknownError when it names none."""
    if attempt_id is None:
        raise UnknownError("Unknown TaskAttempt null")
    return TaskAttemptId(task_of(attempt_id.task_id), attempt_id.id or 0)
