"""Scheduling requests in the CapacityScheduler: booked to be placed by itself, or placed already.

Answers for the parts of CapacityScheduler that take SchedulingRequests, and attemptAllocationOnNode.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rm.scheduler.asks import ANY, RequestKey
from rm.scheduler.capacity.commit import accepts_directly
from rm.scheduler.constraint import asking
from rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError
from yarn.ids import ApplicationAttemptId
from yarn.records.request import RejectedSchedulingRequest, ResourceRequest, SchedulingRequest
from yarn.resource import NONE

if TYPE_CHECKING:
    from rm.scheduler.capacity.application import CapacityAttempt
    from rm.scheduler.capacity.scheduler import CapacityScheduler
    from rm.scheduler.node import SchedulerNode


def book_all(
    scheduler: CapacityScheduler,
    attempt: CapacityAttempt,
    asked: Iterable[ResourceRequest],
    requests: Iterable[SchedulingRequest],
) -> None:
    """Books the scheduling requests of one call; those before a wrong one stay booked."""
    if any(request.resource_name == ANY for request in asked):
        # Hadoop looks at them only where the plain requests of the call changed nothing at `*`.
        scheduler.context.log(
            "warning",
            "scheduling requests beside resource requests are not taken",
            attempt=attempt.attempt_id,
        )
        return
    attempt.has_constraints = True
    default = scheduler.default_label(attempt.leaf.path) or ""
    for request in requests:
        given = asking.normalized(request, scheduler, None)
        asking.book(attempt.asks, attempt.application_id, given, default)


def rejected(scheduler: CapacityScheduler, attempt: CapacityAttempt) -> tuple[RejectedSchedulingRequest, ...]:
    """The requests that a call's answer returns."""
    if not attempt.has_constraints:
        return ()
    attempts = scheduler.context.settings.constraints.retry_attempts
    return tuple(asking.rejected(attempt.asks, attempts))


def allocate_directly(
    scheduler: CapacityScheduler,
    attempt_id: ApplicationAttemptId,
    request: SchedulingRequest,
    node: SchedulerNode,
) -> bool:
    """One container on that node, as if the queues had given it; no ask is lowered.

    It has an id before anything is checked, and takes it along when it is refused.
    """
    attempt = scheduler.attempt(attempt_id)
    sizing = request.resource_sizing
    resource = (sizing.resources if sizing is not None else None) or NONE
    if attempt is None or attempt.is_stopped or not scheduler.frame.calculator.is_any_positive(resource):
        return False
    container_id = attempt.new_container_id()
    if not _is_met(scheduler, attempt, request, node):
        return False
    key = RequestKey(request.priority or 0, request.allocation_request_id)
    if not accepts_directly(scheduler, attempt, node, key, resource):
        return False
    attempt.allocate_directly(container_id, node, key, resource, request.allocation_tags)
    return True


def _is_met(
    scheduler: CapacityScheduler, attempt: CapacityAttempt, request: SchedulingRequest, node: SchedulerNode
) -> bool:
    constraints = scheduler.context.constraints
    try:
        return constraints.unmet(attempt.application_id, request, node) is None
    except InvalidAllocationTagsQueryError as error:
        constraints.warn(attempt.application_id, error)
        return False
