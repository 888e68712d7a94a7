"""What may stand in a message: the limits that records declare on their fields, and those of every field.

A limit is metadata of a field's annotation (`Annotated[int, Whole(0, 10)]`); a field without one has that of
its type. Every text is valid UTF-8 of at most TEXT_LENGTH characters, every number with a fraction is finite,
numbers in identifiers are not negative. A field of a record without a default has to be there. Knows nothing
of messages: yarn/wire.py asks for these checks while it reads one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.resources.resource import Resource

TEXT_LENGTH = 1024 * 1024
NAME_LENGTH = 4096
HOST_LENGTH = 255
INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
LAST_MOMENT_MS = 253_402_300_799_999
"""The end of the year 9999, the last that calendars here can write."""

_LONGEST_SHOWN = 60
_NO_HOST = re.compile(r"[\s\x00-\x1f\x7f/]")


class OutOfLimitsError(ValueError):
    """A value that may not stand in a message; `path` leads to it, outermost field first."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        self.path: list[str] = []

    def inside(self, field: str) -> OutOfLimitsError:
        """The same, seen from the message around it."""
        self.path.insert(0, field)
        return self

    def __str__(self) -> str:
        path = "".join(part if part.startswith("[") else f".{part}" for part in self.path)
        return f"{path.removeprefix('.')} {self.why}" if path else self.why


Check = Callable[[Any], Any]
"""Gives the value back, or raises OutOfLimitsError."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text of so many characters."""

    at_most: int = TEXT_LENGTH

    def check(self) -> Check:
        at_most = self.at_most

        def check(value: Any) -> Any:
            if value.__class__ is not str:  # protobuf hands out bytes that are no UTF-8 as they are
                raise OutOfLimitsError(f"is {_shown(value)}; text has to be valid UTF-8")
            if len(value) > at_most:
                raise OutOfLimitsError(f"has {len(value)} characters; at most {at_most} are allowed")
            return value

        return check


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def check(self) -> Check:
        low, high = self.low, self.high

        def check(value: Any) -> Any:
            if low <= value <= high:
                return value
            raise OutOfLimitsError(f"is {value}; allowed is {low} to {high}")

        return check


@dataclass(frozen=True, slots=True)
class Finite:
    """A number with a fraction, neither infinite nor NaN."""

    def check(self) -> Check:
        def check(value: Any) -> Any:
            if math.isfinite(value):
                return value
            raise OutOfLimitsError(f"is {value}; a finite number is allowed")

        return check


@dataclass(frozen=True, slots=True)
class AnyFraction:
    """A number that may be infinite or NaN, since whoever reads it says what that means."""

    def check(self) -> Check | None:
        """There is nothing to check."""
        return None


@dataclass(frozen=True, slots=True)
class NotNegative:
    """A resource with no amount below zero."""

    def check(self) -> Check:
        def check(value: Resource) -> Resource:
            if value.is_negative():
                raise OutOfLimitsError(f"is {value}; amounts of 0 and more are allowed")
            return value

        return check


Limit = Text | Whole | Finite | AnyFraction | NotNegative

Name = Annotated[str, Text(NAME_LENGTH)]
"""What lists show: names, queues, users, labels, addresses."""
Moment = Annotated[int, Whole(-1, LAST_MOMENT_MS)]
"""Milliseconds since 1970, or -1 for none."""
Port = Annotated[int, Whole(-1, 65535)]
"""A TCP port, or -1 for none."""
Capacity = Annotated[Resource, NotNegative()]
"""What a node or a container has."""
Progress = Annotated[float, AnyFraction()]
"""A share of the work; an AM may divide by zero, and the RM says what that is."""

_TEXT = Text().check()
_FINITE = Finite().check()


def check_of(annotation: Any, metadata: tuple[Any, ...]) -> Check | None:
    """The check of a plain value of this type; None when it has no limit."""
    for limit in metadata:
        if isinstance(limit, Limit):
            return limit.check()
    if annotation is str:
        return _TEXT
    return _FINITE if annotation is float else None


def numbered(**numbers: int) -> OutOfLimitsError:
    """Of the numbers of an identifier, the first that is negative."""
    name, value = next((name, value) for name, value in numbers.items() if value < 0)
    return OutOfLimitsError(f"is {value}; allowed is 0 and more").inside(name)


def check_node_id(host: Any, port: int) -> NodeId:
    """The node's id; its host can be written into a list and its port is one, or -1 for none."""
    if host.__class__ is not str:
        raise OutOfLimitsError(f"is {_shown(host)}; text has to be valid UTF-8").inside("host")
    if not 0 < len(host) <= HOST_LENGTH:
        why = f"has {len(host)} characters; 1 to {HOST_LENGTH} are allowed"
        raise OutOfLimitsError(why).inside("host")
    if _NO_HOST.search(host):
        why = f"is {_shown(host)}; spaces, slashes and control characters are not allowed"
        raise OutOfLimitsError(why).inside("host")
    if not -1 <= port <= 65535:
        raise OutOfLimitsError(f"is {port}; allowed is -1 to 65535").inside("port")
    return NodeId(host, port)


def _shown(value: str | bytes) -> str:
    return repr(value if len(value) <= _LONGEST_SHOWN else value[:_LONGEST_SHOWN]) + (
        "..." if len(value) > _LONGEST_SHOWN else ""
    )
