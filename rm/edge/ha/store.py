"""The state store in ZooKeeper: entries that several RMs share, and that the last one to open it may change.

Below its path stand `entries/<key>` with a checksum in each, `parts` of those that are too large for one
message of ZooKeeper's, `set-aside`, and the `seal`: whose the store is, in which term, how many turns it has
stored, and a digest over all entries. Each write is one transaction that replaces the seal, too, provided
that nobody else has: whoever opens the store replaces it first, and from then on nothing that an older
active writes is taken. Hadoop: ZKRMStateStore, which fences by the access rights of its root.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import (
    BadVersionError,
    ConnectionClosedError,
    ConnectionLoss,
    KazooException,
    NodeExistsError,
    NoNodeError,
    OperationTimeoutError,
    RolledBackError,
    RuntimeInconsistency,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from yarnbox.rm.edge.ha.lease import ZooKeeperLease
from yarnbox.rm.edge.store import Key, StoreError
from yarnbox.yarn.storage.sealed_store import SetAside, digest_of, sum_of

ROOT = "YarnboxRMStateRoot"
_FORMAT = 1
_SUM_BYTES = 16
_WHOLE, _IN_PARTS = b"=", b"+"
_LARGEST_PART = 400_000
_LARGEST_WRITE = 800_000
"""A message to ZooKeeper may have 1,048,575 bytes by default."""
_AT_A_TIME = 500
_AGAIN_S = 0.1
JOURNAL = "journal"

_UNCERTAIN = (
    ConnectionLoss,
    OperationTimeoutError,
    SessionExpiredError,
    ConnectionClosedError,
    KazooTimeoutError,
)
"""What leaves open whether a request was carried out."""


class FencedError(StoreError):
    """Another RM has opened the store since."""


class StoreLostError(StoreError):
    """ZooKeeper did not answer for as long as this RM may be active."""


@dataclass(frozen=True, slots=True)
class Seal:
    """What a store says about itself."""

    cluster: str
    term: int
    owner: str
    turns: int
    entries: int
    digest: int

    def to_bytes(self) -> bytes:
        """As it stands in its node."""
        told = {"format": _FORMAT, "cluster": self.cluster, "term": self.term, "owner": self.owner}
        told |= {"turns": self.turns, "entries": self.entries, "digest": f"{self.digest:032x}"}
        return json.dumps(told).encode()

    @classmethod
    def of(cls, data: bytes, path: str) -> Seal:
        """What the node says; StoreError where it is not a seal of this format."""
        try:
            told = json.loads(data)
            if told["format"] != _FORMAT:
                raise StoreError(f"the state store {path} has format {told['format']}, not {_FORMAT}")
            return cls(
                told["cluster"],
                told["term"],
                told["owner"],
                told["turns"],
                told["entries"],
                int(told["digest"], 16),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"the state store {path} cannot be opened: its seal is damaged") from error


class ZooKeeperStore:
    """The store, opened by the RM that is about to be active."""

    name = "ZKRMStateStore"
    epoch = 0
    """A store that cannot be put back by a backup needs no epoch beside it."""

    def __init__(
        self, client: KazooClient, parent: str, owner: str, lease: ZooKeeperLease, now_ms: int
    ) -> None:
        self._client = client
        self._is_connected = threading.Event()
        client.add_listener(self._connection_changed)
        self._root = f"{parent.rstrip('/')}/{ROOT}"
        self._lease = lease
        self._now_ms = now_ms
        self._seal_path = f"{self._root}/seal"
        self._sums: dict[str, bytes] = {}
        self._parts: dict[str, list[str]] = {}
        """The names of the parts of entries that have some."""
        self._asides: list[SetAside] = []
        self._journals: dict[str, dict[int, object]] = {}
        self.path = Path(self._root)
        self.faults: tuple[str, ...] = ()
        for below in ("entries", "parts", "set-aside"):
            self._ask(partial(client.ensure_path_async, f"{self._root}/{below}"))
        self.is_new = self._begin(owner)
        self.cluster = self._seal.cluster

    @property
    def connection(self) -> str:
        """Whether there is a connection, as Hadoop's elector says it."""
        return "CONNECTED" if self._client.connected else "DISCONNECTED"

    def _begin(self, owner: str) -> bool:
        """A new term: from now on no earlier one can write. Whether there was no store."""
        client = self._client
        while True:
            try:
                data, stat = self._ask(lambda: client.get_async(self._seal_path))
            except NoNodeError:
                self._seal = Seal(secrets.token_hex(8), 1, owner, 0, 0, 0)
                asked = client.create_async(self._seal_path, self._seal.to_bytes())
                version, is_new = 0, True
            else:
                before = Seal.of(data, self._root)
                self._seal = replace(before, term=before.term + 1, owner=owner)
                asked = client.set_async(self._seal_path, self._seal.to_bytes(), version=stat.version)
                version, is_new = stat.version + 1, False
            try:
                asked.get(timeout=self._patience_s)
            except (NodeExistsError, BadVersionError, *_UNCERTAIN):
                continue  # somebody else writes, or nobody knows: the next look tells
            self._version = version
            return is_new

    # Reading

    def load(self) -> dict[Key, object]:
        """All entries, in the order of their first writing; those that are damaged are set aside."""
        found, damaged = self._read_entries()
        self._asides = self._read_asides()
        seal, digest = self._seal, digest_of(self._sums)
        if len(self._sums) + len(damaged) != seal.entries or (not damaged and digest != seal.digest):
            lacking = seal.entries - len(self._sums) - len(damaged)
            self.faults = (f"{lacking} of {seal.entries} entries are missing, or others were added",)
        self._seal = replace(seal, entries=len(self._sums), digest=digest)
        for name, why in damaged.items():
            self._set_aside(name, why, self._now_ms)
        self._forget_strays()
        for key in [key for key in found if key[0] == JOURNAL]:
            self._journals.setdefault(key[1], {})[int(key[2])] = found.pop(key)
        return found

    def _read_entries(self) -> tuple[dict[Key, object], dict[str, str]]:
        names = self._ask(lambda: self._client.get_children_async(f"{self._root}/entries"))
        nodes: dict[str, tuple[bytes, int]] = {}
        for start in range(0, len(names), _AT_A_TIME):
            some = names[start : start + _AT_A_TIME]
            nodes.update(zip(some, self._nodes(some), strict=True))
        found: dict[Key, object] = {}
        damaged: dict[str, str] = {}
        for name in sorted(nodes, key=lambda name: (nodes[name][1], name)):
            try:
                key, data = _key(name), self._unsealed(name, nodes[name][0])
                found[key] = json.loads(data)
            except ValueError as error:
                damaged[name] = str(error)
                self._sums.pop(name, None)
        return found, damaged

    def _nodes(self, names: list[str]) -> list[tuple[bytes, int]]:
        """Several entries, asked for at once: what they hold, and when they were made."""
        paths = [f"{self._root}/entries/{name}" for name in names]
        under_way = dict(zip(paths, map(self._client.get_async, paths), strict=True))
        ask = self._client.get_async
        answers = [self._ask(partial(_first_or, under_way, ask, path)) for path in paths]
        return [(data, stat.czxid) for data, stat in answers]

    def _unsealed(self, name: str, node: bytes) -> bytes:
        """The value of an entry, its checksum looked at; ValueError for what is wrong with it."""
        kind, sum_, data = node[:1], node[1 : 1 + _SUM_BYTES], node[1 + _SUM_BYTES :]
        if kind == _IN_PARTS:
            parts: list[str] = json.loads(data)
            self._parts[name] = parts
            try:
                data = b"".join(
                    self._ask(partial(self._client.get_async, f"{self._root}/parts/{part}"))[0]
                    for part in parts
                )
            except NoNodeError:
                raise ValueError("a part of it is missing") from None
        if kind not in (_WHOLE, _IN_PARTS) or sum_of(name, data) != sum_:
            raise ValueError("its checksum is wrong")
        self._sums[name] = sum_
        return data

    def _read_asides(self) -> list[SetAside]:
        path = f"{self._root}/set-aside"
        names = sorted(self._ask(lambda: self._client.get_children_async(path)))
        told = [json.loads(self._ask(partial(self._client.get_async, f"{path}/{name}"))[0]) for name in names]
        return [SetAside(one["key"], one["why"], one["at_ms"]) for one in told]

    def _forget_strays(self) -> None:
        """Removes parts that an RM wrote which died before it wrote their entry."""
        used = {part for parts in self._parts.values() for part in parts}
        path = f"{self._root}/parts"
        for name in self._ask(lambda: self._client.get_children_async(path)):
            if name not in used:
                self._guarded([("delete", f"{path}/{name}", b"")])

    # Writing

    def write(self, changes: Iterable[tuple[Key, object]]) -> None:
        """Puts the entries there in one transaction; the value None removes one. FencedError when another RM
        has opened the store, StoreLostError when ZooKeeper cannot be reached while this one may be active.
        """
        wanted = {
            _name(key): None if value is None else json.dumps(value, separators=(",", ":")).encode()
            for key, value in changes
        }
        sums: dict[str, bytes | None] = {}
        parts = dict(self._parts)
        steps: list[tuple[str, str, bytes]] = []
        room = _LARGEST_WRITE
        for name, data in wanted.items():
            path, is_there = f"{self._root}/entries/{name}", name in self._sums
            steps += [("delete", f"{self._root}/parts/{part}", b"") for part in parts.pop(name, ())]
            if data is None:
                steps += [("delete", path, b"")] if is_there else []
                sums[name] = None
                continue
            sums[name] = sum_ = sum_of(name, data)
            if len(data) > min(room, _LARGEST_PART):
                parts[name] = self._write_parts(data)
                node = _IN_PARTS + sum_ + json.dumps(parts[name]).encode()
            else:
                node = _WHOLE + sum_ + data
            room -= len(node) + len(path)
            steps.append(("set" if is_there else "create", path, node))
        self._change(steps, sums)
        self._parts = parts

    def _change(self, steps: list[tuple[str, str, bytes]], sums: Mapping[str, bytes | None]) -> None:
        """Carries the steps out, and notes in the seal what is there afterwards."""
        digest, entries = self._seal.digest, self._seal.entries
        for name, sum_ in sums.items():
            for known, sign in ((self._sums.get(name), -1), (sum_, 1)):
                if known is not None:
                    digest += sign * int.from_bytes(known, "big")
                    entries += sign
        seal = replace(
            self._seal, turns=self._seal.turns + 1, entries=entries, digest=digest % (1 << 8 * _SUM_BYTES)
        )
        self._guarded([("seal", self._seal_path, seal.to_bytes()), *steps])
        self._seal = seal
        self._version += 1
        for name, sum_ in sums.items():
            if sum_ is None:
                self._sums.pop(name, None)
            else:
                self._sums[name] = sum_

    def _write_parts(self, data: bytes) -> list[str]:
        """What is too large for a message, a piece at a time; the seal is looked at, and stays."""
        prefix = f"{self._seal.term}-{self._seal.turns}-{secrets.token_hex(4)}"
        names = []
        for start in range(0, len(data), _LARGEST_PART):
            names.append(f"{prefix}-{start // _LARGEST_PART}")
            piece = data[start : start + _LARGEST_PART]
            self._guarded([("create", f"{self._root}/parts/{names[-1]}", piece)])
        return names

    def _guarded(self, steps: list[tuple[str, str, bytes]]) -> None:
        """One transaction, unless another RM has opened the store. After a lost connection the seal, or the
        first node, tells whether it was carried out.
        """
        is_uncertain = False
        while True:
            self._check_lease()
            change = self._client.transaction()
            if steps[0][0] != "seal":
                change.check(self._seal_path, version=self._version)
            for what, path, data in steps:
                if what == "seal":
                    change.set_data(path, data, version=self._version)
                elif what == "set":
                    change.set_data(path, data)
                elif what == "create":
                    change.create(path, data)
                else:
                    change.delete(path)
            try:
                results = change.commit_async().get(timeout=self._patience_s)
            except _UNCERTAIN:
                is_uncertain = True
                self._await_connection()
                continue
            except KazooException as error:
                raise StoreError(f"the state store {self._root} refuses a write: {error!r}") from error
            failed = next((one for one in results if isinstance(one, Exception) and not _follows(one)), None)
            if failed is None or (is_uncertain and self._is_done(*steps[0])):
                return
            if isinstance(failed, BadVersionError):
                raise FencedError(f"the state store {self._root} was opened by another ResourceManager")
            raise StoreError(f"the state store {self._root} refuses a write: {failed!r}")

    def _is_done(self, what: str, path: str, data: bytes) -> bool:
        """Whether the transaction that begins with this step was carried out at an earlier try."""
        try:
            there, _ = self._ask(lambda: self._client.get_async(path))
        except NoNodeError:
            return what == "delete"
        return what != "delete" and bool(there == data)

    def set_aside(self, key: Key, why: str, now_ms: int) -> None:
        """Takes an entry out of the way that the core cannot read, and keeps it."""
        self._set_aside(_name(key), why, now_ms)

    def _set_aside(self, name: str, why: str, now_ms: int) -> None:
        path = f"{self._root}/entries/{name}"
        kept, _ = self._ask(lambda: self._client.get_async(path))
        told = {"key": name, "why": why, "at_ms": now_ms, "entry": kept.hex()}
        aside = f"{self._root}/set-aside/{self._seal.term:010}-{self._seal.turns:010}"
        self._change([("delete", path, b""), ("create", aside, json.dumps(told).encode())], {name: None})
        self._asides.append(SetAside(name, why, now_ms))

    def all_set_aside(self) -> list[SetAside]:
        """What has been set aside so far, the oldest first."""
        return self._asides

    def record_epoch(self, epoch: int) -> None:
        """The epoch is an entry, and that is enough."""

    def journal(self, name: str) -> StoredJournal:
        """Records kept beside the entries, where RMs share no directory."""
        return StoredJournal(self, name, self._journals.pop(name, {}))

    def close(self) -> None:
        """Writes no more; the connection is the elector's."""
        self._client.remove_listener(self._connection_changed)
        self._lease.end("the state store is closed")

    def _ask(self, ask: Callable[[], Any]) -> Any:
        """The answer to something that may be asked twice."""
        while True:
            self._check_lease()
            try:
                return ask().get(timeout=self._patience_s)
            except _UNCERTAIN:
                self._await_connection()
            except NoNodeError:
                raise
            except KazooException as error:
                raise StoreError(f"the state store {self._root}: {error!r}") from error

    def _connection_changed(self, state: str) -> None:
        if state == KazooState.CONNECTED:
            self._is_connected.set()
        else:
            self._is_connected.clear()

    def _await_connection(self) -> None:
        """Until there is one again, or it is time to look at the lease."""
        self._is_connected.wait(min(_AGAIN_S, self._patience_s))

    @property
    def _patience_s(self) -> float:
        return max(0.01, self._lease.left_s)

    def _check_lease(self) -> None:
        if not self._lease.is_held:
            why = self._lease.why_lost or "ZooKeeper did not answer for a session"
            raise StoreLostError(f"the state store {self._root}: {why}")


