"""Units of amounts: exact conversions, Hadoop's cuts and its overflow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.resources.units import MAXIMUM, UNITS, compare, convert

UNIT = st.sampled_from(list(UNITS))


@pytest.mark.parametrize(
    "amount, unit, to, result",
    [
        (8, "Gi", "Mi", 8192),
        (1, "G", "Mi", 953),
        (1, "Mi", "M", 1),
        (1023, "Ki", "Mi", 0),
        (1, "P", "m", 10**18),
        (1500, "m", "", 1),
        (5, "", "p", 5 * 10**12),
        (1, "Pi", "", 2**50),
        (0, "u", "T", 0),
        (-1500, "m", "", -1),
        (7, "Ti", "Ti", 7),
    ],
)
def test_conversion(amount: int, unit: str, to: str, result: int) -> None:
    assert convert(amount, unit, to) == result


@pytest.mark.parametrize("amount, unit, to", [(2**40, "Gi", "m"), (10**18, "m", "p"), (2**62, "Ki", "")])
def test_more_than_a_long_is_refused(amount: int, unit: str, to: str) -> None:
    with pytest.raises(ValueError, match="64 bits"):
        convert(amount, unit, to)


def test_a_large_amount_is_multiplied_by_the_whole_part_of_the_ratio() -> None:
    # 1 Mi is 1.048576 M, but where the product would not fit a long first, Hadoop takes the 1 alone.
    assert convert(10**13, "Mi", "M") == 10**13
    assert convert(10**12, "Mi", "M") == 1_048_576_000_000


@pytest.mark.parametrize("unit, to", [("x", ""), ("", "GiB"), ("K", "k")])
def test_an_unknown_unit_is_refused(unit: str, to: str) -> None:
    with pytest.raises(ValueError, match="a unit of p n u m k M G T P Ki Mi Gi Ti Pi, or none"):
        convert(1, unit, to)


@pytest.mark.parametrize(
    "one, unit, other, other_unit, result",
    [
        (1, "Gi", 1024, "Mi", 0),
        (1, "Gi", 1, "G", 0),  # 1.07 G, cut
        (2, "Gi", 1, "G", 1),
        (1, "", 1000, "m", 0),
        (1, "", 1001, "m", -1),
        (2**62, "Pi", 2**62, "Ti", 1),
        (5, "M", 4, "M", 1),
    ],
)
def test_comparison(one: int, unit: str, other: int, other_unit: str, result: int) -> None:
    assert compare(one, unit, other, other_unit) == result
    assert compare(other, other_unit, one, unit) == -result


@given(st.integers(0, 1000), UNIT)
def test_down_and_up_again_is_exact(amount: int, unit: str) -> None:
    smaller = list(UNITS)[max(0, list(UNITS).index(unit) - 1)]
    ratio = UNITS[unit][0] * UNITS[smaller][1] / (UNITS[unit][1] * UNITS[smaller][0])
    if ratio == int(ratio) and ratio >= 1:
        assert convert(convert(amount, unit, smaller), smaller, unit) == amount


@given(st.integers(0, MAXIMUM), UNIT, UNIT, st.integers(0, MAXIMUM))
def test_comparison_never_fails_and_is_antisymmetric(amount: int, unit: str, to: str, other: int) -> None:
    assert compare(amount, unit, other, to) == -compare(other, to, amount, unit)
