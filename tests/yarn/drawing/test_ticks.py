"""Where the ticks of an axis lie."""

from __future__ import annotations

import pytest

from yarnbox.yarn.drawing.ticks import number_ticks, time_ticks


@pytest.mark.parametrize(
    "found, ticks",
    [
        (number_ticks(0, 10), [0, 2, 4, 6, 8, 10]),
        (number_ticks(0, 0.9, 5), [0, 0.2, 0.4, 0.6, 0.8]),
        (number_ticks(3, 3), [3]),
        (time_ticks(0, 3_600_000), [0, 600_000, 1_200_000, 1_800_000, 2_400_000, 3_000_000, 3_600_000]),
        (time_ticks(0, 1000), [0, 200, 400, 600, 800, 1000]),
    ],
)
def test_ticks_are_round(found: list[float], ticks: list[float]) -> None:
    assert found == ticks
