"""The history of a job whose AMs were all ended from outside."""

from __future__ import annotations

from pathlib import Path

from tests.am.mapreduce.history.written import attempt, write
from tests.am.mapreduce.rig import JOB, Rig
from yarnbox.am.mapreduce.history.files import HistoryFiles, events_file
from yarnbox.am.mapreduce.history.jhist import read_events
from yarnbox.am.mapreduce.history.left_behind import publish_left_behind
from yarnbox.am.mapreduce.history.parsed import PastJob, parse
from yarnbox.am.mapreduce.settings import JOB_FILE
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.records.application import ApplicationReport

KILLED = ApplicationReport(
    yarn_application_state=YarnApplicationState.KILLED,
    finish_time=9000,
    diagnostics="Application killed by user.",
)


def staged(root: Path, rig: Rig, app_attempt: int = 1) -> Path:
    """What an AM has written when it was ended."""
    staging = root / "staging"
    staging.mkdir(exist_ok=True)
    (staging / JOB_FILE).write_text("<configuration/>")
    write(rig, events_file(staging, JOB, app_attempt))
    return staging


def half_done() -> Rig:
    rig = Rig(maps=2, reduces=1, hosts=("n1",))
    rig.beat()
    rig.finish(attempt(0))
    return rig


def files_of(root: Path) -> HistoryFiles:
    return HistoryFiles(root / "done_intermediate", root / "done")


def published(files: HistoryFiles) -> PastJob:
    found = files.find(JOB)
    assert found is not None
    assert found.conf.exists()
    past = parse(read_events(found.path))
    assert (found.info.state, found.info.finish_ms) == (past.state, past.finish_ms)
    return past


def test_it_ends_as_the_application_did(tmp_path: Path) -> None:
    files, staging = files_of(tmp_path), staged(tmp_path, half_done())
    assert publish_left_behind(files, staging, JOB, KILLED)
    past = published(files)
    assert (past.state, past.finish_ms, past.diagnostics) == ("KILLED", 9000, "Application killed by user.")
    assert (past.ended["finishedMaps"], past.ended["killedMaps"], past.total_maps) == (1, 0, 2)
    assert past.tasks[str(attempt(0).task_id)].state == "SUCCEEDED"
    assert not publish_left_behind(files, staging, JOB, KILLED), "there is one already"


def test_the_last_am_that_wrote_anything_tells_of_the_job(tmp_path: Path) -> None:
    """The second one was ended amid a line, the third one before its first."""
    staged(tmp_path, Rig(maps=2, reduces=1, hosts=("n1",)))
    staging = staged(tmp_path, half_done(), app_attempt=2)
    with events_file(staging, JOB, 2).open("a") as torn:
        torn.write('{"type":"MAP_ATTEMPT_FI')
    events_file(staging, JOB, 10).touch()
    failed = ApplicationReport(yarn_application_state=YarnApplicationState.FAILED, finish_time=9000)
    files = files_of(tmp_path)
    assert publish_left_behind(files, staging, JOB, failed)
    past = published(files)
    assert (past.state, past.ended["finishedMaps"]) == ("FAILED", 1)


def test_an_end_that_the_am_wrote_itself_stays(tmp_path: Path) -> None:
    rig = half_done()
    rig.run()
    files, staging = files_of(tmp_path), staged(tmp_path, rig)
    assert publish_left_behind(files, staging, JOB, KILLED)
    assert published(files).state == "SUCCEEDED"


def test_without_an_am_or_without_an_end_there_is_none(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    assert not publish_left_behind(files, tmp_path / "gone", JOB, KILLED)
    running = ApplicationReport(yarn_application_state=YarnApplicationState.RUNNING)
    assert not publish_left_behind(files, staged(tmp_path, half_done()), JOB, running)
    assert files.all() == []
