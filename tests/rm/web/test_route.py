"""The way of a request from the root to the nodes: what holds, what fails, with which numbers."""

from __future__ import annotations

from typing import Any

from tests.rig import Rig, ask
from yarnbox.rm.scheduler.capacity import CapacityScheduler
from yarnbox.rm.scheduler.checks import RequestChecks

CAPACITY = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.scheduler.capacity.root.queues": "a,b",
    "yarn.scheduler.capacity.root.a.capacity": "50",
    "yarn.scheduler.capacity.root.a.maximum-capacity": "50",
    "yarn.scheduler.capacity.root.b.capacity": "50",
}
HALF = {
    "yarn.scheduler.capacity.root.a.maximum-capacity": "100",
    "yarn.scheduler.capacity.root.a.user-limit-factor": "4",
}


def asking(settings: dict[str, str], memory_mb: int, count: int, node_mb: int = 8192) -> tuple[Rig, Any]:
    rig = Rig(settings)
    rig.add_node("n1", node_mb, 8)
    application_id = rig.submit(queue="root.a", unmanaged_am=True)
    rig.register(application_id)
    rig.allocate(application_id, ask(count=count, memory_mb=memory_mb))
    for _ in range(8):
        rig.advance(1_000)
        rig.heartbeat("n1")
    return rig, application_id


def capacity_route(rig: Rig, application_id: Any) -> RequestChecks:
    scheduler = rig.context.scheduler
    assert isinstance(scheduler, CapacityScheduler)
    (found,) = scheduler.explanations.all_checks(application_id)
    return found


def test_a_queue_at_its_maximum_fails_and_says_what_would_help() -> None:
    found = capacity_route(*asking(CAPACITY, 1024, 9))
    assert found.asked == "5 of <memory:1024, vCores:1>, priority 1"
    failing = [(one.level, one.numbers) for one in found.checks if not one.holds]
    assert ("root.a", "root.a: maximum <memory:4096, vCores:4>, used <memory:4096, vCores:4>") in failing
    assert all(one.reason.remedy for one in found.checks if not one.holds)
    assert [one.holds for one in found.checks if one.level == "root"] == [True]


def test_a_container_larger_than_any_node_fails_at_the_nodes() -> None:
    found = capacity_route(*asking({**CAPACITY, **HALF}, 4096, 1, node_mb=3072))
    last = found.checks[-1]
    assert (last.level, last.reason.value) == (
        "nodes",
        "the request is larger than the node's total resources",
    )
    assert last.reason.remedy == "a smaller container is asked for, or larger nodes are added"


def test_below_a_full_cluster_queues_are_compared_with_their_own_maxima() -> None:
    """A leaf far below its maximum was said to hit it, and to have room with nothing left."""
    rig, application_id = asking({**CAPACITY, **HALF}, 1024, 7)
    other = rig.submit(queue="root.b", unmanaged_am=True)
    rig.register(other)
    rig.allocate(other, ask(count=3, memory_mb=1024))
    for _ in range(2):
        rig.heartbeat("n1")
    found = capacity_route(rig, other)
    assert [(one.level, one.holds) for one in found.checks if one.level.startswith("root")] == [
        ("root", False),
        ("root.b", True),
        ("root.b", True),
    ]
    assert not any("0 left" in one.numbers for one in found.checks if one.holds)
    assert found.failing[0].level == "root"
    assert application_id != other
