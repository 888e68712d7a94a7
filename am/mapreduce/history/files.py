"""Where the histories of jobs lie, what they are called, and how long they are kept.

A job leaves its history below `done_intermediate/<user>`; the history server moves it to
`done/<year>/<month>/<day>/<number>`. Each is a pair: the .jhist file, whose name tells the most important
things, and the job's configuration. Hadoop: FileNameIndexUtils, JobHistoryUtils and HistoryFileManager.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, unquote_plus

from yarnbox.am.mapreduce.history.left_by_url import LeftByUrl
from yarnbox.am.mapreduce.history.parsed import PastJob
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.storage.urls import absolute, is_remote, joined

SUFFIX = ".jhist"
CONF_SUFFIX = "_conf.xml"
JOB_NAME_LIMIT = 50
_ENDS = ("SUCCEEDED", "FAILED", "KILLED", "ERROR")


REDACTED_PROPERTY = "mapreduce.job.redacted-properties"
REDACTED = "*********(redacted)"


def events_file(staging: Path, job_id: JobId, app_attempt: int) -> Path:
    """The events of one AM, while the job runs."""
    return staging / f"{job_id}_{app_attempt}{SUFFIX}"


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What the name of a history tells."""

    job_id: JobId
    submit_ms: int
    user: str
    job_name: str
    finish_ms: int
    maps: int
    reduces: int
    state: str
    queue: str
    start_ms: int

    @classmethod
    def of(cls, job: PastJob) -> IndexInfo:
        """Of a job that has ended."""
        return cls(
            job_id=JobId.parse(job.id),
            submit_ms=job.submit_ms,
            user=job.user,
            job_name=job.name,
            finish_ms=job.finish_ms,
            maps=job.ended.get("finishedMaps", 0),
            reduces=job.ended.get("finishedReduces", 0),
            state=job.state,
            queue=job.queue,
            start_ms=job.launch_ms,
        )

    @classmethod
    def parse(cls, name: str) -> IndexInfo:
        """Reads a file name; older ones lack the start, or the queue, too. ValueError when it is none."""
        parts = name.removesuffix(SUFFIX).split("-")
        if not name.endswith(SUFFIX) or len(parts) < 8:
            raise ValueError(f"{name} is not the name of a job history")
        job, submit, user, job_name, finish, maps, reduces, state = parts[:8]
        return cls(
            job_id=JobId.parse(unquote_plus(job)),
            submit_ms=int(submit),
            user=unquote_plus(user),
            job_name=unquote_plus(job_name, errors="replace"),
            finish_ms=int(finish),
            maps=int(maps),
            reduces=int(reduces),
            state=state if state in _ENDS else "KILLED",
            queue=unquote_plus(parts[8]) if len(parts) > 8 else "default",
            start_ms=int(parts[9]) if len(parts) > 9 else int(submit),
        )

    @property
    def file_name(self) -> str:
        """The name that tells it."""
        parts = (
            str(self.job_id), self.submit_ms, self.user, self.job_name, self.finish_ms, self.maps,
            self.reduces, self.state, self.queue, self.start_ms,
        )  # fmt: skip
        written = [_encoded(str(part)) for part in parts]
        written[3] = _cut(self.job_name)
        return "-".join(written) + SUFFIX


def _encoded(text: str) -> str:
    return quote_plus(text, safe="*").replace("-", "%2D") or "NA"


def _cut(job_name: str) -> str:
    """As many whole characters as there is room for."""
    kept = ""
    for character in job_name:
        written = quote_plus(character, safe="*").replace("-", "%2D")
        if len(kept) + len(written) > JOB_NAME_LIMIT:
            break
        kept += written
    return kept or "NA"


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """A history that is there."""

    path: Path
    info: IndexInfo

    @property
    def conf(self) -> Path:
        """The job's configuration, beside it."""
        return self.path.with_name(f"{self.info.job_id}{CONF_SUFFIX}")


