"""How an expected value is compared with what came about."""

from __future__ import annotations

import re

import pytest

from yarnbox.sim.scenario.playing.expectations import Counts, Value, failures_of, holds
from yarnbox.sim.scenario.reading.checks import Check, Expected, Rule


class Shown:
    """Views of things that stand in a dict."""

    def __init__(self, things: dict[tuple[str, str], dict[str, Value]]) -> None:
        self.things = things

    def look(self, section: str, name: str, key: str) -> Value:
        return self.things[section, name].get(key)

    def exists(self, section: str, name: str) -> bool:
        return (section, name) in self.things


COMPARISONS: list[tuple[Rule, Expected, Value, bool]] = [
    (Rule.EXACT, 3, 3, True),
    (Rule.EXACT, 3, 4, False),
    (Rule.EXACT, 1, True, False),
    (Rule.EXACT, None, None, True),
    (Rule.EXACT, 0, None, False),
    (Rule.EXACT, "RUNNING", "RUNNING", True),
    (Rule.NEAR, 33.33, 33.3333, True),
    (Rule.NEAR, 33.33, 33.34, True),
    (Rule.NEAR, 33.33, 33.35, False),
    (Rule.NEAR, 50.0, None, False),
    (Rule.PATTERN, re.compile("failed [0-9]+ times"), "it failed 2 times.", True),
    (Rule.PATTERN, re.compile("^failed"), "it failed", False),
    (Rule.PATTERN, re.compile(""), None, False),
    (Rule.SAME_MEMBERS, ("a", "b"), ["b", "a"], True),
    (Rule.SAME_MEMBERS, (), [], True),
    (Rule.SAME_MEMBERS, ("a",), ["a", "b"], False),
    (Rule.SAME_MEMBERS, ("a",), "a", False),
]


@pytest.mark.parametrize(("rule", "expected", "got", "answer"), COMPARISONS, ids=range(len(COMPARISONS)))
def test_rules(rule: Rule, expected: Expected, got: Value, answer: bool) -> None:
    assert holds(rule, expected, got) is answer


def check(section: str, names: tuple[str, ...], keys: tuple[str, ...], expected: Expected) -> Check:
    path = ".".join((section, *(names if section != "sum" else ()), *keys))
    return Check(section=section, names=names, keys=keys, path=path, expected=expected)


def test_amounts_not_there_are_zero_and_other_things_are_nothing() -> None:
    views = Shown({("apps", "a1"): {"per-node": Counts({"n1:1234": 2}), "heard": {"completed": {}}}})
    checks = [
        check("apps", ("a1",), ("per-node", "n1:1234"), 2),
        check("apps", ("a1",), ("per-node", "n2:1234"), 0),
        check("apps", ("a1",), ("heard", "completed", "a1/2"), -100),
    ]
    failures = list(failures_of(7, checks, views))
    assert [str(each) for each in failures] == [
        "step 7: apps.a1.heard.completed.a1/2: expected -100, got nothing"
    ]


def test_a_sum_adds_up_over_applications() -> None:
    views = Shown(
        {
            ("apps", "a1"): {"containers": 3, "used": Counts({"memory-mb": 1024})},
            ("apps", "a2"): {"containers": 4, "used": Counts({"memory-mb": 2048})},
        }
    )
    checks = [
        check("sum", ("a1", "a2"), ("containers",), 8),
        check("sum", ("a1", "a2"), ("used", "memory-mb"), 3072),
    ]
    (failure,) = failures_of(1, checks, views)
    assert (failure.path, failure.expected, failure.got) == ("sum.containers", 8, 7)


def test_a_thing_that_is_not_there_fails_once() -> None:
    checks = [
        check("queues", ("root.a",), ("used", "memory-mb"), 0),
        check("queues", ("root.a",), ("apps",), 0),
    ]
    (failure,) = failures_of(2, checks, Shown({}))
    assert str(failure) == "step 2: queues.root.a: expected to exist, got nothing called root.a"
