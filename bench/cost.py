"""What one heartbeat, container, application or page costs, and how that grows with the cluster.

    python -m bench.cost [--most 50000]

Counted are calls of functions, Python's and C's, which are the same on every machine; the microseconds of
processor time beside them are of this machine, the least of five measurements.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from functools import partial
from types import FrameType

from bench import work
from bench._report import report

ROUNDS = 5
Prepare = Callable[[], work.Work]


def calls(done: Callable[[], None]) -> int:
    """How many functions it calls."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        done()
    finally:
        sys.setprofile(None)
    return count


def cost(prepare: Prepare, times: int) -> tuple[float, float]:
    """Calls and microseconds of one."""
    doing = prepare()
    doing(times)
    gc.collect()
    gc.freeze()
    least = min(_seconds(doing, times) for _ in range(ROUNDS))
    counted = calls(partial(doing, times)) / times
    gc.unfreeze()
    return counted, least / times * 1e6


def _seconds(doing: work.Work, times: int) -> float:
    begin = time.process_time()
    doing(times)
    return time.process_time() - begin


def rows(most: int) -> list[tuple[str, Prepare, int]]:
    """What is measured: a text, the work at that size, how many times."""
    sizes = [size for size in (100, 1_000, 10_000, 50_000) if size <= most]
    smaller = sizes[:3]
    found: list[tuple[str, Prepare, int]] = []
    for size in sizes:
        found.append(
            (f"container, Capacity, {size:,} nodes", partial(work.capacity_container, size, 1_000), 100)
        )
    for size in smaller:
        text = f"container, Capacity, {size:,} applications"
        found.append((text, partial(work.capacity_container, 1_000, size), 100))
    for leaves in (1, 10, 100):
        text = f"container, Capacity, {10 * leaves:,} leaves"
        found.append((text, partial(work.capacity_container, 1_000, 1_000, 10, leaves), 100))
    found.append(
        ("container, Capacity, 10 partitions", partial(work.capacity_label_container, 1_000, 10), 100)
    )
    for size in sizes:
        found.append((f"container, Fair, {size:,} nodes", partial(work.fair_container, size, 1_000), 100))
    for size in smaller:
        found.append(
            (f"container, Fair, {size:,} applications", partial(work.fair_container, 1_000, size), 100)
        )
    for size in sizes:
        found.append((f"full node, Capacity, {size:,} nodes", partial(work.capacity_full, size, 1_000), 1000))
    for size in smaller:
        found.append((f"heartbeat, {size:,} nodes", partial(work.heartbeat, size), 100))
    for size in (10, 100, 1_000):
        found.append((f"allocate, {size:,} AMs", partial(work.allocate, size), 100))
    for size in (0, 100, 1_000):
        found.append((f"application, {size:,} others live", partial(work.application, size), 10))
    for size in smaller:
        found.append((f"metrics page, {size:,} nodes", partial(work.metrics_page, size), 2))
        found.append((f"nodes page, {size:,} nodes", partial(work.nodes_page, size), 1))
    return found


def main() -> None:
    """Measures, prints and saves."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=50_000, help="nodes (default: 50000)")
    figures: dict[str, float] = {}
    for text, prepare, times in rows(parser.parse_args().most):
        figures[f"{text}, calls"], figures[f"{text}, time"] = cost(prepare, times)
        print(text, file=sys.stderr)
    report("cost", figures, {name: "us" if name.endswith("time") else "calls" for name in figures})


if __name__ == "__main__":
    main()
