"""Output that is there whole or not at all: written under _temporary, renamed when it is done.

    OUTPUT/_temporary/<AM attempt>/_temporary/<task attempt>/part-r-00000     while the task writes
    OUTPUT/_temporary/<AM attempt>/<task>/part-r-00000                        when the task is committed
    OUTPUT/part-r-00000, OUTPUT/_SUCCESS                                      when the job is

Every step is a rename within one file system, so a reader never sees half a file, and what an earlier AM
committed for a task can be taken over by the next. Answers for FileOutputCommitter, algorithm version 1.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from am.mapreduce.ids import TaskAttemptId, TaskId

TEMPORARY = "_temporary"
SUCCESS = "_SUCCESS"


class OutputCommitter:
    """The output directory of one job, as one AM sees it."""

    def __init__(self, output: Path, app_attempt: int) -> None:
        self._output = output
        self._attempt_dir = output / TEMPORARY / str(app_attempt)

    def set_up_job(self) -> None:
        """Makes the temporary part."""
        (self._attempt_dir / TEMPORARY).mkdir(parents=True, exist_ok=True)

    def work_path(self, attempt_id: TaskAttemptId) -> Path:
        """Where an attempt writes; made on the way."""
        path = self._attempt_dir / TEMPORARY / str(attempt_id)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def commit_task(self, attempt_id: TaskAttemptId) -> None:
        """Makes what the attempt wrote the task's output, in place of what was there."""
        work = self._attempt_dir / TEMPORARY / str(attempt_id)
        if not work.exists():
            return
        committed = self._committed(self._attempt_dir, attempt_id.task_id)
        if committed.exists():
            shutil.rmtree(committed)
        os.rename(work, committed)

    def abort_task(self, attempt_id: TaskAttemptId) -> None:
        """Removes what the attempt wrote."""
        shutil.rmtree(self._attempt_dir / TEMPORARY / str(attempt_id), ignore_errors=True)

    def recover_task(self, task_id: TaskId, earlier_app_attempt: int) -> bool:
        """Takes over what was committed under an earlier AM; False when it is not there."""
        earlier = self._committed(self._output / TEMPORARY / str(earlier_app_attempt), task_id)
        mine = self._committed(self._attempt_dir, task_id)
        if mine.exists():
            return True
        if not earlier.exists():
            return False
        os.rename(earlier, mine)
        return True

    def commit_job(self) -> None:
        """Moves every committed file to its place, then says that the output is whole."""
        for task_dir in sorted(self._attempt_dir.iterdir()):
            if task_dir.name == TEMPORARY:
                continue
            for file in sorted(task_dir.iterdir()):
                os.replace(file, self._output / file.name)
        shutil.rmtree(self._output / TEMPORARY)
        (self._output / SUCCESS).touch()

    def abort_job(self) -> None:
        """Removes the temporary part, and with it all that was written."""
        shutil.rmtree(self._output / TEMPORARY, ignore_errors=True)

    @property
    def has_committed(self) -> bool:
        """Whether an earlier AM had finished the commit of the job."""
        return (self._output / SUCCESS).exists()

    @staticmethod
    def _committed(attempt_dir: Path, task_id: TaskId) -> Path:
        return attempt_dir / str(task_id)
