"""Why is it pending? Each reason once, at an application that it keeps back."""

from __future__ import annotations

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.checks import Reason
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.resources.resource import Resource

P = "yarn.scheduler.capacity."
OPEN = {P + "maximum-am-resource-percent": "1.0", P + "user-limit-factor": "100"}
ONE = {**OPEN, P + "root.queues": "a", P + "root.a.capacity": "100"}
TWO = {
    **OPEN,
    P + "root.queues": "a,b",
    P + "root.a.capacity": "50",
    P + "root.a.maximum-capacity": "50",
    P + "root.b.capacity": "50",
}


def reasons(rig: CapacityRig, name: str) -> list[Reason]:
    found = rig.scheduler.explanations.explain(rig.attempts[name].application_id)
    return [check.reason for one in found for check in one.failing]


def test_of_an_application_that_has_not_started() -> None:
    rig = CapacityRig({**ONE, P + "maximum-am-resource-percent": "0.1", P + "root.max-parallel-apps": "3"})
    rig.add_node("n1", 10240)
    for name in ("a0", "a1", "a2", "a3"):
        rig.submit(name, "root.a")
    assert reasons(rig, "a0") == [SkipReason.NOTHING_ASKED]
    assert reasons(rig, "a1") == [SkipReason.AM_LIMIT]
    assert reasons(rig, "a3") == [SkipReason.NOT_RUNNABLE]


def test_of_an_application_without_a_cluster() -> None:
    rig = CapacityRig(ONE)
    rig.submit("a0", "root.a")
    assert reasons(rig, "a0") == [SkipReason.CLUSTER_EMPTY]


def test_the_user_am_limit() -> None:
    rig = CapacityRig({**ONE, P + "maximum-am-resource-percent": "0.2", P + "user-limit-factor": "0.5"})
    rig.add_node("n1", 20480)
    for name in ("a0", "a1", "a2"):
        rig.submit(name, "root.a", "ann")
    assert reasons(rig, "a2") == [SkipReason.USER_AM_LIMIT]


def test_queue_and_parent_at_maximum() -> None:
    rig = CapacityRig(TWO)
    rig.add_node("n1", 4096)
    rig.submit("a0", "root.a")
    rig.ask("a0", 3)
    for _ in range(3):
        rig.heartbeat("n1")
    assert rig.containers("a0") == 2
    assert reasons(rig, "a0") == [SkipReason.QUEUE_AT_MAXIMUM]
    rig.submit("b0", "root.b")
    rig.ask("b0", 3)
    for _ in range(3):
        rig.heartbeat("n1")
    assert reasons(rig, "b0") == [SkipReason.CLUSTER_FULL]


def test_user_limit() -> None:
    rig = CapacityRig({**TWO, P + "user-limit-factor": "0.5", P + "root.a.maximum-capacity": "100"})
    rig.add_node("n1", 8192)
    rig.submit("a0", "root.a")
    rig.ask("a0", 8)
    for _ in range(8):
        rig.heartbeat("n1")
    assert rig.containers("a0") == 3, "one above half of four"
    assert reasons(rig, "a0") == [SkipReason.USER_LIMIT]


def test_headroom_and_those_behind() -> None:
    rig = CapacityRig(ONE)
    rig.add_node("n1", 8192)
    rig.submit("a0", "root.a", "ann")
    rig.submit("a1", "root.a", "bob")
    rig.ask("a0", 1, 6144)
    rig.heartbeat("n1")
    rig.ask("a0", 1, 4096, priority=2)
    rig.ask("a1", 1, 1024)
    rig.heartbeat("n1")
    assert rig.containers("a1") == 0
    assert reasons(rig, "a0") == [SkipReason.QUEUE_HEADROOM]
    assert reasons(rig, "a1") == [SkipReason.EARLIER_APPLICATION]


def test_a_sibling_of_an_ancestor_may_hold_the_room_back() -> None:
    rig = CapacityRig(
        {
            **TWO,
            P + "root.a.maximum-capacity": "60",
            P + "root.b.queues": "c",
            P + "root.b.c.capacity": "100",
        }
    )
    rig.add_node("n1", 1024)
    rig.submit("a0", "root.a")
    rig.submit("c0", "root.b.c")
    rig.ask("a0", 1, 1024)
    rig.ask("c0", 1, 1024)
    rig.heartbeat("n1")
    assert rig.containers("c0") == 0
    assert reasons(rig, "c0") == [SkipReason.SIBLING_QUEUE]


