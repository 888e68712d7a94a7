"""Numbers as Java prints them."""

from __future__ import annotations

import math

from hypothesis import example, given
from hypothesis import strategies as st

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.web.values import java_float


def shortest(value: float) -> float:
    """Every number of digits in turn, as long as they name another float."""
    wanted = float32(value)
    found = (float(f"{wanted:.{digits}g}") for digits in range(1, 10))
    return next((one for one in found if float32(one) == wanted), wanted)


@given(st.floats(allow_nan=False, width=32) | st.integers(-(1 << 40), 1 << 40).map(float))
@example(float((1 << 24) + 2))
@example(-0.0)
@example(1e-45)
@example(41.666666666666664)
def test_a_float_has_the_fewest_digits_that_name_it(value: float) -> None:
    assert repr(java_float(value)) == repr(shortest(value))


@given(st.integers(1, 999_999), st.integers(-30, 30))
def test_a_decimal_of_six_digits_stays_as_it_is(digits: int, exponent: int) -> None:
    written = float(f"{digits}e{exponent}")
    assert java_float(written) == written


def test_what_is_no_number_stays() -> None:
    assert math.isnan(java_float(math.nan))
    assert java_float(-math.inf) == -math.inf
