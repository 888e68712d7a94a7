"""Our side: a line of parameters on standard input, a line of figures on standard output (machine.Answer)."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

from bench import capacity, fair, fifo, labels, preemption
from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.events.scheduler import SchedulerNodeUpdate
from yarnbox.rm.scheduler.base import Scheduler
from yarnbox.yarn.runtime.interpreter import reduce_garbage_collection

UPDATES = 10
BATCH = 50
Words = dict[str, str]


def built(words: Words) -> Scheduler[Any]:
    """The cluster with its applications and what they ask for."""
    nodes, applications, ask = (int(words[name]) for name in ("nodes", "applications", "ask"))
    if words["scheduler"] == "fifo":
        assert applications == fifo.APPLICATIONS
        return fifo.build(nodes)
    if words["scheduler"] == "fair":
        return fair.build(words["policy"], nodes, applications, ask).scheduler
    return capacity_rig(words).scheduler


def capacity_rig(words: Words) -> CapacityRig:
    """The same with the CapacityScheduler."""
    nodes, applications = int(words["nodes"]), int(words["applications"])
    partitions, memory_mb = int(words["partitions"]), int(words["memory_mb"])
    if partitions > 1:
        return labels.cluster(nodes, partitions, memory_mb)
    parents, leaves = int(words["parents"]), int(words["leaves"])
    extra = {
        "user-limit-factor": words["user_limit_factor"],
        "per-node-heartbeat.maximum-offswitch-assignments": words["offswitch"],
    }
    settings = capacity.properties(extra, parents=parents, leaves=leaves)
    return capacity.cluster(nodes, applications, memory_mb, settings, parents, leaves, ask=int(words["ask"]))


def containers(scheduler: Scheduler[Any]) -> int:
    """On all nodes."""
    return sum(len(node.containers) for node in scheduler.tracker.nodes.values())


def beat(words: Words) -> tuple[float, float]:
    """Heartbeats of the nodes in turn, so many rounds or until the time is over: how much, how long."""
    scheduler = built(words)
    events = [SchedulerNodeUpdate(node_id=node_id) for node_id in scheduler.tracker.nodes]
    counts_containers = words["measure"] == "containers"
    if not counts_containers:
        saturate(scheduler, events)
    seconds, rounds = float(words["seconds"]), int(words["rounds"])
    before, heartbeats, passes, took = containers(scheduler), 0, 0, 0.0
    reduce_garbage_collection()
    begin = time.process_time()
    while passes < rounds if rounds else took < seconds:
        for first in range(0, len(events), BATCH):
            batch = events[first : first + BATCH]
            for event in batch:
                scheduler.handle(event)
            heartbeats += len(batch)
            took = time.process_time() - begin
            if not rounds and took >= seconds:
                break
        passes += 1
    gc.unfreeze()
    return containers(scheduler) - before if counts_containers else heartbeats, took


def saturate(scheduler: Scheduler[Any], events: list[SchedulerNodeUpdate]) -> None:
    """Heartbeats until no node has room, or nobody may have it."""
    before = -1
    while before != containers(scheduler):
        before = containers(scheduler)
        for event in events:
            scheduler.handle(event)


def update(words: Words) -> tuple[float, float]:
    """Share updates, everybody having changed what he asks for."""
    nodes, applications, ask = (int(words[name]) for name in ("nodes", "applications", "ask"))
    rig = fair.build(words["policy"], nodes, applications, ask)
    took = 0.0
    for number in range(UPDATES):
        for application in range(applications):
            rig.ask(f"a{application}", 11 + (application + number) % 97, fair.CONTAINER)
        took += fair.timed(rig.scheduler.update_shares)
    return UPDATES, took


def call(words: Words) -> tuple[float, float]:
    """Calls of AMs, each of which asks for another number of containers."""
    rig = capacity_rig(words)
    names, seconds = list(rig.attempts), float(words["seconds"])
    done, took = 0, 0.0
    reduce_garbage_collection()
    while took < seconds:
        begin = time.process_time()
        for place, name in enumerate(names):
            rig.ask(name, 11 + (place + done) % 97)
        took += time.process_time() - begin
        done += len(names)
    gc.unfreeze()
    return done, took


def come(words: Words) -> tuple[float, float]:
    """Applications that come, ask for a container, get it with the next heartbeat, and end."""
    rig = capacity_rig(words)
    scheduler, seconds = rig.scheduler, float(words["seconds"])
    events = [SchedulerNodeUpdate(node_id=node_id) for node_id in scheduler.tracker.nodes]
    saturate(scheduler, events)
    parents, leaves = int(words["parents"]), int(words["leaves"])
    done, took = 0, 0.0
    reduce_garbage_collection()
    while took < seconds:
        first = len(rig.attempts)
        begin = time.process_time()
        for place in range(BATCH):
            number = first + place
            name = f"b{number}"
            rig.submit(name, f"root.p{number % parents}.q{number // parents % leaves}", user=f"u{place}")
            rig.ask(name)
            scheduler.handle(events[place])
            assert rig.attempt(name).live, f"{name} was given nothing"
            rig.finish(name)
        took += time.process_time() - begin
        done += BATCH
    gc.unfreeze()
    return done, took


def preempt(words: Words) -> tuple[float, float]:
    """One pass, the scheduler carrying out its marks."""
    leaves = int(words["parents"]) * int(words["leaves"])
    assert leaves == preemption.PARENTS * preemption.LEAVES_EACH
    assert int(words["ask"]) * leaves == preemption.CONTAINERS
    return 1, sum(preemption.passing(preemption.running())) / 1000


MEASURES: dict[str, Callable[[Words], tuple[float, float]]] = {
    "containers": beat,
    "heartbeats": beat,
    "updates": update,
    "calls": call,
    "applications": come,
    "preemption": preempt,
}


def main() -> None:
    """Answers until there are no more questions."""
    for line in sys.stdin:
        words = dict(word.split("=", 1) for word in line.split())
        done, took = MEASURES[words["measure"]](words)
        print(f"{done:.0f} {took:.6f} {took:.6f}", flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
