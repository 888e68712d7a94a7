"""What a committer does, whatever the output directory is. Hadoop: OutputCommitter."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId

TEMPORARY = "_temporary"
SUCCESS = "_SUCCESS"


class Committer(Protocol):
    """The output directory of one job, as one AM or one task sees it."""

    def set_up_job(self) -> None: ...

    def work_path(self, attempt_id: TaskAttemptId) -> Path: ...

    def commit_task(self, attempt_id: TaskAttemptId) -> None: ...

    def abort_task(self, attempt_id: TaskAttemptId) -> None: ...

    def recover_task(self, task_id: TaskId, earlier_app_attempt: int) -> bool: ...

    def commit_job(self) -> None: ...

    @property
    def may_commit_again(self) -> bool: ...

    def abort_job(self) -> None: ...
