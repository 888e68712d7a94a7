"""A store that knows whether it is whole and whose it is: flips, cuts, absences, exchanges, copies."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from yarnbox.yarn.storage.sealed_store import (
    ForeignStoreError,
    SealedStore,
    StoreError,
    StoreInUseError,
    StoreMissingError,
    backup,
    check,
    read_identity,
    restore,
)

NOW_MS = 5
PAGE = 4096


def opened(path: Path, *, creates_missing: bool = False, accepts_foreign: bool = False) -> SealedStore:
    return SealedStore(
        path, "daemon", NOW_MS, creates_missing=creates_missing, accepts_foreign=accepts_foreign
    )


def filled(path: Path, count: int = 40) -> dict[str, bytes]:
    """A closed store of so many entries."""
    store = opened(path)
    for number in range(count):
        store.write([(f"key-{number:03d}", f"value {number} ".encode() * 20)])
    store.write([("key-000", None), ("key-001", b"another")])
    rows = store.rows()
    store.close()
    return rows


def change(path: Path, statement: str, *values: object) -> None:
    """What a hand, or a disk, does to the file."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


def test_a_store_is_as_it_was_left(tmp_path: Path) -> None:
    rows = filled(tmp_path / "s")
    store = opened(tmp_path / "s")
    assert store.rows() == rows
    assert (store.faults, store.all_set_aside(), store.is_new) == ([], [], False)
    store.close()


def test_an_entry_that_was_changed_is_set_aside_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "s"
    rows = filled(path)
    change(path, "UPDATE sealed SET value = ? WHERE key = 'key-007'", b"value 8")
    store = opened(path)
    assert store.rows() == {key: value for key, value in rows.items() if key != "key-007"}
    assert [(one.key, one.why, one.at_ms) for one in store.all_set_aside()] == [
        ("key-007", "its checksum is wrong", NOW_MS)
    ]
    store.write([("key-007", b"new")])
    store.close()
    again = opened(path)
    assert again.rows()["key-007"] == b"new"
    assert [one.key for one in again.all_set_aside()] == ["key-007"]
    assert again.faults == []
    again.close()
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT value FROM set_aside").fetchall() == [(b"value 8",)]


def test_an_entry_that_is_gone_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    change(path, "DELETE FROM sealed WHERE key = 'key-009'")
    store = opened(path)
    assert store.faults == ["39 entries were written, but 38 were found"]
    store.close()
    assert opened(path).faults == []


def test_an_entry_of_an_earlier_moment_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / "s"
    store = opened(path)
    store.write([("a", b"1"), ("b", b"1")])
    with closing(sqlite3.connect(path)) as database:
        earlier = database.execute("SELECT value, sum FROM sealed WHERE key = 'a'").fetchone()
    store.write([("a", b"2")])
    store.close()
    change(path, "UPDATE sealed SET value = ?, sum = ? WHERE key = 'a'", *earlier)
    store = opened(path)
    assert store.faults == ["entries differ from those that were written"]
    store.close()


def test_turns_whose_end_was_cut_off_are_missed(tmp_path: Path) -> None:
    path, copy = tmp_path / "s", tmp_path / "copy"
    filled(path)
    backup(path, copy)
    store = opened(path)
    store.write([("late", b"1")])
    store.write([("later", b"2")])
    store.close()
    path.write_bytes(copy.read_bytes())
    store = opened(path)
    assert store.faults == ["the last 2 of 43 stored turns are missing"]
    store.close()


