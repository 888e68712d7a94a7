"""Random walks: whatever is asked, ends, is lost or joins, no constraint is ever broken."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rm.scheduler.constraint.rig import RECOVERY, ConstraintRig, restarted, wants
from yarnbox.rm.events.node import NodeExpire
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.admin import UpdateNodeResourceRequest
from yarnbox.yarn.records.basics import ResourceOption
from yarnbox.yarn.records.node import NodeResourceMap
from yarnbox.yarn.resources.resource import Resource

NODES = 4
CONSTRAINTS = {
    "apart": "NOTIN,NODE,apart",
    "pair": "CARDINALITY,NODE,pair,0,1",
    "rack": "CARDINALITY,RACK,rack,0,2",
    "near": "IN,NODE,apart",
    "alone": "NOTIN,NODE,all/alone",
    "both": "AND(NOTIN,NODE,not-self/both:OR(IN,NODE,apart:CARDINALITY,NODE,both,0,0))",
}
MOST_ON_A_NODE = {"apart": 1, "pair": 2}
MOST_ON_A_RACK = {"rack": 3}

Step = tuple[Any, ...]


def steps() -> st.SearchStrategy[list[Step]]:
    app, place = st.integers(0, 1), st.integers(0, 20)
    node = st.integers(0, NODES - 1)
    each = st.one_of(
        st.tuples(st.just("ask"), app, st.sampled_from(list(CONSTRAINTS)), st.integers(1, 4)),
        st.tuples(st.just("beat"), node),
        st.tuples(st.just("beat"), node),
        st.tuples(st.just("call"), app),
        st.tuples(st.just("call"), app),
        st.tuples(st.just("release"), app, place),
        st.tuples(st.just("end"), app, place),
        st.tuples(st.just("lose"), node),
        st.tuples(st.just("join"), node),
        st.tuples(st.just("kill"), app),
        st.tuples(st.just("sicken"), node, st.booleans()),
        st.tuples(st.just("resize"), node, st.sampled_from([2048, 4096, 8192])),
        st.tuples(st.just("restart")),
    )
    return st.lists(each, max_size=60)


class Walk:
    """Two applications with the same constraints on four nodes of two racks."""

    def __init__(self, handler: str) -> None:
        self.handler = handler
        self.rig = ConstraintRig(handler, NODES, memory_mb=8192, site=RECOVERY)
        self.apps = [self.rig.start(CONSTRAINTS) for _ in range(2)]
        self.asked = 0
        self.before = self.counts()

    def take(self, step: Step) -> None:
        getattr(self, step[0])(*step[1:])
        self.check()

    def ask(self, app: int, tag: str, count: int) -> None:
        self.asked += 1
        self.rig.ask(self.apps[app], wants(tag, count, number=self.asked))

    def beat(self, node: int) -> None:
        name = self.rig.names[node]
        if self.rig.nodes[name].is_live:
            self.rig.heartbeat(name)

    def call(self, app: int) -> None:
        self.rig.allocate(self.apps[app])

    def release(self, app: int, place: int) -> None:
        live = self.rig.live(self.apps[app])
        if live:
            self.rig.allocate(self.apps[app], release=(live[place % len(live)].container_id,))

    def end(self, app: int, place: int) -> None:
        live = self.rig.live(self.apps[app])
        if live:
            container = live[place % len(live)]
            self.rig.node(container.node_id).end(container.container_id, 0)

    def lose(self, node: int) -> None:
        member = self.rig.nodes[self.rig.names[node]]
        if member.is_live:
            self.rig.turn(lambda: self.rig.context.post(NodeExpire(node_id=member.node_id)))
            member.is_live = False

    def join(self, node: int) -> None:
        if not self.rig.nodes[self.rig.names[node]].is_live:
            self.rig.add_node(self.rig.names[node], 8192)

    def kill(self, app: int) -> None:
        """Another one takes its place."""
        self.rig.kill(self.apps[app])
        self.apps[app] = self.rig.start(CONSTRAINTS)

    def sicken(self, node: int, is_ill: bool) -> None:
        self.rig.nodes[self.rig.names[node]].health_report = "disk failed" if is_ill else ""
        self.beat(node)

    def resize(self, node: int, memory_mb: int) -> None:
        member = self.rig.nodes[self.rig.names[node]]
        if member.is_live:
            option = ResourceOption(resource=Resource(memory_mb, 8), over_commit_timeout=-1)
            entry = NodeResourceMap(node_id=member.node_id, resource_option=option)
            request = UpdateNodeResourceRequest(node_resource_map=(entry,))
            admin = Caller(user="yarn")
            self.rig.turn(lambda: self.rig.core.admin.update_node_resource(request, admin))

    def restart(self) -> None:
        """Nodes and AMs that live find the new RM; what they had asked is not asked again."""
        self.rig = restarted(self.rig, self.handler)
        for app in self.apps:
            self.rig.register_again(app, CONSTRAINTS)
        self.before = self.counts()

    def counts(self) -> dict[str, Counter[tuple[ApplicationId, str]]]:
        """What is on each node."""
        nodes = self.rig.context.scheduler.tracker.nodes.values()
        return {
            node.host: Counter(
                (container.application_id, tag)
                for container in node.containers.values()
                for tag in container.allocation_tags
            )
            for node in nodes
        }

    def check(self) -> None:
        now, before = self.counts(), self.before
        self.before = now
        racks: Counter[tuple[str, ApplicationId, str]] = Counter()
        for host, counts in now.items():
            alone = sum(count for (_, tag), count in counts.items() if tag == "alone")
            assert alone <= 1, f"{host}: {counts}"
            for (app, tag), count in counts.items():
                assert count <= MOST_ON_A_NODE.get(tag, count), f"{host}: {counts}"
                racks[self.rig.racks[host], app, tag] += count
                is_new = count > before.get(host, Counter())[app, tag]
                if tag == "near" and is_new:
                    there = counts[app, "apart"] + before.get(host, Counter())[app, "apart"]
                    assert there, f"{host}: nobody to be near to: {counts}"
            both = [app for (app, tag), count in counts.items() if tag == "both" and count]
            assert len(both) <= 1, f"{host}: {counts}"
        for (rack, _, tag), count in racks.items():
            assert count <= MOST_ON_A_RACK.get(tag, count), f"{rack}: {racks}"


@pytest.mark.parametrize("handler", ["scheduler", "placement-processor"])
@settings(max_examples=120)
@given(walk=steps())
def test_no_constraint_is_ever_broken(handler: str, walk: list[Step]) -> None:
    world = Walk(handler)
    for step in walk:
        world.take(step)
    # The faults stop: what can be placed is placed, and the two handlers agree on what that is for "apart".
    for node in range(NODES):
        world.join(node)
    for _ in range(8):
        for node in range(NODES):
            world.take(("beat", node))
        for app in range(2):
            world.take(("call", app))
    for app_id in world.apps:
        world.rig.kill(app_id)
    world.rig.heartbeat(*world.rig.names)
    world.rig.heartbeat(*world.rig.names)
    tags = world.rig.context.constraints.tags
    assert not any(tags.on_node(node.node_id) for node in world.rig.nodes.values())


@pytest.mark.parametrize("handler", ["scheduler", "placement-processor"])
def test_a_walk_reaches_every_constraint(handler: str) -> None:
    """So that the walks above do not hold for want of containers."""
    world = Walk(handler)
    seen: Counter[str] = Counter()
    for tag in CONSTRAINTS:
        for app in range(2):
            world.take(("ask", app, tag, 2))
            for _ in range(6):
                for node in range(NODES):
                    world.take(("beat", node))
                world.take(("call", app))
    for counts in world.counts().values():
        for (_, tag), count in counts.items():
            seen[tag] += count
    assert all(seen[tag] for tag in CONSTRAINTS)
    assert seen["alone"] <= NODES
