"""How a recording stays small however long the run is.

Moments: when more values are held than MOST_VALUES, every second moment is dropped, what it changed is taken
to have changed at the next one, and from then on only every second moment is taken, and so on. Containers:
when there are more than MOST_CONTAINERS, only those of every second application are kept, then of every
fourth; sums never suffer, for they are sampled by themselves. Events and marks: the first so many.
"""

from __future__ import annotations

MOST_VALUES = 1_000_000
"""Numbers, words and flags of all fields and series: some 10 MB of JSON."""
FEWEST_MOMENTS = 50
MOST_MOMENTS = 2_000
MOST_CONTAINERS = 40_000
MOST_EVENTS = 20_000
MOST_MARKS = 2_000


def halved(count: int) -> list[int]:
    """Which of so many moments stay: every second one, and the first and the last always."""
    kept = [*range(0, count, 2)]
    if count % 2 == 0:
        kept.append(count - 1)
    return kept


def after_halving(number: int) -> int:
    """The new number of a moment: that of the next one that stays, where it is dropped itself."""
    return (number + 1) // 2
