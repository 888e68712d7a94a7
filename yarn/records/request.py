"""What an ApplicationMaster asks for: resource requests, placement constraints; the preemption message."""

from __future__ import annotations

from yarnbox.yarn.enums import (
    CompositePlacementType,
    ExecutionType,
    NodeAttributeOpCode,
    PlacementDelayUnit,
    PlacementTargetType,
    RejectionReason,
)
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.limits import Name
from yarnbox.yarn.records.basics import record
from yarnbox.yarn.resources.resource import Resource


@record
class ResourceRequest:
    """ResourceRequestProto of yarn_protos.proto."""

    priority: int | None = None  # request priority: a SMALLER number is served first
    resource_name: Name | None = None  # host, rack or "*"
    capability: Resource | None = None
    num_containers: int | None = None  # absolute count for this key, not a delta; 0 cancels
    relax_locality: bool = True  # may fall back from this level
    node_label_expression: Name | None = None  # only on "*"
    execution_type_request: ExecutionTypeRequest | None = None
    allocation_request_id: int = -1


@record
class SchedulingRequest:
    """SchedulingRequestProto of yarn_protos.proto."""

    allocation_request_id: int = 0
    priority: int | None = None
    execution_type: ExecutionTypeRequest | None = None
    allocation_tags: tuple[Name, ...] = ()
    resource_sizing: ResourceSizing | None = None
    placement_constraint: PlacementConstraint | None = None


@record
class SimplePlacementConstraint:
    """SimplePlacementConstraintProto of yarn_protos.proto."""

    scope: str  # "node" or "rack"
    target_expressions: tuple[PlacementConstraintTarget, ...] = ()
    min_cardinality: int | None = None
    max_cardinality: int | None = None
    attribute_op_code: NodeAttributeOpCode | None = None


@record
class PlacementConstraintTarget:
    """PlacementConstraintTargetProto of yarn_protos.proto."""

    target_type: PlacementTargetType
    target_key: str | None = None
    target_values: tuple[str, ...] = ()


@record
class TimedPlacementConstraint:
    """TimedPlacementConstraintProto of yarn_protos.proto."""

    placement_constraint: PlacementConstraint
    scheduling_delay: int
    delay_unit: PlacementDelayUnit = PlacementDelayUnit.MILLISECONDS


@record
class CompositePlacementConstraint:
    """CompositePlacementConstraintProto of yarn_protos.proto."""

    composite_type: CompositePlacementType
    child_constraints: tuple[PlacementConstraint, ...] = ()
    timed_child_constraints: tuple[TimedPlacementConstraint, ...] = ()


@record
class ExecutionTypeRequest:
    """ExecutionTypeRequestProto of yarn_protos.proto."""

    execution_type: ExecutionType = ExecutionType.GUARANTEED
    enforce_execution_type: bool = False  # true: only exactly this type


@record
class ResourceSizing:
    """ResourceSizingProto of yarn_protos.proto."""

    num_allocations: int | None = None
    resources: Resource | None = None  # per container


@record
class RejectedSchedulingRequest:
    """RejectedSchedulingRequestProto of yarn_protos.proto."""

    reason: RejectionReason
    request: SchedulingRequest


@record
class PreemptionMessage:
    """PreemptionMessageProto of yarn_protos.proto."""

    strict_contract: StrictPreemptionContract | None = None  # these will be taken
    contract: PreemptionContract | None = None  # negotiable: release this much, or lose these


@record
class StrictPreemptionContract:
    """StrictPreemptionContractProto of yarn_protos.proto."""

    container: tuple[PreemptionContainer, ...] = ()


@record
class PreemptionContract:
    """PreemptionContractProto of yarn_protos.proto."""

    resource: tuple[PreemptionResourceRequest, ...] = ()
    container: tuple[PreemptionContainer, ...] = ()


@record
class PreemptionContainer:
    """PreemptionContainerProto of yarn_protos.proto."""

    id: ContainerId | None = None


@record
class PreemptionResourceRequest:
    """PreemptionResourceRequestProto of yarn_protos.proto."""

    resource: ResourceRequest | None = None


@record
class ResourceBlacklistRequest:
    """ResourceBlacklistRequestProto of yarn_protos.proto."""

    blacklist_additions: tuple[str, ...] = ()  # hosts or racks; "*" refused
    blacklist_removals: tuple[str, ...] = ()


@record
class PlacementConstraint:
    """PlacementConstraintProto of yarn_protos.proto."""

    simple_constraint: SimplePlacementConstraint | None = None
    composite_constraint: CompositePlacementConstraint | None = None


@record
class PlacementConstraintMapEntry:
    """PlacementConstraintMapEntryProto of yarn_protos.proto."""

    allocation_tags: tuple[str, ...] = ()
    placement_constraint: PlacementConstraint | None = None
