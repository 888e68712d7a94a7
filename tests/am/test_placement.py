"""The short form of placement constraints, against the examples of Hadoop's documents."""

from __future__ import annotations

import pytest

from yarnbox.am.placement import UNBOUNDED, PlacementConstraintParseError, parse_constraint, parse_specs
from yarnbox.yarn.enums import CompositePlacementType, NodeAttributeOpCode, PlacementTargetType
from yarnbox.yarn.records.request import (
    PlacementConstraint,
    PlacementConstraintTarget,
    SimplePlacementConstraint,
)


def tags(*names: str, namespace: str = "self") -> PlacementConstraintTarget:
    return PlacementConstraintTarget(
        target_type=PlacementTargetType.ALLOCATION_TAG, target_key=namespace, target_values=names
    )


def simple(scope: str, low: int, high: int, *targets: PlacementConstraintTarget) -> PlacementConstraint:
    return PlacementConstraint(
        simple_constraint=SimplePlacementConstraint(
            scope=scope, target_expressions=targets, min_cardinality=low, max_cardinality=high
        )
    )


def test_the_example_of_the_document() -> None:
    zk, hbase, spark = parse_specs(
        "zk(3),NOTIN,NODE,zk:hbase(5),IN,RACK,zk:spark(7),CARDINALITY,NODE,hbase,1,3"
    )
    assert (zk.tag, zk.count, zk.constraint) == ("zk", 3, simple("node", 0, 0, tags("zk")))
    assert (hbase.tag, hbase.count, hbase.constraint) == (
        "hbase",
        5,
        simple("rack", 1, UNBOUNDED, tags("zk")),
    )
    assert (spark.tag, spark.count, spark.constraint) == ("spark", 7, simple("node", 1, 3, tags("hbase")))


def test_several_tags_are_several_targets() -> None:
    assert parse_constraint("IN,NODE,a,b,a") == simple("node", 1, UNBOUNDED, tags("a"), tags("b"))


def test_conjunctions_nest() -> None:
    (spec,) = parse_specs("zk(5),AND(IN,RACK,hbase:or(NOTIN,NODE,zk:java!=1.8))")
    assert spec.constraint is not None
    both = spec.constraint.composite_constraint
    assert both is not None
    assert both.composite_type is CompositePlacementType.AND
    first, second = both.child_constraints
    assert first == simple("rack", 1, UNBOUNDED, tags("hbase"))
    assert second.composite_constraint is not None
    assert second.composite_constraint.composite_type is CompositePlacementType.OR


def test_a_tag_without_a_constraint() -> None:
    (spec,) = parse_specs("zk(5)")
    assert (spec.tag, spec.count, spec.constraint) == ("zk", 5, None)


def test_an_attribute_alone_has_no_tag_and_no_count() -> None:
    (spec,) = parse_specs("python=3.11,3.12")
    assert (spec.tag, spec.count) == ("", None)
    assert spec.constraint is not None
    assert spec.constraint.simple_constraint == SimplePlacementConstraint(
        scope="node",
        target_expressions=(
            PlacementConstraintTarget(
                target_type=PlacementTargetType.NODE_ATTRIBUTE,
                target_key="python",
                target_values=("3.11", "3.12"),
            ),
        ),
        min_cardinality=-1,
        max_cardinality=-1,
        attribute_op_code=NodeAttributeOpCode.EQ,
    )


def test_the_spelling_of_an_older_version_reads_as_an_attribute() -> None:
    (spec,) = parse_specs("zk=3,NOTIN,NODE,zk")
    assert spec.tag == ""
    assert spec.constraint is not None
    assert spec.constraint.simple_constraint is not None
    (target,) = spec.constraint.simple_constraint.target_expressions
    assert target.target_values == ("3", "NODE", "NOTIN", "zk")


def test_namespaces_stand_before_the_last_slash() -> None:
    assert parse_constraint("in,node,all/foo") == simple("node", 1, UNBOUNDED, tags("foo", namespace="all"))


@pytest.mark.parametrize(
    "text, message",
    [
        ("zk(3),SOMEWHERE,NODE,zk", "Invalid constraint expression SOMEWHERE,NODE,zk"),
        ("zk(3),IN,CITY,zk", "Invalid constraint expression"),
        ("zk(3),CARDINALITY,NODE,zk,1", "Invalid constraint expression"),
        ("zk(x),IN,NODE,zk", "Expecting source allocation tag"),
        ("zk,IN,NODE,zk", "Expecting source allocation tag"),
        ("zk(3),IN,NODE,zk:java=1.8", "Source allocation tags is required"),
        ("zk(3),IN,NODE,app-id/application_1_0001/zk", "Invalid namespace prefix: app-id/application_1_0001"),
        ("zk(3),AND(IN,NODE,zk", "parentheses"),
    ],
)
def test_what_is_no_constraint_is_refused_with_hadoops_words(text: str, message: str) -> None:
    with pytest.raises(PlacementConstraintParseError) as refusal:
        parse_specs(text)
    assert message in str(refusal.value)
