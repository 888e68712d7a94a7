"""Whether a node satisfies a constraint, and which part of it it does not.

A simple constraint holds when each of its targets does. A tag's target compares counts of containers on the
node or its rack, the one to be placed not among them: the smallest count of the tags named against the
minimum, the largest against the maximum. Hadoop: PlacementConstraintsUtil.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.labels.attributes import CENTRALIZED
from yarnbox.rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError, parse_namespace
from yarnbox.rm.scheduler.constraint.tags import AllocationTags, extremes
from yarnbox.rm.scheduler.constraint.text import UNBOUNDED, Part
from yarnbox.yarn.enums import CompositePlacementType, NodeAttributeOpCode, PlacementTargetType
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.node import NodeAttributeKey
from yarnbox.yarn.records.request import (
    CompositePlacementConstraint,
    PlacementConstraint,
    PlacementConstraintTarget,
    SimplePlacementConstraint,
)

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode
    from yarnbox.rm.labels.attributes import NodeAttributesManager

NODE, RACK = "node", "rack"
NODE_PARTITION = "yarn_node_partition/"
"""The attribute that is no attribute, but the partition of the node."""


class Satisfaction:
    """Looks at tags, attributes and partitions; changes nothing."""

    __slots__ = ("_attributes", "_tags")

    def __init__(self, tags: AllocationTags, attributes: NodeAttributesManager) -> None:
        self._tags = tags
        self._attributes = attributes

    def unmet(
        self, constraint: PlacementConstraint, application_id: ApplicationId, node: SchedulerNode
    ) -> Part | None:
        """The part that keeps a container of the application off the node; None when nothing does.

        InvalidAllocationTagsQueryError when that cannot be said.
        """
        if constraint.simple_constraint is not None:
            return self._unmet_simple(constraint.simple_constraint, application_id, node)
        if constraint.composite_constraint is not None:
            return self._unmet_composite(constraint.composite_constraint, application_id, node)
        return None

    def _unmet_composite(
        self, constraint: CompositePlacementConstraint, application_id: ApplicationId, node: SchedulerNode
    ) -> Part | None:
        match constraint.composite_type:
            case CompositePlacementType.AND:
                found = (self.unmet(child, application_id, node) for child in constraint.child_constraints)
                return next((part for part in found if part is not None), None)
            case CompositePlacementType.OR:
                for child in constraint.child_constraints:
                    if self.unmet(child, application_id, node) is None:
                        return None
                return constraint
            case _:
                raise InvalidAllocationTagsQueryError("Unsupported type of constraint: DelayedOr")

    def _unmet_simple(
        self, constraint: SimplePlacementConstraint, application_id: ApplicationId, node: SchedulerNode
    ) -> Part | None:
        for target in constraint.target_expressions:
            if target.target_type is PlacementTargetType.ALLOCATION_TAG:
                holds = self._holds_tags(constraint, target, application_id, node)
            elif target.target_type is PlacementTargetType.NODE_ATTRIBUTE:
                holds = self._holds_attribute(constraint, target, node)
            else:
                holds = True
            if not holds:
                return constraint
        return None

    def _holds_tags(
        self,
        constraint: SimplePlacementConstraint,
        target: PlacementConstraintTarget,
        application_id: ApplicationId,
        node: SchedulerNode,
    ) -> bool:
        namespace = parse_namespace(target.target_key)
        low, high = constraint.min_cardinality or 0, constraint.max_cardinality or 0
        smallest = largest = 0
        if constraint.scope == NODE:
            counts = self._tags.counts_on_node(node.node_id, namespace, application_id)
            smallest, largest = extremes(counts, target.target_values)
        elif constraint.scope == RACK:
            counts = self._tags.counts_on_rack(node.rack, namespace, application_id)
            smallest, largest = extremes(counts, target.target_values)
        return (low <= 0 or smallest >= low) and (high == UNBOUNDED or largest <= high)

    def _holds_attribute(
        self, constraint: SimplePlacementConstraint, target: PlacementConstraintTarget, node: SchedulerNode
    ) -> bool:
        """EQ needs the attribute with that value, NE another value or none; only the first value counts."""
        key, values = target.target_key or "", target.target_values
        if key == NODE_PARTITION:
            return node.partition == (values[0] if values else "")
        if not values:
            raise InvalidAllocationTagsQueryError(f"no value is given for the attribute {key}")
        prefix, slash, name = key.partition("/")
        wanted = NodeAttributeKey(
            attribute_prefix=prefix if slash else CENTRALIZED,
            attribute_name=name.partition("/")[0] if slash else key,
        )
        present = self._attributes.by_host.get(node.host, {}).get(wanted)
        operator = constraint.attribute_op_code
        if operator is NodeAttributeOpCode.NE:
            return present is None or (present.attribute_value or "") != values[0]
        if operator is NodeAttributeOpCode.EQ:
            return present is not None and (present.attribute_value or "") == values[0]
        return False
