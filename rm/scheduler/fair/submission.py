"""Whether an application, or an ask, is let into its queue. Answers for FairScheduler.addApplication,
resolveReservationQueueName and validateResourceRequests.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from yarn.enums import QueueACL
from yarn.errors import InvalidResourceRequestError, YarnError
from yarn.records.request import ResourceRequest
from yarn.resource import Resource

if TYPE_CHECKING:
    from rm.events.scheduler import SchedulerAppAdded
    from rm.scheduler.fair.application import FSAppAttempt
    from rm.scheduler.fair.leaf import LeafQueue
    from rm.scheduler.fair.scheduler import FairScheduler

RECOVERY = "root.recovery"


def find_leaf(scheduler: FairScheduler, event: SchedulerAppAdded) -> LeafQueue:
    """The queue of an application that was placed, made if need be; YarnError when it is rejected."""
    application_id, user = event.application_id, event.user
    queue = _resolve_plan(scheduler, event)
    if not queue and not event.is_recovering:
        raise YarnError(
            f"Reject application {application_id} submitted by user {user} application rejected by placement "
            "rules."
        )
    leaf = scheduler.tree.leaf(queue or RECOVERY, create=True)
    if leaf is None and event.is_recovering:
        leaf = scheduler.tree.leaf(RECOVERY, create=True)
    if leaf is None:
        raise YarnError(f"{queue} is not a leaf queue")
    if not event.is_recovering:
        if not any(leaf.allows(user, acl) for acl in QueueACL):
            raise YarnError(
                f"User {user} does not have permission to submit {application_id} to queue {queue}"
            )
        wanted = [] if event.context.unmanaged_am else _am_resources(event)
        impossible = [one for one in wanted if _wants_what_is_not(one, leaf)]
        if impossible:
            raise YarnError(
                f"Cannot submit application {application_id} to queue {queue} because it has zero amount of "
                f"resource for a requested resource! Invalid requested AM resources: {impossible}, maximum "
                f"queue resources: {leaf.max_share}"
            )
    leaf.assigned[application_id] = None
    return leaf


def check_zero_maxima(attempt: FSAppAttempt, ask: Iterable[ResourceRequest]) -> None:
    """InvalidResourceRequestError when a type is asked for of which the queue may have nothing."""
    leaf = attempt.leaf
    if not leaf.has_max:
        return
    impossible = [
        one.capability
        for one in ask
        if one.capability is not None and _wants_what_is_not(one.capability, leaf)
    ]
    if impossible:
        raise InvalidResourceRequestError(
            f"Resource request is invalid for application {attempt.application_id} because queue {leaf.path} "
            f"has 0 amount of resource for a resource type! Validation result: {impossible}, maximum queue "
            f"resources: {leaf.max_share}"
        )


def _resolve_plan(scheduler: FairScheduler, event: SchedulerAppAdded) -> str:
    """In a plan queue: the queue of the reservation, or that of all who have none."""
    queue = event.queue
    found = scheduler.tree.queue(queue) if queue else None
    if found is None or not scheduler.plan_queues.is_plan(found.path):
        return queue
    reservation_id = event.context.reservation_id
    if reservation_id is None:
        return scheduler.plan_queues.default_of(queue)
    reserved = f"{found.path}.{reservation_id}"
    if reserved not in scheduler.tree.queues:
        if event.is_recovering:
            return scheduler.plan_queues.default_of(queue)
        raise YarnError(
            f"Application {event.application_id} submitted to a reservation which is not yet currently "
            f"active: {reserved}"
        )
    return reserved


def _am_resources(event: SchedulerAppAdded) -> list[Resource]:
    context = event.context
    asked = [one.capability for one in context.am_container_resource_request if one.capability is not None]
    return asked or ([context.resource] if context.resource is not None else [])


def _wants_what_is_not(wanted: Resource, leaf: LeafQueue) -> bool:
    return any(value > 0 and leaf.max_share.value(name) == 0 for name, value in wanted.items())
