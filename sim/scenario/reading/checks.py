"""What an `expect` says, as a flat list of checks: where to look, what to find, how to compare.

Only what is written becomes a check. A resource becomes one check for each type it names; a bare number under
a resource becomes one for the memory. How the comparison is done is told in `expectations`, where the values
come from in `views`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from yarnbox.sim.scenario.reading.fields import (
    MEMORY,
    Fields,
    Problems,
    as_flag,
    as_integer,
    as_list,
    as_mapping,
    as_member,
    as_number,
    as_pattern,
    as_word,
)
from yarnbox.sim.scenario.reading.names import Names
from yarnbox.sim.scenario.reading.source import Entries, Scalar, Tree
from yarnbox.yarn.enums import NodeState, QueueState, RejectionReason, YarnApplicationState

Expected = None | bool | int | float | str | tuple[str, ...] | re.Pattern[str]


class Rule(Enum):
    """How an expected value is compared with what came about."""

    EXACT = auto()
    NEAR = auto()
    PATTERN = auto()
    SAME_MEMBERS = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One comparison. `keys` lead from the thing named to the value; `path` is what a failure prints."""

    section: str
    names: tuple[str, ...]
    keys: tuple[str, ...]
    path: str
    expected: Expected
    rule: Rule = Rule.EXACT


class RMContainerState(Enum):
    """The states of RMContainer, which no protocol carries."""

    NEW = auto()
    RESERVED = auto()
    ALLOCATED = auto()
    ACQUIRED = auto()
    RUNNING = auto()
    COMPLETED = auto()
    EXPIRED = auto()
    RELEASED = auto()
    KILLED = auto()


class ReservationState(Enum):
    """The states in which a scenario sees a plan reservation; written in small letters."""

    ACCEPTED = auto()
    ACTIVE = auto()
    COMPLETED = auto()
    DELETED = auto()


def read_checks(problems: Problems, names: Names, tree: Tree) -> tuple[Check, ...]:
    """The checks of one `expect`, in the order they are written."""
    reading = _Reading(problems, names)
    fields = Fields(problems, tree, "expect", (*_SECTIONS, "cluster", "sum"))
    for section in fields:
        value = fields.tree(section)
        assert value is not None
        if section == "cluster":
            reading.thing(value, "cluster", (), (), section, _CLUSTER_KEYS)
        elif section == "sum":
            reading.sum(value)
        else:
            reading.section(value, section)
    return tuple(reading.checks)


