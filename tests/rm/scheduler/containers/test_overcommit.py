"""A node that shrank below what is on it: who is asked, who is killed, in which order, and when."""

from __future__ import annotations

from tests.rig import PORT, Rig, ask
from yarnbox.rm.events.scheduler import SchedulerMarkContainerForKillable, SchedulerMarkContainerForPreemption
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import UpdateNodeResourceRequest
from yarnbox.yarn.records.basics import ResourceOption
from yarnbox.yarn.records.node import NodeResourceMap
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event

MARKS = (SchedulerMarkContainerForKillable, SchedulerMarkContainerForPreemption)


class Scene:
    """A node with an AM and three tasks of 1 GiB, and what was said about them."""

    def __init__(self) -> None:
        self.rig = Rig()
        self.rig.add_node("n1")
        self.application_id = self.rig.submit()
        self.rig.run(self.application_id, "n1")
        for _ in range(3):
            self.rig.advance(1_000)
            self.rig.allocate(self.application_id, ask())
            self.rig.heartbeat("n1")
            self.rig.allocate(self.application_id)
            self.rig.heartbeat("n1")
        self.events: list[Event] = []
        self.rig.context.dispatcher.watchers.append(self.events.append)

    def shrink(self, memory_mb: int, timeout_ms: int) -> None:
        option = ResourceOption(resource=Resource(memory_mb, 8), over_commit_timeout=timeout_ms)
        node = NodeResourceMap(node_id=NodeId("n1", PORT), resource_option=option)
        request = UpdateNodeResourceRequest(node_resource_map=(node,))
        self.rig.turn(lambda: self.rig.core.admin.update_node_resource(request, Caller(user="yarn")))

    def marked(self) -> list[tuple[str, int]]:
        """Which containers were marked since the last time, and how."""
        marks = [event for event in self.events if isinstance(event, MARKS)]
        self.events.clear()
        return [
            (type(mark).__name__.removeprefix("SchedulerMarkContainerFor"), mark.container_id.sequence)
            for mark in marks
        ]


def test_without_a_time_everybody_stays() -> None:
    scene = Scene()
    scene.shrink(1024, -1)
    scene.rig.advance(60_000)
    scene.rig.heartbeat("n1")
    assert not scene.marked()
    (node,) = scene.rig.context.scheduler.tracker.nodes.values()
    assert node.available.memory_mb == 1024 - 4096


def test_at_once() -> None:
    scene = Scene()
    scene.shrink(2048, 0)
    assert scene.marked() == [("Killable", 4), ("Killable", 3)]


def test_after_a_while_and_the_am_last() -> None:
    scene = Scene()
    scene.shrink(0, 10_000)
    assert scene.marked() == [("Preemption", 4), ("Preemption", 3), ("Preemption", 2), ("Preemption", 1)]
    scene.rig.advance(9_000)
    scene.rig.heartbeat("n1")
    assert not scene.marked()
    scene.rig.advance(1_000)
    scene.rig.heartbeat("n1")
    assert [kind for kind, _ in scene.marked()] == ["Killable"] * 4


def test_who_has_left_in_time_is_not_missed() -> None:
    scene = Scene()
    scene.shrink(3072, 10_000)
    assert scene.marked() == [("Preemption", 4)]
    task = sorted(scene.rig.nodes["n1"].running)[1]
    scene.rig.nodes["n1"].end(task, 0)
    scene.rig.heartbeat("n1")
    scene.rig.advance(20_000)
    scene.rig.heartbeat("n1")
    assert not scene.marked()
