"""The identifiers of MapReduce: what they are made of, how they are printed and read.

Light on purpose: the process of a task imports it. Hadoop: JobID, TaskID and TaskAttemptID.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Self

from yarnbox.yarn.ids import ApplicationId


class TaskType(Enum):
    """What a task does; the values are the letters in its id."""

    MAP = "m"
    REDUCE = "r"


class JobId(NamedTuple):
    """A job: it bears the numbers of its application."""

    cluster_timestamp: int
    id: int

    def __str__(self) -> str:
        return f"job_{self.cluster_timestamp}_{self.id:04d}"

    @property
    def application_id(self) -> ApplicationId:
        """The application that runs the job."""
        return ApplicationId(self.cluster_timestamp, self.id)

    @classmethod
    def of(cls, application_id: ApplicationId) -> Self:
        """The job of an application."""
        return cls(application_id.cluster_timestamp, application_id.id)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the printed form; ValueError names the text when it is not one."""
        parts = text.split("_")
        if len(parts) != 3 or parts[0] != "job" or not (parts[1] + parts[2]).isdigit():
            raise ValueError(f"Invalid JobId: {text}")
        return cls(int(parts[1]), int(parts[2]))


class TaskId(NamedTuple):
    """A task of a job; maps and reduces are each counted from 0."""

    job_id: JobId
    type: TaskType
    number: int

    def __str__(self) -> str:
        return (
            f"task_{self.job_id.cluster_timestamp}_{self.job_id.id:04d}_{self.type.value}_{self.number:06d}"
        )

    @property
    def is_map(self) -> bool:
        """Whether it is a map."""
        return self.type is TaskType.MAP

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the printed form; ValueError names the text when it is not one."""
        parts = text.split("_")
        if len(parts) != 5 or parts[0] != "task" or parts[3] not in ("m", "r"):
            raise ValueError(f"Invalid TaskId: {text}")
        return cls(JobId(int(parts[1]), int(parts[2])), TaskType(parts[3]), int(parts[4]))


class TaskAttemptId(NamedTuple):
    """One try at a task. Later AMs of a job count on from 1000, 2000, ..."""

    task_id: TaskId
    id: int

    def __str__(self) -> str:
        return "attempt" + str(self.task_id).removeprefix("task") + f"_{self.id}"

    @property
    def is_map(self) -> bool:
        """Whether it is an attempt of a map."""
        return self.task_id.type is TaskType.MAP

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the printed form; ValueError names the text when it is not one."""
        task, _, number = text.rpartition("_")
        if not task.startswith("attempt_") or not number.isdigit():
            raise ValueError(f"Invalid TaskAttemptId: {text}")
        return cls(TaskId.parse("task" + task.removeprefix("attempt")), int(number))
