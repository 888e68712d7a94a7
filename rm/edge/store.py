"""The state store: what an RM has to remember over its own death, in one file.

Knows nothing of what the entries mean: a key is a tuple of words, a value is whatever JSON holds, and both
are the core's. What `write` was given is there after a kill -9, whole or not at all; after the machine's own
death too, where the RM is configured to wait for the disk. Hadoop: RMStateStore and its implementations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from yarnbox.rm.ports import KeptState
from yarnbox.yarn.storage.sealed_store import SealedStore, SetAside, StoreError

__all__ = ["FILE", "OWNER", "Key", "Keeper", "RecordKeeper", "StateStore", "StoreError"]

FILE = "rm-state.sqlite"
OWNER = "ResourceManager"
_TABLE_BEFORE = "entries"

Key = tuple[str, ...]
_ENCODER = json.JSONEncoder(separators=(",", ":"))  # json.dumps would make one for each entry


class Keeper(KeptState, Protocol):
    """A state store, in a file or in ZooKeeper."""

    epoch: int

    def load(self) -> dict[Key, object]:
        """All entries, in the order of their first writing."""

    def write(self, changes: Iterable[tuple[Key, object]]) -> None:
        """Puts the entries there, all or none; the value None removes one."""

    def set_aside(self, key: Key, why: str, now_ms: int) -> None:
        """Sets aside an entry that the core cannot read: it is kept, but not loaded any more."""

    def record_epoch(self, epoch: int) -> None:
        """Notes the epoch of the next RM where a backup does not bring back an old one."""

    def close(self) -> None:
        """Closes it."""


class RecordKeeper(Protocol):
    """A journal, in a file or in ZooKeeper."""

    def load(self) -> list[Mapping[str, object]]:
        """Everything that was kept, in order."""

    def begin(self, records: Iterable[Mapping[str, object]]) -> None:
        """Starts anew from records that stand for all that was kept."""

    def append(self, record: Mapping[str, object]) -> None:
        """Keeps one record more."""

    def close(self) -> None:
        """Closes it."""


class StateStore:
    """Entries by key, durable as soon as `write` returns."""

    name = "FileSystemRMStateStore"
    connection: str | None = None

    def __init__(
        self,
        path: Path,
        now_ms: int = 0,
        *,
        synchronous: str = "NORMAL",
        creates_missing: bool = False,
        accepts_foreign: bool = False,
    ) -> None:
        self.path = path
        self._now_ms = now_ms
        self._sealed = SealedStore(
            path,
            OWNER,
            now_ms,
            synchronous=synchronous,
            legacy_table=_TABLE_BEFORE,
            creates_missing=creates_missing,
            accepts_foreign=accepts_foreign,
        )
        self.cluster = self._sealed.cluster
        self.epoch = self._sealed.epoch
        """The epoch of the next RM, as it stands beside the file."""
        self.is_new = self._sealed.is_new
        self.faults = tuple(self._sealed.faults)
        """What was wrong with it as a whole when it was opened."""

    def load(self) -> dict[Key, Any]:
        """All entries, in the order of their first writing; what is not JSON is set aside."""
        found: dict[Key, object] = {}
        unreadable: dict[str, str] = {}
        for key, value in self._sealed.rows().items():
            try:
                found[_words(key)] = json.loads(value)
            except ValueError as error:
                unreadable[key] = str(error)
        for key, why in unreadable.items():
            self._sealed.set_aside(key, why, self._now_ms)
        return found

    def write(self, changes: Iterable[tuple[Key, object]]) -> None:
        """Puts the entries there in one transaction; the value None removes one."""
        self._sealed.write(
            (_text(key), None if value is None else _ENCODER.encode(value).encode()) for key, value in changes
        )

    def set_aside(self, key: Key, why: str, now_ms: int) -> None:
        """Sets aside an entry that the core cannot read: it is kept, but not loaded any more."""
        self._sealed.set_aside(_text(key), why, now_ms)

    def record_epoch(self, epoch: int) -> None:
        """Notes the epoch of the next RM beside the file, too."""
        self._sealed.record_epoch(epoch)

    def all_set_aside(self) -> list[SetAside]:
        """What has been set aside so far, the oldest first."""
        return self._sealed.all_set_aside()

    def close(self) -> None:
        """Closes the file."""
        self._sealed.close()


@lru_cache(maxsize=4096)
def _text(key: Key) -> str:
    return json.dumps(key)


def _words(key: str) -> Key:
    words = json.loads(key)
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{key} is not a key")
    return tuple(words)