def test_no_flip_of_a_bit_goes_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    rows = filled(path)
    sound, chance = path.read_bytes(), Random(14)
    for number in range(150):
        place = tmp_path / f"flip-{number}"
        at = chance.randrange(len(sound) * 8)
        data = bytearray(sound)
        data[at // 8] ^= 1 << at % 8
        place.write_bytes(data)
        place.with_name(place.name + ".identity").write_bytes(
            path.with_name(path.name + ".identity").read_bytes()
        )
        try:
            store = opened(place)
        except StoreError:
            continue
        found, noticed = store.rows(), bool(store.faults or store.all_set_aside())
        store.close()
        assert found == rows or noticed, f"bit {at}"
        assert all(rows.get(key) == value for key, value in found.items()), f"bit {at}"


def torn(data: bytes) -> Iterator[bytes]:
    """The file as a torn write leaves it: its end is missing, or the rest of a page is zeros."""
    for end in range(1000, len(data), 797):
        yield data[:end]
        page_end = (end // PAGE + 1) * PAGE
        yield data[:end] + bytes(page_end - end) + data[page_end:]


def test_no_torn_page_goes_unnoticed_and_what_is_sound_is_kept(tmp_path: Path) -> None:
    rows = filled(tmp_path / "whole", 60)
    data = (tmp_path / "whole").read_bytes()
    kept_some = 0
    for number, broken in enumerate(torn(data)):
        path = tmp_path / str(number) / "s"
        path.parent.mkdir()
        path.write_bytes(broken)
        try:
            store = opened(path)
        except StoreError:
            continue
        found = store.rows()
        assert found.items() <= rows.items()
        assert found == rows or store.faults or store.all_set_aside()
        kept_some += 0 < len(found) < len(rows)
        store.write([("new", b"entry")])
        store.close()
        again = opened(path)
        assert again.rows() == {**found, "new": b"entry"}
        assert again.faults == []
        again.close()
    assert kept_some


def test_a_store_that_has_gone_is_an_error_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "s"
    filled(path)
    cluster = (read_identity(path) or {})["cluster"]
    path.unlink()
    with pytest.raises(StoreMissingError, match=f"{path} is missing; it was that of cluster {cluster}"):
        opened(path)
    assert not path.exists()
    store = opened(path, creates_missing=True)
    assert store.is_new
    assert store.rows() == {}
    store.close()


def test_a_store_of_another_cluster_is_an_error_unless_asked_for(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    filled(mine)
    rows = filled(other, 3)
    other.replace(mine)
    with pytest.raises(ForeignStoreError, match="is that of cluster"):
        opened(mine)
    store = opened(mine, accepts_foreign=True)
    assert store.rows() == rows
    store.close()
    opened(mine).close()


def test_a_store_that_goes_while_it_is_used_takes_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "s"
    store = opened(path)
    store.write([("a", b"1")])
    path.unlink()
    with pytest.raises(StoreError, match="has gone"):
        store.write([("b", b"2")])
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="is another file"):
        store.write([("b", b"2")])
    store.close()


def test_a_store_has_one_owner_at_a_time(tmp_path: Path) -> None:
    store = opened(tmp_path / "s")
    with pytest.raises(StoreInUseError, match="another daemon is using it"):
        opened(tmp_path / "s")
    store.close()
    opened(tmp_path / "s").close()


def test_a_copy_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, **_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    path, target = tmp_path / "s", tmp_path / "copy"
    filled(path)
    monkeypatch.setattr(Path, "unlink", refuse)  # as there, even where there is nothing to remove
    with pytest.raises(StoreError) as refusal:
        backup(path, target)
    assert str(refusal.value) == f"the state store {path} cannot be copied to {target}: Read-only file system"


def test_a_store_in_use_can_be_looked_at_and_copied(tmp_path: Path) -> None:
    path = tmp_path / "s"
    store = opened(path)
    store.write([("a", b"1"), ("b", b"2")])
    found, aside = check(path)
    assert (len(found.sums), found.damaged, found.faults, aside) == (2, {}, [], [])
    backup(path, tmp_path / "copy")
    store.write([("c", b"3")])
    store.close()
    copy = opened(tmp_path / "copy")
    assert copy.rows() == {"a": b"1", "b": b"2"}
    assert copy.cluster == store.cluster
    copy.close()


def test_a_backup_takes_the_place_of_a_store_and_the_epoch_goes_on(tmp_path: Path) -> None:
    path, copy = tmp_path / "s", tmp_path / "copy"
    rows = filled(path)
    backup(path, copy)
    store = opened(path)
    store.record_epoch(7)
    store.write([("late", b"1")])
    with pytest.raises(StoreInUseError):
        restore(path, copy, "daemon")
    store.close()
    kept = restore(path, copy, "daemon")
    assert kept == tmp_path / "s.before-1"
    again = opened(path)
    assert again.rows() == rows
    assert (again.epoch, again.faults) == (7, [])
    again.close()


def test_a_damaged_backup_is_not_restored(tmp_path: Path) -> None:
    path, copy = tmp_path / "s", tmp_path / "copy"
    rows = filled(path)
    backup(path, copy)
    change(copy, "UPDATE sealed SET value = ? WHERE key = 'key-005'", b"x")
    with pytest.raises(StoreError, match="damaged: the checksum of key-005 is wrong"):
        restore(path, copy, "daemon")
    store = opened(path)
    assert store.rows() == rows
    store.close()


def test_entries_of_an_earlier_version_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        database.executemany("INSERT INTO entries VALUES (?, ?)", [('["b"]', "1"), ('["a"]', "2")])
        database.execute("PRAGMA user_version=1")
    store = SealedStore(path, "daemon", NOW_MS, legacy_table="entries")
    assert list(store.rows().items()) == [('["b"]', b"1"), ('["a"]', b"2")]
    store.close()
    assert check(path)[0].faults == []
