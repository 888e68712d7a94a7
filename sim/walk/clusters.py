"""Which cluster a walk begins with: drawn from the seed, as the document of a scenario without steps."""

from __future__ import annotations

from random import Random
from typing import Any

Document = dict[str, Any]

SCHEDULER_CLASS = "yarn.resourcemanager.scheduler.class"
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption"
FAIR_FILE = """\
<allocations>
  <defaultFairSharePreemptionTimeout>5</defaultFairSharePreemptionTimeout>
  <queue name="a"><weight>2.0</weight><queue name="x"/><queue name="y"/></queue>
  <queue name="b"><minResources>2048 mb, 2 vcores</minResources></queue>
</allocations>
"""
CAPACITY_FILE: dict[str, object] = {
    "yarn.scheduler.capacity.maximum-am-resource-percent": 0.5,
    "yarn.scheduler.capacity.root.queues": "a,b",
    "yarn.scheduler.capacity.root.a.capacity": 60,
    "yarn.scheduler.capacity.root.a.queues": "x,y",
    "yarn.scheduler.capacity.root.a.x.capacity": 50,
    "yarn.scheduler.capacity.root.a.x.user-limit-factor": 4,
    "yarn.scheduler.capacity.root.a.y.capacity": 50,
    "yarn.scheduler.capacity.root.b.capacity": 40,
    "yarn.scheduler.capacity.root.b.user-limit-factor": 2,
}
QUEUES = {"fifo": ("default",), "capacity": ("root.a.x", "root.a.y", "root.b"), "fair": ("a.x", "a.y", "b")}


def draw_cluster(dice: Random, seed: int, scheduler: str) -> Document:
    """A cluster of two to five nodes on one to three racks, with properties that make time matter."""
    conf: dict[str, object] = {
        SCHEDULER_CLASS: scheduler,
        "yarn.nm.liveness-monitor.expiry-interval-ms": dice.choice((30_000, 600_000)),
        "yarn.am.liveness-monitor.expiry-interval-ms": dice.choice((60_000, 60_000, 900_000)),
        "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": dice.choice((20_000, 600_000)),
        "yarn.resourcemanager.am.max-attempts": dice.choice((1, 2, 3)),
    }
    if dice.random() < 0.3:
        conf["yarn.resourcemanager.am-scheduling.node-blacklisting-enabled"] = True
    racks = dice.randint(1, 3)
    document: Document = {
        "name": f"walk-{scheduler}-{seed}",
        "about": f"The walk of seed {seed} under the {scheduler} scheduler.",
        "conf": conf,
    }
    if scheduler == "capacity":
        document["capacity-scheduler"] = dict(CAPACITY_FILE)
        conf["yarn.resourcemanager.scheduler.monitor.enable"] = dice.random() < 0.5
        conf[f"{PREEMPTION}.max_wait_before_kill"] = dice.choice((0, 15_000))
        conf[f"{PREEMPTION}.total_preemption_per_round"] = 1.0
        conf[f"{PREEMPTION}.natural_termination_factor"] = 1.0
        conf[f"{PREEMPTION}.intra-queue-preemption.enabled"] = dice.random() < 0.3
    elif scheduler == "fair":
        conf["yarn.scheduler.fair.preemption"] = dice.random() < 0.7
        conf["yarn.scheduler.fair.preemption.cluster-utilization-threshold"] = dice.choice((0.0, 0.8))
        conf["yarn.scheduler.fair.assignmultiple"] = True
        document["fair-scheduler"] = FAIR_FILE
    document["nodes"] = [draw_node(dice, number, racks) for number in range(1, dice.randint(2, 5) + 1)]
    return document


def draw_node(dice: Random, number: int, racks: int = 3) -> Document:
    """A node with a few GiB."""
    return {
        "name": f"n{number}",
        "rack": f"/r{dice.randint(1, racks)}",
        "memory-mb": dice.choice((2048, 4096, 6144, 8192)),
        "vcores": dice.choice((4, 8, 16)),
    }
