"""What walks are said to have drawn and reached."""

from __future__ import annotations

import pytest

from tests.hadoop.reach import Reach, Watch, general
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import read_document
from yarnbox.sim.scenario.reading.source import tree_from
from yarnbox.sim.walk.clusters import Document

DOCUMENT: Document = {
    "name": "two-nodes",
    "about": "An application that is larger than its queue may be.",
    "conf": {"yarn.resourcemanager.scheduler.class": "capacity"},
    "capacity-scheduler": {
        "yarn.scheduler.capacity.root.queues": "a,b",
        "yarn.scheduler.capacity.root.a.capacity": 50,
        "yarn.scheduler.capacity.root.a.maximum-capacity": 50,
        "yarn.scheduler.capacity.root.b.capacity": 50,
    },
    "nodes": [{"name": "n1", "memory-mb": 2048}],
    "steps": [
        {"submit": {"app": "a1", "queue": "root.a", "user": "ann"}},
        {"ask": {"app": "a1", "requests": [{"count": 4, "memory-mb": 1024}]}},
        {"heartbeat": {"node": "n1", "times": 2}},
        {"heartbeat": "n1"},
        {"heartbeat": "n1"},
    ],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("yarn.nm.liveness-monitor.expiry-interval-ms", "yarn.nm.liveness-monitor.expiry-interval-ms"),
        ("yarn.scheduler.capacity.root.queues", "yarn.scheduler.capacity.<queue-path>.queues"),
        ("yarn.scheduler.capacity.root.a.x.capacity", "yarn.scheduler.capacity.<queue-path>.capacity"),
        (
            "yarn.scheduler.capacity.root.a.accessible-node-labels.y.maximum-capacity",
            "yarn.scheduler.capacity.<queue-path>.accessible-node-labels.<label>.maximum-capacity",
        ),
        (
            "yarn.scheduler.capacity.root.a.ordering-policy.fair.enable-size-based-weight",
            "yarn.scheduler.capacity.<queue-path>.ordering-policy.fair.enable-size-based-weight",
        ),
        (
            "yarn.scheduler.capacity.root.b.user-settings.alice.weight",
            "yarn.scheduler.capacity.<queue-path>.user-settings.<user>.weight",
        ),
    ],
)
def test_names_of_properties_are_counted_without_what_a_walk_calls_its_own(name: str, expected: str) -> None:
    assert general(name) == expected


def test_a_report_says_what_was_met_and_what_was_not() -> None:
    reach = Reach()
    watch = Watch(reach)
    scenario, _ = read_document(tree_from(DOCUMENT), "two-nodes")
    player = Player(scenario)
    player.begin()
    for step in scenario.steps:
        watch.look(player.world)
        player.carry_out(step)
    reach.add_walk(DOCUMENT, ["larger steps"])
    both = Reach()
    both.add(reach)
    both.add(reach)
    assert both.walks == 2
    assert both.verbs == {"submit": 2, "ask": 2, "heartbeat": 6}
    assert both.properties["yarn.scheduler.capacity.<queue-path>.capacity"] == 2  # once for each walk
    assert reach.transitions["RMContainer NEW ContainerStart"] == 1
    text = "\n".join(both.lines())
    assert "| nodes | 1 | 1 | 1 |" in text
    assert "| `RMContainer NEW ContainerStart` | 2 |" in text
    assert "`RMNode RUNNING NodeExpire`" in text.partition("Not met: ")[2]
    assert "| `CapacityScheduler QUEUE_AT_MAXIMUM` |" in text
