"""Plays 100 jobs under five orders, two of them one's own, and prints how long jobs of each size took.

    python compare.py [--scale N] [--jobs N] [--seeds N] [--workers N]

The load: sizes and their counts are those of the table below, in random order, one user each, submitted at
random moments 14 s apart on average. Each map is asked for at three hosts drawn at random, takes 20 s there,
half as long again in the rack and twice as long elsewhere. The cluster has 100 nodes in five racks with room
for six containers each. `--scale 10` divides nodes, and the maps of jobs that have as many, by ten.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from yarnbox.sim import Change, Comparison, Job, Nodes, NodeSpec, Site, Task, compare
from yarnbox.yarn.resources.resource import Resource

SIZES = {1: 38, 2: 16, 10: 14, 50: 8, 100: 6, 200: 6, 400: 4, 800: 4, 4800: 4}
"""How many jobs have so many maps."""
MEAN_GAP_S, MAP_MS, REPLICAS = 14, 20_000, 3
CAPACITY = "yarn.scheduler.capacity."


def nodes_of(scale: int) -> Nodes:
    """Equal nodes in five racks."""
    count = 100 // scale
    return Nodes(nodes=tuple(NodeSpec(host=f"n{one}", rack=f"/r{one % 5}") for one in range(count)))


def jobs_of(nodes: Nodes, scale: int) -> Iterator[Job]:
    """The load; the same every time."""
    chance = Random(2009)
    sizes = [size for size, count in SIZES.items() for _ in range(count)]
    chance.shuffle(sizes)
    at_ms = 0.0
    for number, size in enumerate(sizes):
        at_ms += chance.expovariate(1 / (1000 * MEAN_GAP_S))
        maps = (
            Task(
                duration_ms=MAP_MS,
                places=tuple(node.place for node in chance.sample(nodes.nodes, REPLICAS)),
            )
            for _ in range(size if size < scale else size // scale)
        )
        yield Job(
            job_id=f"job{number}",
            submit_ms=round(at_ms),
            queue=f"root.maps-{size}",
            user=f"user{number}",
            type=f"{size} maps",
            tasks=tuple(maps),
        )


def changes() -> list[Change]:
    """The orders beside that of submission."""
    order, by_size = f"{CAPACITY}root.jobs.ordering-policy", queue_per_size()
    return [
        Change(name="fair", definitions={order: "fair"}),
        Change(name="remaining", definitions={order: "policies.ShortestRemainingFirst"}),
        Change(name="queues", definitions=by_size),
        Change(
            name="smallest",
            definitions={**by_size, f"{CAPACITY}root.ordering-policy": "policies.SmallestFirst"},
        ),
    ]


def one_queue() -> dict[str, str]:
    """All jobs in one leaf, whatever queue they name, in order of submission."""
    return {
        f"{CAPACITY}maximum-am-resource-percent": "1",
        f"{CAPACITY}per-node-heartbeat.multiple-assignments-enabled": "false",
        f"{CAPACITY}root.queues": "jobs",
        f"{CAPACITY}root.jobs.capacity": "100",
        f"{CAPACITY}root.jobs.user-limit-factor": "1000",
        f"{CAPACITY}queue-mappings": "u:%user:root.jobs",
        f"{CAPACITY}queue-mappings-override.enable": "true",
    }


def queue_per_size() -> dict[str, str]:
    """A leaf for each size, of equal weights."""
    return {
        f"{CAPACITY}root.queues": ",".join(f"maps-{size}" for size in SIZES),
        f"{CAPACITY}queue-mappings-override.enable": "false",
        f"{CAPACITY}queue-mappings": "",
    }


def table(found: Comparison) -> Iterator[str]:
    """Mean response by size, in seconds, and the makespan; a column for each order."""
    variants = range(len(found.changes) + 1)
    yield "".join([f"{'':>10}", *(f"{name:>11}" for name in ("fifo", *found.changes))])
    for label, group, metric in [
        *((f"{size} maps", f"type:{size} maps", "response.mean") for size in SIZES),
        ("makespan", "all", "makespan"),
    ]:
        cells = (shown(found.values(variant, group, metric)) for variant in variants)
        yield "".join([f"{label:>10}", *(f"{cell:>11}" for cell in cells)])


def shown(values: tuple[float | None, ...]) -> str:
    """The mean over the seeds, in seconds; a dash where no job of that size finished."""
    known = [one for one in values if one is not None]
    return f"{sum(known) / len(known) / 1000:.0f}" if known else "-"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scale", type=int, default=1, choices=(1, 2, 5, 10))
    parser.add_argument("--jobs", type=int, default=sum(SIZES.values()), help="only the first ones")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(words)
    nodes = nodes_of(options.scale)
    site = Site(
        nodes=nodes,
        node_resource=Resource(6 * 1024, 6),
        rack_slowdown=1.5,
        remote_slowdown=2.0,
        duration_spread=0.1 if options.seeds > 1 else 0.0,
    )
    found = compare(
        None,
        changes(),
        islice(jobs_of(nodes, options.scale), options.jobs),
        seeds=options.seeds,
        site=site,
        definitions=one_queue(),
        workers=options.workers,
    )
    print(*table(found), sep="\n")


if __name__ == "__main__":
    main()