Read = Callable[["_Reading", Tree, "_Place"], None]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: of what, and the way down from there."""

    section: str
    names: tuple[str, ...]
    keys: tuple[str, ...]
    path: str

    def below(self, key: str) -> _Place:
        return _Place(self.section, self.names, (*self.keys, key), f"{self.path}.{key}")

    def silently_below(self, key: str) -> _Place:
        return _Place(self.section, self.names, (*self.keys, key), self.path)


class _Reading:
    """The checks gathered so far; each method reads one shape of value."""

    def __init__(self, problems: Problems, names: Names) -> None:
        self.problems = problems
        self.names = names
        self.checks: list[Check] = []

    def section(self, tree: Tree, section: str) -> None:
        """A mapping from names to what must hold of each."""
        known, keys = _SECTIONS[section]
        for key, value in as_mapping(self.problems, tree, section):
            name = known(self.names, self.problems, key, f"a name in {section}")
            self.thing(value, section, (name,), (), f"{section}.{key.text}", keys)

    def thing(
        self,
        tree: Tree,
        section: str,
        names: tuple[str, ...],
        way: tuple[str, ...],
        path: str,
        keys: Mapping[str, Read],
    ) -> None:
        """A mapping with fixed keys."""
        fields = Fields(self.problems, tree, path, tuple(keys))
        for key in fields:
            value = fields.tree(key)
            assert value is not None
            keys[key](self, value, _Place(section, names, (*way, key), f"{path}.{key}"))

    def sum(self, tree: Tree) -> None:
        """`{apps: [a1, a2], containers: 8}`: an amount, added up over applications."""
        fields = Fields(self.problems, tree, "sum", ("apps", *_SUM_KEYS))
        apps: tuple[str, ...] = ()
        if (listed := fields.required("apps")) is not None:
            each = as_list(self.problems, listed, "apps of sum")
            apps = tuple(self.names.known_app(self.problems, app, "an application of sum") for app in each)
        for key in fields:
            value = fields.tree(key)
            if key != "apps" and value is not None:
                _SUM_KEYS[key](self, value, _Place("sum", apps, (key,), f"sum.{key}"))

    def check(self, place: _Place, expected: Expected, rule: Rule = Rule.EXACT) -> None:
        self.checks.append(
            Check(
                section=place.section,
                names=place.names,
                keys=place.keys,
                path=place.path,
                expected=expected,
                rule=rule,
            )
        )

    # ---- shapes of values

    def integer(self, tree: Tree, place: _Place) -> None:
        self.check(place, as_integer(self.problems, tree, place.path))

    def percent(self, tree: Tree, place: _Place) -> None:
        self.check(place, as_number(self.problems, tree, place.path), Rule.NEAR)

    def flag(self, tree: Tree, place: _Place) -> None:
        self.check(place, as_flag(self.problems, tree, place.path))

    def word(self, tree: Tree, place: _Place) -> None:
        self.check(place, as_word(self.problems, tree, place.path))

    def pattern(self, tree: Tree, place: _Place) -> None:
        self.check(place, as_pattern(self.problems, tree, place.path), Rule.PATTERN)

    def node(self, tree: Tree, place: _Place) -> None:
        self.check(place, self.names.known_node(self.problems, tree, place.path))

    def app_or_nothing(self, tree: Tree, place: _Place) -> None:
        is_nothing = isinstance(tree, Scalar) and tree.value is None
        self.check(place, None if is_nothing else self.names.known_app(self.problems, tree, place.path))

    def amounts(self, tree: Tree, place: _Place) -> None:
        """A resource, or a bare number for its memory."""
        if not isinstance(tree, Entries):
            self.integer(tree, place.silently_below(MEMORY))
            return
        for key, value in tree.pairs:
            self.names.known_resource_type(self.problems, key, place.path)
            self.integer(value, place.below(key.text))

    def labels(self, tree: Tree, place: _Place) -> None:
        each = as_list(self.problems, tree, place.path)
        known = tuple(
            self.names.known_label(self.problems, label, f"a label of {place.path}") for label in each
        )
        self.check(place, known, Rule.SAME_MEMBERS)

    def counts_by_node(self, tree: Tree, place: _Place) -> None:
        for key, value in as_mapping(self.problems, tree, place.path):
            node = self.names.known_node(self.problems, key, f"a node of {place.path}")
            shown = place.below(key.text)
            self.integer(value, _Place(place.section, place.names, (*place.keys, node), shown.path))

    def locality(self, tree: Tree, place: _Place) -> None:
        self.thing(tree, place.section, place.names, place.keys, place.path, _LOCALITY_KEYS)

    def heard(self, tree: Tree, place: _Place) -> None:
        self.thing(tree, place.section, place.names, place.keys, place.path, _HEARD_KEYS)

    def heard_completed(self, tree: Tree, place: _Place) -> None:
        for key, value in as_mapping(self.problems, tree, place.path):
            container = self.names.known_container(self.problems, key, f"a container of {place.path}")
            self.integer(value, place.below(str(container)))

    def heard_nodes(self, tree: Tree, place: _Place) -> None:
        for key, value in as_mapping(self.problems, tree, place.path):
            node = self.names.known_node(self.problems, key, f"a node of {place.path}")
            state = as_member(self.problems, value, place.path, NodeState, NodeState.NEW)
            shown = place.below(key.text)
            self.check(_Place(place.section, place.names, (*place.keys, node), shown.path), state.name)

    def heard_to_preempt(self, tree: Tree, place: _Place) -> None:
        each = as_list(self.problems, tree, place.path)
        known = [
            self.names.known_container(self.problems, name, f"a container of {place.path}") for name in each
        ]
        self.check(place, tuple(map(str, known)), Rule.SAME_MEMBERS)

    def heard_rejected(self, tree: Tree, place: _Place) -> None:
        for key, value in as_mapping(self.problems, tree, place.path):
            unknown = RejectionReason.COULD_NOT_PLACE_ON_NODE
            reason = as_member(self.problems, key, f"a reason of {place.path}", RejectionReason, unknown)
            self.integer(value, place.below(reason.name))

    def counts_by_tag(self, tree: Tree, place: _Place) -> None:
        for key, value in as_mapping(self.problems, tree, place.path):
            self.integer(value, place.below(as_word(self.problems, key, f"a tag of {place.path}")))

    def users(self, tree: Tree, place: _Place) -> None:
        for key, value in as_mapping(self.problems, tree, place.path):
            as_word(self.problems, key, f"a user of {place.path}")
            user = place.below(key.text)
            self.thing(value, place.section, place.names, user.keys, user.path, _USER_KEYS)

    def partitions(self, tree: Tree, place: _Place) -> None:
        for key, value in as_mapping(self.problems, tree, place.path):
            self.names.known_label(self.problems, key, f"a label of {place.path}")
            partition = place.below(key.text)
            self.thing(value, place.section, place.names, partition.keys, partition.path, _PARTITION_KEYS)

    def app_state(self, tree: Tree, place: _Place) -> None:
        state = as_member(self.problems, tree, place.path, YarnApplicationState, YarnApplicationState.NEW)
        self.check(place, state.name)

    def queue_state(self, tree: Tree, place: _Place) -> None:
        self.check(place, as_member(self.problems, tree, place.path, QueueState, QueueState.RUNNING).name)

    def node_state(self, tree: Tree, place: _Place) -> None:
        self.check(place, as_member(self.problems, tree, place.path, NodeState, NodeState.NEW).name)

    def container_state(self, tree: Tree, place: _Place) -> None:
        self.check(
            place, as_member(self.problems, tree, place.path, RMContainerState, RMContainerState.NEW).name
        )

    def reservation_state(self, tree: Tree, place: _Place) -> None:
        state = as_member(self.problems, tree, place.path, ReservationState, ReservationState.ACCEPTED)
        self.check(place, state.name.lower())


_R = _Reading

_APP_KEYS: Mapping[str, Read] = {
    "state": _R.app_state,
    "queue": _R.word,
    "containers": _R.integer,
    "used": _R.amounts,
    "pending": _R.amounts,
    "reserved": _R.amounts,
    "headroom": _R.amounts,
    "per-node": _R.counts_by_node,
    "reserved-on": _R.counts_by_node,
    "locality": _R.locality,
    "heard": _R.heard,
    "preempted": _R.integer,
    "to-preempt": _R.integer,
    "priority": _R.integer,
    "fair-share": _R.amounts,
    "steady-fair-share": _R.amounts,
    "demand": _R.amounts,
    "attempts": _R.integer,
    "diagnostics": _R.pattern,
}
_LOCALITY_KEYS = dict.fromkeys(("node-local", "rack-local", "off-switch"), _R.integer)
_HEARD_KEYS: Mapping[str, Read] = {
    "completed": _R.heard_completed,
    "updated-nodes": _R.heard_nodes,
    "to-preempt": _R.heard_to_preempt,
    "rejected": _R.heard_rejected,
}
_PARTITION_KEYS: Mapping[str, Read] = {
    **dict.fromkeys(("capacity", "absolute-capacity", "max-capacity", "absolute-max-capacity"), _R.percent),
    **dict.fromkeys(("used-capacity", "absolute-used-capacity"), _R.percent),
    **dict.fromkeys(("used", "pending", "reserved", "effective-min", "effective-max"), _R.amounts),
    **dict.fromkeys(("am-limit", "am-used", "user-limit"), _R.amounts),
}
_QUEUE_KEYS: Mapping[str, Read] = {
    "state": _R.queue_state,
    **dict.fromkeys(("apps", "active-apps", "pending-apps"), _R.integer),
    **_PARTITION_KEYS,
    "users": _R.users,
    **dict.fromkeys(("fair-share", "steady-fair-share", "min-share", "max-share", "demand"), _R.amounts),
    "labels": _R.partitions,
}
_USER_KEYS: Mapping[str, Read] = {
    "used": _R.amounts,
    "active-apps": _R.integer,
    "pending-apps": _R.integer,
}
_NODE_KEYS: Mapping[str, Read] = {
    "state": _R.node_state,
    "used": _R.amounts,
    "available": _R.amounts,
    "containers": _R.integer,
    "reserved-for": _R.app_or_nothing,
    "labels": _R.labels,
    "tags": _R.counts_by_tag,
}
_CONTAINER_KEYS: Mapping[str, Read] = {
    "state": _R.container_state,
    "node": _R.node,
    "exit": _R.integer,
    "priority": _R.integer,
    "used": _R.amounts,
}
_LABEL_KEYS: Mapping[str, Read] = {"nodes": _R.integer, "resource": _R.amounts, "exclusive": _R.flag}
_CLUSTER_KEYS: Mapping[str, Read] = {"nodes": _R.integer, "total": _R.amounts, "used": _R.amounts}
_RESERVATION_KEYS: Mapping[str, Read] = {"state": _R.reservation_state}
_SUM_KEYS: Mapping[str, Read] = {
    **dict.fromkeys(("containers", "preempted", "to-preempt"), _R.integer),
    **dict.fromkeys(("used", "pending", "reserved", "demand", "fair-share"), _R.amounts),
    "per-node": _R.counts_by_node,
    "locality": _R.locality,
}


def _container(names: Names, problems: Problems, tree: Tree, what: str) -> str:
    return str(names.known_container(problems, tree, what))


_SECTIONS: Mapping[str, tuple[Callable[[Names, Problems, Tree, str], str], Mapping[str, Read]]] = {
    "apps": (Names.known_app, _APP_KEYS),
    "queues": (Names.known_queue, _QUEUE_KEYS),
    "nodes": (Names.known_node, _NODE_KEYS),
    "containers": (_container, _CONTAINER_KEYS),
    "labels": (Names.known_label, _LABEL_KEYS),
    "reservations": (Names.known_reservation, _RESERVATION_KEYS),
}
