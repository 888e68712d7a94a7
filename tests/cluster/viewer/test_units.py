"""Times and indexes in words."""

from __future__ import annotations

import pytest

from yarnbox.cluster.viewer.units import index, since, span


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (None, "N/A"),
        (0, "0.0 s"),
        (250, "0.3 s"),
        (59_900, "59.9 s"),
        (60_000, "1 min 0 s"),
        (3_599_999, "59 min 59 s"),
        (7_260_000, "2 h 1 min"),
        (172_799_000, "47 h 59 min"),
        (176_400_000, "2 d 1 h"),
    ],
)
def test_a_time_has_the_digits_that_matter(ms: int | None, said: str) -> None:
    assert span(ms) == said


def test_moments_and_indexes() -> None:
    assert [since(ms) for ms in (0, 61_000, 3_600_007)] == ["0:00:00", "0:01:01", "1:00:00.007"]
    assert [index(value) for value in (None, 1, 0.8125)] == ["N/A", "1.000", "0.813"]
