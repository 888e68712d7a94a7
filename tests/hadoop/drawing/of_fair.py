"""What walks may draw for the FairScheduler besides what sim.walk draws."""

from __future__ import annotations

from random import Random

from tests.hadoop.drawing.fair_trees import GROUPS, asks_too_much_of_parents, draw_tree, with_rules
from tests.hadoop.drawing.feature import OF_ALL, RESTARTS, Draw, Feature, in_conf, in_steps
from yarnbox.sim.walk.clusters import Document

_FAIR = "yarn.scheduler.fair."
CHANGING_TREE = "refreshes that change the tree"


def _in_file(*changes: tuple[str, str]) -> Draw:
    """Puts one of the texts behind what is named in the allocation file."""

    def draw(dice: Random, document: Document) -> bool:
        place, text = dice.choice(changes)
        before = document["fair-scheduler"]
        after = before.replace(place, place + text, 1)
        if place not in before or asks_too_much_of_parents(after):
            return False
        document["fair-scheduler"] = after
        return True

    return draw


_ROOT, _A, _X, _B = "<allocations>", '<queue name="a">', '<queue name="x">', '<queue name="b">'


def _open_leaf(dice: Random, document: Document) -> bool:
    """Leaf x gets room for properties of its own."""
    document["fair-scheduler"] = document["fair-scheduler"].replace(
        '<queue name="x"/>', '<queue name="x"><weight>1.5</weight></queue>'
    )
    return True


def _other_tree(dice: Random, document: Document) -> bool:
    document["fair-scheduler"] = draw_tree(dice)
    return True


def _placement_rules(dice: Random, document: Document) -> bool:
    document["fair-scheduler"] = with_rules(dice, document["fair-scheduler"])
    document["groups"] = GROUPS
    return True


OF_FAIR = (
    *OF_ALL,
    Feature("another tree of queues", 0.3, _other_tree),
    Feature("placement rules", 0.2, _placement_rules),
    Feature("declared queues only", 0.1, in_conf(_FAIR + "allow-undeclared-pools", (False,))),
    Feature("no queue for a user", 0.1, in_conf(_FAIR + "user-as-default-queue", (False,))),
    Feature(CHANGING_TREE, 0.2, in_steps),
    Feature("leaf with properties", 0.6, _open_leaf),
    Feature(
        "policies",
        0.5,
        _in_file(
            *(
                (place, f"<schedulingPolicy>{policy}</schedulingPolicy>")
                for place in (_X, _B)
                for policy in ("fifo", "drf")
            ),
            (_ROOT, "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"),
        ),
    ),
    Feature(
        "largest shares",
        0.4,
        _in_file(
            (_A, "<maxResources>6144 mb, 8 vcores</maxResources>"),
            (_B, "<maxResources>50.0%</maxResources>"),
            (_ROOT, "<queueMaxResourcesDefault>8192 mb, 12 vcores</queueMaxResourcesDefault>"),
        ),
    ),
    Feature(
        "running applications",
        0.3,
        _in_file(
            (_A, "<maxRunningApps>2</maxRunningApps>"),
            (_B, "<maxRunningApps>1</maxRunningApps>"),
            (_ROOT, "<userMaxAppsDefault>1</userMaxAppsDefault>"),
            (_ROOT, "<queueMaxAppsDefault>2</queueMaxAppsDefault>"),
        ),
    ),
    Feature(
        "AM shares",
        0.4,
        _in_file(
            (_B, "<maxAMShare>0.2</maxAMShare>"),
            (_X, "<maxAMShare>0.7</maxAMShare>"),
            (_ROOT, "<queueMaxAMShareDefault>0.3</queueMaxAMShareDefault>"),
            (_ROOT, "<queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>"),
        ),
    ),
    Feature(
        "thresholds and timeouts",
        0.4,
        _in_file(
            (_A, "<fairSharePreemptionThreshold>0.8</fairSharePreemptionThreshold>"),
            (_ROOT, "<defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold>"),
            (_B, "<minSharePreemptionTimeout>3</minSharePreemptionTimeout>"),
            (_ROOT, "<defaultMinSharePreemptionTimeout>2</defaultMinSharePreemptionTimeout>"),
        ),
    ),
    Feature("protected queue", 0.2, _in_file((_B, "<allowPreemptionFrom>false</allowPreemptionFrom>"))),
    Feature(
        "largest container of a queue",
        0.2,
        _in_file((_B, "<maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation>")),
    ),
    Feature("size-based weight", 0.2, in_conf(_FAIR + "sizebasedweight", (True,))),
    Feature("one container in a heartbeat", 0.2, in_conf(_FAIR + "assignmultiple", (False,))),
    Feature("half of what is free", 0.2, in_conf(_FAIR + "dynamic.max.assign", (False,))),
    Feature("most containers in a heartbeat", 0.2, in_conf(_FAIR + "max.assign", (1, 2))),
    Feature("delay for hosts", 0.3, in_conf(_FAIR + "locality.threshold.node", (0.0, 0.3, 1.0))),
    Feature("delay for racks", 0.3, in_conf(_FAIR + "locality.threshold.rack", (0.0, 0.5, 1.0))),
    Feature("shorter warnings", 0.2, in_conf(_FAIR + "waitTimeBeforeKill", (0, 2000))),
    Feature("reservable nodes", 0.2, in_conf(_FAIR + "reservable-nodes", (0.3, 1.0))),
    Feature("next look for starvation", 0.2, in_conf(_FAIR + "waitTimeBeforeNextStarvationCheck", (0, 2000))),
    Feature("AMs are not preempted", 0.1, in_conf(_FAIR + "am.preemption", (False,))),
    Feature("AMs of a queue are not preempted", 0.1, in_conf(_FAIR + "am.preemption.root.b", (False,))),
    Feature(
        "least reservations",
        0.1,
        in_conf("yarn.scheduler.reservation-threshold.increment-multiple", (0.0, 1.0, 4.0)),
    ),
    Feature("larger steps", 0.2, in_conf("yarn.resource-types.memory-mb.increment-allocation", ("512M",))),
    RESTARTS,
)
