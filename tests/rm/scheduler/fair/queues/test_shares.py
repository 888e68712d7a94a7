"""Fair shares: tables of numbers, and what holds for all numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnbox.rm.scheduler.fair.queues.shares import Claim, compute_free_shares, compute_shares, share_at
from yarnbox.yarn.resources.units import MAXIMUM


@pytest.mark.parametrize(
    "claims, total, expected",
    [
        ([Claim(1), Claim(1), Claim(1), Claim(1)], 40, [10, 10, 10, 10]),
        ([Claim(2), Claim(1), Claim(1), Claim(0.5)], 45, [20, 10, 10, 5]),
        ([Claim(2, 0, 10), Claim(1, 0, 11), Claim(1, 0, 30), Claim(0.5, 0, 20)], 45, [10, 11, 16, 8]),
        ([Claim(2, 20), Claim(1), Claim(1, 5), Claim(0.5, 15)], 45, [20, 5, 5, 15]),
        ([Claim(1, 20), Claim(1, 18), Claim(1, 0), Claim(1, 2)], 40, [20, 18, 0, 2]),
        ([Claim(1)] * 3, 10240, [3414, 3414, 3414]),
        ([Claim(1), Claim(1), Claim(2), Claim(2), Claim(1)], 6144, [878, 878, 1756, 1756, 878]),
        ([Claim(1), Claim(1)], 1, [1, 1]),
        ([Claim(1, 50), Claim(1, 10), Claim(1, 25), Claim(1, 15)], 100, [50, 10, 25, 15]),
        ([Claim(1, 30), Claim(1, 30)], 40, [30, 30]),
        ([Claim(1, 0, 10), Claim(1, 0, 10)], 40, [10, 10]),
        ([Claim(0, 5), Claim(0), Claim(1)], 40, [5, 0, 35]),
        ([Claim(-1, 5), Claim(1)], 40, [5, 35]),
        ([Claim(1, 0, 0), Claim(1)], 40, [0, 40]),
        ([Claim(1, 5, 10, False), Claim(1)], 40, [0, 40]),
        ([], 40, []),
        ([Claim(1)], 0, [0]),
        ([Claim(1.0), Claim(1.0)], MAXIMUM, [MAXIMUM // 2 + 1] * 2),
    ],
)
def test_shares(claims: list[Claim], total: int, expected: list[int]) -> None:
    assert compute_shares(claims, total) == expected


def slow_shares(claims: list[Claim], total: int) -> list[int]:
    """The search as Hadoop's document has it, without any shortcut."""
    moving = [one for one in claims if one.maximum > 0 and one.is_active and one.weight > 0]
    fixed = {
        place: (max(0, one.minimum) if one.maximum > 0 and one.is_active else 0)
        for place, one in enumerate(claims)
        if not (one.maximum > 0 and one.is_active and one.weight > 0)
    }
    if not moving:
        return [fixed[place] for place in range(len(claims))]

    def used(ratio: float) -> int:
        return min(sum(share_at(one, ratio) for one in moving), MAXIMUM)

    target = min(max(total - sum(fixed.values()), 0), min(sum(one.maximum for one in moving), MAXIMUM))
    high, low = 1.0, 0.0
    while used(high) < target:
        high *= 2.0
    for _ in range(25):
        middle = (low + high) / 2.0
        if used(middle) == target:
            high = middle
            break
        if used(middle) < target:
            low = middle
        else:
            high = middle
    return [fixed[place] if place in fixed else share_at(one, high) for place, one in enumerate(claims)]


WEIGHTS = st.floats(0.0, 100.0, width=32).filter(lambda weight: weight == 0 or weight > 1e-3)


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    """Any claim, bounds in order."""
    low = draw(st.integers(0, 1000))
    high = draw(st.one_of(st.just(MAXIMUM), st.integers(low, 5000)))
    return Claim(draw(WEIGHTS), low, high, draw(st.booleans()))


@given(st.lists(claims(), max_size=12), st.integers(0, 10**6))
def test_the_search_ends_where_the_plain_one_ends(some: list[Claim], total: int) -> None:
    assert compute_shares(some, total) == slow_shares(some, total)


@settings(max_examples=30)
@given(st.lists(st.floats(1.0, 40.0, width=32), min_size=100, max_size=400), st.integers(10**5, 10**9))
def test_the_shortcut_for_many_free_claims_changes_nothing(weights: list[float], total: int) -> None:
    some = [Claim(weight) for weight in weights]
    assert compute_shares(some, total) == slow_shares(some, total)


@given(st.lists(WEIGHTS, max_size=40), st.integers(0, 10**7))
def test_weights_alone_give_what_claims_without_bounds_give(weights: list[float], total: int) -> None:
    assert compute_free_shares(weights, total) == compute_shares([Claim(one) for one in weights], total)


@given(st.lists(claims(), min_size=1, max_size=12), st.integers(0, 10**6))
def test_shares_respect_bounds(some: list[Claim], total: int) -> None:
    for claim, share in zip(some, compute_shares(some, total), strict=True):
        if claim.is_active and claim.maximum > 0:
            assert claim.minimum <= share <= max(claim.maximum, claim.minimum)
        else:
            assert share == 0


@given(st.lists(st.floats(0.125, 100.0, width=32), min_size=1, max_size=12), st.integers(0, 10**6))
def test_shares_sum_to_the_total_where_nothing_bounds_them(weights: list[float], total: int) -> None:
    shares = compute_shares([Claim(weight) for weight in weights], total)
    # The search ends at the upper end of an interval of 2^-25: each may get one more than its due.
    assert total <= sum(shares) <= total + 2 * len(shares)


@given(st.lists(claims(), min_size=1, max_size=12), st.integers(0, 10**6))
def test_shares_sum_to_the_total_wherever_bounds_leave_room(some: list[Claim], total: int) -> None:
    some = [claim._replace(is_active=True, weight=max(claim.weight, 0.125)) for claim in some]
    shares = compute_shares(some, total)
    least = sum(claim.minimum for claim in some if claim.maximum > 0)
    most = sum(claim.maximum for claim in some)
    due = min(max(total, least), most)
    assert due <= sum(shares) <= due + 2 * len(shares)


@given(st.lists(claims(), min_size=2, max_size=8), st.integers(0, 10**6))
def test_a_larger_weight_never_gets_less_and_equals_get_the_same(some: list[Claim], total: int) -> None:
    first = some[0]._replace(is_active=True, weight=max(some[0].weight, 0.5))
    pair = [first, first._replace(weight=first.weight * 2), first]
    shares = compute_shares([*pair, *some[1:]], total)
    assert shares[0] == shares[2] <= shares[1]


@given(st.lists(claims(), max_size=8), st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_the_order_of_declaration_does_not_matter(some: list[Claim], total: int, chance: object) -> None:
    order = list(range(len(some)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    shuffled = compute_shares([some[place] for place in order], total)
    assert [shuffled[order.index(place)] for place in range(len(some))] == compute_shares(some, total)
