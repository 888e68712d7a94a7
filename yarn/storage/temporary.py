"""Tables outside memory, for what grows with the input of a program.

SQLite keeps a table in a cache of 2 MB; what does not fit is in a file without a name, so that nothing is
left of it however the process ends.
"""

from __future__ import annotations

import sqlite3

_SETTINGS = ("journal_mode = OFF", "synchronous = OFF", "temp_store = FILE", "cache_size = -2000")


def temporary_table(definition: str) -> sqlite3.Connection:
    """An empty table, as CREATE TABLE has it. It is gone with its connection."""
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    for setting in _SETTINGS:
        database.execute(f"PRAGMA {setting}")
    database.execute(f"CREATE TABLE {definition}")
    database.execute("BEGIN")  # and never a COMMIT: nobody else will read it
    return database
