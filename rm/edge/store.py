"""The state store: what an RM has to remember over its own death, in one SQLite file.

Owns the file and its transactions. Knows nothing of what the entries mean: a key is a tuple of words, a value
is whatever JSON holds, and both are the core's. What `write` was given is there after a kill -9, whole or not
at all. One RM at a time may have the file open. Answers for RMStateStore and its implementations.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FILE = "rm-state.sqlite"
_VERSION = 1
_PUT = "INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

Key = tuple[str, ...]


class StoreError(Exception):
    """The file cannot be used; the message says which and why."""


class StateStore:
    """Entries by key, durable as soon as `write` returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
            # Exclusive: a second RM must fail, not share. WAL with NORMAL survives the death of the process
            # at any moment without a disk flush per turn; only the machine's own may cost the last turns.
            for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL"):
                self._database.execute(f"PRAGMA {pragma}")
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
            )
            self._check_version()
            self._database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            why = "another ResourceManager is using it" if "locked" in str(error) else str(error)
            raise StoreError(f"the state store {path} cannot be opened: {why}") from error
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreError(f"the state store {path} cannot be opened: {error}") from error

    def _check_version(self) -> None:
        (found,) = self._database.execute("PRAGMA user_version").fetchone()
        if found not in (0, _VERSION):
            raise StoreError(f"the state store {self.path} has version {found}, this RM reads {_VERSION}")
        self._database.execute(f"PRAGMA user_version={_VERSION}")

    def load(self) -> dict[Key, Any]:
        """All entries, in the order of their first writing."""
        try:
            rows = self._database.execute("SELECT key, value FROM entries ORDER BY rowid").fetchall()
            return {tuple(json.loads(key)): json.loads(value) for key, value in rows}
        except (sqlite3.DatabaseError, ValueError) as error:
            raise StoreError(f"the state store {self.path} cannot be read: {error}") from error

    def write(self, changes: Iterable[tuple[Key, Any]]) -> None:
        """Puts the entries there in one transaction; the value None removes one."""
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            for key, value in changes:
                name = json.dumps(key)
                if value is None:
                    database.execute("DELETE FROM entries WHERE key = ?", (name,))
                else:
                    database.execute(_PUT, (name, json.dumps(value, separators=(",", ":"))))
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")

    def close(self) -> None:
        """Gives the file back."""
        self._database.close()
