"""Whether a node satisfies a constraint: tables of what is where."""

from __future__ import annotations

import pytest

from yarnbox.am.placement import parse_constraint
from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError
from yarnbox.rm.scheduler.constraint.satisfaction import NODE_PARTITION, Satisfaction
from yarnbox.rm.scheduler.constraint.tags import AllocationTags
from yarnbox.rm.scheduler.constraint.text import text
from yarnbox.yarn.enums import AttributeMappingOperationType, CompositePlacementType, PlacementTargetType
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.node import NodeAttribute, NodeAttributeKey
from yarnbox.yarn.records.request import (
    CompositePlacementConstraint,
    PlacementConstraint,
    PlacementConstraintTarget,
    SimplePlacementConstraint,
    TimedPlacementConstraint,
)
from yarnbox.yarn.resources.resource import Resource

APP, OTHER = ApplicationId(0, 1), ApplicationId(0, 2)
SIZE = Resource(8192, 8)
NODES = [
    SchedulerNode(NodeId("n1", 1), "/r1", SIZE),
    SchedulerNode(NodeId("n2", 1), "/r1", SIZE, "gpu"),
    SchedulerNode(NodeId("n3", 1), "/r2", SIZE),
]


def world() -> Satisfaction:
    """n1: zk twice, hbase once; n2: nothing; n3: zk of another application. Attributes by host."""
    tags = AllocationTags()
    n1, _, n3 = NODES
    for _ in range(2):
        tags.add(n1.node_id, n1.rack, APP, ("zk",))
    tags.add(n1.node_id, n1.rack, APP, ("hbase",))
    tags.add(n3.node_id, n3.rack, OTHER, ("zk",))
    attributes = NodeAttributesManager()
    for host, name, value in (("n1", "java", "1.8"), ("n2", "java", "11"), ("n3", "os", "")):
        key = NodeAttributeKey(attribute_name=name)
        one = NodeAttribute(attribute_key=key, attribute_value=value)
        attributes.change(AttributeMappingOperationType.ADD, {host: [one]})
    return Satisfaction(tags, attributes)


def satisfied(constraint: PlacementConstraint) -> str:
    found = world()
    return " ".join(node.host for node in NODES if found.unmet(constraint, APP, node) is None)


@pytest.mark.parametrize(
    ("constraint", "nodes"),
    [
        ("IN,NODE,zk", "n1"),
        ("NOTIN,NODE,zk", "n2 n3"),
        ("IN,RACK,zk", "n1 n2"),
        ("NOTIN,RACK,zk", "n3"),
        ("NOTIN,NODE,all/zk", "n2"),
        ("NOTIN,NODE,not-self/zk", "n1 n2"),
        ("IN,NODE,not-self/zk", "n3"),
        ("IN,NODE,zk,hbase", "n1"),
        ("NOTIN,NODE,zk,spark", "n2 n3"),
        ("CARDINALITY,NODE,zk,0,1", "n2 n3"),
        ("CARDINALITY,NODE,zk,1,2", "n1"),
        ("CARDINALITY,NODE,zk,3,9", ""),
        ("CARDINALITY,RACK,zk,2,2", "n1 n2"),
        ("AND(IN,RACK,zk:NOTIN,NODE,zk)", "n2"),
        ("OR(IN,NODE,hbase:NOTIN,RACK,zk)", "n1 n3"),
        ("AND(OR(IN,NODE,hbase:IN,NODE,not-self/zk):NOTIN,NODE,spark)", "n1 n3"),
        ("java=1.8", "n1"),
        ("java!=1.8", "n2 n3"),
        ("rm.yarn.io/java=11", "n2"),
        ("nm.yarn.io/java=11", ""),
        ("nm.yarn.io/java!=11", "n1 n2 n3"),
        ("os=linux", ""),
        ("os!=linux", "n1 n2 n3"),
        ("AND(java=1.8:NOTIN,NODE,spark)", "n1"),
    ],
)
def test_where(constraint: str, nodes: str) -> None:
    assert satisfied(parse_constraint(constraint)) == nodes


