"""Random walks of scheduling requests: constraints, tags and attributes over the clusters of clusters.py."""

from __future__ import annotations

from random import Random

from tests.hadoop.drawing.choices import QueueChoices
from tests.hadoop.drawing.clusters import LABEL, draw_capacity_cluster
from yarnbox.sim.scenario.playing.world import World
from yarnbox.sim.walk.choices import StepValue
from yarnbox.sim.walk.clusters import Document

TAGS = ("zk", "web", "db")
CONSTRAINTS = (
    *("NOTIN,NODE,zk", "NOTIN,RACK,zk", "IN,NODE,zk", "IN,RACK,web", "NOTIN,NODE,zk,web", "IN,NODE,zk,db"),
    *("CARDINALITY,NODE,zk,0,1", "CARDINALITY,RACK,web,0,2", "CARDINALITY,NODE,zk,web,1,2"),
    *("NOTIN,NODE,all/zk", "IN,NODE,not-self/web", "NOTIN,RACK,not-self/db", "IN,RACK,all/web"),
    *("java=1.8", "java!=1.8", "java=11", "os!=linux"),
    *("AND(java!=1.8:NOTIN,NODE,zk)", "OR(java=11:IN,NODE,all/web)"),
    "OR(AND(IN,RACK,web:NOTIN,NODE,zk):CARDINALITY,NODE,db,0,0)",
)
IN_PARTITION = f"yarn_node_partition/={LABEL}"
PLACEMENT = "yarn.resourcemanager.placement-constraints."
_KEYS_OF_PLAIN_REQUESTS = 100


def draw_constraint_cluster(dice: Random, seed: int) -> Document:
    """A cluster of the CapacityScheduler that takes scheduling requests, by one handler or the other."""
    document = draw_capacity_cluster(dice, seed)
    document["name"] = f"twin-constraints-{seed}"
    conf = document["conf"]
    conf[PLACEMENT + "handler"] = dice.choice(("scheduler", "scheduler", "placement-processor"))
    if dice.random() < 0.3:
        conf[PLACEMENT + "retry-attempts"] = dice.randint(1, 4)
    if dice.random() < 0.2:
        conf[PLACEMENT + "algorithm.iterator"] = "POPULAR_TAGS"
    for node in document["nodes"]:
        if dice.random() < 0.6:
            node["attributes"] = {"java": dice.choice(("1.8", "11"))}
    return document


class ConstraintChoices(QueueChoices):
    """Draws asks with tags and constraints among the others."""

    def __init__(self, dice: Random, document: Document) -> None:
        super().__init__(dice, document)
        self._asked: dict[str, list[StepValue]] = {}

    def _submit(self, world: World) -> object:
        value = super()._submit(world)
        if isinstance(value, dict) and "managed" not in value and self._dice.random() < 0.4:
            value["constraints"] = {
                tag: self._dice.choice(CONSTRAINTS) for tag in TAGS if self._dice.random() < 0.5
            }
        return value

    def _ask(self, world: World) -> object:
        value = super()._ask(world)
        if not isinstance(value, dict) or self._dice.random() < 0.3:
            return value
        wanted = [self._constrained(value["app"]) for _ in range(self._dice.randint(1, 3))]
        plain = value.get("requests", []) if self._dice.random() < 0.2 else []
        value["requests"] = [*plain, *wanted]
        return value

    def _constrained(self, app: str) -> StepValue:
        dice = self._dice
        known = self._asked.setdefault(app, [])
        if known and dice.random() < 0.3:
            # Another number; of what else may not change Hadoop wants to see a constraint.
            return {**dice.choice(known), "count": dice.choice((0, 1, 3))}
        request: StepValue = {
            "count": dice.choice((1, 1, 2, 3, 5)),
            "memory-mb": 1024 * dice.randint(1, 2),
            "priority": dice.randint(1, 3),
            "id": _KEYS_OF_PLAIN_REQUESTS + sum(map(len, self._asked.values())),
            "tags": dice.sample(TAGS, dice.choice((1, 1, 1, 2))),
            "constraint": dice.choice(CONSTRAINTS),
        }
        if self._has_labels and dice.random() < 0.15:
            request["constraint"] = IN_PARTITION
        known.append(request)
        return request
