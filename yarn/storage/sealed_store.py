"""Entries that outlive their process, and a file that knows whether they are all there and whose they are.

Owns one SQLite file, its lock, and a second file beside it, `<name>.identity`, that says which cluster's
store this is, in which epoch it was opened last, and how many turns it has stored. Each entry has a checksum;
a digest over all of them tells when one is missing; the count of turns, kept in both files, tells when the
end was cut off. An entry that is damaged, or that its owner cannot read, is set aside: out of the way and
kept. Knows nothing of what keys and values mean. Other processes may read the file, and copy it, while it is
used.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from mmap import mmap
from pathlib import Path

_VERSION = 2
_ID = 0
_SUM_BYTES = 16
_MODULUS = 1 << 8 * _SUM_BYTES
_TURNS_AT = 256
"""Where in the identity file the count of turns begins; before it stands a line of JSON."""
_BUSY_S = 1.0

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS sealed (key TEXT PRIMARY KEY, value BLOB NOT NULL, sum BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS set_aside (key TEXT, value BLOB, why TEXT NOT NULL, at_ms INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS seal (id INTEGER PRIMARY KEY, cluster TEXT NOT NULL,
    turns INTEGER NOT NULL, entries INTEGER NOT NULL, digest BLOB NOT NULL)""",
)
_SEAL = (str, int, int, bytes)
"""The types of cluster, turns, entries and digest."""
_PUT = (
    "INSERT INTO sealed VALUES (?, ?, ?)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value, sum = excluded.sum"
)

Identity = dict[str, str | int]
"""What the file beside a store says: cluster, epoch, turns."""


class StoreError(Exception):
    """The file cannot be used; the message says which and why."""


class StoreMissingError(StoreError):
    """There was a store, and it is gone."""


class ForeignStoreError(StoreError):
    """It is the store of another cluster."""


