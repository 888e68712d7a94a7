"""Where the ticks of an axis lie: at round numbers and round moments."""

from __future__ import annotations

import math

_TIMES_S = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200),
    *(86400, 2 * 86400, 7 * 86400, 14 * 86400, 28 * 86400),
)


def number_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from `low` to `high`, both ends included where they are round."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((power * one for one in (1, 2, 5) if power * one >= rough), power * 10)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]


def time_ticks(low_ms: float, high_ms: float, most: int = 8) -> list[float]:
    """Moments at round times."""
    span_s = (high_ms - low_ms) / 1000
    step_s = next((one for one in _TIMES_S if span_s / one <= most), None)
    if step_s is None or span_s < 2:
        return number_ticks(low_ms, high_ms, most)
    first, last = math.ceil(low_ms / 1000 / step_s), math.floor(high_ms / 1000 / step_s)
    return [1000.0 * step_s * number for number in range(first, last + 1)]
