"""Random clusters of the CapacityScheduler, drawn from a seed as documents of scenarios without steps.

What varies is what its queues can be told: percentages, weights or resources; depth; limits of users,
applications and ApplicationMasters; orderings; priorities; labels; preemption.
"""

from __future__ import annotations

from random import Random

from yarnbox.sim.walk.clusters import Document, draw_node

PREFIX = "yarn.scheduler.capacity."
MONITOR = "yarn.resourcemanager.monitor.capacity.preemption."
DOMINANT = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
LABEL = "x"
_WHOLE = 100


def draw_capacity_cluster(dice: Random, seed: int) -> Document:
    """A cluster of two to four nodes, and a tree of two to eight queues."""
    queues = Queues(dice)
    conf: dict[str, object] = {"yarn.resourcemanager.scheduler.class": "capacity"}
    document: Document = {
        "name": f"twin-capacity-{seed}",
        "about": f"A walk of seed {seed}, compared with Hadoop.",
        "conf": conf,
        "capacity-scheduler": queues.properties(),
    }
    if dice.random() < 0.3:
        conf["yarn.resourcemanager.scheduler.monitor.enable"] = True
        conf[MONITOR + "max_wait_before_kill"] = dice.choice((0, 15_000))
        conf[MONITOR + "total_preemption_per_round"] = dice.choice((0.1, 1.0))
        conf[MONITOR + "natural_termination_factor"] = dice.choice((0.2, 1.0))
        conf[MONITOR + "intra-queue-preemption.enabled"] = dice.random() < 0.4
    if dice.random() < 0.3:
        conf["yarn.cluster.max-application-priority"] = 5
    if queues.has_labels:
        conf["yarn.node-labels.enabled"] = True
        document["labels"] = {LABEL: {"exclusive": dice.random() < 0.5}}
    racks = dice.randint(1, 2)
    nodes = [draw_node(dice, number, racks) for number in range(1, dice.randint(2, 4) + 1)]
    if queues.has_labels:
        nodes[0]["labels"] = [LABEL]
    document["nodes"] = nodes
    return document


class Queues:
    """A tree of queues, drawn once; its properties may be drawn again for a refresh."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self.has_labels = dice.random() < 0.3
        self._kind = dice.choice(("percent", "percent", "weight"))
        self._is_dominant = dice.random() < 0.3
        self._tree: dict[str, tuple[str, ...]] = {"root": tuple("abc"[: dice.randint(1, 3)])}
        for name in self._tree["root"]:
            if dice.random() < 0.4:
                self._tree[f"root.{name}"] = tuple("xyz"[: dice.randint(1, 3)])

    @property
    def leaves(self) -> list[str]:
        """The paths of the leaf queues."""
        paths = [f"{parent}.{name}" for parent, names in self._tree.items() for name in names]
        return [path for path in paths if path not in self._tree]

    def properties(self) -> dict[str, object]:
        """The file, with shares and limits drawn now."""
        dice = self._dice
        found: dict[str, object] = {
            "maximum-am-resource-percent": dice.choice((0.1, 0.3, 0.5, 1.0)),
            "node-locality-delay": dice.choice((-1, 0, 1, 3)),
        }
        if self._is_dominant:
            found["resource-calculator"] = DOMINANT
        if dice.random() < 0.3:
            found["rack-locality-additional-delay"] = dice.choice((0, 1, 2))
        if dice.random() < 0.2:
            found["per-node-heartbeat.maximum-offswitch-assignments"] = dice.choice((0, 2, 3))
        if dice.random() < 0.2:
            found["per-node-heartbeat.multiple-assignments-enabled"] = False
        if dice.random() < 0.2:
            found["reservations-continue-look-all-nodes"] = False
        if self.has_labels:
            found |= {f"root.accessible-node-labels.{LABEL}.capacity": 100}
        for parent, names in self._tree.items():
            found[f"{parent}.queues"] = ",".join(names)
            found[f"{parent}.ordering-policy"] = dice.choice(("utilization", "priority-utilization"))
            self._share_out(found, parent, names)
        for leaf in self.leaves:
            self._limit(found, leaf)
        return {PREFIX + name: value for name, value in found.items()}

    def _share_out(self, found: dict[str, object], parent: str, names: tuple[str, ...]) -> None:
        dice = self._dice
        for name, share in zip(names, shares(dice, len(names)), strict=True):
            path = f"{parent}.{name}"
            found[f"{path}.capacity"] = f"{dice.randint(1, 4)}w" if self._kind == "weight" else share
            if dice.random() < 0.3:
                found[f"{path}.maximum-capacity"] = dice.randint(share, _WHOLE)
            if dice.random() < 0.3:
                found[f"{path}.priority"] = dice.randint(0, 3)
            if dice.random() < 0.1:
                found[f"{path}.disable_preemption"] = True
        if self.has_labels:
            for name, share in zip(names, shares(dice, len(names)), strict=True):
                path = f"{parent}.{name}.accessible-node-labels"
                found[path] = LABEL
                found[f"{path}.{LABEL}.capacity"] = (
                    f"{dice.randint(1, 4)}w" if self._kind == "weight" else share
                )

    def _limit(self, found: dict[str, object], leaf: str) -> None:
        dice = self._dice
        if dice.random() < 0.5:
            found[f"{leaf}.user-limit-factor"] = dice.choice((-1, 0.5, 1.5, 2, 4, 10))
        if dice.random() < 0.4:
            found[f"{leaf}.minimum-user-limit-percent"] = dice.choice((10, 25, 33, 50, 100))
        if dice.random() < 0.4:
            found[f"{leaf}.ordering-policy"] = dice.choice(("fifo", "fair"))
        if dice.random() < 0.2:
            found[f"{leaf}.maximum-am-resource-percent"] = dice.choice((0.05, 0.2, 0.9))
        if dice.random() < 0.15:
            found[f"{leaf}.max-parallel-apps"] = dice.randint(1, 3)
        if dice.random() < 0.15:
            found[f"{leaf}.maximum-applications"] = dice.randint(1, 4)
        if self.has_labels and dice.random() < 0.3:
            found[f"{leaf}.default-node-label-expression"] = LABEL


def shares(dice: Random, count: int) -> list[int]:
    """Percentages that sum up to 100."""
    cuts = sorted(dice.sample(range(5, _WHOLE, 5), count - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, _WHOLE], strict=True)]
