"""One value at a time out of a scenario's tree: the type it must have, or a problem that names its line.

A reader that finds a problem notes it and goes on with a harmless value, so that one pass reports every
problem of a file; nothing is built from a file that has any. Knows YAML's types and Hadoop's units, and
nothing of verbs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TypeVar

from yarnbox.sim.scenario.reading.source import Entries, Items, Scalar, Tree

T = TypeVar("T")
D = TypeVar("D")
E = TypeVar("E", bound=Enum)

Amounts = Mapping[str, int]
"""A resource as the file writes it: resource type to a number of Hadoop's units (MiB for memory-mb)."""

MEMORY = "memory-mb"
VCORES = "vcores"

NO_PROPERTIES: Mapping[str, str] = MappingProxyType({})

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Why a file is no scenario: the line, and the reason."""

    line: int
    reason: str


@dataclass(slots=True)
class Problems:
    """What was found so far, in the order it was found."""

    found: list[Problem] = field(default_factory=list)

    def add(self, line: int, reason: str) -> None:
        self.found.append(Problem(line, reason))

    def wrong(self, tree: Tree, what: str, wanted: str) -> None:
        self.add(tree.line, f"{what} must be {wanted}, not {shown(tree)}")


def shown(tree: Tree) -> str:
    """A value as a problem mentions it."""
    if isinstance(tree, Entries):
        return "a mapping"
    if isinstance(tree, Items):
        return "a list"
    if tree.value is None:
        return "nothing"
    text = tree.text if len(tree.text) <= 40 else tree.text[:37] + "..."
    return repr(text) if isinstance(tree.value, str) else text


def as_text(problems: Problems, tree: Tree, what: str) -> str:
    """Any text."""
    if isinstance(tree, Scalar) and isinstance(tree.value, str):
        return tree.value
    problems.wrong(tree, what, "text")
    return ""


def as_word(problems: Problems, tree: Tree, what: str) -> str:
    """A name: text that is not empty and holds no white space."""
    text = as_text(problems, tree, what)
    if (not text and isinstance(tree, Scalar) and tree.value == "") or any(each.isspace() for each in text):
        problems.wrong(tree, what, "a word")
    return text


def as_integer(
    problems: Problems, tree: Tree, what: str, at_least: int | None = None, at_most: int | None = None
) -> int:
    """A whole number within its bounds."""
    if not isinstance(tree, Scalar) or isinstance(tree.value, bool) or not isinstance(tree.value, int):
        problems.wrong(tree, what, "a whole number")
        return at_least or 0
    if at_least is not None and tree.value < at_least:
        problems.wrong(tree, what, f"at least {at_least}")
    if at_most is not None and tree.value > at_most:
        problems.wrong(tree, what, f"at most {at_most}")
    return tree.value


def as_number(problems: Problems, tree: Tree, what: str) -> float:
    """A number, whole or not."""
    if isinstance(tree, Scalar) and isinstance(tree.value, (int, float)) and not isinstance(tree.value, bool):
        return float(tree.value)
    problems.wrong(tree, what, "a number")
    return 0.0


def as_flag(problems: Problems, tree: Tree, what: str) -> bool:
    """`true` or `false`; YAML 1.2 has no other words for them."""
    if isinstance(tree, Scalar) and isinstance(tree.value, bool):
        return tree.value
    problems.wrong(tree, what, "true or false")
    return False


def as_times(problems: Problems, tree: Tree, what: str) -> int:
    """`true`, once, or how many times."""
    if isinstance(tree, Scalar) and tree.value is True:
        return 1
    if isinstance(tree, Scalar) and tree.value is False:
        problems.wrong(tree, what, "true or a number of times")
        return 0
    return as_integer(problems, tree, what, at_least=1, at_most=100_000)


def as_duration_ms(problems: Problems, tree: Tree, what: str) -> int:
    """A time span with its unit: `500ms`, `10s`, `5m`, `2h`, `1d`."""
    if (
        isinstance(tree, Scalar)
        and isinstance(tree.value, str)
        and (match := _DURATION.fullmatch(tree.value))
    ):
        span = float(match[1]) * _MS[match[2]]
        if span == int(span) and span <= 10**14:
            return int(span)
    problems.wrong(tree, what, "a time with its unit, like 10s, 500ms or 5m")
    return 0


def as_list(problems: Problems, tree: Tree, what: str) -> tuple[Tree, ...]:
    """The values of a list."""
    if isinstance(tree, Items):
        return tree.items
    problems.wrong(tree, what, "a list")
    return ()


def as_one_or_list(tree: Tree) -> tuple[Tree, ...]:
    """The values of a list, or the one value that stands for a list of its own."""
    return tree.items if isinstance(tree, Items) else (tree,)


def as_mapping(problems: Problems, tree: Tree, what: str) -> tuple[tuple[Scalar, Tree], ...]:
    """The pairs of a mapping whose keys are free."""
    if isinstance(tree, Entries):
        return tree.pairs
    problems.wrong(tree, what, "a mapping")
    return ()


def as_member(problems: Problems, tree: Tree, what: str, members: type[E], default: E) -> E:
    """A constant of Hadoop's, in any case and with dashes for its underscores."""
    word = as_text(problems, tree, what)
    name = word.upper().replace("-", "_")
    if name in members.__members__:
        return members[name]
    if word:
        problems.wrong(tree, what, "one of " + ", ".join(members.__members__))
    return default


