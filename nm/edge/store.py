"""What a NodeManager remembers over its own restart, on disk: bytes by key, in one file.

A change that cannot be written is kept in memory and written with the next that can; until then `failure`
says why. A file that is no store at all is renamed, and the node begins with an empty one: its containers are
ended then (nm/executor/leftovers.py), for nobody else would. A disk that is full, or does not let us write,
is no reason to begin anew. Knows nothing of what the keys mean. Hadoop: NMLeveldbStateStoreService.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from yarnbox.nm.effects import Forget, StoreEntry
from yarnbox.yarn.storage.sealed_store import (
    SealedStore,
    StoreError,
    StoreInUseError,
    move_away,
    read_identity,
)

FILE = "yarn-nm-state.db"
_OWNER = "NodeManager"
_TABLE_BEFORE = "state"

_DISK_ERRORS = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
)

log = logging.getLogger("nm.store")


class StateStore:
    """One file in the recovery directory; without a directory nothing is kept."""

    def __init__(self, directory: Path | None, now_ms: int = 0) -> None:
        self._sealed = None if directory is None else _opened(directory / FILE, now_ms)
        self._pending: dict[str, bytes | None] = {}
        self.failure: str | None = None
        """Why what was asked for last is not on the disk."""

    def entries(self) -> dict[str, bytes]:
        """Everything, in the order of the keys."""
        return {} if self._sealed is None else dict(sorted(self._sealed.rows().items()))

    def keep(self, changes: Iterable[StoreEntry | Forget] = ()) -> bool:
        """Makes changes, and those that could not be made before, in one transaction; whether they are on the
        disk.
        """
        if self._sealed is None:
            return True
        for change in changes:
            match change:
                case StoreEntry(key, value):
                    self._pending[key] = value
                case Forget(prefix):
                    known = [*self._sealed.keys_with(prefix), *self._pending]
                    self._pending |= {key: None for key in known if key.startswith(prefix)}
        if self._pending:
            self._write(self._sealed)
        return self.failure is None

    def _write(self, sealed: SealedStore) -> None:
        try:
            sealed.write(self._pending.items())
        except (sqlite3.Error, StoreError, OSError) as error:
            if self.failure is None:
                log.error("the recovery store failed: %s", error)
            self.failure = str(error)
            return
        self._pending.clear()
        if self.failure is not None:
            log.warning("the recovery store can be written again")
            self.failure = None

    def close(self) -> None:
        """Lets the file go."""
        if self._sealed is not None:
            self._sealed.close()
            self._sealed = None


def _opened(path: Path, now_ms: int) -> SealedStore:
    if read_identity(path) is not None and not path.exists():
        log.error("the recovery store %s has gone: the node starts without it", path)
    try:
        store = _open(path, now_ms)
    except StoreInUseError:
        raise
    except StoreError as error:
        if _is_for_now(error.__cause__):
            raise
        log.error("%s; it was moved to %s, and the node starts without it", error, move_away(path))
        store = _open(path, now_ms)
    for fault in store.faults:
        log.error("the recovery store is damaged: %s", fault)
    for one in store.all_set_aside():
        log.error("stored entry set aside: %s: %s", one.key, one.why)
    return store


def _is_for_now(cause: BaseException | None) -> bool:
    """Whether the disk is to blame, and not what the file holds."""
    code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    return isinstance(cause, OSError) or code in _DISK_ERRORS


def _open(path: Path, now_ms: int) -> SealedStore:
    return SealedStore(
        path, _OWNER, now_ms, legacy_table=_TABLE_BEFORE, creates_missing=True, accepts_foreign=True
    )
