"""Numbers are rounded as Hadoop's 32-bit floats are."""

from __future__ import annotations

import struct
from math import inf, isnan, ldexp, nan

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from yarnbox.rm.scheduler.calculator import float32

SIGNIFICANDS = st.integers(1 << 23, (1 << 24) - 1)
EXPONENTS = st.integers(-150, 103)


def packed(value: float) -> float:
    """What is left of the number in four bytes."""
    found: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return found


@given(st.floats(-3.4e38, 3.4e38))
@example(0.1)
@example(-0.0)
@example(1 / 3)
@example(5e-324)
def test_float32_is_what_four_bytes_hold(value: float) -> None:
    assert struct.pack("<d", float32(value)) == struct.pack("<d", packed(value))


@given(SIGNIFICANDS, EXPONENTS, st.sampled_from([-1.0, 1.0]), st.sampled_from([0.0, 2.0**-28, -(2.0**-28)]))
def test_of_two_equally_near_numbers_it_is_the_even_one(
    significand: int, exponent: int, sign: float, beside: float
) -> None:
    value = sign * ldexp(significand + 0.5 + beside, exponent)
    assert float32(value) == packed(value)


@pytest.mark.parametrize("value", [inf, -inf, 1e39])
def test_what_is_too_large_is_infinite(value: float) -> None:
    assert float32(value) == (inf if value > 0 else -inf)


def test_what_is_no_number_stays_none() -> None:
    assert isnan(float32(nan))
