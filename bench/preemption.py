"""One pass of the CapacityScheduler's preemption policy: 1,000 leaf queues, 50,000 containers, one core.

Half of the queues have twice their guarantee, the other half nothing and want theirs. `pass, first` selects
and marks, `pass, nothing to take` finds every queue at its guarantee: that is what most passes of a healthy
cluster are. Both are the policy by itself. `whole` is a pass in a running scheduler, with the snapshot and
with all that marks and kills cause; `longest piece` is how long such a pass keeps the scheduler from
answering.
"""

from __future__ import annotations

import gc
import time
from typing import cast

from bench._report import report
from tests.preempt_table.build import Built
from tests.preempt_table.rows import AppRow, GroupRow, PassRow, QueueRow, Row, ShareRow
from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.events.scheduler import SchedulerEvent, SchedulerMonitorTick
from yarnbox.rm.scheduler.capacity.preemption.policy import PassReport, PreemptionPolicy
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.interpreter import reduce_garbage_collection

CAPACITY = "yarn.scheduler.capacity."
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
PARENTS, LEAVES_EACH, CONTAINERS = 20, 50, 50_000
NODES = 1_000
UNIT = Resource(1, 1)


class Silent:
    """Carries nothing out."""

    def mark(self, container: RMContainer, kill_at_ms: int) -> None:
        """Nobody is told."""

    def kill(self, container: RMContainer) -> None:
        """Nothing ends."""

    def unreserve(self, container: RMContainer) -> None:
        """Nothing is kept."""

    def move_reservation(self, container: RMContainer, node: SchedulerNode) -> bool:
        """Nothing moves."""
        return False


def share(guaranteed: int, used: int, pending: int) -> dict[str, ShareRow]:
    """A queue's amounts, the same of memory and vcores."""
    amounts = [UNIT * amount for amount in (guaranteed, CONTAINERS, used, pending)]
    return {"": ShareRow(*amounts)}


def queue(
    path: str, parent: str | None, amounts: dict[str, ShareRow], apps: tuple[AppRow, ...] = ()
) -> QueueRow:
    """A queue that may be preempted."""
    return QueueRow(path, parent, amounts, False, False, 0, False, 0.0, None, apps)


def cluster(*, is_balanced: bool) -> Row:
    """All containers in every second leaf, or the same number in each."""
    leaves = PARENTS * LEAVES_EACH
    guaranteed = CONTAINERS // leaves
    queues = [queue("root", None, share(CONTAINERS, CONTAINERS, 0))]
    for p in range(PARENTS):
        parent = f"root.p{p}"
        whole = guaranteed * LEAVES_EACH
        queues.append(queue(parent, "root", share(whole, whole, 0)))
        for q in range(LEAVES_EACH):
            used = guaranteed if is_balanced else (0 if q % 2 else 2 * guaranteed)
            wanted = 0 if is_balanced or not q % 2 else guaranteed
            node = f"n{(p * LEAVES_EACH + q) % NODES}"
            app = AppRow(
                f"app-{p}-{q}",
                "user",
                0,
                {"": UNIT * wanted if wanted else NONE},
                (GroupRow(used, UNIT, node, "", 1, False, False),),
            )
            queues.append(queue(f"{parent}.q{q}", parent, share(guaranteed, used, wanted), (app,)))
    nodes = {f"n{n}": ("", UNIT * (4 * CONTAINERS // NODES)) for n in range(NODES)}
    partitions = {"": UNIT * CONTAINERS}
    types = ("memory-mb", "vcores")
    return Row("bench", True, {}, UNIT, types, partitions, nodes, tuple(queues), (PassRow(0, {}),))


def timed(row: Row) -> tuple[float, PassReport]:
    """The processor time of one pass, in seconds, the making of the snapshot left out."""
    policy = PreemptionPolicy(PreemptionSettings(total_per_round=1.0, natural_termination_factor=1.0))
    built = Built(row, 0)
    gc.collect()
    begin = time.process_time()
    found = policy.run(built.snapshot, Silent())
    return time.process_time() - begin, found


def running() -> CapacityRig:
    """A scheduler with all containers in every second leaf, and the others asking."""
    properties: dict[str, object] = {
        CAPACITY + "maximum-am-resource-percent": 1,
        CAPACITY + "user-limit-factor": 1000,
        CAPACITY + "resource-calculator": "dominant",
        CAPACITY + "per-node-heartbeat.maximum-offswitch-assignments": 100,
        CAPACITY + "root.queues": ",".join(f"p{p}" for p in range(PARENTS)),
    }
    leaves = [f"q{q}" for q in range(LEAVES_EACH)]
    for p in range(PARENTS):
        properties[f"{CAPACITY}root.p{p}.capacity"] = 100 / PARENTS
        properties[f"{CAPACITY}root.p{p}.queues"] = ",".join(leaves)
        properties |= {f"{CAPACITY}root.p{p}.{leaf}.capacity": 100 / LEAVES_EACH for leaf in leaves}
    site = {
        "yarn.resourcemanager.scheduler.monitor.enable": "true",
        PREEMPTION + "total_preemption_per_round": "1.0",
        PREEMPTION + "natural_termination_factor": "1.0",
        PREEMPTION + "max_wait_before_kill": "0",
    }
    rig = CapacityRig(properties, site=site, handles_posted=True)
    hosts = [f"n{n}" for n in range(NODES)]
    for host in hosts:
        rig.add_node(host, 1024 * CONTAINERS // NODES, CONTAINERS // NODES)
    each = CONTAINERS // (PARENTS * LEAVES_EACH)
    for first, wanted in ((0, 2 * each), (1, each)):
        for p in range(PARENTS):
            for leaf in leaves[first::2]:
                rig.submit(f"{p}-{leaf}", f"root.p{p}.{leaf}")
                rig.ask(f"{p}-{leaf}", count=wanted)
        rig.heartbeat(*hosts, *hosts)
    assert rig.scheduler.tree.root.usage.of("").containers == CONTAINERS
    rig.posted.take()
    return rig


def passing(rig: CapacityRig) -> list[float]:
    """How long each piece of the next pass takes (ms of processor time), what it causes included."""
    scheduler, context = rig.scheduler, rig.context
    context.logs_at = lambda logger, level: False
    context.stopwatch = lambda: time.process_time() * 1000
    (name,) = scheduler.monitor.policies
    context.now_ms += 3_000
    event: SchedulerEvent | None = SchedulerMonitorTick(policy=name)
    pieces: list[float] = []
    reduce_garbage_collection()
    while event is not None:
        begin = time.process_time()
        scheduler.handle(event)
        context.dispatcher.drain()
        pieces.append((time.process_time() - begin) * 1000)
        context.effects.clear()
        rig.posted.take()
        context.now_ms += 1
        event = cast("SchedulerEvent | None", context.timers.pop_due(context.now_ms))
    gc.unfreeze()
    return pieces


def main() -> None:
    """Measures, prints and saves."""
    first_s, found = timed(cluster(is_balanced=False))
    idle_s, _ = timed(cluster(is_balanced=True))
    rig = running()
    figures = {
        "pass, first": first_s * 1000,
        "pass, nothing to take": idle_s * 1000,
        "containers selected": float(len(found.selected)),
    }
    for name in ("marks", "kills", "idle"):
        pieces = passing(rig)
        figures |= {f"whole, {name}": sum(pieces), f"longest piece, {name}": max(pieces)}
    report("preemption", figures, {name: "ms" for name in figures if name != "containers selected"})


if __name__ == "__main__":
    main()
