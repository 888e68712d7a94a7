"""Constraints apart from requests: an application's by tag, the cluster's by tag, all levels together."""

from __future__ import annotations

from tests.rm.scheduler.constraint.rig import ConstraintRig, wants
from yarnbox.am.placement import parse_constraint
from yarnbox.yarn.records.request import PlacementConstraintMapEntry

APART = parse_constraint("NOTIN,NODE,zk")
NEAR = parse_constraint("IN,RACK,db")
FEW = parse_constraint("CARDINALITY,RACK,zk,0,5")


def test_all_levels_hold_and_each_constraint_once() -> None:
    rig = ConstraintRig("scheduler", 1)
    app, other = rig.start({"zk": "NOTIN,NODE,zk"}), rig.start()
    registry = rig.context.constraints.registry
    registry.set_of_cluster("zk", FEW)
    assert registry.effective(app, ("zk",), NEAR) == [NEAR, APART, FEW]
    assert registry.effective(app, ("zk",), APART) == [APART, FEW]
    assert registry.effective(other, ("zk",), None) == [FEW]
    assert registry.effective(app, ("db",), None) == []
    assert registry.effective(app, (), NEAR) == [NEAR]
    registry.set_of_cluster("zk", None)
    assert registry.effective(other, ("zk",), None) == []


def test_only_a_request_with_one_tag_has_registered_constraints() -> None:
    rig = ConstraintRig("scheduler", 1)
    app = rig.start({"zk": "NOTIN,NODE,zk"})
    assert rig.context.constraints.registry.effective(app, ("zk", "db"), None) == []


def test_entries_for_no_tag_or_for_several_are_passed_over() -> None:
    rig = ConstraintRig("scheduler", 1)
    app = rig.submit(unmanaged_am=True)
    entries = tuple(
        PlacementConstraintMapEntry(allocation_tags=tags, placement_constraint=APART)
        for tags in ((), ("a", "b"), ("c",))
    )
    rig.register(app, placement_constraints=entries)
    registry = rig.context.constraints.registry
    assert registry.effective(app, ("c",), None) == [APART]
    assert [registry.effective(app, (tag,), None) for tag in ("a", "b", "")] == [[], [], []]


def test_a_constraint_of_the_cluster_is_everybodys() -> None:
    rig = ConstraintRig("scheduler", 2)
    rig.context.constraints.registry.set_of_cluster("zk", parse_constraint("NOTIN,NODE,all/zk"))
    one, two = rig.start(), rig.start()
    rig.ask(one, wants("zk", 2))
    rig.ask(two, wants("zk", 2))
    rig.exchange(one, 3)
    rig.exchange(two, 3)
    assert len(rig.live(one)) + len(rig.live(two)) == 2
