"""A check against what came about: it holds, or a failure says where, what was expected, what was got.

Percentages compare within 0.01, patterns are searched for, lists compare as sets, and everything else
exactly. The values come from a `Views`; this file knows neither the ResourceManager nor the file's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from yarnbox.sim.scenario.reading.checks import Check, Expected, Rule

NEAR_ENOUGH = 0.01
_FLOAT_SLACK = 1e-9

Value: TypeAlias = "bool | int | float | str | Sequence[str] | Counts | Mapping[str, Value] | None"


class Counts(dict[str, int]):
    """Amounts or numbers by name, in which what is not there is 0."""

    def __missing__(self, key: str) -> int:
        return 0


class Views(Protocol):
    """What can be looked at. A thing that does not exist has no view; `key` is one word of scenario.md."""

    def look(self, section: str, name: str, key: str) -> Value:
        """The value under `key` of the thing; None where the thing is there and has no such value."""

    def exists(self, section: str, name: str) -> bool:
        """Whether there is such a thing."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that did not hold. Steps count from 1; step 0 is the setting up of the cluster."""

    step: int
    path: str
    expected: object
    got: object

    def __str__(self) -> str:
        return f"step {self.step}: {self.path}: expected {shown(self.expected)}, got {shown(self.got)}"


def failures_of(step: int, checks: Sequence[Check], views: Views) -> Iterator[Failure]:
    """One failure for each check that does not hold, in the order they are written."""
    missing: dict[str, None] = {}
    for check in checks:
        absent = next((name for name in check.names if not views.exists(_section(check), name)), None)
        if absent is not None:
            where = check.path.removesuffix("." + ".".join(check.keys))
            if where not in missing:
                missing[where] = None
                yield Failure(step, where, "to exist", f"nothing called {absent}")
            continue
        got = _got(check, views)
        if not holds(check.rule, check.expected, got):
            yield Failure(step, check.path, plain(check.expected), plain(got))


def holds(rule: Rule, expected: Expected, got: Value) -> bool:
    """Whether the value satisfies the check's rule."""
    if rule is Rule.PATTERN:
        assert isinstance(expected, re.Pattern)
        return isinstance(got, str) and expected.search(got) is not None
    if rule is Rule.NEAR:
        if isinstance(got, (int, float)) and isinstance(expected, (int, float)):
            return abs(got - expected) <= NEAR_ENOUGH + _FLOAT_SLACK
        return False
    if rule is Rule.SAME_MEMBERS:
        assert isinstance(expected, tuple)
        return isinstance(got, Sequence) and not isinstance(got, str) and sorted(expected) == sorted(got)
    return type(expected) is type(got) and expected == got


def plain(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, re.Pattern):
        return f"/{value.pattern}/"
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    return value


def shown(value: object) -> str:
    """A value as a line of text has it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return str(value)


def _section(check: Check) -> str:
    return "apps" if check.section == "sum" else check.section


def _got(check: Check, views: Views) -> Value:
    if check.section != "sum":
        name = check.names[0] if check.names else ""
        return _descend(views.look(check.section, name, check.keys[0]), check.keys[1:])
    total = 0
    for app in check.names:
        value = _descend(views.look("apps", app, check.keys[0]), check.keys[1:])
        if not isinstance(value, int):
            return None
        total += value
    return total


def _descend(value: Value, keys: tuple[str, ...]) -> Value:
    for key in keys:
        if isinstance(value, Counts):
            value = value[key]
        elif isinstance(value, Mapping):
            value = value.get(key)
        else:
            return None
    return value
