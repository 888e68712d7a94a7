"""A constraint as people read it, in logs, reasons and REST: PlacementConstraint.toString."""

from __future__ import annotations

from yarnbox.yarn.enums import NodeAttributeOpCode, PlacementTargetType
from yarnbox.yarn.records.request import (
    CompositePlacementConstraint,
    PlacementConstraint,
    PlacementConstraintTarget,
    SimplePlacementConstraint,
)

UNBOUNDED = 2**31 - 1

Part = PlacementConstraint | SimplePlacementConstraint | CompositePlacementConstraint


def text(constraint: Part) -> str:
    """`notin,node,zk`, `cardinality,rack,hbase,1,3`, `node,EQ,java=[1.8]`, `and(..:..)`."""
    if isinstance(constraint, PlacementConstraint):
        inner = constraint.simple_constraint or constraint.composite_constraint
        return text(inner) if inner is not None else ""
    if isinstance(constraint, CompositePlacementConstraint):
        children = [text(child) for child in constraint.child_constraints]
        children += [
            f"{text(child.placement_constraint)} after {child.scheduling_delay} {child.delay_unit.name}"
            for child in constraint.timed_child_constraints
        ]
        return f"{constraint.composite_type.name.lower()}({':'.join(children)})"
    return ":".join(_one(constraint, target) for target in constraint.target_expressions)


def _one(constraint: SimplePlacementConstraint, target: PlacementConstraintTarget) -> str:
    low, high = constraint.min_cardinality or 0, constraint.max_cardinality or 0
    scope, what = constraint.scope, _target(target)
    operator = constraint.attribute_op_code or NodeAttributeOpCode.NO_OP
    if target.target_type is PlacementTargetType.NODE_ATTRIBUTE and operator is not NodeAttributeOpCode.NO_OP:
        return f"{scope},{operator.name},{what}"
    if (low, high) == (0, 0):
        return f"notin,{scope},{what}"
    if (low, high) == (1, UNBOUNDED):
        return f"in,{scope},{what}"
    return f"cardinality,{scope},{what},{low},{high}"


def _target(target: PlacementConstraintTarget) -> str:
    values = target.target_values
    if target.target_type is PlacementTargetType.ALLOCATION_TAG:
        namespace = target.target_key
        return ",".join(value if namespace in (None, "self") else f"{namespace}/{value}" for value in values)
    if target.target_type is PlacementTargetType.NODE_ATTRIBUTE:
        return f"{target.target_key}=[{':'.join(values)}]"
    return "self"
