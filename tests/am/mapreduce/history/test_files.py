"""Names, places and ages of histories."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.am.mapreduce.history.written import changed, eventful, published, some_info
from tests.am.mapreduce.rig import JOB
from yarnbox.am.mapreduce.history.files import HistoryFiles, IndexInfo
from yarnbox.am.mapreduce.ids import JobId

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=16).filter("NA".__ne__)


@given(names, names, st.sampled_from(["SUCCEEDED", "FAILED", "KILLED"]))
def test_a_name_is_read_as_it_was_written(user: str, queue: str, state: str) -> None:
    info = some_info(12345, user=user, queue=queue, state=state)
    assert IndexInfo.parse(info.file_name) == info
    assert "/" not in info.file_name


def test_a_name_has_its_parts_between_hyphens() -> None:
    info = some_info(user="a-b", job_name="word count - mine", queue="")
    assert info.file_name == ("job_1_0001-1-a%2Db-word+count+%2D+mine-3-1-0-SUCCEEDED-NA-2.jhist")


@pytest.mark.parametrize(
    ("job_name", "kept"), [("x" * 60, "x" * 50), ("ä" * 60, "ä" * 8), ("", "NA")], ids=["x", "ä", "none"]
)
def test_a_long_job_name_is_cut_between_characters(job_name: str, kept: str) -> None:
    assert IndexInfo.parse(some_info(job_name=job_name).file_name).job_name == kept


def test_older_names_lack_the_start_or_the_queue() -> None:
    info = some_info()
    parts = info.file_name.removesuffix(".jhist").split("-")
    assert IndexInfo.parse("-".join(parts[:9]) + ".jhist") == changed(info, start_ms=1)
    assert IndexInfo.parse("-".join(parts[:8]) + ".jhist") == changed(info, start_ms=1, queue="default")
    parts[7] = "EXPLODED"
    assert IndexInfo.parse("-".join(parts) + ".jhist").state == "KILLED"
    for name in ("job_1_0001_1.jhist", "job_1_0001_conf.xml", "-".join(parts)):
        with pytest.raises(ValueError, match="is not the name"):
            IndexInfo.parse(name)


def test_a_history_goes_to_its_day(tmp_path: Path) -> None:
    ended_ms = int(time.mktime((2024, 3, 9, 12, 0, 0, 0, 0, -1)) * 1000)
    files = published(tmp_path, eventful(), ended_ms)
    before = files.find(JOB)
    assert before is not None
    assert before.path.parent == tmp_path / "done_intermediate" / "ann"
    assert files.take_in() == 1
    assert files.take_in() == 0
    (found,) = files.all()
    assert found.path.parent == tmp_path / "done" / "2024" / "03" / "09" / "000000"
    assert found == files.find(JOB)
    assert found.conf.exists()
    assert files.find(JobId(1, 2)) is None
    assert list((tmp_path / "done_intermediate" / "ann").iterdir()) == []


def test_the_number_of_a_job_is_its_directory(tmp_path: Path) -> None:
    files = HistoryFiles(tmp_path / "in", tmp_path / "done")
    (tmp_path / "some").write_text("x")
    files.publish(some_info(12345), tmp_path / "some", tmp_path / "some")
    files.take_in()
    (found,) = files.all()
    assert found.path.parent.name == "000012"


class TestAge:
    def test_what_is_too_old_goes_with_its_directories(self, tmp_path: Path) -> None:
        files = published(tmp_path, eventful(), 1000)
        files.take_in()
        assert files.clean(999) == 0
        assert files.clean(1000) == 1
        assert list((tmp_path / "done").iterdir()) == []

    def test_what_nobody_took_in_goes_too(self, tmp_path: Path) -> None:
        files = published(tmp_path, eventful(), 1000)
        (tmp_path / "done_intermediate" / "ann" / "notes.txt").write_text("mine")
        assert files.clean(1000) == 1
        assert [path.name for path in (tmp_path / "done_intermediate" / "ann").iterdir()] == ["notes.txt"]

    def test_younger_ones_of_the_same_day_stay(self, tmp_path: Path) -> None:
        files = published(tmp_path, eventful(), 1000)
        (tmp_path / "x").write_text("x")
        files.publish(some_info(2, finish_ms=2000), tmp_path / "x", tmp_path / "x")
        files.take_in()
        assert files.clean(1500) == 1
        assert [one.info.job_id.id for one in files.all()] == [2]

    def test_where_there_is_nothing_nothing_is_old(self, tmp_path: Path) -> None:
        assert HistoryFiles(tmp_path / "none", tmp_path / "nowhere").clean(10**15) == 0
