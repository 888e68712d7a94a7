"""What the allocator finds for one application on one node: near places first, and reservations.

Hadoop: RegularContainerAllocator. Delays over whole runs are told by tests/scenarios/capacity.
"""

from __future__ import annotations

import pytest

from tests.rm.scheduler.capacity.rig import PREFIX, CapacityRig
from yarnbox.rm.asks import ANY
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

GB = 1024


def rig_of(**properties: object) -> CapacityRig:
    """n1 and n2 in rack /r1, n3 in rack /r2, 4 GB each; application x."""
    rig = CapacityRig(
        {
            PREFIX + "root.queues": "a",
            PREFIX + "root.a.capacity": 100,
            PREFIX + "root.a.user-limit-factor": -1,
            **{PREFIX + name.replace("_", "-"): value for name, value in properties.items()},
        }
    )
    for host, rack in (("n1", "/r1"), ("n2", "/r1"), ("n3", "/r2")):
        rig.add_node(host, 4 * GB, 4, rack)
    rig.submit("x", "root.a")
    return rig


def ask_near(rig: CapacityRig, host: str, rack: str, count: int, *, relax: bool = True) -> None:
    """A request at a host, its rack and `*`, as AMRMClient writes it."""

    def at(place: str, relaxes: bool) -> ResourceRequest:
        return ResourceRequest(
            priority=1,
            resource_name=place,
            capability=Resource(GB, 1),
            num_containers=count,
            relax_locality=relaxes,
        )

    rig.call("x", [at(host, True), at(rack, relax), at(ANY, relax)])


def hosts(rig: CapacityRig) -> list[str]:
    return [container.node_id.host for container in rig.pull("x")]


def test_the_host_that_was_asked_for_is_taken_at_once() -> None:
    rig = rig_of(node_locality_delay=40)
    ask_near(rig, "n1", "/r1", 1)
    rig.heartbeat("n1")
    assert hosts(rig) == ["n1"]


def test_the_rack_waits_for_the_delay() -> None:
    """Of many containers: one alone goes anywhere after locations / nodes x containers opportunities."""
    rig = rig_of(node_locality_delay=2)
    ask_near(rig, "n1", "/r1", 5)
    rig.heartbeat("n2", "n2")
    assert rig.containers("x") == 0
    rig.heartbeat("n2")
    assert hosts(rig)[0] == "n2"


def test_without_delay_the_rack_is_as_good() -> None:
    rig = rig_of(node_locality_delay=-1)
    ask_near(rig, "n1", "/r1", 1)
    rig.heartbeat("n2")
    assert hosts(rig) == ["n2"]


@pytest.mark.parametrize("host", ["n2", "n3"])
def test_a_strict_request_stays_on_its_host(host: str) -> None:
    rig = rig_of(node_locality_delay=-1)
    ask_near(rig, "n1", "/r1", 1, relax=False)
    rig.heartbeat(*[host] * 10)
    assert rig.containers("x") == 0
    rig.heartbeat("n1")
    assert hosts(rig) == ["n1"]


def test_what_does_not_fit_reserves_the_node() -> None:
    rig = rig_of()
    rig.ask("x", 1, 3 * GB)
    rig.heartbeat("n1")
    rig.ask("x", 1, 2 * GB)
    rig.heartbeat("n1")
    reserved = rig.scheduler.tracker.nodes[NodeId(host="n1", port=1234)].reserved_container
    assert reserved is not None
    assert reserved.resource == Resource(2 * GB, 1)


def test_a_reservation_is_given_up_for_a_node_that_has_room() -> None:
    """reservations-continue-look-all-nodes: another node is looked at while one is reserved."""
    rig = rig_of()
    rig.ask("x", 1, 3 * GB)
    rig.heartbeat("n1")
    rig.ask("x", 1, 2 * GB)
    rig.heartbeat("n1")
    rig.heartbeat("n2")
    assert [container.node_id.host for container in rig.attempt("x").live.values()] == ["n1", "n2"]


def test_a_request_larger_than_the_node_reserves_nothing() -> None:
    rig = rig_of()
    rig.ask("x", 1, 5 * GB)
    rig.heartbeat("n1", "n2", "n3")
    assert rig.containers("x") == 0
    assert all(node.reserved_container is None for node in rig.scheduler.tracker.nodes.values())
