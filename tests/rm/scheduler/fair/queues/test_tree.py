"""Queues come and go: made on demand, kept when declared, changed in kind when that can be done."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rm.scheduler.fair.rig import Rig
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.queue import ParentQueue
from yarnbox.yarn.resources.resource import NONE, Resource

DRF_BELOW_FAIR = (
    "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"
    '<queue name="b" type="parent"><schedulingPolicy>fair</schedulingPolicy></queue>'
)


def declared(inside: str) -> str:
    """An allocation file."""
    return f"<allocations>{inside}</allocations>"


def test_queues_are_made_with_their_ancestors() -> None:
    rig = Rig()
    rig.submit("a", "x.y.z")
    assert list(rig.scheduler.tree.queues) == ["root", "root.x", "root.x.y", "root.x.y.z"]
    assert rig.queue("x.y").is_dynamic
    assert isinstance(rig.queue("x.y"), ParentQueue)
    assert isinstance(rig.queue("root.x.y.z"), LeafQueue)


@pytest.mark.parametrize(
    "allocations, queue, reason",
    [
        (None, "a..b", "Illegal node name at offset 7 for queue name root.a..b"),
        (None, "a. b", "Illegal node name at offset 7"),
        ('<queue name="a"/>', "a.b", "root.a.b is not a leaf queue"),
        ('<queue name="a" type="parent"/>', "a", "root.a is not a leaf queue"),
        (DRF_BELOW_FAIR, "b.c", "root.b.c is not a leaf queue"),
    ],
)
def test_what_cannot_be_made_rejects_the_application(
    allocations: str | None, queue: str, reason: str
) -> None:
    rig = Rig(declared(allocations) if allocations else None)
    application_id = rig.submit("a", queue)
    assert reason in rig.rejected[application_id]


def test_a_parent_cannot_be_fifo() -> None:
    rig = Rig(declared('<queue name="p"><schedulingPolicy>fifo</schedulingPolicy><queue name="c"/></queue>'))
    assert list(rig.scheduler.tree.queues) == ["root"]
    assert "policy is for leaf queues only" in rig.logged()


def test_empty_ad_hoc_queues_go_and_their_empty_parents_too() -> None:
    rig = Rig(declared('<queue name="keep" type="parent"/>'))
    for name, queue in (("a", "x.y.z"), ("b", "x.w"), ("c", "keep.v")):
        rig.submit(name, queue)
    rig.finish("a")
    rig.finish("c")
    rig.advance(10_000)
    assert list(rig.scheduler.tree.queues) == ["root", "root.keep", "root.x", "root.x.w"]
    rig.finish("b")
    rig.advance(10_000)
    assert list(rig.scheduler.tree.queues) == ["root", "root.keep"]


def test_without_a_file_ad_hoc_queues_stay() -> None:
    rig = Rig()
    rig.submit("a", "x")
    rig.finish("a")
    rig.advance(60_000)
    assert "root.x" in rig.scheduler.tree.queues


def test_a_reload_declares_and_undeclares() -> None:
    rig = Rig(declared('<queue name="a"/>'))
    rig.submit("one", "b")
    rig.refresh(declared('<queue name="b"/>'))
    assert rig.queue("a").is_dynamic
    assert not rig.queue("b").is_dynamic
    rig.finish("one")
    rig.advance(10_000)
    assert list(rig.scheduler.tree.queues) == ["root", "root.b"]


def test_an_empty_leaf_becomes_a_parent_at_once_a_busy_one_later() -> None:
    rig = Rig(declared('<queue name="a"/><queue name="b"/>'))
    rig.submit("one", "b")
    rig.refresh(
        declared('<queue name="a"><queue name="x"/></queue><queue name="b"><queue name="x"/></queue>')
    )
    assert isinstance(rig.queue("a.x"), LeafQueue)
    assert isinstance(rig.queue("b"), LeafQueue)
    rig.finish("one")
    rig.advance(20_000)
    assert isinstance(rig.queue("b"), ParentQueue)
    assert isinstance(rig.queue("b.x"), LeafQueue)


def test_a_busy_leaf_becomes_a_parent_with_the_first_child_of_hadoops_order() -> None:
    """Whoever is tried again after that finds no leaf in its place, and is not made: QueueManager's
    IncompatibleQueueRemovalTask, in the order of a hash set of paths.
    """
    rig = Rig('<allocations><queue name="u"/></allocations>')
    rig.submit("a", "u")
    children = "".join(f'<queue name="{name}"/>' for name in "bac")
    rig.refresh(f'<allocations><queue name="u">{children}</queue></allocations>')
    rig.finish("a")
    rig.scheduler.tree.change_pending_kinds()
    assert [queue.path for queue in rig.scheduler.tree.leaves] == ["root.u.a"]


def test_a_leaf_default_is_never_removed_for_a_child_of_it() -> None:
    rig = Rig(declared('<queue name="default"/>'))
    rig.refresh(declared('<queue name="default"><queue name="x"/></queue>'))
    assert rig.scheduler.tree.queue("default.x") is None


def test_ad_hoc_children_get_the_maximum_that_their_parent_has_for_them() -> None:
    limit = "<maxChildResources>2048 mb, 2 vcores</maxChildResources>"
    rig = Rig(declared(f'<queue name="p" type="parent">{limit}</queue>'))
    rig.submit("a", "p.x")
    rig.submit("b", "p.y.z")
    assert rig.queue("p.x").max_share == Resource(2048, 2)
    assert rig.queue("p.y").max_share == Resource(2048, 2)
    assert not rig.queue("p.y.z").has_max
    rig.refresh(declared('<queue name="p" type="parent"><queue name="x"/></queue>'))
    assert not rig.queue("p.x").has_max
    rig.refresh(declared(f'<queue name="p">{limit}<queue name="x"/></queue>'))
    assert not rig.queue("p.x").has_max
    assert rig.queue("p.y").max_share == Resource(2048, 2)


def test_settings_are_inherited_only_where_hadoop_inherits() -> None:
    rig = Rig(
        declared(
            '<queue name="p"><minSharePreemptionTimeout>5</minSharePreemptionTimeout>'
            "<fairSharePreemptionThreshold>0.25</fairSharePreemptionThreshold>"
            "<allowPreemptionFrom>false</allowPreemptionFrom><maxRunningApps>3</maxRunningApps>"
            "<maxContainerAllocation>memory-mb=2048</maxContainerAllocation><weight>3</weight>"
            '<queue name="c"><allowPreemptionFrom>true</allowPreemptionFrom></queue></queue>'
            "<defaultFairSharePreemptionTimeout>7</defaultFairSharePreemptionTimeout>"
        )
    )
    rig.add_node("n", 8192)
    child = rig.queue("p.c")
    assert (child.min_share_timeout_ms, child.fair_share_timeout_ms) == (5_000, 7_000)
    assert (child.fair_share_threshold, child.is_preemptable) == (0.25, False)
    assert (child.weight, child.max_running_apps) == (1.0, 2**31 - 1)
    assert rig.scheduler.queue_maximum_allocation("root.p.c") == Resource(2048, 4)
    assert rig.scheduler.queue_maximum_allocation("elsewhere") == Resource(8192, 4)


def test_a_maximum_is_never_below_the_minimum_and_follows_the_cluster() -> None:
    rig = Rig(
        declared(
            '<queue name="a"><minResources>3000 mb, 1 vcores</minResources>'
            "<maxResources>25%</maxResources></queue>"
        )
    )
    rig.add_node("n1", 8000, 8)
    rig.scheduler.tree.update_cluster_resource()
    assert rig.queue("a").max_share == Resource(3000, 2)
    rig.add_node("n2", 8000, 8)
    rig.scheduler.tree.update_cluster_resource()
    assert rig.queue("a").max_share == Resource(4000, 4)


def test_a_pair_of_policies_that_is_not_allowed_keeps_the_old_ones() -> None:
    rig = Rig(declared('<queue name="p"><queue name="c"/></queue>'))
    rig.refresh(
        declared('<queue name="p"><queue name="c"><schedulingPolicy>drf</schedulingPolicy></queue></queue>')
    )
    assert rig.queue("p.c").policy.name == "fair"
    rig.refresh(
        declared(
            "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"
            '<queue name="p"><queue name="c"/></queue>'
        )
    )
    assert [rig.queue(path).policy.name for path in ("root", "p", "p.c")] == ["DRF"] * 3


QUEUES = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.integers(1, 5), st.integers(0, 4), st.integers(4, 12)),
    min_size=2,
    max_size=6,
    unique_by=lambda queue: queue[0],
)


@settings(max_examples=40)
@given(queues=QUEUES, chance=st.randoms(use_true_random=False), policy=st.sampled_from(["fair", "drf"]))
def test_the_order_in_which_queues_are_declared_does_not_matter(
    queues: list[tuple[str, int, int, int]], chance: Random, policy: str
) -> None:
    def shares(order: list[tuple[str, int, int, int]]) -> dict[str, tuple[Resource, Resource, Resource]]:
        inside = "".join(
            f'<queue name="{name}"><weight>{weight}</weight>'
            f"<minResources>{least * 1024} mb, {least} vcores</minResources>"
            f'<maxResources>{most * 1024} mb, {most} vcores</maxResources><queue name="x"/><queue name="y"/>'
            "</queue>"
            for name, weight, least, most in order
        )
        default = f"<defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>"
        rig = Rig(f"<allocations>{default}{inside}</allocations>", checks_books=False)
        rig.add_node("n", 20_480, 20)
        for name, *_ in sorted(order):
            rig.submit(name, f"{name}.x")
            rig.ask(name, 20, Resource(1024, 1))
        rig.update()
        rig.heartbeat("n", 20)
        found = rig.scheduler.tree.queues.values()
        return {queue.path: (queue.fair_share, queue.steady_fair_share, queue.used) for queue in found}

    shuffled = list(queues)
    chance.shuffle(shuffled)
    assert shares(queues) == shares(shuffled)


def test_steady_shares_are_those_of_when_the_last_queue_was_made() -> None:
    rig = Rig(declared('<queue name="kept"/>'))
    rig.add_node("n", 9000)
    rig.submit("a", "one")
    rig.submit("b", "two")
    rig.finish("a")
    rig.advance(10_000)
    assert rig.scheduler.tree.queue("one") is None
    view = rig.scheduler.views.queue_view("root.kept")
    assert view is not None
    assert view.steady_fair_share == Resource(3000, 0)
    rig.submit("c", "three")
    view = rig.scheduler.views.queue_view("root.kept")
    assert view is not None
    assert view.steady_fair_share == Resource(3000, 0)
    rig.submit("d", "four")
    view = rig.scheduler.views.queue_view("root.kept")
    assert view is not None
    assert view.steady_fair_share == Resource(2250, 0)


def test_a_queue_whose_kind_changes_late_has_no_steady_share() -> None:
    """QueueManager.removePendingIncompatibleQueues makes it without working steady shares out."""
    rig = Rig(declared('<queue name="q"/><queue name="r"/>'))
    rig.add_node("n", 8000)
    rig.submit("a", "q")
    rig.refresh(declared('<queue name="q"><queue name="c"/></queue><queue name="r"/>'))
    rig.finish("a")
    rig.advance(10_000)
    shares = {}
    for path in ("root.q", "root.q.c", "root.r"):
        view = rig.scheduler.views.queue_view(path)
        assert view is not None
        shares[path] = view.steady_fair_share
    assert shares == {"root.q": NONE, "root.q.c": NONE, "root.r": Resource(4000, 0)}
