"""Output is there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from am.mapreduce.committer import OutputCommitter
from am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from tests.am.mapreduce.rig import JOB

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
    assert not committer.has_committed
    committer.commit_job()
    assert names(output) == ["_SUCCESS", "part-r-00000"]
    assert (output / "part-r-00000").read_text() == "two"
    assert committer.has_committed


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