def as_pattern(problems: Problems, tree: Tree, what: str) -> re.Pattern[str]:
    """A regular expression, searched for anywhere in the text."""
    try:
        return re.compile(as_text(problems, tree, what))
    except re.error as error:
        problems.add(tree.line, f"{what} is not a regular expression: {error}")
        return re.compile("")


def as_properties(problems: Problems, tree: Tree, what: str) -> Mapping[str, str]:
    """Configuration properties: a name to the text that Hadoop's XML would hold."""
    properties = {}
    for key, value in as_mapping(problems, tree, what):
        if not isinstance(value, Scalar) or value.value is None:
            problems.wrong(value, f"{what}: {key.text}", "a value")
            continue
        is_boolean = isinstance(value.value, bool)
        properties[as_word(problems, key, f"a property of {what}")] = (
            value.text.lower() if is_boolean else value.text
        )
    return MappingProxyType(properties)


class Fields:
    """A mapping whose keys are fixed: unknown and missing ones are problems, the others are read by name."""

    def __init__(self, problems: Problems, tree: Tree, what: str, allowed: tuple[str, ...]) -> None:
        self.problems = problems
        self.line = tree.line
        self.what = what
        self._trees: dict[str, Tree] = {}
        for key, value in as_mapping(problems, tree, what):
            if key.text in allowed:
                self._trees[key.text] = value
            else:
                problems.add(key.line, f"unknown key {key.text!r} in {what}; it has {', '.join(allowed)}")

    def __contains__(self, key: str) -> bool:
        return key in self._trees

    def __iter__(self) -> Iterator[str]:
        return iter(self._trees)

    def tree(self, key: str) -> Tree | None:
        return self._trees.get(key)

    def required(self, key: str) -> Tree | None:
        """The value of the key; its absence is a problem."""
        if key not in self._trees:
            self.problems.add(self.line, f"{self.what} needs {key!r}")
        return self._trees.get(key)

    def read(self, key: str, reader: Callable[[Problems, Tree, str], T], default: D) -> T | D:
        """The value of the key by `reader`, or the default where the key is not written."""
        tree = self._trees.get(key)
        return default if tree is None else reader(self.problems, tree, f"{key} of {self.what}")

    def need(self, key: str, reader: Callable[[Problems, Tree, str], T], instead: T) -> T:
        """The value of a key that must be written."""
        tree = self.required(key)
        return instead if tree is None else reader(self.problems, tree, f"{key} of {self.what}")

    def word(self, key: str) -> str:
        return self.need(key, as_word, "")

    def items(self, key: str) -> tuple[Tree, ...]:
        """The values of a list that may be left out."""
        return self.need(key, as_list, ()) if key in self._trees else ()

    def integer(self, key: str, default: int, at_least: int | None = None) -> int:
        return self.read(
            key, lambda problems, tree, what: as_integer(problems, tree, what, at_least), default
        )
