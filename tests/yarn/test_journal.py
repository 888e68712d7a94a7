"""Journals: nothing kept is lost, whatever moment the RM dies at."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarn.journal import Journal, JournalError


def test_what_is_appended_comes_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "new", "labels")
    journal.append({"add": ["x"]})
    journal.append({"add": ["y"]})
    journal.close()
    assert Journal(tmp_path / "new", "labels").load() == [{"add": ["x"]}, {"add": ["y"]}]


def test_nothing_is_written_before_there_is_something(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "new", "labels")
    journal.begin([])
    assert journal.load() == []
    assert not (tmp_path / "new").exists()


def test_a_beginning_replaces_all_that_was(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "labels")
    journal.append({"add": ["x"]})
    journal.begin([{"add": ["x", "y"]}])
    journal.append({"remove": ["x"]})
    journal.close()
    assert Journal(tmp_path, "labels").load() == [{"add": ["x", "y"]}, {"remove": ["x"]}]


@given(st.integers(min_value=0, max_value=200))
def test_a_torn_tail_loses_only_itself(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    directory = tmp_path_factory.mktemp("journal")
    journal = Journal(directory, "labels")
    records = [{"add": [f"label-{number}"]} for number in range(5)]
    for record in records:
        journal.append(record)
    journal.close()
    log = directory / "labels.editlog"
    data = log.read_bytes()
    log.write_bytes(data[: max(0, len(data) - cut)])
    found = Journal(directory, "labels").load()
    assert found == records[: log.read_bytes().count(b"\n")]


@pytest.mark.parametrize("moment", ["writing", "renamed", "both"])
def test_a_crash_while_the_mirror_is_replaced(tmp_path: Path, moment: str) -> None:
    journal = Journal(tmp_path, "labels")
    journal.append({"add": ["x"]})
    journal.close()
    journal.begin([{"add": ["x"]}])
    mirror = tmp_path / "labels.mirror"
    if moment in ("writing", "both"):
        (tmp_path / "labels.mirror.writing").write_text('{"add": ["half')
    if moment in ("renamed", "both"):
        mirror.replace(tmp_path / "labels.mirror.old")
    assert Journal(tmp_path, "labels").load() == [{"add": ["x"]}]


def test_a_bad_line_in_the_middle_is_told(tmp_path: Path) -> None:
    (tmp_path / "labels.editlog").write_text('{"add": ["x"]}\nnonsense\n{"add": ["y"]}\n')
    with pytest.raises(JournalError, match=r"labels\.editlog:2"):
        Journal(tmp_path, "labels").load()


def test_a_store_of_hadoop_s_own_is_told_from_ours(tmp_path: Path) -> None:
    (tmp_path / "labels.mirror").write_bytes(b"\x02\n\x00\x12\x00")
    with pytest.raises(
        JournalError, match=r"labels\.mirror:1: not a record.*another format; move the file away"
    ):
        Journal(tmp_path, "labels").load()
