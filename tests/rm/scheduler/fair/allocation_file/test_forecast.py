"""Shares without a cluster: the same as the scheduler's with one."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.fair.rig import Rig
from yarnbox.rm.scheduler.fair.allocation_file.allocations import read_allocations
from yarnbox.rm.scheduler.fair.allocation_file.forecast import forecast, refused
from yarnbox.yarn.resources.resource import Resource

FILE = """<allocations>
  <queue name="a"><weight>2</weight>
    <queue name="x"/><queue name="y"><maxResources>10%</maxResources></queue>
  </queue>
  <queue name="b"><minResources>3072 mb, 3 vcores</minResources></queue>
  <queue name="p" type="parent"><maxChildResources>1024 mb, 1 vcores</maxChildResources></queue>
  <defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>
</allocations>"""
TYPES = ("memory-mb", "vcores")


@pytest.mark.parametrize("policy", ["fair", "drf"])
@pytest.mark.parametrize("active", [["a.x"], ["a.x", "a.y", "b"], ["b", "p.new"], ["q.r", "a.y"], []])
def test_the_forecast_comes_true(policy: str, active: list[str]) -> None:
    text = FILE.format(policy=policy)
    rig = Rig(text)
    rig.add_node("n", 20480, 20)
    for name in active:
        rig.submit(name, name)
    rig.update()
    found = forecast(read_allocations(text, "fair.xml", TYPES), Resource(20480, 20), active)
    assert {share.path for share in found} == set(rig.scheduler.tree.queues)
    for share in found:
        queue = rig.queue(share.path)
        assert (share.fair_share, share.steady_fair_share) == (queue.fair_share, queue.steady_fair_share)
        assert share.is_active is (queue.runnable_count > 0)


def test_by_default_all_declared_leaves_are_active() -> None:
    found = forecast(read_allocations(FILE.format(policy="fair"), "fair.xml", TYPES), Resource(20480, 20))
    assert [share.path for share in found if share.is_active] == [
        "root",
        "root.a",
        "root.a.x",
        "root.a.y",
        "root.b",
    ]


def test_queues_whose_policy_does_not_go_with_their_place_are_never_made() -> None:
    text = """<allocations>
      <queue name="a"><schedulingPolicy>fair</schedulingPolicy>
        <queue name="x"><schedulingPolicy>drf</schedulingPolicy><queue name="below"/></queue><queue name="y"/>
      </queue>
      <queue name="b"><schedulingPolicy>fifo</schedulingPolicy><queue name="z"/></queue>
      <queue name="c"><schedulingPolicy>fifo</schedulingPolicy></queue>
    </allocations>"""
    allocations = read_allocations(text, "fair.xml", TYPES)
    assert refused(allocations) == {
        "root.a.x": "the policy DRF is not allowed below fair, the policy of root.a",
        "root.a.x.below": "root.a.x is not made",
        "root.b": "the policy FIFO is for leaf queues only",
        "root.b.z": "root.b is not made",
    }
    made = {share.path for share in forecast(allocations, Resource(1024, 1), ["a.y", "a.x.below"])}
    assert made == {"root", "root.a", "root.a.y", "root.c"} == set(Rig(text).scheduler.tree.queues)


def test_a_user_s_own_policy_is_never_asked_about_nobody() -> None:
    text = FILE.format(policy="tests.rm.scheduler.fair.own_policy.LeastFirst")
    found = forecast(read_allocations(text, "fair.xml", TYPES), Resource(9000, 9))
    assert {share.path: share.fair_share for share in found}["root.a.x"] == Resource(1500, 1)