class StoredJournal:
    """A journal whose records are entries of the store: labels, attributes, the scheduler's configuration."""

    def __init__(self, store: ZooKeeperStore, name: str, records: Mapping[int, Any]) -> None:
        self._store = store
        self._name = name
        self._records = dict(sorted(records.items()))
        self._last = max(records, default=0)

    def load(self) -> list[Mapping[str, object]]:
        """Everything that was kept, in order."""
        return list(self._records.values())

    def begin(self, records: Iterable[Mapping[str, object]]) -> None:
        """Starts anew from records that stand for all that was kept."""
        anew = list(records)
        if anew != list(self._records.values()):
            changes: dict[Key, object] = dict.fromkeys(map(self._key, self._records))
            changes |= {self._key(number): record for number, record in enumerate(anew, self._last + 1)}
            self._store.write(changes.items())
            self._last += len(anew)
        self._records.clear()

    def append(self, record: Mapping[str, object]) -> None:
        """Keeps one record more; it is stored when this returns."""
        self._last += 1
        self._store.write([(self._key(self._last), record)])

    def close(self) -> None:
        """There is nothing to give back."""

    def _key(self, number: int) -> Key:
        return (JOURNAL, self._name, str(number))


def _name(key: Key) -> str:
    return ",".join(quote(word, safe="") for word in key)


def _key(name: str) -> Key:
    return tuple(unquote(word) for word in name.split(","))


def _first_or(under_way: dict[str, object], ask: Callable[[str], object], path: str) -> object:
    """The request that is under way already, the first time; a new one after that."""
    return under_way.pop(path, None) or ask(path)


def _follows(error: Exception) -> bool:
    """Whether a step of a transaction failed only because another one did."""
    return isinstance(error, (RolledBackError, RuntimeInconsistency))
