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
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.resources.resource import Resource


class ResourceRequest(Record, frozen=True, kw_only=True):
    """ResourceRequestProto of yarn_protos.proto."""

    priority: int | None = None  # request priority: a SMALLER number is served first
    resource_name: Name | None = None  # host, rack or "*"
    capability: Resource | None = None
    num_containers: int | None = None  # absolute count for this key, not a delta; 0 cancels
    relax_locality: bool = True  # may fall back from this level
    node_label_expression: Name | None = None  # only on "*"
    execution_type_request: ExecutionTypeRequest | None = None
    allocation_request_id: int = -1


class SchedulingRequest(Record, frozen=True, kw_only=True):
    """SchedulingRequestProto of yarn_protos.proto."""

    allocation_request_id: int = 0
    priority: int | None = None
    execution_type: ExecutionTypeRequest | None = None
    allocation_tags: tuple[Name, ...] = ()
    resource_sizing: ResourceSizing | None = None
    placement_constraint: PlacementConstraint | None = None


class SimplePlacementConstraint(Record, frozen=True, kw_only=True):
    """SimplePlacementConstraintProto of yarn_protos.proto."""

    scope: str  # "node" or "rack"
    target_expressions: tuple[PlacementConstraintTarget, ...] = ()
    min_cardinality: int | None = None
    max_cardinality: int | None = None
    attribute_op_code: NodeAttributeOpCode | None = None


class PlacementConstraintTarget(Record, frozen=True, kw_only=True):
    """PlacementConstraintTargetProto of yarn_protos.proto."""

    target_type: PlacementTargetType
    target_key: str | None = None
    target_values: tuple[str, ...] = ()


class TimedPlacementConstraint(Record, frozen=True, kw_only=True):
    """TimedPlacementConstraintProto of yarn_protos.proto."""

    placement_constraint: PlacementConstraint
    scheduling_delay: int
    delay_unit: PlacementDelayUnit = PlacementDelayUnit.MILLISECONDS


class CompositePlacementConstraint(Record, frozen=True, kw_only=True):
    """CompositePlacementConstraintProto of yarn_protos.proto."""

    composite_type: CompositePlacementType
    child_constraints: tuple[PlacementConstraint, ...] = ()
    timed_child_constraints: tuple[TimedPlacementConstraint, ...] = ()


class ExecutionTypeRequest(Record, frozen=True, kw_only=True):
    """ExecutionTypeRequestProto of yarn_protos.proto."""

    execution_type: ExecutionType = ExecutionType.GUARANTEED
    enforce_execution_type: bool = False  # true: only exactly this type


class ResourceSizing(Record, frozen=True, kw_only=True):
    """ResourceSizingProto of yarn_protos.proto."""

    num_allocations: int | None = None
    resources: Resource | None = None  # per container


class RejectedSchedulingRequest(Record, frozen=True, kw_only=True):
    """RejectedSchedulingRequestProto of yarn_protos.proto."""

    reason: RejectionReason
    request: SchedulingRequest


class PreemptionMessage(Record, frozen=True, kw_only=True):
    """PreemptionMessageProto of yarn_protos.proto."""

    strict_contract: StrictPreemptionContract | None = None  # these will be taken
    contract: PreemptionContract | None = None  # negotiable: release this much, or lose these


class StrictPreemptionContract(Record, frozen=True, kw_only=True):
    """StrictPreemptionContractProto of yarn_protos.proto."""

    container: tuple[PreemptionContainer, ...] = ()


class PreemptionContract(Record, frozen=True, kw_only=True):
    """PreemptionContractProto of yarn_protos.proto."""

    resource: tuple[PreemptionResourceRequest, ...] = ()
    container: tuple[PreemptionContainer, ...] = ()


class PreemptionContainer(Record, frozen=True, kw_only=True):
    """PreemptionContainerProto of yarn_protos.proto."""

    id: ContainerId | None = None


class PreemptionResourceRequest(Record, frozen=True, kw_only=True):
    """PreemptionResourceRequestProto of yarn_protos.proto."""

    resource: ResourceRequest | None = None


class ResourceBlacklistRequest(Record, frozen=True, kw_only=True):
    """ResourceBlacklistRequestProto of yarn_protos.proto."""

    blacklist_additions: tuple[str, ...] = ()  # hosts or racks; "*" refused
    blacklist_removals: tuple[str, ...] = ()


class PlacementConstraint(Record, frozen=True, kw_only=True):
    """PlacementConstraintProto of yarn_protos.proto."""

    simple_constraint: SimplePlacementConstraint | None = None
    composite_constraint: CompositePlacementConstraint | None = None


class PlacementConstraintMapEntry(Record, frozen=True, kw_only=True):
    """PlacementConstraintMapEntryProto of yarn_protos.proto."""

    allocation_tags: tuple[str, ...] = ()
    placement_constraint: PlacementConstraint | None = None
