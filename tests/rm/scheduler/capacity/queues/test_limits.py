"""User limits, AM limits and the rest as tables of numbers: no queue, no cluster."""

from __future__ import annotations

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from yarnbox.rm.scheduler.calculator import (
    DEFAULT_CALCULATOR,
    DOMINANT_CALCULATOR,
    DefaultResourceCalculator,
    float32,
)
from yarnbox.rm.scheduler.capacity.queues.limits import (
    UserLimitInputs,
    am_limit,
    headroom,
    maximum_applications,
    maximum_applications_per_user,
    user_am_limit,
    user_limit,
)
from yarnbox.yarn.resources.resource import NONE, Resource

GB = 1024
STEP = Resource(GB, 1)


def mb(amount: int) -> Resource:
    return Resource(amount, 1) if amount else NONE


def inputs(
    *,
    total: int = 96 * GB,
    minimum: int = 8 * GB,
    maximum: int = 96 * GB,
    used: int = 0,
    by_active: int = 0,
    active: float = 1.0,
    percent: float = 100.0,
    factor: float = 1.0,
) -> UserLimitInputs:
    return UserLimitInputs(
        total=mb(total),
        effective_minimum=mb(minimum),
        down_maximum=mb(maximum),
        minimum=STEP,
        consumed_ratio=float32(used / total),
        used_by_active=mb(by_active),
        active_weight=active,
        all_weight=active,
        percent=percent,
        factor=factor,
    )


@pytest.mark.parametrize(
    "given, limit_gb",
    [
        # TestLeafQueue.testUserLimits, restated: percent 50, factor 2, a queue of 8 GB.
        (inputs(used=2 * GB, by_active=2 * GB, active=2, percent=50, factor=2), 4),
        (inputs(used=9 * GB, by_active=9 * GB, active=2, percent=50, factor=2), 5),
        (inputs(used=9 * GB, by_active=4 * GB, active=1, percent=50, factor=2), 5),
        # Alone, and below the guarantee: all of it, not more.
        (inputs(), 8),
        (inputs(used=8 * GB, by_active=8 * GB), 8),
        # The cap follows the factor; -1 is the queue's maximum.
        (inputs(used=20 * GB, by_active=20 * GB, factor=2), 16),
        (inputs(used=20 * GB, by_active=20 * GB, factor=-1), 21),
        (inputs(used=95 * GB, by_active=95 * GB, factor=-1, maximum=40 * GB), 40),
        # A queue without a guarantee is held by its maximum alone.
        (inputs(minimum=0, used=20 * GB, by_active=20 * GB, factor=1), 21),
        # A quarter for nobody less than a quarter.
        (inputs(active=5, percent=25), 2),
        (inputs(active=5, percent=10), 1),
        # Nobody asks: by percent.
        (inputs(active=0, percent=50), 4),
        # Weights: half a user counts half.
        (inputs(by_active=6 * GB, used=6 * GB, active=float32(2.5), percent=10, factor=2), 3),
    ],
)
def test_user_limit(given: UserLimitInputs, limit_gb: int) -> None:
    assert user_limit(given, DEFAULT_CALCULATOR).memory_mb == limit_gb * GB


