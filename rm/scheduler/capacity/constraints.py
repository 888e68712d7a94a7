"""Scheduling requests in the CapacityScheduler: booked to be placed by itself, or placed already.

Answers for the parts of CapacityScheduler that take SchedulingRequests, and attemptAllocationOnNode.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rm.scheduler.asks import ANY, RequestKey
from rm.scheduler.capacity.commit import commit_directly
from rm.scheduler.constraint import asking
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
    """One container on that node, as if the queues had given it; no ask is lowered."""
    attempt = scheduler.attempt(attempt_id)
    sizing = request.resource_sizing
    resource = (sizing.resources if sizing is not None else None) or NONE
    if attempt is None or attempt.is_stopped or not scheduler.frame.calculator.is_any_positive(resource):
        return False
    key = RequestKey(request.priority or 0, request.allocation_request_id)
    return commit_directly(scheduler, attempt, node, key, resource, request.allocation_tags)
