"""Output that is there whole or not at all: written under _temporary, moved when it is done.

    OUTPUT/_temporary/<AM attempt>/_temporary/<task attempt>/part-r-00000     while the task writes
    OUTPUT/_temporary/<AM attempt>/<task>/part-r-00000                        when the task is committed
    OUTPUT/part-r-00000, OUTPUT/_SUCCESS                                      when the job is

So it is with algorithm 1: every step is a rename within one file system, a reader never sees half an output,
and what an earlier AM committed for a task can be taken over by the next. With algorithm 2 a task's commit
moves its files to their last place: the job's commit has less to do, but who reads before it sees a part.
Hadoop: FileOutputCommitter.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from yarnbox.am.mapreduce.committers.protocol import SUCCESS, TEMPORARY
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId

_ABORTS = 10
"""How often a job's temporary part is removed at most: something may be in the way for good."""


class OutputCommitter:
    """The output directory of one job, as one AM sees it."""

    def __init__(self, output: Path, app_attempt: int, algorithm: int = 1, *, marks: bool = True) -> None:
        self._output = output
        self._algorithm = algorithm
        self._marks = marks
        self._attempt_dir = output / TEMPORARY / str(app_attempt)

    def set_up_job(self) -> None:
        """Makes the temporary part."""
        (self._attempt_dir / TEMPORARY).mkdir(parents=True, exist_ok=True)

    def work_path(self, attempt_id: TaskAttemptId) -> Path:
        """Where an attempt writes; made on the way. FileNotFoundError once the job was committed or aborted:
        a task that is about to end must not begin the temporary part anew.
        """
        path = self._attempt_dir / TEMPORARY / str(attempt_id)
        path.mkdir(exist_ok=True)
        return path

    def commit_task(self, attempt_id: TaskAttemptId) -> None:
        """Makes what the attempt wrote the task's output, in place of what was there."""
        work = self._attempt_dir / TEMPORARY / str(attempt_id)
        if not work.exists():
            return
        if self._algorithm == 2:
            _merge(work, self._output)
            return
        committed = self._committed(self._attempt_dir, attempt_id.task_id)
        if committed.exists():
            shutil.rmtree(committed)
        os.rename(work, committed)

    def abort_task(self, attempt_id: TaskAttemptId) -> None:
        """Removes what the attempt wrote."""
        shutil.rmtree(self._attempt_dir / TEMPORARY / str(attempt_id), ignore_errors=True)

    def recover_task(self, task_id: TaskId, earlier_app_attempt: int) -> bool:
        """Takes over what was committed under an earlier AM; False when it is not there. With algorithm 2 it
        is in its place, unless the earlier AM had the other one.
        """
        earlier = self._committed(self._output / TEMPORARY / str(earlier_app_attempt), task_id)
        if self._algorithm == 2:
            if earlier.exists():
                _merge(earlier, self._output)
                shutil.rmtree(earlier)
            return True
        mine = self._committed(self._attempt_dir, task_id)
        if mine.exists():
            return True
        if not earlier.exists():
            return False
        os.rename(earlier, mine)
        return True

    def commit_job(self) -> None:
        """Moves what is committed to its place, then says that the output is whole."""
        if self._algorithm == 1:
            for task_dir in sorted(self._attempt_dir.iterdir()):
                if task_dir.name != TEMPORARY:
                    _merge(task_dir, self._output)
        with suppress(FileNotFoundError):
            shutil.rmtree(self._output / TEMPORARY)
        if self._marks:
            (self._output / SUCCESS).touch()

    @property
    def may_commit_again(self) -> bool:
        """Whether a commit of the job that was broken off may be done once more."""
        return self._algorithm == 2

    def abort_job(self) -> None:
        """Removes the temporary part, and with it all that was written and not yet moved to its place.

        A killed task may still write for a moment, and what it makes in a directory that is being removed
        keeps that from going: then it is removed once more.
        """
        temporary = self._output / TEMPORARY
        for _ in range(_ABORTS):
            shutil.rmtree(temporary, ignore_errors=True)
            if not temporary.exists():
                return

    @staticmethod
    def _committed(attempt_dir: Path, task_id: TaskId) -> Path:
        return attempt_dir / str(task_id)


def _merge(source: Path, place: Path) -> None:
    """Moves what is in a directory into another: files replace what is there, directories are merged."""
    place.mkdir(parents=True, exist_ok=True)
    for entry in sorted(source.iterdir()):
        target = place / entry.name
        if entry.is_dir() and not entry.is_symlink():
            if target.is_symlink() or (target.exists() and not target.is_dir()):
                target.unlink()
            _merge(entry, target)
            continue
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        os.replace(entry, target)
