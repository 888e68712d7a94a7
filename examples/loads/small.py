"""Prints small.tsv: two hours of a small cluster's MapReduce jobs, made up. `python small.py > small.tsv`."""

from __future__ import annotations

import random
from collections.abc import Iterator

MB = 1024 * 1024
JOBS = 120
MEAN_PAUSE_S = 60
KINDS = (
    # share of the jobs, least and most input in MB, shuffle and output as parts of what comes before
    (0.75, 1, 400, 0.0, 0.1),  # a look at some files: maps only
    (0.20, 500, 6_000, 0.5, 0.3),  # a report
    (0.05, 8_000, 40_000, 1.0, 1.0),  # a table sorted anew
)


def rows(seed: int = 1) -> Iterator[str]:
    """A job a line, as SWIM writes it: id, second, pause before, bytes of input, shuffle and output."""
    chance = random.Random(seed)
    second = 0
    for number in range(JOBS):
        pause = 0 if number == 0 else round(chance.expovariate(1 / MEAN_PAUSE_S))
        second += pause
        _, least, most, shuffled, written = chance.choices(KINDS, [kind[0] for kind in KINDS])[0]
        size = round(least * (most / least) ** chance.random() * MB)
        shuffle = round(size * shuffled)
        output = round((shuffle or size) * written)
        yield "\t".join(map(str, (f"job{number}", second, pause, size, shuffle, output)))


if __name__ == "__main__":
    print("\n".join(rows()))
