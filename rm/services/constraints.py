"""What serves scheduling requests: nothing, the scheduler itself, or a processor before it.

The handler stands before all that an AM's register, allocate and finish do. Hadoop:
AbstractPlacementProcessor, DisabledPlacementProcessor, SchedulerPlacementProcessor and the place of
PlacementConstraintProcessor in the chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.records.request import RejectedSchedulingRequest

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext
    from yarnbox.rm.scheduler.constraint.processor import PlacementProcessor

HANDLER = "yarn.resourcemanager.placement-constraints.handler"
SCHEDULER = "scheduler"


class ConstraintHandler:
    """What all handlers do: constraints of an application live from its registration to its end."""

    def __init__(self, context: RMContext) -> None:
        self._context = context

    def register(self, attempt_id: ApplicationAttemptId, request: RegisterApplicationMasterRequest) -> None:
        """An AM registers; YarnError when it may not bring constraints."""
        if request.placement_constraints:
            registry = self._context.constraints.registry
            registry.register(attempt_id.application_id, request.placement_constraints)

    def take(self, attempt_id: ApplicationAttemptId, request: AllocateRequest) -> AllocateRequest:
        """An AM calls allocate: returns the request for the scheduler. YarnError when it is not allowed."""
        return request

    def rejected(self, attempt_id: ApplicationAttemptId) -> tuple[RejectedSchedulingRequest, ...]:
        """What the answer to that call returns."""
        return ()

    def finish(self, attempt_id: ApplicationAttemptId) -> None:
        """An AM unregisters."""
        self._context.constraints.forget(attempt_id.application_id)


class DisabledHandler(ConstraintHandler):
    """`disabled`: whoever asks is refused."""

    def register(self, attempt_id: ApplicationAttemptId, request: RegisterApplicationMasterRequest) -> None:
        """Without constraints only."""
        if request.placement_constraints:
            raise YarnError(
                "Found non empty placement constraints map in RegisterApplicationMasterRequest for "
                f"application={attempt_id}, but the configured {HANDLER} cannot handle placement "
                "constraints. Rejecting this registerApplicationMaster operation"
            )

    def take(self, attempt_id: ApplicationAttemptId, request: AllocateRequest) -> AllocateRequest:
        """Without scheduling requests only."""
        if request.scheduling_requests:
            raise YarnError(
                f"Found non empty SchedulingRequest in AllocateRequest for application={attempt_id}, but the "
                f"configured {HANDLER} cannot handle placement constraints. Rejecting this allocate operation"
            )
        return request


class SchedulerHandler(ConstraintHandler):
    """`scheduler`: passed on, where the scheduler takes them."""

    def take(self, attempt_id: ApplicationAttemptId, request: AllocateRequest) -> AllocateRequest:
        """Returns the request unchanged."""
        scheduler = self._context.scheduler
        if request.scheduling_requests and not scheduler.serves_constraints:
            raise YarnError(
                f"Found non empty SchedulingRequest of AllocateRequest for application={attempt_id}, however "
                f"the configured scheduler={scheduler.name} cannot handle placement constraints, rejecting "
                "this allocate operation"
            )
        return request


class ProcessorHandler(ConstraintHandler):
    """`placement-processor`: they never reach the scheduler."""

    def __init__(self, context: RMContext, processor: PlacementProcessor) -> None:
        super().__init__(context)
        self._processor = processor

    def take(self, attempt_id: ApplicationAttemptId, request: AllocateRequest) -> AllocateRequest:
        """Every call, with requests or without, moves the earlier ones on."""
        self._processor.take(attempt_id, request.scheduling_requests)
        return replace(request, scheduling_requests=()) if request.scheduling_requests else request

    def rejected(self, attempt_id: ApplicationAttemptId) -> tuple[RejectedSchedulingRequest, ...]:
        """The requests that were tried often enough."""
        return self._processor.rejected(attempt_id.application_id)


def make_handler(context: RMContext) -> ConstraintHandler:
    """The handler that is configured; with `placement-processor` there is a processor."""
    processor = context.constraints.processor
    if processor is not None:
        return ProcessorHandler(context, processor)
    if context.settings.constraints.handler == SCHEDULER:
        return SchedulerHandler(context)
    return DisabledHandler(context)