def test_nodes() -> None:
    rig = CapacityRig(
        {**ONE, P + "user-limit-factor": "-1"}, site={"yarn.scheduler.maximum-allocation-mb": "16384"}
    )
    rig.add_node("small", 2048)
    rig.add_node("full", 8192)
    rig.add_node("large", 16384, rack="/r2")
    rig.submit("a0", "root.a")
    rig.ask("a0", 2, 4096)
    rig.heartbeat("full", "full")
    assert rig.containers("a0") == 2
    rig.attempt("a0").blacklist["/r2"] = None
    rig.ask("a0", 1, 5120)
    assert sorted(reason.name for reason in reasons(rig, "a0")) == [
        "BLACKLIST",
        "NODE_BUSY",
        "NODE_TOO_SMALL",
    ]


def test_locality() -> None:
    rig = CapacityRig(ONE)
    for host in ("n1", "n2", "n3"):
        rig.add_node(host, 4096, rack=f"/{host}")
    rig.submit("a0", "root.a")
    for place in ("n1", "/n1", "*"):
        rig.ask("a0", 3, at=place)
    rig.heartbeat("n2")
    assert SkipReason.LOCALITY_DELAY in reasons(rig, "a0")
    for place in ("n1", "/n1", "*"):
        rig.ask("a0", 3, at=place, relax=place == "n1")
    assert SkipReason.STRICT_LOCALITY in reasons(rig, "a0")


def test_reservations() -> None:
    rig = CapacityRig(ONE)
    rig.add_node("n1", 8192)
    rig.add_node("n2", 8192)
    rig.submit("a0", "root.a")
    rig.ask("a0", 2, 5120)
    rig.heartbeat("n1", "n2")
    rig.ask("a0", 1, 4096, priority=2)
    rig.heartbeat("n1")
    assert sorted(reason.name for reason in reasons(rig, "a0")) == ["NODE_FULL", "RESERVED"]


def test_what_is_told_of_an_am_that_waits() -> None:
    rig = CapacityRig({**ONE, P + "maximum-am-resource-percent": "0.1"})
    rig.add_node("n1", 10240)
    rig.submit("a0", "root.a", unmanaged_am=False)
    rig.submit("a1", "root.a", unmanaged_am=False)
    moment = "[Thu Jan 01 00:16:40 +0000 1970] "
    assert rig.scheduler.views.launch_diagnostics(rig.attempts["a0"]).startswith(
        f"{moment}Application is Activated, waiting for resources to be assigned for AM.  Details : "
        "AM Partition = <DEFAULT_PARTITION> ; Partition Resource = <memory:10240, vCores:8> ; "
        "Queue's Absolute capacity = 100.0 % ; Queue's Absolute used capacity = 0.0 % ; "
        "Queue's Absolute max capacity = 100.0 % ; "
        "Queue's capacity (absolute resource) = <memory:10240, vCores:8> ; "
        "Queue's used capacity (absolute resource) = <memory:0, vCores:0> ; "
        "Queue's max capacity (absolute resource) = <memory:10240, vCores:8> ;"
    )
    assert rig.scheduler.views.launch_diagnostics(rig.attempts["a1"]) == (
        f"{moment}Application is added to the scheduler and is not yet activated. "
        "Queue's AM resource limit exceeded.  Details : AM Partition = <DEFAULT_PARTITION>; "
        "AM Resource Request = <memory:1024, vCores:1>; "
        "Queue Resource Limit for AM = <memory:1024, vCores:1>; "
        "User AM Resource Limit of the queue = <memory:1024, vCores:1>; "
        "Queue AM Resource Usage = <memory:1024, vCores:1>; "
    )


def test_a_node_that_is_being_decommissioned() -> None:
    rig = CapacityRig(ONE)
    rig.add_node("n1", 4096)
    rig.submit("a0", "root.a")
    rig.ask("a0", 1, 2048)
    rig.node("n1").state = NodeState.DECOMMISSIONING
    rig.heartbeat("n1")
    assert rig.containers("a0") == 0
    assert reasons(rig, "a0") == [SkipReason.DECOMMISSIONING]
    rig.resize_node("n1", Resource(0, 0))  # to what runs on it
    rig.add_node("n2", 1024)
    rig.add_node("n3", 1024)
    rig.heartbeat("n1", "n2", "n3")
    assert reasons(rig, "a0") == [SkipReason.DECOMMISSIONING, SkipReason.NODE_TOO_SMALL]
