"""The index of fairness, on the examples of the papers."""

from __future__ import annotations

import pytest

from yarnbox.sim.recording.fairness import Participant, entitlements, fairness, jain


def wants(*demand: float, used: tuple[float, ...] = (), weight: float = 1.0) -> Participant:
    return Participant(used or tuple(0.0 for _ in demand), demand, weight)


def test_what_small_ones_leave_goes_to_the_large_ones() -> None:
    shares = entitlements([wants(0.1), wants(0.3), wants(0.9), wants(0.9)])
    assert shares == pytest.approx([0.1, 0.3, 0.3, 0.3])


def test_weights_count_until_a_demand_is_met() -> None:
    shares = entitlements([wants(1.0, weight=3), wants(1.0), wants(0.1, weight=2)])
    assert shares == pytest.approx([0.675, 0.225, 0.1])


def test_two_resources_are_shared_by_dominant_shares() -> None:
    """The example of the DRF paper: 9 CPUs and 18 GB; tasks of (1 CPU, 4 GB) and of (3 CPUs, 1 GB)."""
    many = 100
    shares = entitlements([wants(many / 9, many * 4 / 18), wants(many * 3 / 9, many / 18)])
    assert shares == pytest.approx([2 / 3, 2 / 3])


def test_nobody_is_entitled_to_more_than_is_asked() -> None:
    assert entitlements([wants(0.2), wants(0.3)]) == pytest.approx([0.2, 0.3])
    assert entitlements([]) == []


def test_jains_index_is_one_when_all_are_alike_and_one_nth_when_one_has_all() -> None:
    assert jain([0.3, 0.3, 0.3]) == pytest.approx(1.0)
    assert jain([1.0, 0.0, 0.0, 0.0]) == pytest.approx(0.25)
    assert jain([0.0, 0.0]) is None
    assert jain([]) is None


def test_who_asks_for_nothing_does_not_count() -> None:
    assert fairness([wants(1.0, used=(1.0,)), wants(0.0)]) == pytest.approx(1.0)
    assert fairness([wants(1.0, used=(1.0,)), wants(1.0)]) == pytest.approx(0.5)
    assert fairness([wants(1.0, used=(0.75,), weight=3), wants(1.0, used=(0.25,))]) == pytest.approx(1.0)
    assert fairness([wants(1.0, weight=0.0)]) is None
