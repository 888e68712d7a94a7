"""From what a step says to the records that its AM, its client or its administrator sends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from yarnbox.am.asks import expand
from yarnbox.rm.container import RMContainer
from yarnbox.sim.scenario.reading.fields import Amounts
from yarnbox.sim.scenario.reading.steps import RequestSpec, Reserve, Submit
from yarnbox.yarn.enums import ApplicationTimeoutType, ContainerUpdateType, ExecutionType
from yarnbox.yarn.ids import ApplicationId, ReservationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext, ApplicationTimeoutMap
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.master import UpdateContainerRequest
from yarnbox.yarn.records.request import ExecutionTypeRequest, ResourceRequest
from yarnbox.yarn.records.reservation import ReservationDefinition, ReservationRequest, ReservationRequests
from yarnbox.yarn.resources.resource import Resource

ANY = "*"
AM_PRIORITY = 0


def submission(
    step: Submit, application_id: ApplicationId, reservation_id: ReservationId | None
) -> ApplicationSubmissionContext:
    """The submission context of an application."""
    timeouts: tuple[ApplicationTimeoutMap, ...] = ()
    if step.lifetime_ms is not None:
        seconds = step.lifetime_ms // 1000
        timeouts = (
            ApplicationTimeoutMap(application_timeout_type=ApplicationTimeoutType.LIFETIME, timeout=seconds),
        )
    return ApplicationSubmissionContext(
        application_id=application_id,
        application_name=step.name or step.app,
        queue=step.queue,
        priority=step.priority,
        am_container_spec=ContainerLaunchContext(),
        unmanaged_am=not step.is_managed,
        max_app_attempts=step.max_attempts or 0,
        keep_containers_across_application_attempts=step.keep_containers,
        # As ApplicationSubmissionContext keeps them, before they are sent.
        application_tags=tuple(tag.lower() for tag in step.tags),
        attempt_failures_validity_interval=(
            -1 if step.attempt_failures_validity_ms is None else step.attempt_failures_validity_ms
        ),
        reservation_id=reservation_id,
        node_label_expression=step.label,
        am_container_resource_request=_am_requests(step),
        application_timeouts=timeouts,
    )


def _am_requests(step: Submit) -> tuple[ResourceRequest, ...]:
    if step.am is None:
        return ()
    request = ResourceRequest(
        priority=AM_PRIORITY,
        resource_name=ANY,
        capability=Resource.of(step.am),
        num_containers=1,
        node_label_expression=step.am_label,
    )
    return (request,)


def resource_requests(spec: RequestSpec, rack_of: Callable[[str], str]) -> Iterator[ResourceRequest]:
    """The requests of one line of an ask: one, or those that AMRMClient writes for a list of hosts."""
    if isinstance(spec.at, str):
        yield _request(spec, spec.at, spec.relax)
        return
    for location in expand(spec.at, (), spec.relax, rack_of):
        yield _request(spec, location.name, location.relax_locality)


def _request(spec: RequestSpec, location: str, relax: bool) -> ResourceRequest:
    execution = None if spec.execution is None else ExecutionTypeRequest(execution_type=spec.execution)
    is_any = location == ANY or isinstance(spec.at, str)
    return ResourceRequest(
        priority=spec.priority,
        resource_name=location,
        capability=Resource.of(spec.resource),
        num_containers=spec.count,
        relax_locality=relax,
        node_label_expression=spec.label if is_any else None,
        execution_type_request=execution,
        allocation_request_id=spec.allocation_id,
    )


def update_request(spec: RequestSpec, container: RMContainer) -> UpdateContainerRequest:
    """The update of a container: another execution type where one is named, else another size."""
    if spec.execution is not None:
        is_promotion = spec.execution is ExecutionType.GUARANTEED
        return UpdateContainerRequest(
            container_version=container.version,
            container_id=container.container_id,
            update_type=(
                ContainerUpdateType.PROMOTE_EXECUTION_TYPE
                if is_promotion
                else ContainerUpdateType.DEMOTE_EXECUTION_TYPE
            ),
            execution_type=spec.execution,
        )
    target = Resource.of({**container.resource.as_dict(), **spec.resource})
    is_smaller = target.fits_in(container.resource)
    return UpdateContainerRequest(
        container_version=container.version,
        container_id=container.container_id,
        update_type=(
            ContainerUpdateType.DECREASE_RESOURCE if is_smaller else ContainerUpdateType.INCREASE_RESOURCE
        ),
        capability=target,
    )


def resized(before: Resource, changes: Amounts) -> Resource:
    """The capacity of a node after a change of the types that are named."""
    return Resource.of({**before.as_dict(), **changes})


def reservation_definition(step: Reserve, start_ms: int) -> ReservationDefinition:
    """The definition of a plan reservation; the file's times count from the scenario's start."""
    return ReservationDefinition(
        reservation_name=step.name,
        arrival=start_ms + step.arrival_ms,
        deadline=start_ms + step.deadline_ms,
        reservation_requests=ReservationRequests(
            reservation_resources=tuple(
                ReservationRequest(
                    capability=Resource.of(each.resource),
                    num_containers=each.count,
                    concurrency=each.concurrency,
                    duration=each.duration_ms,
                )
                for each in step.requests
            ),
            interpreter=step.interpreter,
        ),
        recurrence_expression=str(step.recurrence_ms),
    )
