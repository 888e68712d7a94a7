"""What is proposed on a node that drains is dropped, and proposed again while that counts for somebody."""

from __future__ import annotations

from tests.rm.scheduler.capacity.rig import PREFIX, CapacityRig
from yarnbox.rm.asks import ANY, RequestKey
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

GB = 1024
KEY = RequestKey(1)
NODE = NodeId(host="n1", port=1234)


class Counts(dict[RequestKey, int]):
    """Missed opportunities, and how often they were set."""

    times = 0

    def __setitem__(self, key: RequestKey, value: int) -> None:
        self.times += 1
        super().__setitem__(key, value)


def draining() -> CapacityRig:
    """n1 in rack /r1, which drains, n2 and n3 in /r2; the applications x and y, x first."""
    rig = CapacityRig(
        {
            PREFIX + "root.queues": "a",
            PREFIX + "root.a.capacity": 100,
            PREFIX + "root.a.user-limit-factor": -1,
        }
    )
    for host, rack in (("n1", "/r1"), ("n2", "/r2"), ("n3", "/r2")):
        rig.add_node(host, 4 * GB, 4, rack)
    rig.submit("x", "root.a")
    rig.submit("y", "root.a")
    rig.context.nodes[NODE].state = NodeState.DECOMMISSIONING
    rig.scheduler.tracker.nodes[NODE].is_schedulable = False
    return rig


def ask_near(rig: CapacityRig, app: str, host: str, rack: str) -> CapacityAttempt:
    places = (host, rack, ANY)
    rig.call(
        app,
        [
            ResourceRequest(priority=1, resource_name=place, capability=Resource(GB, 1), num_containers=4)
            for place in places
        ],
    )
    return rig.attempt(app)


def serve(rig: CapacityRig) -> None:
    rig.scheduler.node_allocator.serve(rig.scheduler.tracker.nodes[NODE])


def test_what_was_dropped_is_not_proposed_again_where_nothing_has_changed() -> None:
    rig = draining()
    attempt = ask_near(rig, "y", "n1", "/r1")
    attempt.opportunities = counts = Counts()
    serve(rig)
    assert counts == {KEY: 0}
    assert counts.times == 2  # missed, and found there
    assert not attempt.live
    assert rig.scheduler.context.health.refused == 100, "as often as Hadoop proposes it, and metrics count"


def test_it_is_proposed_again_while_another_misses_opportunities() -> None:
    rig = draining()
    waiting, local = ask_near(rig, "x", "n2", "/r2"), ask_near(rig, "y", "n1", "/r1")
    serve(rig)
    # Four containers at two places of three nodes: with the third that it misses it may go anywhere, and what
    # is proposed there for it ends the heartbeat.
    assert waiting.opportunities[KEY] == 3
    assert local.opportunities[KEY] == 0
    assert not [*waiting.live, *local.live]
    assert rig.scheduler.context.health.refused == 3
