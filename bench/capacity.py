"""How fast the CapacityScheduler gives containers away, and how cheaply it finds that there is nothing to
give.

    python -m bench.capacity [--nodes 1000 10000] [--seconds 3] [--profile]

100 leaf queues, 1,000 applications that all ask, in process, one core. `allocating`: every heartbeat gives
one container. `filling`: as many off-switch containers per heartbeat as fit. `full`: nodes without room.
`limited`: nodes with room, users and queues at their limits, for 1,000 and for 10,000 applications: the cost
must not grow with them.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import pstats
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.events.scheduler import SchedulerNodeUpdate
from yarnbox.yarn.runtime.interpreter import reduce_garbage_collection

APPLICATIONS = 1_000
BATCH = 50
ROOM_MB = 4_000_000
"""Of a node that will not be full in the time of a measurement."""
LIMITED_MB = 4_000_000_000
"""Of a cluster in which every user stops after a container or two, though there is room."""
P = "yarn.scheduler.capacity."


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement."""

    name: str
    nodes: int
    applications: int
    heartbeats: int
    containers: int
    seconds: float
    """Of processor time: other work on the machine does not count."""

    @property
    def heartbeats_per_s(self) -> float:
        """NODE_UPDATE events handled per second."""
        return self.heartbeats / self.seconds

    @property
    def containers_per_s(self) -> float:
        """Containers decided and booked per second."""
        return self.containers / self.seconds


def properties(
    extra: Mapping[str, object] | None = None, *, parents: int = 10, leaves: int = 10
) -> dict[str, object]:
    """So many parents with so many leaves each."""
    found: dict[str, object] = {
        P + "maximum-am-resource-percent": "1.0",
        P + "maximum-applications": 1_000_000,
        P + "user-limit-factor": 1000,
        P + "root.queues": ",".join(f"p{i}" for i in range(parents)),
    }
    for i in range(parents):
        found[f"{P}root.p{i}.capacity"] = 100 / parents
        found[f"{P}root.p{i}.queues"] = ",".join(f"q{j}" for j in range(leaves))
        for j in range(leaves):
            found[f"{P}root.p{i}.q{j}.capacity"] = 100 / leaves
            found[f"{P}root.p{i}.q{j}.maximum-am-resource-percent"] = "1.0"
    return {**found, **{P + name: value for name, value in (extra or {}).items()}}


def cluster(
    nodes: int,
    applications: int,
    memory_mb: int,
    settings: dict[str, object],
    parents: int = 10,
    leaves: int = 10,
    *,
    ask: int = 100_000,
) -> CapacityRig:
    """Nodes first, then applications spread over all leaves, a user for each, who asks for so many."""
    rig = CapacityRig(settings)
    for i in range(nodes):
        rig.add_node(f"n{i}", memory_mb, 128, rack=f"/r{i // 40}")
    for i in range(applications):
        queue = f"root.p{i % parents}.q{i // parents % leaves}"
        rejected = rig.submit(f"a{i}", queue, user=f"u{i}")
        assert rejected is None, rejected
        rig.ask(f"a{i}", count=ask)
    return rig


def beat(rig: CapacityRig, name: str, seconds: float) -> Figure:
    """Heartbeats of all nodes in turn until the time is over."""
    scheduler = rig.scheduler
    events = [SchedulerNodeUpdate(node_id=node_id) for node_id in scheduler.tracker.nodes]
    before = given(rig)
    reduce_garbage_collection()
    heartbeats, took, started = 0, 0.0, time.process_time()
    while took < seconds:
        for start in range(0, len(events), BATCH):
            for event in events[start : start + BATCH]:
                scheduler.handle(event)
            heartbeats += min(BATCH, len(events) - start)
            took = time.process_time() - started
            if took >= seconds:
                break
    gc.unfreeze()
    containers = given(rig) - before
    return Figure(name, len(events), len(scheduler.applications), heartbeats, containers, took)


def given(rig: CapacityRig) -> int:
    """Live containers, in all partitions."""
    return sum(amounts.containers for amounts in rig.scheduler.tree.root.usage.by_partition.values())


def saturate(rig: CapacityRig) -> None:
    """Gives all that may be given."""
    scheduler = rig.scheduler
    events = [SchedulerNodeUpdate(node_id=node_id) for node_id in scheduler.tracker.nodes]
    before = -1
    while given(rig) != before:
        before = given(rig)
        for event in events:
            scheduler.handle(event)


def measure(nodes: int, seconds: float) -> list[Figure]:
    """All figures for one size of the cluster."""
    found = [beat(cluster(nodes, APPLICATIONS, ROOM_MB, properties()), "allocating", seconds)]
    many = properties({"per-node-heartbeat.maximum-offswitch-assignments": 100})
    found.append(beat(cluster(nodes, APPLICATIONS, ROOM_MB, many), "filling", seconds))
    full = cluster(nodes, APPLICATIONS, 1024, properties())
    saturate(full)
    found.append(beat(full, "full", seconds))
    for applications in (APPLICATIONS, 10 * APPLICATIONS):
        settings = properties({"user-limit-factor": "0.0001"})
        limited = cluster(nodes, applications, LIMITED_MB // nodes, settings)
        saturate(limited)
        found.append(beat(limited, "limited", seconds))
    return found


def table(figures: list[Figure]) -> str:
    """The figures for people."""
    lines = [f"{'':12} {'nodes':>7} {'apps':>7} {'NODE_UPDATE/s':>14} {'containers/s':>13} {'us each':>8}"]
    for one in figures:
        each = 1e6 * one.seconds / (one.containers or one.heartbeats)
        lines.append(
            f"{one.name:12} {one.nodes:7} {one.applications:7} {one.heartbeats_per_s:14,.0f} "
            f"{one.containers_per_s:13,.0f} {each:8.1f}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measures, prints the table on stderr and the JSON document on stdout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--profile", action="store_true", help="profile `allocating` instead")
    arguments = parser.parse_args()
    if arguments.profile:
        rig = cluster(arguments.nodes[-1], APPLICATIONS, 4_000_000, properties())
        profile = cProfile.Profile()
        profile.runcall(beat, rig, "allocating", arguments.seconds)
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(30).sort_stats(
            "cumtime"
        ).print_stats(45)
        return
    figures = [figure for nodes in arguments.nodes for figure in measure(nodes, arguments.seconds)]
    print(table(figures), file=sys.stderr)
    rows = [
        {**asdict(one), "heartbeats_per_s": one.heartbeats_per_s, "containers_per_s": one.containers_per_s}
        for one in figures
    ]
    print(json.dumps({"benchmark": "capacity", "figures": rows}))


if __name__ == "__main__":
    main()
