"""Plays in virtual time: processor seconds of a day, with and without a recording, and by number of nodes.

The load is made here: most jobs have one map, a few have hundreds. Everything is measured in one process, so
that the ratios hold on a busy machine, too; a month is the day's cost times 30, for memory and cost of a play
do not grow with what is over. The cost of a further container is that of the last two thirds of the jobs, by
the difference of two plays: it leaves out that each node registers. What a play has left behind is collected
before the next one, which would pay for it otherwise. Of five rounds in turns the one in the middle counts.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from bench._report import report
from yarnbox.sim import Job, Load, Site, Task
from yarnbox.sim.load.jobs import REDUCE
from yarnbox.sim.recording.document import pieces
from yarnbox.sim.recording.recorder import Title
from yarnbox.sim.reports.play import Play
from yarnbox.sim.workload.files import equal_queues

DAY_MS = 24 * 3600 * 1000
NODES = (100, 1_000, 10_000)
ROUNDS = 5
JOBS, MEAN_GAP_MS = 600, 15_000


def jobs(count: int) -> Iterator[Job]:
    """As in a day of a warehouse: 85 % with one map, one in a hundred with 400 to 1,200."""
    chance = Random(1)
    at_ms = 0
    for number in range(count):
        at_ms += round(chance.expovariate(1 / MEAN_GAP_MS))
        kind = chance.random()
        maps = 1 if kind < 0.85 else chance.randint(2, 100) if kind < 0.99 else chance.randint(400, 1200)
        reduces = 0 if kind < 0.75 else max(1, maps // 10)
        tasks = [Task(count=maps, duration_ms=chance.randint(4000, 15_000))]
        if reduces:
            tasks.append(Task(stage=REDUCE, count=reduces, duration_ms=chance.randint(8000, 30_000)))
        yield Job(job_id=f"job{number}", submit_ms=at_ms, tasks=tuple(tasks))


def played(nodes: int, count: int, recording: Path | None = None) -> tuple[float, int, int]:
    """Processor seconds, containers and virtual time of one play."""
    load = Load.of(list(jobs(count)))
    title = None if recording is None else Title(name="bench", kind="workload")
    gc.collect()
    site = Site(nodes=nodes, racks=max(1, nodes // 20), seed=1)
    begin = time.process_time()
    play = Play(equal_queues("capacity", ("default",), {}), load, site, title=title)
    result = play.run()
    if recording is not None:
        with recording.open("w", encoding="utf-8") as file:
            file.writelines(pieces(play.player.recording()))
    assert result.is_complete
    spent = time.process_time() - begin
    return spent, sum(row.containers + row.attempts for row in result.jobs), result.end_ms


def main() -> None:
    """Measures, prints and saves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=JOBS)
    count = parser.parse_args().jobs
    figures: dict[str, float] = {}
    spent: list[tuple[float, float]] = []
    with TemporaryDirectory() as directory:
        for _ in range(ROUNDS):
            plain, containers, end_ms = played(600, count)
            recorded, _, _ = played(600, count, Path(directory) / "recording")
            spent.append((plain, recorded))
    plain = median(plain for plain, _ in spent)
    figures["containers"] = containers
    figures["virtual hours"] = end_ms / 3_600_000
    figures["600 nodes"] = plain
    figures["recording / plain"] = median(recorded / plain for plain, recorded in spent)
    figures["a day like this"] = plain * DAY_MS / end_ms
    figures["a month like this"] = 30 * plain * DAY_MS / end_ms
    further: dict[int, float] = {}
    for nodes in NODES:
        costs = []
        for _ in range(ROUNDS):
            less, fewer, _ = played(nodes, count // 3)
            figures[f"{nodes:,} nodes"], more, _ = played(nodes, count)
            costs.append((figures[f"{nodes:,} nodes"] - less) / (more - fewer) * 1e6)
        further[nodes] = median(costs)
        figures[f"us a further container, {nodes:,} nodes"] = further[nodes]
    figures["a further container, 10,000 nodes / 100 nodes"] = further[10_000] / further[100]
    figures["10,000 nodes / 100 nodes"] = figures["10,000 nodes"] / figures["100 nodes"]
    units = dict.fromkeys(("600 nodes", "a day like this", "a month like this"), "s")
    units |= {f"{nodes:,} nodes": "s" for nodes in NODES}
    report("simulation", figures, units)


if __name__ == "__main__":
    main()
