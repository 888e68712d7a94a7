"""A leaf queue by itself: whom it admits, whom it activates, and what it forgets."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.capacity.rig import PREFIX, START_MS, CapacityRig
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.yarn.enums import QueueState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import NONE, Resource

GB = 1024
NEXT = ApplicationId(cluster_timestamp=START_MS, id=99)


def rig_of(**properties: object) -> CapacityRig:
    rig = CapacityRig(
        {
            PREFIX + "root.queues": "a",
            PREFIX + "root.a.capacity": 100,
            **{PREFIX + "root.a." + name.replace("_", "-"): value for name, value in properties.items()},
        }
    )
    rig.add_node("n1", 10 * GB, 10)
    return rig


def managed(rig: CapacityRig, name: str, am_gb: int, user: str = "user") -> None:
    """An application whose AM takes so much."""
    am = Resource(am_gb * GB, 1)
    assert rig.submit(name, "root.a", user, unmanaged_am=False, resource=am) is None


def test_the_maximum_of_applications() -> None:
    rig = rig_of(maximum_applications=2)
    leaf = rig.leaf("root.a")
    for name in ("x", "y"):
        assert rig.submit(name, "root.a") is None
    with pytest.raises(YarnError, match=r"Queue root\.a already has 2 applications, cannot accept"):
        leaf.check_submission(NEXT, "ann")
    rig.finish("x")
    leaf.check_submission(NEXT, "ann")


def test_the_maximum_of_a_user() -> None:
    rig = rig_of(maximum_applications=4, minimum_user_limit_percent=50, user_limit_factor=1)
    leaf = rig.leaf("root.a")
    assert leaf.maximum_applications_per_user == 2
    for name in ("x", "y"):
        assert rig.submit(name, "root.a", "ann") is None
    with pytest.raises(YarnError, match="already has 2 applications from user ann"):
        leaf.check_submission(NEXT, "ann")
    leaf.check_submission(NEXT, "bob")


def test_a_stopped_queue_admits_nobody() -> None:
    rig = rig_of()
    leaf = rig.leaf("root.a")
    leaf.state = QueueState.STOPPED
    with pytest.raises(YarnError, match=r"Queue root\.a is STOPPED"):
        leaf.check_submission(NEXT, "ann")


def test_a_draining_queue_stops_with_its_last_application() -> None:
    rig = rig_of()
    rig.submit("x", "root.a")
    rig.submit("y", "root.a")
    leaf = rig.leaf("root.a")
    leaf.state = QueueState.DRAINING
    states = []
    for name in ("x", "y"):
        rig.finish(name)
        states.append(leaf.state)
    assert states == [QueueState.DRAINING, QueueState.STOPPED]


def test_applications_of_a_user_are_forgotten_with_the_last() -> None:
    rig = rig_of()
    rig.submit("x", "root.a", "ann")
    leaf = rig.leaf("root.a")
    assert list(leaf.applications.values()) == ["ann"]
    rig.finish("x")
    assert (leaf.users.by_name, leaf.applications) == ({}, {})


def test_the_first_application_is_activated_whatever_its_am_takes() -> None:
    """Hadoop: LeafQueue.activateApplications lets one run where no AM runs."""
    rig = rig_of(maximum_am_resource_percent=0.1)
    managed(rig, "large", 3)
    managed(rig, "small", 1)
    assert rig.attempt("large").is_activated
    assert rig.attempt("small").waits_for is SkipReason.AM_LIMIT
    rig.finish("large")
    assert rig.attempt("small").is_activated


def test_a_smaller_am_overtakes_one_that_does_not_fit() -> None:
    rig = rig_of(maximum_am_resource_percent=0.4)
    for name, am_gb in (("first", 2), ("large", 3), ("small", 1)):
        managed(rig, name, am_gb)
    assert rig.attempt("large").waits_for is SkipReason.AM_LIMIT
    assert rig.attempt("small").is_activated


def test_what_ams_use_leaves_with_them() -> None:
    rig = rig_of(maximum_am_resource_percent=1.0)
    managed(rig, "x", 2)
    leaf = rig.leaf("root.a")
    assert leaf.usage.am_used("") == Resource(2 * GB, 1)
    rig.finish("x")
    assert leaf.usage.am_used("") == NONE


def test_without_nodes_nobody_is_activated() -> None:
    rig = rig_of()
    rig.remove_node("n1")
    managed(rig, "x", 1)
    assert rig.attempt("x").waits_for is SkipReason.CLUSTER_EMPTY
    rig.add_node("n2", 4 * GB, 4)
    assert rig.attempt("x").is_activated


@pytest.mark.parametrize(("capacity", "usage"), [("100", 0.2), ("1w", 0.0)])
def test_where_no_node_is_an_am_is_compared_with_the_capacity_of_its_queue(
    capacity: str, usage: float
) -> None:
    """As in Hadoop a queue with a weight has none."""
    rig = rig_of(capacity=capacity)
    rig.submit("x", "root.a")
    attempt = rig.attempt("x")
    attempt.partition = "nowhere"
    assert rig.scheduler.views.queue_usage(attempt, Resource(2 * GB, 1)) == pytest.approx(usage)
