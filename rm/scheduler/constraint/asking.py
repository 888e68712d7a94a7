"""Scheduling requests in the books of an application, where the scheduler itself places them.

A scheduler key holds one scheduling request. A later one of the same key may change its number and nothing
else; a number of 0 cancels, and only then is the key free for another request. Hadoop:
SingleConstraintAppPlacementAllocator and AppSchedulingInfo.updateSchedulingRequests.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from yarnbox.rm.asks import ANY, Asks, Constrained, PendingRequest, RequestKey
from yarnbox.rm.scheduler.constraint.satisfaction import NODE_PARTITION
from yarnbox.rm.scheduler.constraint.text import text
from yarnbox.yarn.enums import ExecutionType, PlacementTargetType, RejectionReason
from yarnbox.yarn.errors import SchedulerInvalidResourceRequestError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.request import (
    CompositePlacementConstraint,
    PlacementConstraint,
    RejectedSchedulingRequest,
    ResourceRequest,
    ResourceSizing,
    SchedulingRequest,
)

ONE = 1


class Sizes(Protocol):
    """Normalizes the sizes of containers."""

    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """The request with a size that containers have in that queue, or in any."""
        ...


def normalized(request: SchedulingRequest, sizes: Sizes, queue: str | None) -> SchedulingRequest:
    """The request with a size that containers have in that queue, or in any."""
    sizing = request.resource_sizing
    if sizing is None or sizing.resources is None:
        return request
    given = sizes.normalize(ResourceRequest(capability=sizing.resources), queue)
    return replace(request, resource_sizing=replace(sizing, resources=given.capability))


def number_of(request: SchedulingRequest) -> int:
    """How many containers it asks for."""
    sizing = request.resource_sizing
    return (sizing.num_allocations or 0) if sizing is not None else 0


def with_number(request: SchedulingRequest, number: int) -> SchedulingRequest:
    """The same request for another number of containers."""
    sizing = request.resource_sizing or ResourceSizing()
    return replace(request, resource_sizing=replace(sizing, num_allocations=number))


def book(
    asks: Asks, application_id: ApplicationId, request: SchedulingRequest, default_partition: str
) -> None:
    """Books a new request, or the new number of a known one; SchedulerInvalidResourceRequestError when it is
    neither.
    """
    key = RequestKey(request.priority or 0, request.allocation_request_id)
    known = asks.key_asks(key)
    if known is None or (known.constrained is None and not known.outstanding):
        _begin(asks, application_id, key, request, default_partition)
    elif known.constrained is None:
        raise SchedulerInvalidResourceRequestError(
            "a SchedulingRequest cannot be handled where a ResourceRequest with the same scheduler key "
            f"exists: {_described_key(key)}, please send SchedulingRequest with a different allocationId and "
            "priority"
        )
    else:
        _update(asks, key, known.any, known.constrained, request)


def _begin(
    asks: Asks,
    application_id: ApplicationId,
    key: RequestKey,
    request: SchedulingRequest,
    default_partition: str,
) -> None:
    where = f"AppId={application_id} Key={_described_key(key)}. Exception message:"
    sizing, execution = request.resource_sizing, request.execution_type
    if sizing is None or sizing.resources is None:
        raise SchedulerInvalidResourceRequestError(
            f"{where}No ResourceSizing found in the scheduling request, please double check"
        )
    if execution is not None and execution.execution_type is not ExecutionType.GUARANTEED:
        raise SchedulerInvalidResourceRequestError(f"{where}Only GUARANTEED execution type is supported.")
    partition = _partition(request.placement_constraint, default_partition, where)
    asks.drop(key)
    number = sizing.num_allocations or 0
    if number > 0:
        pending = PendingRequest(
            ANY, number, sizing.resources, label=partition, constrained=Constrained(request)
        )
        asks.put(key, [pending])


def _update(
    asks: Asks, key: RequestKey, wanted: PendingRequest, constrained: Constrained, request: SchedulingRequest
) -> None:
    number = number_of(request)
    if _fixed_part(request) != _fixed_part(constrained.request):
        raise SchedulerInvalidResourceRequestError(
            "Invalid updated SchedulingRequest added to scheduler, we only allows changing numAllocations "
            f"for the updated SchedulingRequest. Old={_described(constrained.request)} "
            f"new={_described(request)}, if any fields need to be updated, please cancel the old request "
            "(by setting numAllocations to 0) and send a SchedulingRequest with different "
            "combination of priority/allocationId"
        )
    if number == wanted.count:
        return
    if number < 0:
        raise SchedulerInvalidResourceRequestError(
            "numAllocation in ResourceSizing field must be >= 0, updating schedulingRequest failed."
        )
    asks.put(
        key,
        [PendingRequest(ANY, number, wanted.capability, label=wanted.label, constrained=constrained)],
    )
    if number == 0:
        asks.drop(key)


def _partition(constraint: PlacementConstraint | None, default: str, where: str) -> str:
    """The partition that a simple constraint names, or the default one of the queue."""
    simple = constraint.simple_constraint if constraint is not None else None
    for target in simple.target_expressions if simple is not None else ():
        is_partition = target.target_key == NODE_PARTITION
        if target.target_type is not PlacementTargetType.NODE_ATTRIBUTE or not is_partition:
            continue
        if len(target.target_values) > ONE:
            raise SchedulerInvalidResourceRequestError(
                f"{where}Inside one targetExpression, we only support affinity to at most one node partition "
                "now"
            )
        if target.target_values:
            return target.target_values[0]
    return default


def _fixed_part(request: SchedulingRequest) -> SchedulingRequest:
    """The request without its number: an update may not change it. Tags and targets are sets in Hadoop, so
    their order does not count.
    """
    constraint = request.placement_constraint
    return replace(
        with_number(request, 0),
        priority=request.priority or 0,
        allocation_tags=tuple(sorted(dict.fromkeys(request.allocation_tags))),
        placement_constraint=None if constraint is None else _in_order(constraint),
    )


def _in_order(constraint: PlacementConstraint) -> PlacementConstraint:
    simple, composite = constraint.simple_constraint, constraint.composite_constraint
    if simple is not None:
        targets = [
            replace(one, target_values=tuple(sorted(one.target_values))) for one in simple.target_expressions
        ]
        targets.sort(key=lambda one: (one.target_type.value, one.target_key or "", one.target_values))
        return PlacementConstraint(simple_constraint=replace(simple, target_expressions=tuple(targets)))
    if composite is not None:
        children = tuple(_in_order(child) for child in composite.child_constraints)
        ordered: CompositePlacementConstraint = replace(composite, child_constraints=children)
        return PlacementConstraint(composite_constraint=ordered)
    return constraint


def rejected(asks: Asks, attempts: int) -> Iterable[RejectedSchedulingRequest]:
    """The requests whose constraint could not be evaluated in that many attempts: reported at every call
    until the AM cancels them, as in Hadoop.
    """
    for key_asks in asks.all_keys():
        constrained = key_asks.constrained
        if constrained is not None and constrained.failed_looks >= attempts:
            yield RejectedSchedulingRequest(
                reason=RejectionReason.COULD_NOT_SCHEDULE_ON_NODE,
                request=with_number(constrained.request, key_asks.outstanding),
            )


def _described_key(key: RequestKey) -> str:
    return f"priority={key.request_priority}, allocationRequestId={key.allocation_request_id}"


def _described(request: SchedulingRequest) -> str:
    sizing, constraint = request.resource_sizing, request.placement_constraint
    size = sizing.resources if sizing is not None else None
    shown = text(constraint) if constraint is not None else "none"
    return (
        f"[priority={request.priority or 0}, allocationRequestId={request.allocation_request_id}, "
        f"tags={','.join(request.allocation_tags)}, {number_of(request)} of {size}, constraint={shown}]"
    )
