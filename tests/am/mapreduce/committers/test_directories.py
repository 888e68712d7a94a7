"""Output is there whole or not at all."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.am.mapreduce.rig import JOB
from yarnbox.am.mapreduce.app.events import JobCommitFailed
from yarnbox.am.mapreduce.app.job_commit import JobCommit
from yarnbox.am.mapreduce.committers.directories import OutputCommitter
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType

TASK = TaskId(JOB, TaskType.REDUCE, 0)
ONE, TWO = TaskAttemptId(TASK, 0), TaskAttemptId(TASK, 1)


def write(committer: OutputCommitter, attempt_id: TaskAttemptId, text: str) -> None:
    (committer.work_path(attempt_id) / "part-r-00000").write_text(text)


def names(output: Path) -> list[str]:
    return sorted(path.name for path in output.iterdir())


def test_output_appears_when_the_job_is_committed(tmp_path: Path) -> None:
    output = tmp_path / "out"
    committer = OutputCommitter(output, 1)
    committer.set_up_job()
    write(committer, ONE, "one")
    write(committer, TWO, "two")
    committer.commit_task(TWO)
    committer.abort_task(ONE)
    assert names(output) == ["_temporary"]
    committer.commit_job()
    assert names(output) == ["_SUCCESS", "part-r-00000"]
    assert (output / "part-r-00000").read_text() == "two"


def test_a_task_committed_twice_has_the_later_output(tmp_path: Path) -> None:
    committer = OutputCommitter(tmp_path, 1)
    committer.set_up_job()
    for attempt_id, text in ((ONE, "one"), (TWO, "two")):
        write(committer, attempt_id, text)
        committer.commit_task(attempt_id)
    committer.commit_task(ONE)  # nothing written since: nothing changes
    committer.commit_job()
    assert (tmp_path / "part-r-00000").read_text() == "two"


def test_an_aborted_job_leaves_nothing_behind(tmp_path: Path) -> None:
    committer = OutputCommitter(tmp_path, 1)
    committer.set_up_job()
    write(committer, ONE, "one")
    committer.commit_task(ONE)
    committer.abort_job()
    assert names(tmp_path) == []
    with pytest.raises(FileNotFoundError):  # nor does a task that has not heard of it yet
        committer.work_path(TWO)
    assert names(tmp_path) == []


def test_a_task_that_writes_while_its_job_is_aborted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committer = OutputCommitter(tmp_path, 1)
    committer.set_up_job()
    write(committer, ONE, "one")
    remove, attempts = shutil.rmtree, iter((ONE, TWO))

    def meanwhile(path: Path, *, ignore_errors: bool) -> None:
        for attempt_id in attempts:
            write(committer, attempt_id, "two")
            return  # something was in the way
        remove(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", meanwhile)
    committer.abort_job()
    assert names(tmp_path) == []


def test_a_next_am_takes_over_what_was_committed(tmp_path: Path) -> None:
    first = OutputCommitter(tmp_path, 1)
    first.set_up_job()
    write(first, ONE, "one")
    first.commit_task(ONE)
    second = OutputCommitter(tmp_path, 2)
    second.set_up_job()
    assert second.recover_task(TASK, 1)
    assert second.recover_task(TASK, 1), "asked again, it is still there"
    assert not second.recover_task(TaskId(JOB, TaskType.REDUCE, 1), 1)
    second.commit_job()
    assert (tmp_path / "part-r-00000").read_text() == "one"


def test_algorithm_2_puts_a_tasks_output_in_its_place_at_once(tmp_path: Path) -> None:
    committer = OutputCommitter(tmp_path, 1, 2)
    committer.set_up_job()
    write(committer, ONE, "one")
    committer.commit_task(ONE)
    assert names(tmp_path) == ["_temporary", "part-r-00000"]
    write(committer, TWO, "two")
    committer.abort_task(TWO)
    committer.commit_job()
    assert names(tmp_path) == ["_SUCCESS", "part-r-00000"]
    committer.commit_job()
    assert committer.may_commit_again
    assert (tmp_path / "part-r-00000").read_text() == "one"


def test_algorithm_1_commits_a_job_once(tmp_path: Path) -> None:
    committer = OutputCommitter(tmp_path, 1)
    committer.set_up_job()
    committer.commit_job()
    assert not committer.may_commit_again
    with pytest.raises(FileNotFoundError):
        committer.commit_job()


def test_what_algorithm_1_committed_algorithm_2_recovers(tmp_path: Path) -> None:
    first = OutputCommitter(tmp_path, 1, 1)
    first.set_up_job()
    write(first, ONE, "one")
    first.commit_task(ONE)
    second = OutputCommitter(tmp_path, 2, 2)
    second.set_up_job()
    assert second.recover_task(TASK, 1)
    assert (tmp_path / "part-r-00000").read_text() == "one"
    assert second.recover_task(TaskId(JOB, TaskType.REDUCE, 1), 1), "it is in its place"


@pytest.mark.parametrize("algorithm", [1, 2])
def test_directories_are_merged_and_files_replaced(tmp_path: Path, algorithm: int) -> None:
    (tmp_path / "was_a_file").write_text("old")
    (tmp_path / "kept" / "sub").mkdir(parents=True)
    (tmp_path / "kept" / "sub" / "old").write_text("old")
    committer = OutputCommitter(tmp_path, 1, algorithm, marks=False)
    committer.set_up_job()
    work = committer.work_path(ONE)
    for name in ("was_a_file/x", "kept/sub/new", "fresh/y"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(name)
    committer.commit_task(ONE)
    committer.commit_job()
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert found == ["fresh/y", "kept/sub/new", "kept/sub/old", "was_a_file/x"]


def commit(committer: OutputCommitter, staging: Path) -> list[str]:
    """Commits, heard by the RM; what the next AM finds in staging."""

    async def run() -> None:
        job_commit = JobCommit(committer, staging, 10_000)
        job_commit.heard()
        await job_commit.commit()

    asyncio.run(run())
    return sorted(path.name for path in staging.iterdir())


def outcome(staging: Path, algorithm: int) -> str:
    """What the next AM makes of it."""
    committer = OutputCommitter(staging / "out", 2, algorithm)
    found = JobCommit(committer, staging, 10_000).outcome_of_earlier()
    return found.diagnostics if isinstance(found, JobCommitFailed) else str(found)


def test_the_next_am_knows_how_a_commit_ended(tmp_path: Path) -> None:
    assert outcome(tmp_path, 1) == "None"
    committer = OutputCommitter(tmp_path / "out", 1)
    with pytest.raises(FileNotFoundError):
        commit(committer, tmp_path)
    assert "failed under an earlier AM" in outcome(tmp_path, 1)
    (tmp_path / "COMMIT_FAIL").unlink()
    assert "an earlier AM died in it" in outcome(tmp_path, 1)
    assert outcome(tmp_path, 2) == "None", "it may be done again"
    assert not (tmp_path / "COMMIT_STARTED").exists()
    committer.set_up_job()
    assert commit(committer, tmp_path) == ["COMMIT_STARTED", "COMMIT_SUCCESS", "out"]
    assert outcome(tmp_path, 1) == "JobCommitCompleted()"


def test_an_am_that_the_rm_does_not_answer_waits_with_the_commit(tmp_path: Path) -> None:
    async def run() -> None:
        committer = OutputCommitter(tmp_path / "out", 1)
        committer.set_up_job()
        job_commit = JobCommit(committer, tmp_path, 10_000)
        task = asyncio.create_task(job_commit.commit())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not (tmp_path / "COMMIT_STARTED").exists()
        job_commit.heard()
        await task
        assert (tmp_path / "COMMIT_SUCCESS").exists()

    asyncio.run(run())
