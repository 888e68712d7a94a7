"""The text of a scenario as a tree of values that know the line they stand on.

Files are YAML 1.2, so `on`, `off`, `yes` and `no` are words. The tree is built from the parser's events with
a stack of our own, never by recursion, and its limits are checked while it grows: a file that is too large,
too deep, or grows beyond measure through its aliases is refused before anything is built from it. It knows
nothing of scenarios.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
)

LARGEST_FILE_BYTES = 1 << 20
DEEPEST = 40
MOST_VALUES = 100_000
MOST_ALIASES = 1_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Read by libyaml where PyYAML was built with it, in a tenth of the time."""

Tree: TypeAlias = "Scalar | Items | Entries"


class SourceError(Exception):
    """The text is no YAML document, or not one within the limits."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value: what it means, and the characters that were written."""

    line: int
    text: str
    value: bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence."""

    line: int
    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """A mapping, in the order it was written."""

    line: int
    pairs: tuple[tuple[Scalar, Tree], ...]


def read_tree(path: Path) -> Tree:
    """The tree of the file; raises SourceError for what is in it and OSError for the file itself."""
    with path.open("rb") as stream:
        content = stream.read(LARGEST_FILE_BYTES + 1)
    if len(content) > LARGEST_FILE_BYTES:
        raise SourceError(1, f"the file is larger than {LARGEST_FILE_BYTES} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(content[: error.start].count(b"\n") + 1, "not UTF-8 text") from None
    return tree_of(text)


def tree_of(text: str) -> Tree:
    """The tree of one YAML document."""
    growing = _Growth()
    line, last_line = 1, text.rstrip().count("\n") + 1
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            line = _line_at(event.start_mark, last_line) or line
            growing.take(event, line)
    except yaml.MarkedYAMLError as error:
        raise SourceError(
            _line_at(error.problem_mark or error.context_mark, last_line) or line,
            _first_line(error.problem or error.context),
        ) from None
    except yaml.YAMLError as error:
        raise SourceError(line, _first_line(str(error))) from None
    if growing.root is None:
        raise SourceError(1, "the file is empty")
    return growing.root


def _line_at(mark: Any, last_line: int) -> int | None:
    """The line of a mark; what is missing at the end is missing in the last line."""
    return min(mark.line + 1, last_line) if mark else None


def _first_line(text: str | None) -> str:
    return (text or "not a YAML document").strip().splitlines()[0]


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been seen."""

    line: int
    anchor: str | None
    is_mapping: bool
    children: list[Tree] = field(default_factory=list)
    values: int = 1
    height: int = 1


class _Growth:
    """Events in, one tree out; counts values with their aliases expanded."""

    def __init__(self) -> None:
        self.root: Tree | None = None
        self._open: list[_Open] = []
        self._anchored: dict[str, tuple[Tree, int, int]] = {}
        self._aliases = 0
        self._documents = 0
        self._line = 1

    def take(self, event: Event, line: int) -> None:
        self._line = line
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise SourceError(line, "a file holds one document, here begins a second one")
            if event.version is not None and tuple(event.version) != (1, 2):
                raise SourceError(line, "scenario files are YAML 1.2")
        elif isinstance(event, ScalarEvent):
            self._refuse_tag(event.tag, line)
            is_plain = event.style is None or event.style == ""
            self._add(
                Scalar(line, event.value, _meaning(event.value) if is_plain else event.value),
                event.anchor,
                1,
                1,
            )
        elif isinstance(event, (SequenceStartEvent, MappingStartEvent)):
            self._refuse_tag(event.tag, line)
            if len(self._open) >= DEEPEST:
                raise SourceError(line, f"nested deeper than {DEEPEST} levels")
            self._open.append(_Open(line, event.anchor, isinstance(event, MappingStartEvent)))
        elif isinstance(event, CollectionEndEvent):
            done = self._open.pop()
            tree = _mapping(done) if done.is_mapping else Items(done.line, tuple(done.children))
            self._add(tree, done.anchor, done.values, done.height)
        elif isinstance(event, AliasEvent):
            self._alias(event.anchor, line)

    def _alias(self, anchor: str | None, line: int) -> None:
        self._aliases += 1
        if self._aliases > MOST_ALIASES:
            raise SourceError(line, f"more than {MOST_ALIASES} aliases")
        if anchor is None or anchor not in self._anchored:
            raise SourceError(line, f"alias *{anchor} names nothing that ends before it")
        tree, values, height = self._anchored[anchor]
        self._add(tree, None, values, height)

    def _add(self, tree: Tree, anchor: str | None, values: int, height: int) -> None:
        if anchor is not None:
            self._anchored[anchor] = (tree, values, height)
        if not self._open:
            self.root = tree
            return
        parent = self._open[-1]
        parent.children.append(tree)
        parent.values += values
        parent.height = max(parent.height, height + 1)
        if parent.values > MOST_VALUES:
            raise SourceError(self._line, f"more than {MOST_VALUES} values, aliases expanded")
        if len(self._open) + height > DEEPEST + 1:
            raise SourceError(self._line, f"nested deeper than {DEEPEST} levels, aliases expanded")

    @staticmethod
    def _refuse_tag(tag: object, line: int) -> None:
        if tag is not None and str(tag) != "!":
            raise SourceError(line, "scenario files use no tags")


def _mapping(done: _Open) -> Entries:
    pairs: list[tuple[Scalar, Tree]] = []
    seen: dict[str, int] = {}
    for key, value in zip(done.children[::2], done.children[1::2], strict=True):
        if not isinstance(key, Scalar):
            raise SourceError(key.line, "a key must be a single word")
        if key.text in seen:
            raise SourceError(key.line, f"key {key.text!r} stands here twice, first in line {seen[key.text]}")
        seen[key.text] = key.line
        pairs.append((key, value))
    return Entries(done.line, tuple(pairs))


_INTEGER = re.compile(r"[-+]?[0-9]+")
_PREFIXED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LONGEST_NUMBER = 40
_WORDS: dict[str, bool | float | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def _meaning(text: str) -> bool | int | float | str | None:
    """The value of a plain scalar by the core schema of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _LONGEST_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _PREFIXED.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) else text


def tree_from(value: object, line: int = 1) -> Tree:
    """The tree of plain values, for scenarios that a program makes up."""
    if isinstance(value, Mapping):
        return Entries(
            line, tuple((_scalar_from(key, line), tree_from(each, line)) for key, each in value.items())
        )
    if isinstance(value, (list, tuple)):
        return Items(line, tuple(tree_from(each, line) for each in value))
    return _scalar_from(value, line)


def _scalar_from(value: object, line: int) -> Scalar:
    assert value is None or isinstance(value, (bool, int, float, str)), value
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return Scalar(line, text, value)
