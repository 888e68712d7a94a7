"""What is measured on both sides: clusters, queues and asks, by parameters that java/Work.java reads, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Parameters = Mapping[str, str | int | float]

CLUSTER: Parameters = {
    "scheduler": "capacity",
    "policy": "fair",
    "measure": "containers",
    "nodes": 1_000,
    "memory_mb": 4_000_000,
    "vcores": 128,
    "applications": 1_000,
    "users": 1_000,
    "ask": 100_000,
    "parents": 10,
    "leaves": 10,
    "partitions": 1,
    "user_limit_factor": "1000",
    "offswitch": 1,
    "seconds": 1.0,
    "rounds": 0,
}
"""Where a case does not say otherwise. `memory_mb` and `vcores` are a node's, `ask` is each application's
count of containers of 1,024 MB and a vcore, `offswitch` how many of them a heartbeat may place. A measurement
ends after so many `rounds` of heartbeats, or, where there are 0, after `seconds` of processor time. `measure`
is containers that are allocated while nodes have room, heartbeats of nodes after nothing more can be
allocated, share updates, calls of AMs that ask anew, applications from submission to their end with a
container each, or one preemption pass.
"""
FAIR: Parameters = {
    "scheduler": "fair",
    "memory_mb": 65_536,
    "vcores": 64,
    "users": 50,
    "ask": 400,
    "parents": 1,
    "leaves": 100,
}
FIFO: Parameters = {"scheduler": "fifo", "memory_mb": 4_096, "vcores": 4, "users": 1, "rounds": 1}


@dataclass(frozen=True, slots=True)
class Case:
    """One measurement. `unit` is what its count counts."""

    name: str
    what: str
    unit: str
    differences: Parameters = field(default_factory=dict)

    def parameters(self, seconds: float) -> dict[str, str | int | float]:
        """All of them; `seconds` is how long to measure where the amount of work does not end it."""
        return {**CLUSTER, "seconds": seconds, **self.differences}

    def line(self, seconds: float) -> str:
        """For standard input of either side."""
        return " ".join(f"{name}={value}" for name, value in self.parameters(seconds).items())


def _capacity(name: str, what: str, unit: str = "containers", **differences: str | int) -> Case:
    return Case(f"capacity-{name}", f"CapacityScheduler, {what}", unit, differences)


def _fair(name: str, what: str, unit: str = "containers", **differences: str | int) -> Case:
    return Case(name, f"FairScheduler, {what}", unit, {**FAIR, **differences})


CASES = (
    _capacity("1000", "one container a heartbeat, 1,000 nodes"),
    _capacity("10000", "one container a heartbeat, 10,000 nodes", nodes=10_000),
    _capacity("leaves", "the same, 1,000 leaves", nodes=10_000, parents=20, leaves=50),
    _capacity("labels", "the same, 100 leaves, ten partitions", nodes=10_000, partitions=10),
    _capacity("filling", "100 containers a heartbeat, 10,000 nodes", nodes=10_000, offswitch=100),
    _capacity(
        "full", "full nodes, 10,000", "heartbeats", nodes=10_000, memory_mb=1_024, measure="heartbeats"
    ),
    _capacity(
        "limited",
        "users at their limits, 10,000 nodes",
        "heartbeats",
        nodes=10_000,
        memory_mb=400_000,
        user_limit_factor="0.0001",
        measure="heartbeats",
    ),
    _capacity("calls", "an AM's call that asks anew, 1,000 AMs", "calls", measure="calls"),
    _capacity(
        "applications",
        "an application of one container, submission to end, beside 1,000",
        "applications",
        memory_mb=65_536,
        ask=4,
        measure="applications",
    ),
    _fair("fair-1000", "`fair`, 1,000 nodes", rounds=40),
    _fair("fair-10000", "`fair`, 10,000 nodes", nodes=10_000, rounds=4),
    _fair("drf-10000", "`drf`, 10,000 nodes", nodes=10_000, rounds=4, policy="drf"),
    _fair("fair-full", "full nodes", "heartbeats", nodes=20, measure="heartbeats"),
    _fair(
        "fair-update",
        "share update of 10,000 applications",
        "updates",
        nodes=100,
        applications=10_000,
        ask=10,
        measure="updates",
    ),
    Case(
        "fifo",
        "FIFO scheduler, four containers a heartbeat, 10,000 nodes",
        "containers",
        {**FIFO, "nodes": 10_000, "ask": 41},
    ),
    _capacity(
        "preemption",
        "preemption pass, 1,000 leaves, 50,000 containers of which it marks 25,000",
        "passes",
        nodes=1_000,
        memory_mb=51_200,
        vcores=50,
        parents=20,
        leaves=50,
        offswitch=100,
        ask=50,
        measure="preemption",
    ),
)
