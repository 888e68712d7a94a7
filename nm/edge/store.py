"""What a NodeManager remembers over its own restart, on disk: bytes by key, in one SQLite file.

Knows nothing of what the keys mean. Answers for NMLeveldbStateStoreService.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

FILE = "yarn-nm-state.db"


class StateStore:
    """One file in the recovery directory; without a directory nothing is kept."""

    def __init__(self, directory: Path | None) -> None:
        self._connection: sqlite3.Connection | None = None
        if directory is None:
            return
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._connection = sqlite3.connect(directory / FILE, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
        )

    def entries(self) -> dict[str, bytes]:
        """Everything, in the order of the keys."""
        if self._connection is None:
            return {}
        return dict(self._connection.execute("SELECT key, value FROM state ORDER BY key"))

    def keep(self, key: str, value: bytes | None) -> None:
        """Remembers a value; None: no longer."""
        if self._connection is None:
            return
        if value is None:
            self._connection.execute("DELETE FROM state WHERE key = ?", (key,))
        else:
            self._connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (key, value))

    def forget(self, prefix: str) -> None:
        """Forgets every key that begins so."""
        if self._connection is not None:
            self._connection.execute("DELETE FROM state WHERE substr(key, 1, ?) = ?", (len(prefix), prefix))

    def close(self) -> None:
        """Lets the file go."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
