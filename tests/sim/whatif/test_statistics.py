"""The paired bootstrap: its intervals, how often they hold the truth, and what is called noise."""

from __future__ import annotations

from random import Random
from statistics import fmean

import pytest

from yarnbox.sim.whatif.statistics import MOST_EXACT, difference, fewest_seeds, interval, student_t


@pytest.mark.parametrize(
    "freedom, quantile", [(1, 12.706), (2, 4.303), (5, 2.571), (9, 2.262), (10, 2.228), (30, 2.042)]
)
def test_the_quantiles_of_student_are_those_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_t(0.975, freedom) == pytest.approx(quantile, abs=0.001)


def test_few_values_are_counted_out_and_many_drawn_with_about_the_same_answer() -> None:
    values = [float(one) for one in (3, 1, 4, 1, 5, 9, 2)]
    exact = interval(values, 0.9)
    assert len(values) == MOST_EXACT
    drawn = interval([*values, fmean(values)], 0.9)
    assert drawn == pytest.approx(exact, abs=0.8)
    assert exact[0] < fmean(values) < exact[1]


@pytest.mark.parametrize("count", [6, 10])
def test_nineteen_of_twenty_intervals_hold_the_true_mean(count: int) -> None:
    chance = Random(7)
    held = 0
    for _ in range(150):
        low, high = interval([chance.gauss(2.0, 1.0) for _ in range(count)], 0.95)
        held += low <= 2.0 <= high
    assert held >= 150 * 0.9


def test_pairs_tell_what_unpaired_values_hide() -> None:
    base = [10.0, 50.0, 90.0, 20.0, 70.0, 40.0]
    found = difference(base, [one + 1 + one / 100 for one in base], 0.95)
    assert found.is_certain
    assert found.low is not None
    assert 1.0 < found.low < found.mean


def test_both_signs_are_noise_and_no_difference_is_none() -> None:
    noise = difference([1.0] * 6, [2.0, 0.0, 3.0, 0.5, 1.5, 0.0], 0.95)
    assert not noise.is_certain
    assert not noise.is_none
    assert difference([1.0] * 6, [1.0] * 6, 0.95).is_none


def test_too_few_seeds_have_no_interval_unless_the_seed_does_not_matter() -> None:
    assert fewest_seeds(0.95) == 6
    assert fewest_seeds(0.8) == 4
    assert difference([1.0] * 5, [2.0, 3.0, 4.0, 5.0, 6.0], 0.95).low is None
    certain = difference([1.0] * 3, [2.0] * 3, 0.95)
    assert (certain.low, certain.high, certain.is_certain) == (1.0, 1.0, True)
    assert difference([1.0, 4.0], [1.0, 4.0], 0.95).is_none
    assert difference([1.0, 4.0], [2.0, 5.0], 0.95).low is None  # by chance both seeds say the same
    assert difference([1.0, 4.0] * 3, [2.0, 5.0] * 3, 0.95).is_certain
