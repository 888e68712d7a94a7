"""A proposal is checked against the books as they are when it is committed, not as the allocator saw them."""

from __future__ import annotations

from tests.rm.scheduler.capacity.rig import PREFIX, CapacityRig
from yarnbox.rm.asks import Locality, RequestKey
from yarnbox.rm.scheduler.capacity.allocation.assignment import Assignment, Kind
from yarnbox.rm.scheduler.capacity.allocation.commit import Commit
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.resources.resource import Resource

GB = 1024
KEY = RequestKey(1)


class Scene:
    """One queue with an application that asks for five containers of 1 GB, one node of 4 GB."""

    def __init__(self, **properties: object) -> None:
        self.rig = CapacityRig(
            {
                PREFIX + "root.queues": "a,b",
                PREFIX + "root.a.capacity": 50,
                PREFIX + "root.a.user-limit-factor": -1,
                PREFIX + "root.b.capacity": 50,
                **{PREFIX + "root.a." + name.replace("_", "-"): value for name, value in properties.items()},
            }
        )
        self.rig.add_node("n1", 4 * GB, 4)
        self.rig.submit("x", "root.a")
        self.rig.ask("x", 5, GB)
        scheduler = self.rig.scheduler
        self.node = scheduler.tracker.nodes[NodeId(host="n1", port=1234)]
        self.attempt = self.rig.attempt("x")
        self.commit = Commit(scheduler.tree.root.context, scheduler.completion)

    def proposal(self, kind: Kind = Kind.ALLOCATE, size_gb: int = 1) -> Assignment:
        made = Assignment(kind)
        made.attempt, made.node, made.key = self.attempt, self.node, KEY
        made.resource, made.locality = Resource(size_gb * GB, size_gb), Locality.OFF_SWITCH
        return made


def test_an_allocation_is_booked() -> None:
    scene = Scene()
    assert scene.commit.commit(scene.proposal())
    assert scene.rig.used_mb("root.a") == scene.rig.used_mb("root") == GB
    assert scene.node.available == Resource(3 * GB, 3)
    scene.rig.scheduler.check_books()


def test_what_does_not_fit_any_more_is_dropped() -> None:
    scene = Scene()
    large = scene.proposal()
    large.resource = Resource(4 * GB, 4)
    assert scene.commit.commit(scene.proposal())
    assert scene.rig.scheduler.context.health.refused == 0
    assert not scene.commit.commit(large)
    assert scene.rig.used_mb("root.a") == GB
    assert scene.rig.scheduler.context.health.refused == 1


def test_a_node_that_has_left_takes_nothing() -> None:
    scene = Scene()
    proposal = scene.proposal()
    scene.rig.remove_node("n1")
    assert not scene.commit.commit(proposal)


def test_a_node_that_was_reserved_meanwhile_takes_nothing() -> None:
    scene = Scene()
    assert scene.commit.commit(scene.proposal(Kind.RESERVE))
    assert scene.node.reserved_container is not None
    assert not scene.commit.commit(scene.proposal())


def test_the_queue_has_filled_meanwhile() -> None:
    scene = Scene(maximum_capacity=50)
    assert [scene.commit.commit(scene.proposal()) for _ in range(3)] == [True, True, False]
    assert scene.rig.used_mb("root.a") == 2 * GB


def test_a_reservation_is_dropped_by_a_proposal_of_its_own() -> None:
    scene = Scene()
    scene.commit.commit(scene.proposal(Kind.RESERVE))
    drop = scene.proposal(Kind.DROP)
    drop.from_reserved = scene.node.reserved_container
    assert scene.commit.commit(drop)
    assert scene.node.reserved_container is None
    assert scene.rig.used_mb("root.a") == 0


def test_a_node_reserved_again_is_reserved_for_the_size_of_the_first_time() -> None:
    """See tests/scenarios/capacity/reservation-keeps-its-size.yaml."""
    scene = Scene()
    scene.commit.commit(scene.proposal(Kind.RESERVE))
    again = scene.proposal(Kind.RE_RESERVE, size_gb=3)
    again.from_reserved = reserved = scene.node.reserved_container
    assert scene.commit.commit(again)
    assert reserved is not None
    assert reserved.reserved_resource == reserved.resource == Resource(GB, 1)
    assert scene.rig.used_mb("root.a") == GB


def test_a_container_that_nobody_asked_the_queues_for_keeps_the_limits() -> None:
    """Hadoop: attemptAllocationOnNode, for the placement processor."""
    scene = Scene(maximum_capacity=50)
    fits, large = Resource(2 * GB, 2), Resource(3 * GB, 3)
    assert scene.commit.accepts_directly(scene.attempt, scene.node, KEY, fits)
    assert not scene.commit.accepts_directly(scene.attempt, scene.node, KEY, large)
    assert scene.rig.used_mb("root.a") == 0
