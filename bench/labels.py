"""What partitions cost the CapacityScheduler: one cluster without labels and with them.

    python -m bench.labels [--nodes 10000] [--partitions 10] [--rounds 5] [--seconds 1]

100 leaf queues that may use every partition, 1,000 applications, each asking in one of them; one of the
partitions is the default one. Without labels all of them ask without one. `allocating`: every heartbeat gives
one container. `full`: nodes without room, asked in vain. Rounds alternate between the two clusters; the ratio
is that of the medians, and must stay below 1.3.
"""

from __future__ import annotations

import argparse
import json
import sys
from statistics import median

from bench.capacity import APPLICATIONS, ROOM_MB, P, beat, properties, saturate
from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.node import NodeLabel

LIMIT = 1.3


def names(partitions: int) -> list[str]:
    """The default partition, and as many labels as make up the number."""
    return ["", *(f"l{number}" for number in range(1, partitions))]


def partitioned(labels: list[str]) -> dict[str, object]:
    """The queues of bench.capacity, each with its share of every partition."""
    found = properties()
    for i in range(10):
        parent = f"{P}root.p{i}"
        for path in (parent, *(f"{parent}.q{j}" for j in range(10))):
            for label in labels[1:]:
                found[f"{path}.accessible-node-labels.{label}.capacity"] = 10
    return found


def cluster(nodes: int, partitions: int, memory_mb: int) -> CapacityRig:
    """The cluster, its nodes spread over so many partitions."""
    there = names(partitions)
    rig = CapacityRig(partitioned(there))
    labels = rig.context.labels
    labels.is_enabled = partitions > 1
    labels.add(NodeLabel(name=label, is_exclusive=False) for label in there[1:])
    for i in range(nodes):
        labels.replace({NodeId(f"n{i}", 0): there[i % partitions]})
        rig.add_node(f"n{i}", memory_mb, 128, rack=f"/r{i // 40}")
    for i in range(APPLICATIONS):
        # Every leaf has applications in every partition.
        queue = f"root.p{i // 10 % 10}.q{i // 100 % 10}"
        rejected = rig.submit(f"a{i}", queue, user=f"u{i}")
        assert rejected is None, rejected
        rig.ask(f"a{i}", count=100_000, label=there[i % partitions])
    return rig


def measure(name: str, rigs: list[CapacityRig], rounds: int, seconds: float) -> dict[str, object]:
    """Microseconds for a container, or for a heartbeat in vain, without and with labels."""
    took: list[list[float]] = [[], []]
    for _ in range(rounds):
        for place, rig in enumerate(rigs):
            figure = beat(rig, name, seconds)
            took[place].append(1e6 * figure.seconds / (figure.containers or figure.heartbeats))
    plain, labelled = (median(each) for each in took)
    return {"name": name, "plain_us": plain, "partitioned_us": labelled, "ratio": labelled / plain}


def main() -> None:
    """Measures, prints a line each on stderr and the JSON document on stdout; 1 when a ratio is too high."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--partitions", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    figures = []
    for name, memory_mb in (("allocating", ROOM_MB), ("full", 1024)):
        rigs = [cluster(options.nodes, count, memory_mb) for count in (1, options.partitions)]
        if name == "full":
            for rig in rigs:
                saturate(rig)
        figures.append(measure(name, rigs, options.rounds, options.seconds))
    for one in figures:
        print(
            f"{one['name']:12} {one['plain_us']:8.2f} us without labels, {one['partitioned_us']:8.2f} us in "
            f"{options.partitions} partitions, ratio {one['ratio']:.2f}",
            file=sys.stderr,
        )
    print(json.dumps({"benchmark": "labels", "nodes": options.nodes, "limit": LIMIT, "figures": figures}))
    sys.exit(any(one["ratio"] > LIMIT for one in figures))  # type: ignore[operator]


if __name__ == "__main__":
    main()
