"""A mapper that takes the name of a file on each line of its input, and waits until there is one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

PAUSE_S = 0.1


def mapper(_offset: int, line: str) -> Iterator[tuple[str, int]]:
    """One line."""
    while not Path(line).exists():
        threading.Event().wait(PAUSE_S)
    yield line, 1


def reducer(name: str, counts: Iterator[int]) -> Iterator[tuple[str, int]]:
    """One name."""
    yield name, sum(counts)
