"""The grammars of values, each at its edges."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.configuration import values


class Colour(Enum):
    """By name."""

    RED = 1
    GREEN = 2


class Mode(Enum):
    """By value."""

    ONE = "centralized"
    TWO = "delegated-centralized"


def colour(text: str) -> Colour:
    return values.enumerated(text, Colour)


def mode(text: str) -> Mode:
    return values.enumerated(text, Mode)


def scheduler(text: str) -> str:
    return values.class_name(text, {"fifo": "org.apache.FifoScheduler"})


def seconds(text: str) -> int:
    return values.duration(text, "s")


def seconds_of_minutes(text: str) -> int:
    return values.duration(text, "s", "m")


GOOD: list[tuple[Callable[[str], Any], str, Any]] = [
    (values.integer, " 12 ", 12),
    (values.integer, "+7", 7),
    (values.integer, "-0x10", -16),
    (values.integer, "0XfF", 255),
    (values.integer, "2147483647", 2**31 - 1),
    (values.integer, "-2147483648", -(2**31)),
    (values.long, "9223372036854775807", 2**63 - 1),
    (values.number, "1.0f", 1.0),
    (values.number, "-.5e1", -5.0),
    (values.number, " 3 ", 3.0),
    (values.single, "0.2", 0.20000000298023224),
    (values.boolean, " TRUE ", True),
    (values.boolean, "false", False),
    (values.strings, " a , b,\n c ", ("a", "b", "", "c")),
    (values.strings, "a,b,,", ("a", "b")),
    (values.strings, "", ()),
    (values.strings, ",a", ("", "a")),
    (values.duration, "250", 250),
    (values.duration, "10s", 10_000),
    (values.duration, "5M", 300_000),
    (values.duration, "2h", 7_200_000),
    (values.duration, "1d", 86_400_000),
    (values.duration, "7ms", 7),
    (values.duration, "1999us", 1),
    (values.duration, "-1999us", -1),
    (values.duration, "3000000ns", 3),
    (values.duration, "-1", -1),
    (seconds, "1500ms", 1),
    (seconds, "90", 90),
    (seconds_of_minutes, "2", 120),
    (values.size_bytes, "512", 512),
    (values.size_bytes, "64k", 65_536),
    (values.size_bytes, "1.5 GB", 3 * 2**29),
    (values.size_bytes, "100 megabytes", 100 * 2**20),
    (values.size_bytes, "0.1k", 102),
    (values.percent, "12.5%", 12.5),
    (values.percent, "100", 100.0),
    (colour, "green", Colour.GREEN),
    (mode, "Delegated-Centralized", Mode.TWO),
    (scheduler, "FIFO", "org.apache.FifoScheduler"),
    (scheduler, "org.apache.FifoScheduler", "org.apache.FifoScheduler"),
    (scheduler, "my.schedulers.Lottery", "my.schedulers.Lottery"),
    (scheduler, "my.schedulers:Lottery", "my.schedulers:Lottery"),
]
BAD: list[tuple[Callable[[str], Any], str, str]] = [
    (values.integer, "", "an integer"),
    (values.integer, "1_000", "an integer"),
    (values.integer, "1.0", "an integer"),
    (values.integer, "0x", "an integer"),
    (values.integer, "2147483648", "from -2147483648 to 2147483647"),
    (values.long, "9223372036854775808", "from"),
    (values.number, "NaN", "a number"),
    (values.number, "1e999", "a number"),
    (values.number, "1_0", "a number"),
    (values.single, "1e39", "a number of at most 3.4"),
    (values.single, "-1e39", "a number of at most 3.4"),
    (values.single, "x", "a number"),
    (values.boolean, "yes", "true or false"),
    (values.boolean, "ture", "true or false"),
    (values.duration, "10 s", "a duration"),
    (values.duration, "1.5s", "a duration"),
    (values.duration, "s", "a duration"),
    (values.duration, "10w", "a duration"),
    (values.duration, "99999999999999999999", "at most"),
    (values.size_bytes, "10 parsecs", "a size"),
    (values.size_bytes, "16e", "at most"),
    (values.percent, "100.1", "from 0 to 100"),
    (values.percent, "-1%", "from 0 to 100"),
    (colour, "blue", "one of RED, GREEN"),
    (mode, "ONE", "one of centralized, delegated-centralized"),
    (scheduler, "lottery", "one of fifo, or a dotted class name"),
    (scheduler, "my schedulers.Lottery", "a dotted class name"),
]


@pytest.mark.parametrize("parse, text, value", GOOD)
def test_what_is_allowed(parse: Callable[[str], Any], text: str, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize("parse, text, allowed", BAD)
def test_what_is_not_allowed_says_what_is(parse: Callable[[str], Any], text: str, allowed: str) -> None:
    with pytest.raises(ValueError, match=allowed):
        parse(text)


@given(st.text())
def test_no_text_makes_a_parser_stumble(text: str) -> None:
    for parse in {parse for parse, _, _ in BAD}:
        with suppress(ValueError):
            parse(text)


@given(st.integers(-(2**31), 2**31 - 1))
def test_integers_read_back(value: int) -> None:
    assert values.integer(str(value)) == values.integer(hex(value)) == value
