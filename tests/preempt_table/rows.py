"""One row of a preemption table, checked and typed. Every key is known, every name is defined, every amount
is an integer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from yarnbox.yarn.resources.resource import MEMORY_MB, NONE, VCORES, Resource

ROW_KEYS = (
    "name",
    "source",
    "calculator",
    "policy",
    "minimum-allocation",
    "cluster",
    "nodes",
    "queues",
    "expect",
    "passes",
)
SHARE_KEYS = ("guaranteed", "max", "used", "pending", "reserved")
QUEUE_KEYS = (
    "name",
    "parent",
    *SHARE_KEYS,
    "partitions",
    "preemption-disabled",
    "intra-queue-preemption-disabled",
    "priority",
    "ordering",
    "max-am-percent",
    "user-limit",
    "apps",
)
APP_KEYS = ("name", "user", "priority", "pending", "partitions", "containers")
GROUP_KEYS = ("count", "resource", "node", "label", "priority", "am", "reserved")

_APP_EXPECTATION = re.compile(r"(?P<app>[^@!:]+)(?:@(?P<node>[^@!:]+)|!(?P<what>kill|unreserve))?")
_OTHER_NAMES = {"memory": MEMORY_MB, "vcore": VCORES, "cpu": VCORES}
"""What people write for the two types that always exist; as a type of its own it would count nowhere."""
_QUEUE_FIGURES = ("ideal", "preemptable-extra", "untouchable-extra", "to-preempt", "obtain")


class TableError(Exception):
    """A file that cannot be read, or a row that is not of this format; the message says where and why."""


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A queue's amounts in one partition."""

    guaranteed: Resource = NONE
    maximum: Resource = NONE
    used: Resource = NONE
    pending: Resource = NONE
    reserved: Resource = NONE


@dataclass(frozen=True, slots=True)
class GroupRow:
    """Equal containers."""

    count: int
    resource: Resource
    node: str
    label: str
    priority: int
    is_am: bool
    is_reserved: bool


@dataclass(frozen=True, slots=True)
class AppRow:
    """An application of a leaf."""

    name: str
    user: str
    priority: int
    pending: Mapping[str, Resource]
    groups: tuple[GroupRow, ...]


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue; `parent` is None for the root alone."""

    path: str
    parent: str | None
    shares: Mapping[str, ShareRow]
    is_disabled: bool
    is_intra_disabled: bool
    priority: int
    is_fair: bool
    max_am_share: float
    user_limit: Resource | None
    apps: tuple[AppRow, ...]


@dataclass(frozen=True, slots=True)
class PassRow:
    """One pass and what is expected of it."""

    at_ms: int
    expect: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    name: str
    is_dominant: bool
    policy: Mapping[str, str]
    minimum_allocation: Resource
    types: tuple[str, ...]
    partitions: Mapping[str, Resource]
    nodes: Mapping[str, tuple[str, Resource]]
    """Name to label and resource."""
    queues: tuple[QueueRow, ...]
    passes: tuple[PassRow, ...] = field(default=())
    shared: tuple[str, ...] = ()
    """The partitions that are not exclusive."""


def read_table(path: Path) -> list[Row]:
    """The rows of a file; TableError with file, row and reason."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise TableError(f"{path}: not JSON: {error}") from error
    if not isinstance(data, list):
        raise TableError(f"{path}: not an array of rows")
    rows: list[Row] = []
    for index, item in enumerate(data, start=1):
        name = item.get("name") if isinstance(item, dict) else None
        try:
            row = _Reader(item).row()
        except TableError as error:
            raise TableError(f"{path}: row {name or index}: {error}") from error
        if any(other.name == row.name for other in rows):
            raise TableError(f"{path}: row {row.name}: the name occurs twice")
        rows.append(row)
    return rows


