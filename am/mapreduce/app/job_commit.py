"""The commit of a job, once and no more, whatever becomes of its AM in the middle of it.

Of each commit a mark is left in the job's staging directory for the AM after this one: `COMMIT_STARTED`, then
`COMMIT_SUCCESS` or `COMMIT_FAIL`. An AM that the RM has not answered for a while waits: it may have a
successor. Hadoop: CommitterEventHandler, and MRAppMaster where it looks for the marks.
"""

from __future__ import annotations

import asyncio
import time
from enum import Enum
from pathlib import Path

from yarnbox.am.mapreduce.app.events import JobCommitCompleted, JobCommitFailed
from yarnbox.am.mapreduce.committers.protocol import Committer


class _Mark(Enum):
    STARTED = "COMMIT_STARTED"
    SUCCESS = "COMMIT_SUCCESS"
    FAIL = "COMMIT_FAIL"


class JobCommit:
    """The commit as one AM sees it."""

    def __init__(self, committer: Committer, staging: Path, window_ms: int) -> None:
        self._committer = committer
        self._staging = staging
        self._window_s = window_ms / 1000
        self._answered = asyncio.Event()
        self._answered_at = float("-inf")

    def heard(self) -> None:
        """The RM has answered."""
        self._answered_at = time.monotonic()
        self._answered.set()

    def outcome_of_earlier(self) -> JobCommitCompleted | JobCommitFailed | None:
        """How the commit of an earlier AM ended; None when there was none, or it may be done again."""
        marks = [mark for mark in _Mark if self._path(mark).exists()]
        if not marks:
            return None
        if marks[-1] is _Mark.SUCCESS:
            return JobCommitCompleted()
        if marks[-1] is _Mark.FAIL:
            return JobCommitFailed(diagnostics="the commit failed under an earlier AM")
        if self._committer.may_commit_again:
            self._path(_Mark.STARTED).unlink()
            return None
        return JobCommitFailed(diagnostics="an earlier AM died in it, the output may be there in part")

    async def commit(self) -> None:
        """Commits as soon as the RM has just been heard; OSError when that fails."""
        while time.monotonic() - self._answered_at > self._window_s:
            self._answered.clear()
            await self._answered.wait()
        self._path(_Mark.STARTED).touch()
        try:
            await asyncio.to_thread(self._committer.commit_job)
        except OSError:
            self._path(_Mark.FAIL).touch()
            raise
        self._path(_Mark.SUCCESS).touch()

    def _path(self, mark: _Mark) -> Path:
        return self._staging / mark.value