class StoreInUseError(StoreError):
    """Another process has it."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """An entry that nobody could read."""

    key: str
    why: str
    at_ms: int


@dataclass(slots=True)
class Findings:
    """What a look at a whole store has found."""

    cluster: str = ""
    turns: int = 0
    sums: dict[str, bytes] = field(default_factory=dict)
    """Checksums by key."""
    damaged: dict[int, str] = field(default_factory=dict)
    """Keys, by number of row, of entries whose checksum is not theirs."""
    nameless: int = 0
    """Entries of which not even the key can be read: their page is torn."""
    faults: list[str] = field(default_factory=list)
    """What is wrong with the store as a whole, a sentence each."""


class SealedStore:
    """The store of one process, held until it is closed."""

    def __init__(
        self,
        path: Path,
        owner: str,
        now_ms: int,
        *,
        synchronous: str = "NORMAL",
        legacy_table: str = "",
        creates_missing: bool = False,
        accepts_foreign: bool = False,
    ) -> None:
        self.path = path
        self._owner = owner
        self._identity = path.with_name(path.name + ".identity")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = _locked(path, owner)
        except OSError as error:
            raise StoreError(f"the state store {path} cannot be opened: {error}") from error
        try:
            known = self._check_presence(creates_missing)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S)
            try:
                self._open(known, now_ms, synchronous, legacy_table, accepts_foreign)
            except BaseException:
                self._database.close()
                raise
        except (sqlite3.DatabaseError, OSError) as error:
            os.close(self._lock)
            raise StoreError(f"the state store {path} cannot be opened: {error}") from error
        except BaseException:
            os.close(self._lock)
            raise

    def _check_presence(self, creates_missing: bool) -> Identity | None:
        known = read_identity(self.path)
        self.is_new = not self.path.exists()
        if self.is_new and known and not creates_missing:
            raise StoreMissingError(
                f"the state store {self.path} is missing; it was that of cluster {known['cluster']}, epoch "
                f"{known['epoch']}"
            )
        self.epoch = int(known["epoch"]) if known else 0
        """What its owner noted last, as the identity file says; 0 without one."""
        return known

    def _open(
        self,
        known: Identity | None,
        now_ms: int,
        synchronous: str,
        legacy_table: str,
        accepts_foreign: bool,
    ) -> None:
        path = self.path
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute(f"PRAGMA synchronous={synchronous}")
        self._database.execute("BEGIN IMMEDIATE")
        _prepare(self._database, path, legacy_table)
        found = examine(self._database, path)
        if known and known["cluster"] != found.cluster and not self.is_new and not accepts_foreign:
            raise ForeignStoreError(
                f"the state store {path} is that of cluster {found.cluster}, and this is cluster "
                f"{known['cluster']}"
            )
        self.cluster = found.cluster
        self.faults = found.faults
        self._sums = found.sums
        self._turns = found.turns
        for row, key in found.damaged.items():
            self._move_aside("rowid", row, "its checksum is wrong", now_ms)
            self._sums.pop(key, None)
        if found.nameless:
            self._rebuild()
        self._database.execute("REINDEX sealed")  # entries are found by it, and it has no checksum
        self._digest = digest_of(self._sums)
        self._write_seal()
        self._database.execute("COMMIT")
        self._file = os.stat(path)
        self._number = self._write_identity()

    def _rebuild(self) -> None:
        """Writes the table anew with the sound entries: rows of a torn page cannot be told apart."""
        kept = {}
        for key, value, sum_ in self._database.execute("SELECT key, value, sum FROM sealed ORDER BY rowid"):
            if isinstance(key, str) and key in self._sums and self._sums[key] == sum_:
                kept[key] = (key, value, sum_)
        self._database.execute("DELETE FROM sealed")
        self._database.executemany("INSERT INTO sealed (key, value, sum) VALUES (?, ?, ?)", kept.values())
        self._sums = {key: sum_ for key, _, sum_ in kept.values()}

    def rows(self) -> dict[str, bytes]:
        """All sound entries, in the order of their first writing."""
        return dict(self._database.execute("SELECT key, value FROM sealed ORDER BY rowid"))

    def keys_with(self, prefix: str) -> list[str]:
        """The keys that begin so."""
        return [key for key in self._sums if key.startswith(prefix)]

    def write(self, changes: Iterable[tuple[str, bytes | None]]) -> None:
        """Puts the entries there in one transaction, durable when this returns; None removes one. StoreError
        when the file is not what it was.
        """
        self._check_file()
        database, digest, entries = self._database, self._digest, len(self._sums)
        sums: dict[str, bytes | None] = {}
        database.execute("BEGIN IMMEDIATE")
        try:
            for key, value in changes:
                before = sums[key] if key in sums else self._sums.get(key)
                if before is not None:
                    digest -= int.from_bytes(before, "big")
                    entries -= 1
                if value is None:
                    sums[key] = None
                    database.execute("DELETE FROM sealed WHERE key = ?", (key,))
                else:
                    sums[key] = sum_ = sum_of(key, value)
                    digest += int.from_bytes(sum_, "big")
                    entries += 1
                    database.execute(_PUT, (key, value, sum_))
            self._commit(sums, entries, digest % _MODULUS)
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise
        self._record_turns()

    def set_aside(self, key: str, why: str, now_ms: int) -> None:
        """Takes an entry out of the way that its owner cannot read, and keeps it."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            self._move_aside("key", key, why, now_ms)
            self._sums.pop(key, None)
            self._commit({}, len(self._sums), digest_of(self._sums))
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        self._record_turns()

    def record_epoch(self, epoch: int) -> None:
        """Notes beside the store what a backup of it would not know."""
        self.epoch = epoch
        self._number.close()
        self._number = self._write_identity()

    def all_set_aside(self) -> list[SetAside]:
        """What has been set aside so far, the oldest first."""
        return read_set_aside(self._database)

    def close(self) -> None:
        """Gives the file back."""
        self._database.close()
        self._number.close()
        os.close(self._lock)

    def _check_file(self) -> None:
        try:
            now = os.stat(self.path)
        except OSError as error:
            raise StoreError(f"the state store {self.path} has gone: {error.strerror}") from error
        if (now.st_dev, now.st_ino) != (self._file.st_dev, self._file.st_ino):
            raise StoreError(f"the state store {self.path} is another file than the one that was opened")

    def _commit(self, sums: dict[str, bytes | None], entries: int, digest: int) -> None:
        self._database.execute(
            "UPDATE seal SET turns = ?, entries = ?, digest = ? WHERE id = ?",
            (self._turns + 1, entries, digest.to_bytes(_SUM_BYTES, "big"), _ID),
        )
        self._database.execute("COMMIT")
        self._turns += 1
        self._digest = digest
        for key, sum_ in sums.items():
            if sum_ is None:
                self._sums.pop(key, None)
            else:
                self._sums[key] = sum_

    def _write_seal(self) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO seal VALUES (?, ?, ?, ?, ?)",
            (_ID, self.cluster, self._turns, len(self._sums), self._digest.to_bytes(_SUM_BYTES, "big")),
        )

    def _move_aside(self, column: str, value: str | int, why: str, now_ms: int) -> None:
        statement = f"INSERT INTO set_aside SELECT key, value, ?, ? FROM sealed WHERE {column} = ?"
        self._database.execute(statement, (why, now_ms, value))
        self._database.execute(f"DELETE FROM sealed WHERE {column} = ?", (value,))

    def _write_identity(self) -> mmap:
        """The identity file anew; it stays in memory, to note the turns in without a call of the system."""
        write_identity(self.path, self.cluster, self.epoch, self._turns)
        with self._identity.open("r+b") as file:
            return mmap(file.fileno(), 0)

    def _record_turns(self) -> None:
        self._number[_TURNS_AT:] = _number(self._turns)