class _Reader:
    """Reads one row."""

    def __init__(self, data: Any) -> None:
        self.data = _mapping(data, "the row", ROW_KEYS)
        self.types: tuple[str, ...] = (MEMORY_MB, VCORES)
        self.partitions: dict[str, Resource] = {}
        self.shared: list[str] = []
        self.nodes: dict[str, tuple[str, Resource]] = {}
        self.apps: dict[str, str] = {}

    def row(self) -> Row:
        data = self.data
        name = _text(data.get("name"), "name")
        calculator = data.get("calculator", "default")
        if calculator not in ("default", "dominant"):
            raise TableError(f"calculator is default or dominant, not {calculator!r}")
        self._read_cluster(data.get("cluster"))
        self._read_nodes(data.get("nodes", [{"name": "n1"}]))
        queues = self._read_queues(data.get("queues"))
        policy = {
            _text(key, "a policy property"): _property(value)
            for key, value in _mapping(data.get("policy", {}), "policy").items()
        }
        minimum = self._resource(
            data.get("minimum-allocation", {MEMORY_MB: 1, VCORES: 1}), "minimum-allocation"
        )
        if ("expect" in data) == ("passes" in data):
            raise TableError("either expect or passes")
        if "expect" in data:
            passes: tuple[PassRow, ...] = (PassRow(0, self._expectations(data["expect"], queues)),)
        else:
            passes = tuple(self._pass(item, queues) for item in _list(data["passes"], "passes"))
            if any(one.at_ms > two.at_ms for one, two in pairwise(passes)):
                raise TableError("passes: a pass is earlier than the one before it")
        return Row(
            name,
            calculator == "dominant",
            policy,
            minimum,
            self.types,
            self.partitions,
            self.nodes,
            queues,
            passes,
            tuple(self.shared),
        )

    def _read_cluster(self, data: Any) -> None:
        for label, amounts in _mapping(data, "cluster").items():
            _mapping(amounts, f"cluster {label!r}")
            only = {name: value for name, value in amounts.items() if name != "exclusive"}
            if not _boolean(amounts.get("exclusive", True), f"cluster {label!r}: exclusive"):
                self.shared.append(label)
            self.partitions[label] = self._resource(only, f"cluster {label!r}")
        if "" not in self.partitions:
            raise TableError('cluster: the default partition "" is missing')

    def _read_nodes(self, data: Any) -> None:
        for item in _list(data, "nodes"):
            node = _mapping(item, "a node")
            name = _text(node.get("name"), "a node's name")
            label = _text(node.get("label", ""), f"label of node {name}", may_be_empty=True)
            self._known_partition(label, f"node {name}")
            if name in self.nodes:
                raise TableError(f"node {name} occurs twice")
            amounts = {key: value for key, value in node.items() if key not in ("name", "label")}
            self.nodes[name] = (label, self._resource(amounts, f"node {name}"))
        if not self.nodes:
            raise TableError("nodes: there is none")

    def _read_queues(self, data: Any) -> tuple[QueueRow, ...]:
        queues: dict[str, QueueRow] = {}
        for item in _list(data, "queues"):
            queue = self._queue(_mapping(item, "a queue", QUEUE_KEYS))
            if queue.path in queues:
                raise TableError(f"queue {queue.path} occurs twice")
            if queue.parent is not None and queue.parent not in queues:
                raise TableError(f"queue {queue.path}: unknown parent {queue.parent}")
            if queue.parent is not None and queues[queue.parent].apps:
                raise TableError(f"queue {queue.parent}: has applications and queues")
            queues[queue.path] = queue
        roots = [queue.path for queue in queues.values() if queue.parent is None]
        if roots != ["root"]:
            raise TableError(
                f"one queue has no parent, and it is called root; here: {', '.join(roots) or 'none'}"
            )
        return tuple(queues.values())

    def _queue(self, data: Mapping[str, Any]) -> QueueRow:
        name = _text(data.get("name"), "a queue's name")
        parent = data.get("parent")
        path = name if parent is None else f"{_text(parent, f'parent of {name}')}.{name}"
        shares = {"": self._share(data, path)}
        for label, amounts in _mapping(data.get("partitions", {}), f"partitions of {path}").items():
            self._known_partition(label, f"queue {path}")
            shares[label] = self._share(
                _mapping(amounts, f"{path} in {label}", SHARE_KEYS), f"{path} in {label}"
            )
        ordering = data.get("ordering", "fifo")
        if ordering not in ("fifo", "fair"):
            raise TableError(f"queue {path}: ordering is fifo or fair, not {ordering!r}")
        am_share = data.get("max-am-percent", 0)
        if isinstance(am_share, bool) or not isinstance(am_share, int | float) or not 0 <= am_share <= 1:
            raise TableError(f"queue {path}: max-am-percent is a number from 0 to 1, not {am_share!r}")
        limit = data.get("user-limit")
        return QueueRow(
            path,
            parent,
            shares,
            _boolean(data.get("preemption-disabled", False), f"{path}: preemption-disabled"),
            _boolean(
                data.get("intra-queue-preemption-disabled", False), f"{path}: intra-queue-preemption-disabled"
            ),
            _integer(data.get("priority", 0), f"{path}: priority"),
            ordering == "fair",
            float(am_share),
            None if limit is None else self._resource(limit, f"{path}: user-limit"),
            tuple(self._app(item, path) for item in _list(data.get("apps", []), f"apps of {path}")),
        )

    def _share(self, data: Mapping[str, Any], where: str) -> ShareRow:
        amounts = [self._resource(data.get(key, 0), f"{where}: {key}") for key in SHARE_KEYS]
        return ShareRow(*amounts)

    def _app(self, item: Any, queue: str) -> AppRow:
        data = _mapping(item, f"an application of {queue}", APP_KEYS)
        name = _text(data.get("name"), f"name of an application of {queue}")
        if name in self.apps:
            raise TableError(f"application {name} occurs twice")
        self.apps[name] = queue
        pending = {"": self._resource(data.get("pending", 0), f"{name}: pending")}
        for label, amounts in _mapping(data.get("partitions", {}), f"partitions of {name}").items():
            self._known_partition(label, f"application {name}")
            asked = _mapping(amounts, f"{name} in {label}", ("pending",)).get("pending", 0)
            pending[label] = self._resource(asked, f"{name} in {label}: pending")
        return AppRow(
            name,
            _text(data.get("user", "user"), f"{name}: user"),
            _integer(data.get("priority", 0), f"{name}: priority"),
            pending,
            tuple(
                self._group(group, name)
                for group in _list(data.get("containers", []), f"containers of {name}")
            ),
        )

    def _group(self, item: Any, app: str) -> GroupRow:
        data = _mapping(item, f"containers of {app}", GROUP_KEYS)
        node = _text(data.get("node", next(iter(self.nodes))), f"{app}: node")
        if node not in self.nodes:
            raise TableError(f"application {app}: unknown node {node}")
        label = _text(data.get("label", ""), f"{app}: label", may_be_empty=True)
        self._known_partition(label, f"application {app}")
        count = _integer(data.get("count", 1), f"{app}: count")
        if count < 0:
            raise TableError(f"application {app}: count is 0 or more, not {count}")
        return GroupRow(
            count,
            self._resource(data.get("resource", 1), f"{app}: resource"),
            node,
            label,
            _integer(data.get("priority", 1), f"{app}: priority"),
            _boolean(data.get("am", False), f"{app}: am"),
            _boolean(data.get("reserved", False), f"{app}: reserved"),
        )

    def _pass(self, item: Any, queues: Iterable[QueueRow]) -> PassRow:
        data = _mapping(item, "a pass", ("at", "expect"))
        at_ms = _integer(data.get("at"), "at")
        if at_ms < 0:
            raise TableError(f"at is 0 or more, not {at_ms}")
        return PassRow(at_ms, self._expectations(data.get("expect"), queues))

    def _expectations(self, data: Any, queues: Iterable[QueueRow]) -> dict[str, int]:
        paths = [queue.path for queue in queues]
        expect = _mapping(data, "expect")
        return {key: self._expectation(key, value, paths) for key, value in expect.items()}

    def _expectation(self, key: str, value: Any, paths: list[str]) -> int:
        if ":" in key:
            path, _, figure = key.partition(":")
            what, _, label = figure.partition("@")
            if path not in paths:
                raise TableError(f"expect {key}: unknown queue {path}")
            if what not in _QUEUE_FIGURES:
                raise TableError(
                    f"expect {key}: unknown figure {what}, known are {', '.join(_QUEUE_FIGURES)}"
                )
            self._known_partition(label, f"expect {key}")
        else:
            match = _APP_EXPECTATION.fullmatch(key)
            if match is None or (match["app"] != "*" and match["app"] not in self.apps):
                raise TableError(f"expect {key}: unknown application")
            if match["node"] is not None and match["node"] not in self.nodes:
                raise TableError(f"expect {key}: unknown node {match['node']}")
        return _integer(value, f"expect {key}")

    def _known_partition(self, label: str, where: str) -> None:
        if label not in self.partitions:
            raise TableError(f"{where}: unknown partition {label!r}")

    def _resource(self, value: Any, where: str) -> Resource:
        """An amount; a resource type exists from the place on where it is named first."""
        amounts = {MEMORY_MB: value} if isinstance(value, int) and not isinstance(value, bool) else value
        checked: dict[str, int] = {}
        for name, amount in _mapping(amounts, where).items():
            if name in _OTHER_NAMES:
                raise TableError(f"{where}: the resource type is called {_OTHER_NAMES[name]}, not {name}")
            checked[name] = _integer(amount, f"{where}: {name}")
            if checked[name] < 0:
                raise TableError(f"{where}: {name} is 0 or more, not {amount}")
            if name not in self.types:
                self.types = (*self.types, _text(name, "a resource type"))
        return Resource.of(checked)


def _mapping(value: Any, where: str, keys: Iterable[str] | None = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TableError(f"{where} is an object, not {value!r}")
    known = None if keys is None else list(keys)
    for key in value:
        if known is not None and key not in known:
            raise TableError(f"{where}: unknown key {key!r}, known are {', '.join(known)}")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise TableError(f"{where} is an array, not {value!r}")
    return value


def _text(value: Any, where: str, *, may_be_empty: bool = False) -> str:
    if not isinstance(value, str) or not (value or may_be_empty):
        raise TableError(f"{where} is a text, not {value!r}")
    return value


def _integer(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TableError(f"{where} is an integer, not {value!r}")
    return value


def _boolean(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise TableError(f"{where} is true or false, not {value!r}")
    return value


def _property(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise TableError(f"a policy property is a text, a number or a boolean, not {value!r}")
    return str(value)
