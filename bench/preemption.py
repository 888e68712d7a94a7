"""One pass of the CapacityScheduler's preemption policy: 1,000 leaf queues, 50,000 containers, one core.

Half of the queues have twice their guarantee, the other half nothing and want theirs. `pass, first` selects
and marks, `pass, nothing to take` finds every queue at its guarantee: that is what most passes of a healthy
cluster are.
"""

from __future__ import annotations

import gc
import time

from bench._report import report
from rm.scheduler.capacity.preemption.policy import PassReport, PreemptionPolicy
from rm.scheduler.capacity.preemption.settings import PreemptionSettings
from rm.scheduler.capacity.preemption.snapshot import ContainerView, NodeView
from sim.preempt_table.build import Built
from sim.preempt_table.rows import AppRow, GroupRow, PassRow, QueueRow, Row, ShareRow
from yarn.resource import NONE, Resource

PARENTS, LEAVES_EACH, CONTAINERS = 20, 50, 50_000
NODES = 1_000
UNIT = Resource(1, 1)


class Silent:
    """Carries nothing out."""

    def mark(self, container: ContainerView) -> None:
        """Nobody is told."""

    def kill(self, container: ContainerView) -> None:
        """Nothing ends."""

    def unreserve(self, container: ContainerView) -> None:
        """Nothing is kept."""

    def move_reservation(self, container: ContainerView, node: NodeView) -> bool:
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


def main() -> None:
    """Measures, prints and saves."""
    first_s, found = timed(cluster(is_balanced=False))
    idle_s, _ = timed(cluster(is_balanced=True))
    figures = {
        "pass, first": first_s * 1000,
        "pass, nothing to take": idle_s * 1000,
        "containers selected": float(len(found.selected)),
    }
    report("preemption", figures, {"pass, first": "ms", "pass, nothing to take": "ms"})


if __name__ == "__main__":
    main()
