"""What a ResourceManager's state store and journals keep, in memory, on a disk that may be full.

Each ResourceManager holds a lease. When the next one opens the disk, the lease of the one before is over: it
can write nothing any more, and knows it. What is written is the JSON that the real store holds, whole or not
at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from yarnbox.rm.edge.store import Key
from yarnbox.rm.effects import SCHEDULER_JOURNAL
from yarnbox.rm.labels.administration import ATTRIBUTE_JOURNAL, LABEL_JOURNAL
from yarnbox.yarn.storage.sealed_store import SetAside, StoreError

JOURNALS = (LABEL_JOURNAL, ATTRIBUTE_JOURNAL, SCHEDULER_JOURNAL)


class Disk:
    """What outlives every ResourceManager."""

    def __init__(self) -> None:
        self._entries: dict[Key, str] = {}
        self.journals: dict[str, list[Any]] = {}
        self.keys: dict[str, Any] | None = None
        self.epoch = 0
        self.is_full = False
        self.set_aside: list[SetAside] = []
        self._lease: Lease | None = None

    def empty(self) -> None:
        """There is room again."""
        self.is_full = False

    def open(self) -> Lease:
        """For the next ResourceManager; the one before it can write nothing from now on."""
        if self._lease is not None:
            self._lease.is_held = False
        self._lease = Lease(self)
        return self._lease

    def entries(self) -> dict[Key, Any]:
        """What it holds, as the next ResourceManager reads it."""
        return {key: json.loads(value) for key, value in self._entries.items()}

    def write(self, changes: Iterable[tuple[Key, Any]]) -> None:
        """All of them, or none. StoreError: it is full."""
        if self.is_full:
            raise StoreError("no space left on device")
        for key, value in changes:
            if value is None:
                self._entries.pop(key, None)
            else:
                self._entries[key] = json.dumps(value)


class Lease:
    """The disk, as one ResourceManager writes to it."""

    name = "memory"
    path = Path()
    cluster = ""
    faults: tuple[str, ...] = ()
    connection: str | None = None
    why_lost = "another ResourceManager is active"

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self.epoch = disk.epoch
        self.is_held = True

    def load(self) -> dict[Key, Any]:
        """All entries."""
        return self._disk.entries()

    def write(self, changes: Iterable[tuple[Key, Any]]) -> None:
        """Writes them. StoreError: the disk is full, or another ResourceManager has it."""
        if not self.is_held:
            raise StoreError(self.why_lost)
        self._disk.write(changes)

    def set_aside(self, key: Key, why: str, now_ms: int) -> None:
        """Takes an entry out of the way."""
        self.write([(key, None)])
        self._disk.set_aside.append(SetAside("/".join(key), why, now_ms))

    def all_set_aside(self) -> Sequence[SetAside]:
        """The entries that nobody could read."""
        return self._disk.set_aside

    def record_epoch(self, epoch: int) -> None:
        """The epoch of the next ResourceManager."""
        self._disk.epoch = epoch

    def journal(self, name: str) -> Journal:
        """One of the journals."""
        return Journal(self, self._disk, name)

    def close(self) -> None:
        """There is nothing to give back."""


class Journal:
    """Records in their order."""

    def __init__(self, lease: Lease, disk: Disk, name: str) -> None:
        self._lease = lease
        self._disk = disk
        self._name = name

    def load(self) -> list[Mapping[str, Any]]:
        return list(self._disk.journals.get(self._name, ()))

    def begin(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Starts anew."""
        self._disk.journals[self._name] = list(records)

    def append(self, record: Mapping[str, Any]) -> None:
        """One more. StoreError: the disk is full, or another ResourceManager has it."""
        self._lease.write(())
        self._disk.journals.setdefault(self._name, []).append(record)

    def close(self) -> None:
        """There is nothing to give back."""
