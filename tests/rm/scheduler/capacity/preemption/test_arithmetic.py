"""How amounts compare under the two calculators: figures by hand, and what must hold for all."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.rm.scheduler.capacity.preemption.arithmetic import (
    MANDATORY,
    Arithmetic,
    not_below_zero,
    truncate,
    without_zeros,
)
from yarnbox.yarn.resources.resource import NONE, Resource

DEFAULT = Arithmetic(is_dominant=False)
DOMINANT = Arithmetic(is_dominant=True)
GPUS = Arithmetic(is_dominant=True, types=(*MANDATORY, "gpu"))


def amount(memory_mb: int, vcores: int = 0, gpus: int = 0) -> Resource:
    return Resource.of({"memory-mb": memory_mb, "vcores": vcores, "gpu": gpus})


WHOLE = amount(100, 10, 4)
PLAIN = amount(100, 10)


@pytest.mark.parametrize(
    ("arithmetic", "base", "one", "two", "expected"),
    [
        (DEFAULT, WHOLE, amount(5, 9), amount(6, 1), -1),
        (DEFAULT, WHOLE, amount(5, 9), amount(5, 1), 0),
        (DOMINANT, PLAIN, amount(30, 2), amount(20, 4), -1),  # 0.3 and 0.4
        (DOMINANT, PLAIN, amount(40, 2), amount(20, 4), 0),  # 0.4, 0.2 on either side
        (DOMINANT, PLAIN, amount(40, 3), amount(20, 4), 1),  # the smaller share decides
        (DOMINANT, PLAIN, amount(5, -1), NONE, 1),
        (DOMINANT, PLAIN, amount(-5, 0), NONE, -1),
        (DOMINANT, amount(100), amount(5, 3), amount(7), -1),  # vcores that the base lacks decide nothing
        (DOMINANT, NONE, amount(5, 3), amount(7), 0),  # without a base every type must agree
        (DOMINANT, NONE, amount(5, 3), amount(5, 2), 1),
        (GPUS, PLAIN, amount(5, 0, 3), amount(7), -1),
        (GPUS, PLAIN, amount(5), amount(3), 1),
        (GPUS, WHOLE, amount(5, 0, 3), amount(70, 7), 1),  # 0.75 and 0.7
    ],
)
def test_comparisons(
    arithmetic: Arithmetic, base: Resource, one: Resource, two: Resource, expected: int
) -> None:
    assert arithmetic.compare(base, one, two) == expected
    assert arithmetic.compare(base, two, one) == -expected


amounts = st.builds(amount, st.integers(-50, 50), st.integers(-50, 50))


@pytest.mark.parametrize("arithmetic", [DEFAULT, DOMINANT, GPUS])
@given(amounts, amounts, st.builds(amount, st.integers(0, 30), st.integers(0, 30)))
def test_short_ways_say_what_comparisons_say(
    arithmetic: Arithmetic, base: Resource, one: Resource, size: Resource
) -> None:
    assert arithmetic.is_positive(base, one) == (arithmetic.compare(base, one, NONE) > 0)
    lowered, before = not_below_zero(one - size), not_below_zero(one)
    assert arithmetic.is_lowered(base, one, size) == (arithmetic.compare(base, lowered, before) < 0)


@given(st.builds(amount, st.integers(1, 60), st.integers(1, 60)), amounts, amounts)
def test_two_types_compare_as_many_do(base: Resource, one: Resource, two: Resource) -> None:
    """The short way for memory and vcores is the long one; a third type that nobody has changes nothing."""
    assert DOMINANT.compare(base, one, two) == GPUS.compare(base, one, two)
    assert DOMINANT.lesser(base, one, two) in (one, two)


def test_ratios() -> None:
    assert DEFAULT.divide(WHOLE, amount(30), amount(40)) == 0.75
    assert DEFAULT.divide(WHOLE, amount(30), NONE) == inf
    assert DEFAULT.divide(WHOLE, NONE, NONE) == 0
    assert DOMINANT.divide(PLAIN, amount(30, 1), amount(20, 6)) == 0.5
    assert DOMINANT.ratio(amount(8, 1), amount(4, 2)) == 2
    assert DOMINANT.ratio(amount(8, 1), amount(4)) == inf
    assert DOMINANT.ratio(amount(8), amount(4)) == 2


def test_roundings() -> None:
    assert DEFAULT.share(amount(2, 5), {"memory-mb": 0.2}) == NONE
    assert DEFAULT.share(amount(7, 5), {"memory-mb": 0.2}) == amount(1, 1)
    weights = dict.fromkeys(MANDATORY, 0.2)
    assert DOMINANT.share(amount(2, 5), weights) == amount(1, 1)
    assert DOMINANT.share(amount(6, 0), weights) == amount(2)
    assert truncate(amount(-15, 15), 0.5) == amount(-7, 7)
    assert without_zeros(amount(30), MANDATORY) == amount(30, -1)
    assert without_zeros(amount(30, 1, 0), GPUS.types) == amount(30, 1, -1)
