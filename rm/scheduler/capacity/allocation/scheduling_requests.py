"""Scheduling requests: booked for the queues to serve, or placed already by the placement processor.

Hadoop: the parts of CapacityScheduler that take SchedulingRequests, and attemptAllocationOnNode.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from yarnbox.rm.asks import ANY, RequestKey
from yarnbox.rm.scheduler.capacity.allocation.commit import Commit
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.constraint import asking
from yarnbox.rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError
from yarnbox.yarn.records.request import RejectedSchedulingRequest, ResourceRequest, SchedulingRequest
from yarnbox.yarn.resources.resource import NONE

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode


class SchedulingRequests:
    """Books requests with placement constraints."""

    def __init__(self, context: QueueContext, sizes: asking.Sizes, commit: Commit) -> None:
        self._context = context
        self._sizes = sizes
        self._commit = commit

    def book_all(
        self,
        attempt: CapacityAttempt,
        asked: Iterable[ResourceRequest],
        requests: Iterable[SchedulingRequest],
        default_label: str,
    ) -> None:
        """Books the scheduling requests of one call; those before a wrong one stay booked."""
        if any(request.resource_name == ANY for request in asked):
            # Hadoop looks at them only where the plain requests of the call changed nothing at `*`.
            self._context.rm.log(
                "warning",
                "scheduling requests beside resource requests are not taken",
                attempt=attempt.attempt_id,
            )
            return
        attempt.has_constraints = True
        for request in requests:
            given = asking.normalized(request, self._sizes, None)
            asking.book(attempt.asks, attempt.application_id, given, default_label)

    def rejected(self, attempt: CapacityAttempt) -> tuple[RejectedSchedulingRequest, ...]:
        """The requests that a call's answer returns."""
        if not attempt.has_constraints:
            return ()
        attempts = self._context.rm.settings.constraints.retry_attempts
        return tuple(asking.rejected(attempt.asks, attempts))

    def allocate_directly(
        self, attempt: CapacityAttempt, request: SchedulingRequest, node: SchedulerNode
    ) -> bool:
        """Allocates one container on that node, as if the queues had; no request is lowered.

        It takes an id before anything is checked; the id is not used again when it is refused. The constraint
        is checked on the node as it was placed on; the container goes to whichever node has its id now. See
        tests/scenarios/constraints/processor-commits-to-a-node-that-came-back.yaml.
        """
        sizing = request.resource_sizing
        resource = (sizing.resources if sizing is not None else None) or NONE
        if attempt.is_stopped or not self._context.calculator.is_any_positive(resource):
            return False
        container_id = attempt.new_container_id()
        present = self._context.tracker.nodes.get(node.node_id)
        if present is None or not self._is_met(attempt, request, node):
            return False
        key = RequestKey(request.priority or 0, request.allocation_request_id)
        if not self._commit.accepts_directly(attempt, present, key, resource):
            return False
        attempt.allocate_directly(container_id, present, key, resource, request.allocation_tags)
        return True

    def _is_met(self, attempt: CapacityAttempt, request: SchedulingRequest, node: SchedulerNode) -> bool:
        constraints = self._context.rm.constraints
        try:
            return constraints.unmet(attempt.application_id, request, node) is None
        except InvalidAllocationTagsQueryError as error:
            constraints.warn(attempt.application_id, error)
            return False
