"""A parent queue by itself: its children's order, what it lets each of them use, and how they come and go."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.capacity.rig import PREFIX, CapacityRig
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue, ordering_key
from yarnbox.yarn.resources.resource import Resource

GB = 1024


def _property(name: str) -> str:
    return name.replace("__", ".").replace("_", "-")


def rig_of(**properties: object) -> CapacityRig:
    """Queues a (25 %, at most 50 %), b (75 %) on one node of 8 GB."""
    rig = CapacityRig(
        {
            PREFIX + "root.queues": "a,b",
            PREFIX + "root.a.capacity": 25,
            PREFIX + "root.a.maximum-capacity": 50,
            PREFIX + "root.a.user-limit-factor": -1,
            PREFIX + "root.b.capacity": 75,
            PREFIX + "root.b.user-limit-factor": -1,
            **{
                PREFIX + name.replace("__", ".").replace("_", "-"): value
                for name, value in properties.items()
            },
        }
    )
    rig.add_node("n1", 8 * GB, 8)
    return rig


def use(rig: CapacityRig, name: str, count: int) -> None:
    rig.submit(name, f"root.{name}")
    rig.ask(name, count, GB)
    rig.heartbeat(*["n1"] * count)


def key(rig: CapacityRig, name: str) -> tuple[object, ...]:
    return ordering_key(rig.leaf(f"root.{name}"), "", rig.scheduler.tree.root.settings)


def test_who_uses_less_of_its_share_is_served_first() -> None:
    """Hadoop: PriorityUtilizationQueueOrderingPolicy compares used capacities, not amounts."""
    rig = rig_of()
    use(rig, "a", 1)  # half of its 2 GB
    use(rig, "b", 2)  # a third of its 6 GB
    assert key(rig, "b") < key(rig, "a")


def test_priority_decides_until_a_queue_has_its_share() -> None:
    rig = rig_of(root__a__priority=5, root__ordering_policy="priority-utilization")
    use(rig, "a", 1)
    use(rig, "b", 1)
    assert key(rig, "a") < key(rig, "b")
    rig.ask("a", 1, GB)
    rig.heartbeat("n1")  # 2 GB of 2: from here on b is served first, whatever the priority
    assert key(rig, "b") < key(rig, "a")


def test_a_queue_without_capacity_comes_last() -> None:
    rig = rig_of(root__queues="a,b,c", root__c__capacity=0)
    use(rig, "b", 4)
    assert max(("a", "b", "c"), key=lambda name: key(rig, name)) == "c"


def test_a_child_may_use_what_is_free_and_what_it_has() -> None:
    rig = rig_of()
    use(rig, "a", 2)
    use(rig, "b", 3)
    root, a = rig.scheduler.tree.root, rig.leaf("root.a")
    whole = Resource(8 * GB, 8)
    assert root.free_for_children("", whole) == Resource(3 * GB, 3)
    assert root.limit_of_child(a, "", whole).memory_mb == 5 * GB


def test_killable_containers_count_as_free_for_children() -> None:
    rig = rig_of()
    use(rig, "a", 2)
    root: ParentQueue = rig.scheduler.tree.root
    root.usage.of("").killable = Resource(GB, 1)
    assert root.free_for_children("", Resource(8 * GB, 8)) == Resource(7 * GB, 7)


def test_children_have_positions_in_the_order_of_the_file() -> None:
    rig = rig_of()
    root, a, b = rig.scheduler.tree.root, rig.leaf("root.a"), rig.leaf("root.b")
    assert (a.position, b.position) == (0, 1)
    root.remove_child(a)
    assert (root.children, b.position) == ([b], 0)
    root.add_child(a)
    assert (root.children, a.position) == ([b, a], 1)


@pytest.mark.parametrize(
    ("capacity", "minimum_gb"), [("[memory=6144,vcores=6]", 4), ("[memory=2048,vcores=2]", 2)]
)
def test_absolute_minima_shrink_with_the_cluster(capacity: str, minimum_gb: int) -> None:
    """12 GB are configured and 8 GB are there: each child gets two thirds; 8 of 8 GB fit."""
    other = "[memory=6144,vcores=6]"
    rig = CapacityRig(
        {
            PREFIX + "root.queues": "a,b",
            PREFIX + "root.a.capacity": capacity,
            PREFIX + "root.b.capacity": other,
        }
    )
    rig.add_node("n1", 8 * GB, 8)
    assert rig.leaf("root.a").share("").effective_minimum.memory_mb // GB == minimum_gb


def test_applications_are_counted_below() -> None:
    rig = rig_of()
    use(rig, "a", 1)
    use(rig, "b", 1)
    assert rig.scheduler.tree.root.app_count == 2
    rig.finish("a")
    assert rig.scheduler.tree.root.app_count == 1
    assert [queue.path for queue in rig.scheduler.tree.root.subtree()] == ["root", "root.a", "root.b"]
