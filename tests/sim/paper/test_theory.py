"""The formulas of the literature, by the figures that are printed or derived for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.sim.paper.theory import (
    Pool,
    chance_of_local,
    dominant_shares,
    mean_locality,
    needed_patience,
    reachable,
    served_at_home,
    water_filling,
    with_kept_slots,
)

pools = st.lists(st.builds(Pool, st.integers(0, 20), st.integers(0, 60)), min_size=1, max_size=6)


@pytest.mark.parametrize(
    "slots, given_pools, expected",
    [
        (100, [(50, 46), (10, 18), (25, 28), (15, 16)], [46, 14, 25, 15]),
        (60, [(30, 20), (10, 25), (0, 40)], [20, 20, 20]),
        (100, [(0, 10), (0, 50), (0, 50), (0, 50)], [10, 30, 30, 30]),
        (12, [(4, 6), (4, 6), (4, 2)], [5, 5, 2]),
    ],
)
def test_water_filling(slots: int, given_pools: list[tuple[int, int]], expected: list[int]) -> None:
    assert water_filling([Pool(*pool) for pool in given_pools], slots) == expected


@given(pools, st.integers(120, 200))
def test_water_fills_and_never_overflows(given_pools: list[Pool], slots: int) -> None:
    found = water_filling(given_pools, slots)
    assert sum(found) == min(slots, sum(pool.demand for pool in given_pools))
    for held, pool in zip(found, given_pools, strict=True):
        assert min(pool) <= held <= pool.demand


@pytest.mark.parametrize("maps, expected", [(1, 0.030), (3, 0.087), (10, 0.263), (25, 0.533), (100, 0.952)])
def test_the_head_of_the_line(maps: int, expected: float) -> None:
    assert chance_of_local(100, 3, maps) == pytest.approx(expected, abs=0.0006)


@pytest.mark.parametrize("jobs, expected", [(5, 0.49), (10, 0.274), (20, 0.144), (50, 0.059)])
def test_what_a_job_reaches_from_the_nodes_that_it_keeps(jobs: int, expected: float) -> None:
    assert reachable(100, 3, 100 // jobs) == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize(
    "maps, offers, expected", [(3, 1, 0.059), (10, 23, 0.902), (20, 40, 0.979), (100, 5, 0.939)]
)
def test_locality_by_patience(maps: int, offers: int, expected: float) -> None:
    assert mean_locality(100, 3, maps, offers) == pytest.approx(expected, abs=0.0006)


@pytest.mark.parametrize("goal, maps, expected", [(0.9, 1, 0.799), (0.95, 20, 0.231), (0.99, 400, 0.074)])
def test_needed_patience(goal: float, maps: int, expected: float) -> None:
    assert needed_patience(3, maps, goal) == pytest.approx(expected, abs=0.0006)


def test_dominant_shares_of_the_published_example() -> None:
    demands = [{"cpu": 1.0, "memory": 4.0}, {"cpu": 3.0, "memory": 1.0}]
    assert dominant_shares(demands, {"cpu": 9.0, "memory": 18.0}) == pytest.approx([3.0, 2.0])


def test_slots_that_are_kept_cap_what_patience_can_do() -> None:
    assert with_kept_slots(100, 3, 1, 0, 10) == pytest.approx(1 - 0.97**10)
    endless = with_kept_slots(100, 3, 1, 60, 10_000)
    assert endless == pytest.approx(reachable(100, 3, 40)), "all three nodes may be among those that are kept"
    assert with_kept_slots(100, 3, 4, 240, 10_000) > endless


def test_a_hot_block_is_local_to_as_many_as_its_nodes_serve() -> None:
    assert served_at_home(0.25, 0.5, 0.25, 0.9) == pytest.approx(0.25 + 0.75 * 0.9)
    assert served_at_home(1.0, 0.25, 1.0, 0.9) == 0.25
    assert served_at_home(0.0, 0.25, 0.0, 0.9) == 0.9