class HistoryFiles:
    """The two directories. Where hosts share none, the first one is a URL."""

    def __init__(self, intermediate: str | Path, done: str | Path) -> None:
        self._left = LeftByUrl(str(intermediate)) if is_remote(str(intermediate)) else None
        self._intermediate = Path(absolute(str(intermediate)))
        self._done = Path(absolute(str(done)))

    def publish(self, info: IndexInfo, events: Path, conf: Path) -> None:
        """Leaves what a job that ends has written; whoever sees the events finds the configuration, too."""
        files = ((conf, f"{info.job_id}{CONF_SUFFIX}"), (events, info.file_name))
        if self._left is not None:
            self._left.leave(info.user, files)
            return
        target = self._intermediate / info.user
        target.mkdir(parents=True, exist_ok=True)
        for source, name in files:
            draft = target / f"{name}_tmp"
            shutil.copyfile(source, draft)
            os.replace(draft, target / name)

    def take_in(self) -> int:
        """Moves what jobs have left to its day; how many."""
        moved = 0
        for left, url, info in self._left_by_url():
            with suppress(FileNotFoundError):  # somebody has taken it meanwhile
                _fetch(left, url, info, self._place(info))
                _remove(left, url, info)
                moved += 1
        for found in list(_histories(self._intermediate.glob(f"*/*{SUFFIX}"))):
            target = self._place(found.info)
            target.mkdir(parents=True, exist_ok=True)
            try:
                if found.conf.exists():
                    os.replace(found.conf, target / found.conf.name)
                os.replace(found.path, target / found.path.name)
                moved += 1
            except FileNotFoundError:
                continue  # somebody has cleaned meanwhile
        return moved

    def all(self) -> list[HistoryFile]:
        """Every history, those that ended last first."""
        found = [
            *_histories(self._intermediate.glob(f"*/*{SUFFIX}")),
            *_histories(self._done.glob(f"*/*/*/*/*{SUFFIX}")),
        ]
        return sorted(found, key=lambda one: (one.info.finish_ms, one.info.job_id), reverse=True)

    def find(self, job_id: JobId) -> HistoryFile | None:
        """The history of a job; of one that was left by URL a copy, which goes when this object does."""
        name = f"{_encoded(str(job_id))}-*{SUFFIX}"
        places = [
            self._intermediate.glob(f"*/{name}"),
            self._done.glob(f"*/*/*/{_number(job_id)}/{name}"),
        ]
        here = next((one for place in places for one in _histories(place)), None)
        if here is not None:
            return here
        for left, url, info in self._left_by_url():
            if info.job_id == job_id:
                directory = Path(tempfile.mkdtemp(prefix="yarnbox-history-"))
                weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)
                return _fetch(left, url, info, directory)
        return None

    def clean(self, oldest_ms: int) -> int:
        """Deletes what ended at that moment or before; how many. Directories that are empty then go, too."""
        deleted = 0
        for left, url, info in self._left_by_url():
            if 0 < info.finish_ms <= oldest_ms:
                _remove(left, url, info)
                deleted += 1
        for found in self.all():
            ended_ms = found.info.finish_ms or int(_modified_s(found.path) * 1000)
            if ended_ms <= oldest_ms:
                found.conf.unlink(missing_ok=True)
                found.path.unlink(missing_ok=True)
                deleted += 1
                self._drop_empty(found.path)
        return deleted

    def _left_by_url(self) -> Iterator[tuple[LeftByUrl, str, IndexInfo]]:
        left = self._left
        if left is None:
            return
        for url in left.all():
            with suppress(ValueError):
                yield left, url, IndexInfo.parse(url.rpartition("/")[2])

    def _drop_empty(self, path: Path) -> None:
        """The directories of a day, a month, a year in which nothing is left."""
        if self._done not in path.parents:
            return
        with suppress(OSError):  # not empty
            for directory in [*path.parents][:4]:
                directory.rmdir()

    def _place(self, info: IndexInfo) -> Path:
        day = time.localtime(info.finish_ms / 1000)
        return self._done / time.strftime("%Y/%m/%d", day) / _number(info.job_id)


def _fetch(left: LeftByUrl, url: str, info: IndexInfo, directory: Path) -> HistoryFile:
    """Copies a history that was left by URL, and its configuration before it."""
    directory.mkdir(parents=True, exist_ok=True)
    found = HistoryFile(directory / url.rpartition("/")[2], info)
    with suppress(FileNotFoundError):
        left.fetch(_conf_beside(url, info), found.conf)
    left.fetch(url, found.path)
    return found


def _remove(left: LeftByUrl, url: str, info: IndexInfo) -> None:
    left.remove(url)
    left.remove(_conf_beside(url, info))


def _conf_beside(url: str, info: IndexInfo) -> str:
    return joined(url.rpartition("/")[0], f"{info.job_id}{CONF_SUFFIX}")


def _number(job_id: JobId) -> str:
    return f"{job_id.id:09d}"[:6]


def _histories(paths: Iterator[Path]) -> Iterator[HistoryFile]:
    for path in paths:
        try:
            yield HistoryFile(path, IndexInfo.parse(path.name))
        except ValueError:
            continue


def _modified_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return time.time()


def read_properties(path: Path) -> list[dict[str, Any]] | None:
    """The properties of a job's configuration as REST shows them; None where it cannot be read. Secrets that
    the job names are not shown.
    """
    if not path.exists():
        return None
    try:
        read = Configuration().with_files(path.parent, [path.name])
    except ConfigurationError:
        return None
    secret = {name.strip() for name in (read.value(REDACTED_PROPERTY) or "").split(",")}
    return [
        {
            "name": name,
            "value": REDACTED if name in secret else read.value(name) or "",
            "source": [str(read.origin(name))],
        }
        for name in read.names()
        if str(read.origin(name)).startswith(str(path))  # not the defaults of this process
    ]
