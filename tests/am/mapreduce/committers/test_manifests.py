"""Output by URL is there whole or not at all, also in a filesystem that moves nothing at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from tests.am.mapreduce.rig import JOB
from yarnbox.am.mapreduce.api import Tally
from yarnbox.am.mapreduce.client import JobClient
from yarnbox.am.mapreduce.committers.choice import committer_of
from yarnbox.am.mapreduce.committers.directories import OutputCommitter
from yarnbox.am.mapreduce.committers.manifests import ManifestCommitter
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.output import read_part
from yarnbox.am.mapreduce.skipping import Skipping, kept_at, skip_plan
from yarnbox.am.submit import SubmissionError
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.storage import remote_files

TASK, OTHER = (TaskId(JOB, TaskType.REDUCE, number) for number in range(2))
ONE, TWO = TaskAttemptId(TASK, 0), TaskAttemptId(TASK, 1)
_NUMBERS = count()
CALLS_OF_A_COMMIT = 16


@pytest.fixture
def output() -> Iterator[str]:
    url = f"memory://bucket{next(_NUMBERS)}/out"
    yield url
    remote_files.remove(url)


def committer(output: str, tmp_path: Path, app_attempt: int = 1) -> ManifestCommitter:
    found = committer_of(output, app_attempt, work=tmp_path / "work")
    assert isinstance(found, ManifestCommitter)
    return found


def write(committer: ManifestCommitter, attempt_id: TaskAttemptId, **texts: str) -> None:
    for name, text in texts.items():
        path = committer.work_path(attempt_id) / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def found(output: str) -> dict[str, str]:
    if not remote_files.exists(output):
        return {}
    files = remote_files.files_below(output)
    return {url.removeprefix(f"{output}/"): remote_files.read(url).decode() for url, _ in files}


def test_a_path_has_the_committer_of_directories(tmp_path: Path) -> None:
    assert isinstance(committer_of(str(tmp_path), 1), OutputCommitter)


def test_output_appears_when_the_job_is_committed(output: str, tmp_path: Path) -> None:
    ours = committer(output, tmp_path)
    ours.set_up_job()
    write(ours, ONE, part="one", extra="of the first attempt")
    write(ours, TWO, part="two", beside__deep="x")
    ours.commit_task(ONE)
    ours.commit_task(TWO)
    assert {name.split("/")[0] for name in found(output)} == {"_temporary"}
    ours.commit_job()
    assert found(output) == {"part": "two", "beside/deep": "x", "_SUCCESS": ""}
    assert read_part(output, "part") == "two"


def test_an_attempt_that_did_not_commit_is_not_there(output: str, tmp_path: Path) -> None:
    ours = committer(output, tmp_path)
    ours.set_up_job()
    write(ours, ONE, part="one")
    ours.abort_task(ONE)
    ours.commit_task(ONE)  # nothing is left to commit
    ours.commit_job()
    assert found(output) == {"_SUCCESS": ""}


def test_an_aborted_job_leaves_nothing_and_takes_nothing(output: str, tmp_path: Path) -> None:
    ours = committer(output, tmp_path)
    ours.set_up_job()
    write(ours, ONE, part="one")
    ours.commit_task(ONE)
    ours.abort_job()
    write(ours, TWO, part="two")
    with pytest.raises(FileNotFoundError):
        ours.commit_task(TWO)
    assert found(output) == {}


def test_the_next_am_takes_over_what_was_committed(output: str, tmp_path: Path) -> None:
    first = committer(output, tmp_path)
    first.set_up_job()
    write(first, ONE, part="one")
    first.commit_task(ONE)
    half = f"{output}/_temporary/1/manifests/{OTHER}.json"
    remote_files.write(half, b'[["memory://')  # its writer died
    second = committer(output, tmp_path, app_attempt=2)
    second.set_up_job()
    assert second.recover_task(TASK, 1)
    assert not second.recover_task(OTHER, 1)
    second.commit_job()
    assert found(output) == {"part": "one", "_SUCCESS": ""}


@pytest.mark.parametrize("calls", range(CALLS_OF_A_COMMIT + 1))
def test_a_commit_that_was_broken_off_goes_on(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    ours = committer(output, tmp_path)
    ours.set_up_job()
    write(ours, ONE, part="one", more="1")
    write(ours, TaskAttemptId(OTHER, 0), other="two")
    ours.commit_task(ONE)
    ours.commit_task(TaskAttemptId(OTHER, 0))
    left = count(calls, -1)
    deaths = []

    def dying(name: str) -> Any:
        whole = getattr(MemoryFileSystem, name)

        def call(*arguments: Any, **named: Any) -> Any:
            if next(left) <= 0:
                deaths.append(name)
                raise ConnectionResetError("the store is gone")
            return whole(*arguments, **named)

        return call

    with monkeypatch.context() as patches:
        for name in ("cp_file", "rm_file", "_rm", "pipe_file"):
            patches.setattr(MemoryFileSystem, name, dying(name))
        with suppress(OSError):
            ours.commit_job()
        assert ("_SUCCESS" in found(output)) == (not deaths)
    assert bool(deaths) == (calls < CALLS_OF_A_COMMIT)
    assert ours.may_commit_again
    ours.commit_job()
    assert found(output) == {"part": "one", "more": "1", "other": "two", "_SUCCESS": ""}


def test_a_file_that_did_not_arrive_fails_the_commit(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = committer(output, tmp_path)
    ours.set_up_job()
    write(ours, ONE, part="one")
    ours.commit_task(ONE)
    monkeypatch.setattr(MemoryFileSystem, "mv", lambda *_arguments, **_named: None)  # as WebHDFS may refuse
    with pytest.raises(OSError, match=r"part does not exist"):
        ours.commit_job()
    assert "_SUCCESS" not in found(output)


def test_what_was_left_out_is_kept_there(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = kept_at("", output, "attempt_1")
    assert file == f"{output}/_logs/skip/attempt_1"
    skipping = Skipping(skip_plan(1, []), lambda *_: None, Tally(), file)
    skipping.keep_record((7, "a line"))
    skipping.finish()
    assert found(output) == {"_logs/skip/attempt_1": "7\ta line\n"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url, why",
    [
        ("http://127.0.0.1/out", "files of http can only be read"),
        ("memory://bucket/out", "ends with it"),
        ("nonsense://bucket/out", "No FileSystem for scheme 'nonsense'"),
        ("simplecache::file://{}", "already exists"),
    ],
)
def test_output_that_cannot_be_is_refused(url: str, why: str, tmp_path: Path) -> None:
    properties = {"mapreduce.output.fileoutputformat.outputdir": url.format(tmp_path)}
    with pytest.raises(SubmissionError, match=why):
        JobClient(Configuration.of(properties), "mei").check()
