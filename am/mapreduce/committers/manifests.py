"""Output in a filesystem that is known by URL: an object store has no directories, and moves nothing at once.

    OUTPUT/_temporary/<AM attempt>/setup                               while the job runs
    OUTPUT/_temporary/<AM attempt>/tasks/<task attempt>/part-r-00000   uploaded when the task commits
    OUTPUT/_temporary/<AM attempt>/manifests/<task>.json               then: it is the task's output
    OUTPUT/part-r-00000, OUTPUT/_SUCCESS                               when the job is committed

A task writes into its container. One file, its manifest, says which attempt's files are its output, so that a
commit has happened or not. The job's commit moves the files that the manifests list, one by one, and can be
repeated: _SUCCESS says that all are there. Hadoop: ManifestCommitter.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from yarnbox.am.mapreduce.committers.protocol import SUCCESS, TEMPORARY
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId
from yarnbox.yarn.storage import remote_files
from yarnbox.yarn.storage.remote_files import NoSuchFileError, RemoteFileError
from yarnbox.yarn.storage.urls import joined

log = logging.getLogger("am.mapreduce.committer")

_SETUP = "setup"


@dataclass(frozen=True, slots=True)
class _Committed:
    """A file of a task's output: where it was uploaded, what it is called, its size."""

    source: str
    name: str
    size: int


class ManifestCommitter:
    """The output directory of one job, as one AM sees it, or one task that writes below `work`."""

    def __init__(self, output: str, app_attempt: int, work: Path, *, marks: bool = True) -> None:
        self._output = output.rstrip("/")
        self._work = work
        self._marks = marks
        self._place = self._place_of(app_attempt)

    def set_up_job(self) -> None:
        """Makes the temporary part; OSError where nothing can be written."""
        with remote_files.as_os_errors():
            remote_files.write(joined(self._place, _SETUP), b"")

    def work_path(self, attempt_id: TaskAttemptId) -> Path:
        """Where an attempt writes, in its container; made on the way."""
        path = self._work / str(attempt_id)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def commit_task(self, attempt_id: TaskAttemptId) -> None:
        """Uploads what the attempt wrote and makes it the task's output. FileNotFoundError once the job was
        committed or aborted.
        """
        work = self._work / str(attempt_id)
        if not work.exists():
            return
        place = joined(self._place, "tasks", str(attempt_id))
        with remote_files.as_os_errors():
            remote_files.status(joined(self._place, _SETUP))
            files = [path for path in sorted(work.rglob("*")) if path.is_file()]
            committed = []
            for path in files:
                name = path.relative_to(work).as_posix()
                remote_files.upload(path, joined(place, name))
                committed.append(_Committed(joined(place, name), name, path.stat().st_size))
            self._write_manifest(attempt_id.task_id, committed)
        shutil.rmtree(work, ignore_errors=True)

    def abort_task(self, attempt_id: TaskAttemptId) -> None:
        """Removes what the attempt wrote."""
        shutil.rmtree(self._work / str(attempt_id), ignore_errors=True)
        _remove(joined(self._place, "tasks", str(attempt_id)))

    def recover_task(self, task_id: TaskId, earlier_app_attempt: int) -> bool:
        """Takes over what was committed under an earlier AM; False when it is not there."""
        manifest = _manifest(self._place_of(earlier_app_attempt), task_id)
        try:
            self._write_manifest(task_id, _read_manifest(manifest))
        except (RemoteFileError, ValueError):  # or its writer died over it
            return False
        return True

    def commit_job(self) -> None:
        """Moves what is committed to its place, then says that the output is whole."""
        with remote_files.as_os_errors():
            for manifest, _ in self._manifests():
                for file in _read_manifest(manifest):
                    _move(file, joined(self._output, file.name))
            remote_files.remove(joined(self._output, TEMPORARY))
            if self._marks:
                remote_files.write(joined(self._output, SUCCESS), b"")

    @property
    def may_commit_again(self) -> bool:
        """A commit of the job that was broken off goes on where it ended."""
        return True

    def abort_job(self) -> None:
        """Removes the temporary part, and with it all that was written and not yet moved to its place."""
        _remove(joined(self._output, TEMPORARY))

    def _place_of(self, app_attempt: int) -> str:
        return joined(self._output, TEMPORARY, str(app_attempt))

    def _manifests(self) -> Sequence[tuple[str, int]]:
        try:
            return sorted(remote_files.files_below(joined(self._place, "manifests")))
        except NoSuchFileError:
            return ()  # no task has written anything

    def _write_manifest(self, task_id: TaskId, files: Sequence[_Committed]) -> None:
        data = json.dumps([[file.source, file.name, file.size] for file in files])
        remote_files.write(_manifest(self._place, task_id), data.encode())


def _manifest(place: str, task_id: TaskId) -> str:
    return joined(place, "manifests", f"{task_id}.json")


def _read_manifest(url: str) -> list[_Committed]:
    """ValueError for what is not whole."""
    return [_Committed(source, name, size) for source, name, size in json.loads(remote_files.read(url))]


def _move(file: _Committed, target: str) -> None:
    """Moves a file that may have been moved before, by a commit that was broken off."""
    if remote_files.exists(file.source):
        remote_files.move(file.source, target)
    if remote_files.status(target).size != file.size:  # some filesystems do not say what went wrong
        raise RemoteFileError(f"{target} is not what {file.source} was")


def _remove(url: str) -> None:
    try:
        remote_files.remove(url)
    except RemoteFileError as error:
        log.warning("cannot be removed: %s", error)
