"""Both grammars of amounts: the table of FairScheduler's configuration, and what is refused."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.fair.allocation_file.amounts import Amount, parse_amount, unbounded
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.units import MAXIMUM

TYPES = ("memory-mb", "vcores", "yarn.io/gpu")
MOST_GPUS = (("yarn.io/gpu", MAXIMUM),)


@pytest.mark.parametrize(
    "text",
    ["5120 mb, 2 vcores", "2vcores,5120mb", "5120 mb 2 vcores", "5120.3 MB, 2.35 vCores", "5120mb,2vcores,"],
)
def test_the_old_grammar_leaves_other_types_at_nothing(text: str) -> None:
    assert parse_amount(text, TYPES) == Amount(Resource(5120, 2))


def test_the_new_grammar_bounds_only_what_it_names() -> None:
    assert parse_amount("vcores=2, memory-mb=5120", TYPES) == Amount(Resource(5120, 2, MOST_GPUS))
    assert parse_amount("vcores = 2", TYPES, 0) == Amount(Resource(0, 2))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("50%", Resource(500, 5, (("yarn.io/gpu", 2),))),
        ("50% memory, 30% cpu", Resource(500, 3)),
        ("30 %  cpu,50% Memory", Resource(500, 3)),
        ("vcores=75%, memory-mb=40%", Resource(400, 7, (("yarn.io/gpu", 4),))),
        ("vcores=12.5%", Resource(1000, 1, (("yarn.io/gpu", 4),))),
    ],
)
def test_percentages_follow_the_cluster(text: str, expected: Resource) -> None:
    amount = parse_amount(text, TYPES)
    assert amount.is_relative
    assert amount.of(Resource(1000, 10, (("yarn.io/gpu", 4),))) == expected


@pytest.mark.parametrize(
    "text, reason",
    [
        (" ", "the resource string is empty"),
        ("50% cpu, 1024 mb", "Missing resource: memory"),
        ("95%, 50% memory", "Missing resource: cpu"),
        ("50% memory, 40 cpu", "Invalid percentage of cpu"),
        ("-5%", "should not be negative"),
        ("1024 mb", "Cannot parse resource values"),
        ("1024", "Cannot parse resource values"),
        ("1024 mb, 2 vcores, 1 gpu", "Cannot parse|Invalid"),
        ("2048 1024 mb, 2 vcores", "Invalid value of memory"),
        ("1024 mb, two vcores", "Invalid value of vcores"),
        ("-1024 mb, 2 vcores", "should not be negative"),
        ("1024 mb, 2", "Missing resource: vcores"),
        ("memory-mb=1024=2", "name=value"),
        ("memory-mb=1 Gi", "integers"),
        ("memory-mb=-1", "should not be negative"),
        ("memory-mb=50%, vcores=2", "percentages"),
        ("Memory-mb=1024", "not recognized"),
        ("disk=5%", "not recognized"),
    ],
)
def test_anything_else_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_amount(text, TYPES)


def test_unbounded_has_every_type() -> None:
    assert unbounded(TYPES) == Resource(MAXIMUM, MAXIMUM, MOST_GPUS)