@drawn(
    st.integers(0, 1 << 20),
    st.integers(0, 1 << 18),
    st.floats(0, 2, width=32),
    st.integers(0, 1 << 18),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]),
    st.sampled_from([1.0, 25.0, 33.3, 100.0]),
    st.sampled_from([-1.0, 0.5, 1.0, 2.0]),
    st.booleans(),
    st.booleans(),
)
def test_memory_alone_is_worked_out_as_all_types_would_be(
    total: int, least: int, consumed: float, used: int, weight: float, percent: float, factor: float,
    ignores_exclusivity: bool, for_all: bool,
) -> None:  # fmt: skip
    """The short way of the DefaultResourceCalculator against the formula, with memory as the only type."""
    given = UserLimitInputs(
        total=Resource(total),
        effective_minimum=Resource(least),
        down_maximum=Resource(total // 1024 * 1024),
        minimum=Resource(1024),
        consumed_ratio=consumed,
        used_by_active=Resource(used),
        active_weight=weight,
        all_weight=weight,
        percent=percent,
        factor=factor,
    )

    class MemoryAlone(DefaultResourceCalculator):
        is_multi_dimensional = True

    flags = {"ignores_exclusivity": ignores_exclusivity, "for_all": for_all}
    assert user_limit(given, DEFAULT_CALCULATOR, **flags) == user_limit(given, MemoryAlone(), **flags)


def test_user_limit_of_a_borrowed_partition_is_the_partition() -> None:
    given = inputs(minimum=0, used=20 * GB, by_active=20 * GB, total=30 * GB)
    assert user_limit(given, DEFAULT_CALCULATOR, ignores_exclusivity=True).memory_mb == 21 * GB


def test_user_limit_over_all_users_shares_what_is_consumed() -> None:
    given = inputs(used=9 * GB, by_active=2 * GB, active=2, percent=10, factor=4)
    assert user_limit(given, DEFAULT_CALCULATOR, for_all=True).memory_mb == 5 * GB


def test_user_limit_by_dominant_share() -> None:
    """See tests/scenarios/capacity/drf-user-limit.yaml: 12 of 16 vcores, 3 of 16 GB."""
    given = UserLimitInputs(
        total=Resource(16 * GB, 16),
        effective_minimum=Resource(8 * GB, 8),
        down_maximum=Resource(16 * GB, 16),
        minimum=STEP,
        consumed_ratio=0.75,
        used_by_active=Resource(3 * GB, 12),
        active_weight=1.0,
        all_weight=1.0,
        percent=100.0,
        factor=1.0,
    )
    assert user_limit(given, DOMINANT_CALCULATOR) == Resource(8 * GB, 8)


@pytest.mark.parametrize(
    "minimum, current, percent, limit",
    [
        (8 * GB, 8 * GB, 0.1, GB),  # 8 GB and 10 percent: one AM
        (80 * GB, 160 * GB, 0.1, 16 * GB),
        (80 * GB, 40 * GB, 0.1, 8 * GB),  # never below what the guarantee gives
        (8 * GB, 8 * GB, 0.0, 0),
        (10 * GB, 10 * GB, 0.15, 2 * GB),
    ],
)
def test_am_limit(minimum: int, current: int, percent: float, limit: int) -> None:
    found = am_limit(mb(minimum), mb(current), float32(percent), STEP, DEFAULT_CALCULATOR)
    assert found.memory_mb == limit


@pytest.mark.parametrize(
    "user_percent, factor, users, weight, limit",
    [
        (100, 1.0, 1, 1.0, 8 * GB),
        (100, 1.0, 4, 1.0, 8 * GB),
        (25, 1.0, 4, 1.0, 2 * GB),
        (25, 1.0, 2, 1.0, 4 * GB),
        (25, 2.0, 2, 1.0, 8 * GB),
        (25, 100.0, 2, 1.0, 16 * GB),  # at most what the queue may
        (25, 1.0, 4, 2.0, 4 * GB),
        (25, -1, 4, 1.0, 8 * GB),
    ],
)
def test_user_am_limit(user_percent: float, factor: float, users: int, weight: float, limit: int) -> None:
    found = user_am_limit(
        mb(80 * GB),
        mb(16 * GB),
        float32(0.1),
        user_percent,
        factor,
        users,
        weight,
        STEP,
        mb(160 * GB),
        DEFAULT_CALCULATOR,
    )
    assert found.memory_mb == limit


@pytest.mark.parametrize(
    "limit, user_used, queue, used, free, expected",
    [
        (7168, 2048, 13107, 4096, 12288, 5120),  # TestLeafQueue.testComputeUserLimitAndSetHeadroom
        (7168, 8192, 13107, 8192, 8192, 0),
        (7168, 0, 13107, 12288, 4096, 0),
        (7168, 0, 13107, 10240, 6144, 2048),
        (8192, 0, 16384, 0, 3072, 3072),  # what is free at all
    ],
)
def test_headroom(limit: int, user_used: int, queue: int, used: int, free: int, expected: int) -> None:
    total = 16 * GB
    found = headroom(
        mb(limit),
        mb(user_used),
        mb(queue),
        mb(used),
        mb(total),
        mb(total - free),
        STEP,
        DEFAULT_CALCULATOR,
    )
    assert found.memory_mb == expected


@pytest.mark.parametrize(
    "configured, most, common, absolute, is_absolute, expected",
    [
        (None, 10_000, None, 0.5, False, (5_000, "SHARE", 10_000)),
        (None, 10_000, None, 0.7, False, (7_000, "SHARE", 10_000)),
        (0, 10_000, None, 0.5, False, (0, "QUEUE", 0)),
        (3, 10_000, 100, 0.5, False, (3, "QUEUE", 3)),
        (None, 10_000, 100, 0.5, False, (100, "EVERY_QUEUE", 100)),
        (None, 50, 100, 0.5, False, (50, "EVERY_QUEUE", 50)),
        (None, 10_000, 100, 0.5, True, (50, "SHARE", 100)),
        (None, 10_000, None, 0.0, False, (0, "SHARE", 10_000)),
        (None, 10_000, None, None, False, (10_000, "SCHEDULER", 10_000)),
    ],
)
def test_maximum_applications(
    configured: int | None,
    most: int,
    common: int | None,
    absolute: float | None,
    is_absolute: bool,
    expected: tuple[int, str, int],
) -> None:
    share = None if absolute is None else float32(absolute)
    found = maximum_applications(configured, most, common, share, is_absolute=is_absolute)
    assert (found.most, found.rule.name, found.base) == expected


@pytest.mark.parametrize(
    "maximum, percent, factor, expected",
    [(100, 100, 1.0, 100), (100, 25, 1.0, 25), (100, 25, 2.0, 50), (100, 25, 10.0, 100), (100, 25, -1, 100)],
)
def test_maximum_applications_per_user(maximum: int, percent: float, factor: float, expected: int) -> None:
    assert maximum_applications_per_user(maximum, percent, factor) == expected


def test_nothing_is_nothing() -> None:
    assert am_limit(NONE, NONE, 0.5, STEP, DEFAULT_CALCULATOR) == NONE
