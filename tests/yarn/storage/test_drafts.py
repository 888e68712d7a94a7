"""Files are written whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from yarnbox.yarn.storage.drafts import draft_of, named_file


def fail_half_way(path: Path) -> None:
    with draft_of(path) as draft:
        draft.write_text("new")
        path.parent.mkdir()


def test_a_file_takes_its_name_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    path.write_text("old")
    with draft_of(path) as draft:
        draft.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_goes_wrong_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    path.write_text("old")
    with pytest.raises(FileExistsError):
        fail_half_way(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "book.json"
    with pytest.raises(FileNotFoundError) as raised, draft_of(path) as draft:
        draft.write_text("new")
    assert raised.value.filename == str(path)
    with pytest.raises(FileNotFoundError) as raised, draft_of(path) as draft:
        named_file(draft)
    assert raised.value.filename == str(path)


def test_a_file_system_that_may_only_be_read_is_told_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, **_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "write_text", lambda path, _: refuse(path))
    monkeypatch.setattr(Path, "unlink", refuse)  # also where there is nothing to remove
    path = tmp_path / "book.json"
    with pytest.raises(OSError, match="Read-only file system") as raised, draft_of(path) as draft:
        draft.write_text("new")
    assert raised.value.filename == str(path)


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    full = Path("/dev/full")
    with pytest.raises(OSError, match="No space left") as raised, draft_of(path), full.open("w") as file:
        file.write("new")
    assert raised.value.filename == str(path)


def test_of_several_files_the_one_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    other = draft_of(tmp_path / "book.json")
    with (
        pytest.raises(OSError, match="No space left") as raised,
        other,
        named_file(Path("/dev/full")) as file,
    ):
        file.write(b"new")
    assert raised.value.filename == "/dev/full"