def _locked(path: Path, owner: str) -> int:
    handle = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        why = f"another {owner} is using it"
        raise StoreInUseError(f"the state store {path} cannot be opened: {why}") from error
    return handle


def _prepare(database: sqlite3.Connection, path: Path, legacy_table: str) -> None:
    """The tables; entries of an earlier version are taken over and sealed."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version not in (0, 1, _VERSION):
        raise StoreError(f"the state store {path} has version {version}, this program reads {_VERSION}")
    for statement in _SCHEMA:
        database.execute(statement)
    if version != _VERSION:
        rows = _legacy(database, legacy_table)
        database.executemany(_PUT, [(key, value, sum_of(key, value)) for key, value in rows])
        if rows:
            database.execute(f"DROP TABLE {legacy_table}")
        database.execute(f"PRAGMA user_version={_VERSION}")
    if database.execute("SELECT count(*) FROM seal").fetchone() == (0,):
        sums = dict(database.execute("SELECT key, sum FROM sealed").fetchall())
        seal = (_ID, secrets.token_hex(8), 0, len(sums), digest_of(sums).to_bytes(_SUM_BYTES, "big"))
        database.execute("INSERT INTO seal VALUES (?, ?, ?, ?, ?)", seal)


def _legacy(database: sqlite3.Connection, table: str) -> list[tuple[str, bytes]]:
    named = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?", (table,))
    if named.fetchone() is None:
        return []
    order = "key" if table == "state" else "rowid"
    rows = database.execute(f"SELECT key, value FROM {table} ORDER BY {order}").fetchall()
    return [(key, value.encode() if isinstance(value, str) else value) for key, value in rows]


def examine(database: sqlite3.Connection, path: Path) -> Findings:
    """Looks at every entry, and at what the store says about itself; nothing is changed."""
    found = Findings()
    seal = database.execute(
        "SELECT cluster, turns, entries, digest FROM seal WHERE id = ?", (_ID,)
    ).fetchone()
    if seal is None or not all(isinstance(one, kind) for one, kind in zip(seal, _SEAL, strict=True)):
        raise StoreError(f"the state store {path} has lost its identity record")
    found.cluster, found.turns, entries, digest = seal
    count = 0
    for row, key, value, sum_ in database.execute("SELECT rowid, key, value, sum FROM sealed ORDER BY rowid"):
        count += 1
        if not isinstance(key, str) or key in found.sums or row in found.damaged:
            found.nameless += 1
            continue
        found.sums[key] = sum_ if isinstance(sum_, bytes) else b""
        if not isinstance(value, bytes) or sum_of(key, value) != sum_:
            found.damaged[row] = key
    if found.nameless:
        found.faults.append(f"of {found.nameless} entries not even the name can be read")
    if count != entries:
        found.faults.append(f"{entries} entries were written, but {count} were found")
    elif (
        not found.damaged
        and not found.nameless
        and digest_of(found.sums).to_bytes(_SUM_BYTES, "big") != digest
    ):
        found.faults.append("entries differ from those that were written")
    known = read_identity(path)
    if known and known["cluster"] == found.cluster and int(known["turns"]) > found.turns:
        lost = int(known["turns"]) - found.turns
        found.faults.append(f"the last {lost} of {known['turns']} stored turns are missing")
    return found


def read_set_aside(database: sqlite3.Connection) -> list[SetAside]:
    """What has been set aside, the oldest first."""
    rows = database.execute("SELECT key, why, at_ms FROM set_aside ORDER BY rowid").fetchall()
    return [SetAside(str(key), why, at_ms) for key, why, at_ms in rows]


def sum_of(key: str, value: bytes) -> bytes:
    """The checksum of an entry."""
    name = key.encode("utf-8", "surrogatepass")
    return blake2b(len(name).to_bytes(4, "big") + name + value, digest_size=_SUM_BYTES).digest()


def digest_of(sums: dict[str, bytes]) -> int:
    """The digest over all entries, by their checksums."""
    return sum(int.from_bytes(sum_, "big") for sum_ in sums.values()) % _MODULUS


# The identity file


def read_identity(path: Path) -> Identity | None:
    """What the file beside the store says: cluster, epoch, turns; None when there is none or it is broken."""
    try:
        data = path.with_name(path.name + ".identity").read_bytes()
        head = json.loads(data[:_TURNS_AT])
        turns = int(data[_TURNS_AT:] or b"0")
        return {"cluster": str(head["cluster"]), "epoch": int(head["epoch"]), "turns": turns}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_identity(path: Path, cluster: str, epoch: int, turns: int) -> None:
    """Replaces the file beside the store."""
    identity = path.with_name(path.name + ".identity")
    writing = path.with_name(path.name + ".identity.writing")
    head = json.dumps({"cluster": cluster, "epoch": epoch}).encode()
    with writing.open("wb") as file:
        file.write(head.ljust(_TURNS_AT - 1) + b"\n" + _number(turns))
        file.flush()
        os.fsync(file.fileno())
    writing.replace(identity)


def _number(turns: int) -> bytes:
    return b"%020d\n" % turns


# Copies


def check(path: Path) -> tuple[Findings, list[SetAside]]:
    """Looks at a store that another process may be using. StoreError when it cannot be read at all."""
    if not path.exists():
        known = read_identity(path)
        whose = f"; it was that of cluster {known['cluster']}" if known else ""
        raise StoreMissingError(f"there is no state store {path}{whose}")
    if path.is_dir():
        raise StoreError(f"{path} is a directory, not a state store")
    try:
        with closing(_reader(path)) as database:
            database.execute("BEGIN")
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == 0:
                raise StoreError(f"{path} is no state store that yarnbox wrote")
            if version != _VERSION:
                raise StoreError(
                    f"the state store {path} has version {version}, this program reads {_VERSION}"
                )
            found = examine(database, path)
            for (problem,) in database.execute("PRAGMA integrity_check"):
                if problem != "ok":
                    found.faults.append(f"SQLite says: {problem}")
            return found, read_set_aside(database)
    except sqlite3.DatabaseError as error:
        raise StoreError(f"the state store {path} cannot be read: {error}") from error


def count_set_aside(path: Path) -> int:
    """How many entries of a store are set aside; 0 where there is none, or none that can be read."""
    try:
        with closing(_reader(path)) as database:
            return int(database.execute("SELECT count(*) FROM set_aside").fetchone()[0])
    except sqlite3.DatabaseError:
        return 0


def backup(path: Path, target: Path) -> Findings:
    """Copies a store, which may be in use, to a file that is there whole or not at all."""
    if not path.exists():
        raise StoreMissingError(f"there is no state store {path}")
    writing = target.with_name(target.name + ".writing")
    try:
        writing.unlink(missing_ok=True)
        with closing(_reader(path)) as source, closing(sqlite3.connect(writing)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
        found, _ = check(writing)
        _sync(writing)
        writing.replace(target)
    except (sqlite3.DatabaseError, OSError) as error:
        raise StoreError(f"the state store {path} cannot be copied to {target}: {_reason(error)}") from error
    finally:
        with suppress(OSError):
            writing.unlink(missing_ok=True)
    return found


def _reason(error: Exception) -> str:
    """Without the name of a file of which the user knows nothing."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def restore(path: Path, source: Path, owner: str) -> Path | None:
    """Puts a backup in the place of a store that nobody uses; where the store went that was there."""
    found, _ = check(source)
    if found.damaged or found.faults:
        first = (
            found.faults[0]
            if found.faults
            else f"the checksum of {next(iter(found.damaged.values()))} is wrong"
        )
        raise StoreError(f"{source} is damaged: {first}")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _locked(path, owner)
    try:
        known = read_identity(path)
        kept = move_away(path)
        with closing(_reader(source)) as origin, closing(sqlite3.connect(path)) as copy:
            origin.backup(copy)
        _sync(path)
        write_identity(path, found.cluster, int(known["epoch"]) if known else 0, found.turns)
        return kept
    except (sqlite3.DatabaseError, OSError) as error:
        raise StoreError(f"{source} cannot be restored to {path}: {error}") from error
    finally:
        os.close(lock)


def move_away(path: Path) -> Path | None:
    """Renames a store and what belongs to it, so that another can take its place; the new name."""
    if not path.exists():
        return None
    number = 1
    while (kept := path.with_name(f"{path.name}.before-{number}")).exists():
        number += 1
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(kept.with_name(kept.name + suffix))
    path.replace(kept)
    return kept


def _reader(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=_BUSY_S
    )


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
