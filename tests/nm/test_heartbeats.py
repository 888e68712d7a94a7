"""When heartbeats go out."""

from __future__ import annotations

import pytest

from yarnbox.nm.edge.heartbeats import retry_pause_s


@pytest.mark.parametrize(
    ("interval_s", "pauses_s"), [(0.1, [0.1] * 4), (1.0, [0.5, 1, 1, 1]), (5.0, [0.5, 1, 2, 4, 5, 5])]
)
def test_one_that_failed_is_followed_by_the_next_soon_and_by_later_ones_as_usual(
    interval_s: float, pauses_s: list[float]
) -> None:
    assert [retry_pause_s(interval_s, 1 + number) for number in range(len(pauses_s))] == pauses_s
    assert retry_pause_s(interval_s, 10**6) == interval_s
