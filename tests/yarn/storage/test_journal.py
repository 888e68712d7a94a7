"""Journals: nothing kept is lost, whatever moment the RM dies at."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.storage.journal import Journal, JournalError, Record


def test_what_is_appended_comes_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "new", "labels", "the.property")
    journal.append({"add": ["x"]})
    journal.append({"add": ["y"]})
    journal.close()
    assert Journal(tmp_path / "new", "labels", "the.property").load() == [{"add": ["x"]}, {"add": ["y"]}]


def test_nothing_is_written_before_there_is_something(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "new", "labels", "the.property")
    journal.begin([])
    assert journal.load() == []
    assert not (tmp_path / "new").exists()


def test_a_beginning_replaces_all_that_was(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "labels", "the.property")
    journal.append({"add": ["x"]})
    journal.begin([{"add": ["x", "y"]}])
    journal.append({"remove": ["x"]})
    journal.close()
    assert Journal(tmp_path, "labels", "the.property").load() == [{"add": ["x", "y"]}, {"remove": ["x"]}]


@given(st.integers(min_value=0, max_value=200))
def test_a_torn_tail_loses_only_itself(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    directory = tmp_path_factory.mktemp("journal")
    journal = Journal(directory, "labels", "the.property")
    records = [{"add": [f"label-{number}"]} for number in range(5)]
    for record in records:
        journal.append(record)
    journal.close()
    log = directory / "labels.editlog"
    data = log.read_bytes()
    log.write_bytes(data[: max(0, len(data) - cut)])
    found = Journal(directory, "labels", "the.property").load()
    assert found == records[: log.read_bytes().count(b"\n")]


@pytest.mark.parametrize("moment", ["writing", "renamed", "both"])
def test_a_crash_while_the_mirror_is_replaced(tmp_path: Path, moment: str) -> None:
    journal = Journal(tmp_path, "labels", "the.property")
    journal.append({"add": ["x"]})
    journal.close()
    journal.begin([{"add": ["x"]}])
    mirror = tmp_path / "labels.mirror"
    if moment in ("writing", "both"):
        (tmp_path / "labels.mirror.writing").write_text('{"add": ["half')
    if moment in ("renamed", "both"):
        mirror.replace(tmp_path / "labels.mirror.old")
    assert Journal(tmp_path, "labels", "the.property").load() == [{"add": ["x"]}]


def test_a_bad_line_in_the_middle_is_told(tmp_path: Path) -> None:
    (tmp_path / "labels.editlog").write_text('{"add": ["x"]}\nnonsense\n{"add": ["y"]}\n')
    with pytest.raises(JournalError, match=r"labels\.editlog:2"):
        Journal(tmp_path, "labels", "the.property").load()


def test_a_store_of_hadoop_s_own_is_told_from_ours(tmp_path: Path) -> None:
    (tmp_path / "labels.mirror").write_bytes(b"\x02\n\x00\x12\x00")
    with pytest.raises(
        JournalError, match=r"labels\.mirror:1: not a record.*another format; move the file away"
    ):
        Journal(tmp_path, "labels", "the.property").load()


@pytest.mark.parametrize("line", [b"\x08\x01\xff\n", b"[1]\n", b"7\n"])
def test_leftovers_of_another_program_name_the_property_that_moves_them(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "labels.mirror").write_bytes(line)
    with pytest.raises(JournalError, match=r"labels\.mirror:1: not a record: .*the\.property"):
        Journal(tmp_path, "labels", "the.property").load()


def test_a_place_that_cannot_be_used_names_the_property_that_moves_it(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a directory is wanted")
    journal = Journal(tmp_path / "taken" / "labels", "labels", "the.property")
    with pytest.raises(JournalError, match=r"taken/labels cannot be used: .*; the\.property changes it"):
        journal.begin([{"add": ["x"]}])


def kept(directory: Path) -> list[Record]:
    return Journal(directory, "labels", "the.property").load()


def written(directory: Path) -> list[Record]:
    """A journal with three records in its mirror and two in its log."""
    journal = Journal(directory, "labels", "the.property")
    records: list[Record] = [{"add": [f"label-{number}"]} for number in range(5)]
    journal.begin(records[:3])
    for record in records[3:]:
        journal.append(record)
    journal.close()
    return records


@given(data=st.data())
def test_a_changed_bit_is_noticed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    directory = tmp_path_factory.mktemp("journal")
    records = written(directory)
    file = directory / data.draw(st.sampled_from(["labels.mirror", "labels.editlog"]))
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    file.write_bytes(content)
    with contextlib.suppress(JournalError):  # it is told, or does not matter
        assert kept(directory) == records


@pytest.mark.parametrize("name", ["labels.mirror", "labels.editlog"])
def test_a_missing_line_is_noticed(tmp_path: Path, name: str) -> None:
    written(tmp_path)
    lines = (tmp_path / name).read_bytes().splitlines(keepends=True)
    for number in range(len(lines) - (name == "labels.editlog")):
        (tmp_path / name).write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
        with pytest.raises(JournalError, match=r"line before it is missing|end is missing"):
            kept(tmp_path)


def test_a_mirror_without_its_log_is_told_from_another_s(tmp_path: Path) -> None:
    written(tmp_path)
    log = (tmp_path / "labels.editlog").read_bytes()
    written(tmp_path)
    Journal(tmp_path, "labels", "the.property").begin([{"add": ["another"]}])
    (tmp_path / "labels.editlog").write_bytes(log)
    with pytest.raises(JournalError, match=r"labels\.editlog:1"):
        kept(tmp_path)


def test_a_log_that_a_crash_left_beside_the_new_mirror_is_passed_over(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "labels", "the.property")
    for before in ([], [{"add": ["x"]}]):
        journal.begin(before)
        journal.append({"remove": ["x"]})
        journal.close()
        log, mirror = tmp_path / "labels.editlog", tmp_path / "labels.mirror"
        left, old = log.read_bytes(), mirror.read_bytes() if mirror.exists() else None
        journal.begin([{"all": ["y"]}])
        log.write_bytes(left)
        if old is not None:
            (tmp_path / "labels.mirror.old").write_bytes(old)
        assert kept(tmp_path) == [{"all": ["y"]}]
        for file in tmp_path.iterdir():
            file.unlink()


def test_lines_of_a_version_without_checksums_are_read_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "labels.mirror").write_text('{"add":["x"]}\n')
    (tmp_path / "labels.editlog").write_text('{"add":["y"]}\n{"add":["half')
    journal = Journal(tmp_path, "labels", "the.property")
    records = journal.load()
    assert records == [{"add": ["x"]}, {"add": ["y"]}]
    journal.begin(records)
    journal.append({"add": ["z"]})
    journal.close()
    assert kept(tmp_path) == [*records, {"add": ["z"]}]
    assert (tmp_path / "labels.editlog").read_bytes().count(b"\t") == 1
