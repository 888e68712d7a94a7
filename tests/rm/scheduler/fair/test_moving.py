"""An application goes to another queue, with all that is booked, or may not."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.fair.queues.test_running import running
from tests.rm.scheduler.fair.rig import Rig, refusal_of
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.yarn.resources.resource import Resource

GB = Resource(1024, 1)
FILE = """<allocations>
  <queue name="p"><maxRunningApps>2</maxRunningApps><queue name="x"/><queue name="y"/></queue>
  <queue name="full"><maxRunningApps>0</maxRunningApps></queue>
  <queue name="small"><maxResources>1024 mb, 8 vcores</maxResources></queue>
  <queue name="plan"><reservation/></queue>
  <user name="ann"><maxRunningApps>1</maxRunningApps></user>
</allocations>"""


def cluster() -> Rig:
    """One application with two containers in root.src."""
    rig = Rig(FILE)
    rig.add_node("n", 8192)
    rig.submit("a", "src", "bob")
    rig.ask("a", 3, GB)
    rig.update()
    rig.heartbeat("n", 2)
    return rig


@pytest.mark.parametrize(
    "queue, reason",
    [
        ("nowhere", "Target queue nowhere not found or is not a leaf queue"),
        ("p", "Target queue p not found or is not a leaf queue"),
        ("plan", "Target queue plan not found"),
        ("full", "maxRunningApps constraints on queue root.full"),
        ("small", "maxShare constraints on queue root.small"),
        ("src", ""),
        ("p.x", ""),
    ],
)
def test_where_it_may_go(queue: str, reason: str) -> None:
    assert reason in refusal_of(cluster(), "a", queue)


def test_use_and_demand_change_sides() -> None:
    rig = cluster()
    assert rig.move("a", "p.x") == "root.p.x"
    rig.update()
    assert rig.queue("src").used == Resource()
    assert rig.queue("p").used == Resource(2048, 2)
    assert (rig.queue("src").demand.memory_mb, rig.queue("p.x").demand.memory_mb) == (0, 3072)
    rig.heartbeat("n")
    assert rig.queue("p.x").used == Resource(3072, 3)


def test_a_user_at_the_limit_cannot_move() -> None:
    rig = Rig(FILE)
    rig.submit("a", "src", "ann")
    assert "Should have already verified" in refusal_of(rig, "a", "p.x")


def test_a_common_ancestor_that_is_full_counts_the_application_itself() -> None:
    rig = Rig(FILE)
    rig.submit("a", "p.x")
    rig.submit("b", "p.x")
    assert "Should have already verified" in refusal_of(rig, "a", "p.y")


def test_a_waiting_application_may_run_after_its_move_and_a_running_one_frees_a_place() -> None:
    rig = Rig(
        '<allocations><queue name="x"><maxRunningApps>1</maxRunningApps></queue>'
        '<queue name="y"/></allocations>'
    )
    for name in "abc":
        rig.submit(name, "x")
    rig.move("b", "y")
    assert running(rig) == "ab"
    rig.move("a", "y")
    assert running(rig) == "abc"


def test_an_am_is_taken_off_the_old_queue_and_not_put_on_the_new_one() -> None:
    rig = Rig('<allocations><queue name="x"/><queue name="y"/></allocations>')
    rig.add_node("n", 8192)
    rig.submit("a", "x", am=GB)
    rig.update()
    rig.heartbeat("n")
    leaves = [rig.queue(name) for name in "xy"]
    assert all(isinstance(leaf, LeafQueue) for leaf in leaves)
    used = [leaf.am_used.memory_mb for leaf in leaves if isinstance(leaf, LeafQueue)]
    assert used == [1024, 0]
    rig.move("a", "y")
    rig.finish("a")
    used = [leaf.am_used.memory_mb for leaf in leaves if isinstance(leaf, LeafQueue)]
    assert used == [0, -1024]