def of(scope: str, low: int, high: int, target: PlacementConstraintTarget) -> PlacementConstraint:
    return PlacementConstraint(
        simple_constraint=SimplePlacementConstraint(
            scope=scope, target_expressions=(target,), min_cardinality=low, max_cardinality=high
        )
    )


def attribute(key: str, *values: str) -> PlacementConstraintTarget:
    return PlacementConstraintTarget(
        target_type=PlacementTargetType.NODE_ATTRIBUTE, target_key=key, target_values=values
    )


def test_the_partition_is_written_as_an_attribute() -> None:
    assert satisfied(of("node", 1, 2**31 - 1, attribute(NODE_PARTITION, "gpu"))) == "n2"
    assert satisfied(of("node", 1, 2**31 - 1, attribute(NODE_PARTITION))) == "n1 n3"


def test_an_attribute_without_an_operator_holds_nowhere() -> None:
    assert satisfied(of("node", 1, 2**31 - 1, attribute("java", "1.8"))) == ""


def test_several_tags_in_one_target_are_the_smallest_and_the_largest() -> None:
    both = PlacementConstraintTarget(
        target_type=PlacementTargetType.ALLOCATION_TAG, target_values=("zk", "hbase")
    )
    assert satisfied(of("node", 1, 2, both)) == "n1"
    assert satisfied(of("node", 2, 9, both)) == ""  # hbase is there once
    assert satisfied(of("node", 0, 1, both)) == "n2 n3"  # zk is there twice


def test_what_is_no_target_of_ours_holds() -> None:
    oneself = PlacementConstraintTarget(target_type=PlacementTargetType.SELF)
    assert satisfied(of("node", 0, 0, oneself)) == "n1 n2 n3"
    assert satisfied(PlacementConstraint()) == "n1 n2 n3"


def test_a_scope_that_is_none_counts_nothing() -> None:
    zk = PlacementConstraintTarget(target_type=PlacementTargetType.ALLOCATION_TAG, target_values=("zk",))
    assert satisfied(of("datacentre", 0, 0, zk)) == "n1 n2 n3"
    assert satisfied(of("datacentre", 1, 9, zk)) == ""


def delayed() -> PlacementConstraint:
    timed = TimedPlacementConstraint(
        placement_constraint=parse_constraint("IN,NODE,zk"), scheduling_delay=1000
    )
    return PlacementConstraint(
        composite_constraint=CompositePlacementConstraint(
            composite_type=CompositePlacementType.DELAYED_OR, timed_child_constraints=(timed,)
        )
    )


@pytest.mark.parametrize(
    "constraint", [delayed(), parse_constraint("IN,NODE,app-id/zk"), of("node", 1, 1, attribute("java"))]
)
def test_what_cannot_be_looked_at(constraint: PlacementConstraint) -> None:
    with pytest.raises(InvalidAllocationTagsQueryError):
        world().unmet(constraint, APP, NODES[0])


@pytest.mark.parametrize(
    ("constraint", "part"),
    [
        ("AND(IN,NODE,zk:NOTIN,NODE,hbase)", "notin,node,hbase"),
        ("AND(IN,NODE,zk:CARDINALITY,RACK,all/zk,0,1)", "cardinality,rack,all/zk,0,1"),
        ("OR(NOTIN,NODE,zk:java=11)", "or(notin,node,zk:node,EQ,java=[11])"),
        ("IN,NODE,spark,not-self/zk", "in,node,spark:in,node,not-self/zk"),
    ],
)
def test_what_keeps_it_off_the_first_node(constraint: str, part: str) -> None:
    found = world().unmet(parse_constraint(constraint), APP, NODES[0])
    assert found is not None
    assert text(found) == part


def test_a_delayed_constraint_can_be_shown() -> None:
    assert text(delayed()) == "delayed_or(in,node,zk after 1000 MILLISECONDS)"
